"""What a data set is: in figures, and as a card with the head that the Hugging Face hub reads."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jinja2
import pyarrow as pa
import pyarrow.compute as pc
import yaml

from clutrr._data.dataset import Dataset
from clutrr._data.frozen import Checksum, joined_checksum, recognised
from clutrr._data.part import UNSPLIT
from clutrr._io.manifests import differences, sealed_in
from clutrr._measure import natural
from clutrr._puzzle import NOISE, ROLES, Puzzle
from clutrr._statement import from_record
from clutrr._table import STATEMENTS, from_table
from clutrr._version import VERSION

COLUMNS = """\
`id`; `story` (entities may be in square brackets); `question` (the query in words); `abstract`
(the sentence that states the target, with the same brackets); `query` (two names); `target`
(what the second is to the first); `k` (facts of the route); `pattern` (their relation kinds); `facts`
(head, relation, tail: tail is head's relation; those of the route first, in its order); `entities` (name and
form of each, those on the route first); `scene` (an id); `roles` (of each fact: path, supporting,
irrelevant or disconnected); `sentences` (start and end in the story, and the numbers of the facts that
each states); `possible` (the relations that the facts allow) and `outside` (whether something else is
possible), both under the assumption."""

STATEMENT_COLUMN = """\
`statements` (what the story gives beside facts: alternatives, head, relations, tail, one of which holds;
denials, of status denied; closures, head, closure, relation, entities: none, or exactly these; forms, without
a tail; each with its role, and start and end of the sentence that states it)."""


@dataclass(frozen=True)
class Info:
    """The content of a data set, counted.

    - format: of its files, joined.
    - bytes: of its files.
    - subsets: the rows of each split of each subset.
    - roles: of the facts of each subset.
    - statements: of each subset that has statements beside facts, how many of each kind.
    - checksum: of its puzzles to test on, or of all where none are (see `clutrr._data.frozen`).
    - frozen: which frozen set it is; "" if it is none.
    - damage: the files of the folder that are not as its manifest says: "missing" or "changed".
    """

    format: str
    bytes: int
    subsets: Mapping[str, Mapping[str, int]]
    roles: Mapping[str, Mapping[str, int]]
    labels: Mapping[str, int]
    checksum: str
    frozen: str
    damage: Mapping[str, str]
    statements: Mapping[str, Mapping[str, int]]
    sample: Puzzle | None

    @property
    def rows(self) -> int:
        return sum(self.labels.values())


# Under which the files of others were published, by their format; who passes them on has to keep to it.
LICENCES = {
    **dict.fromkeys(("v1.0", "v1.0-hub"), "cc-by-nc-4.0"),
    **dict.fromkeys(("StepGame", "STaR"), "mit"),
    "bAbI": "cc-by-3.0",
}


def describe(data: Dataset, tick: Callable[[int], None] = lambda rows: None) -> Info:
    """Return the figures of a data set, which is read once from beginning to end."""
    subsets: dict[str, Counter[str]] = {}
    labels: Counter[str] = Counter()
    sample: Puzzle | None = None
    roles: dict[str, Counter[str]] = {}
    statements: dict[str, Counter[str]] = {}
    sums: dict[tuple[str, str], Checksum] = {}
    for part in data.parts():
        splits = subsets.setdefault(part.subset, Counter(train=0, test=0))
        splits[part.split or UNSPLIT] += len(part.table)
        labels.update(part.labels())
        of = roles.setdefault(part.subset, Counter(dict.fromkeys((ROLES[0], *NOISE), 0)))
        sums.setdefault((part.subset, part.split or UNSPLIT), Checksum()).add(part.table)
        of.update(pc.list_flatten(part.table["roles"]).to_pylist())
        for kind in _kinds_stated(part.table):
            statements.setdefault(part.subset, Counter())[kind] += 1
        if sample is None and len(part.table):
            sample = next(from_table(part.table.slice(0, 1)))
        tick(len(part.table))
    asked = "test" if any(split == "test" for _, split in sums) else None
    tested = {name: one.text for (name, split), one in sums.items() if split == asked or not asked}
    stored = () if data.in_memory else data.files
    return Info(
        format=data.kinds,
        bytes=sum(source.path.stat().st_size for source, _ in stored),
        subsets={name: dict(subsets[name]) for name in sorted(subsets, key=natural)},
        roles={name: dict(roles[name]) for name in sorted(roles, key=natural)},
        statements={name: dict(statements[name]) for name in sorted(statements, key=natural)},
        labels=dict(labels.most_common()),
        checksum=joined_checksum(tested),
        frozen=recognised(tested),
        damage={}
        if (at := data.folder) is None
        else dict(differences(at, sealed_in(at, data.manifest))),
        sample=sample,
    )


def _kinds_stated(table: pa.Table) -> Iterator[str]:
    """Yield the kind of each statement of a table that is no fact."""
    if STATEMENTS.name in table.column_names:
        for record in pc.list_flatten(table[STATEMENTS.name]).to_pylist():
            yield from_record(record).kind.value


def front_matter(
    language: str, configs: Mapping[str, Mapping[str, str]], licence: str | None
) -> str:
    """Return the YAML head. configs: by subset, the files of each split.

    `all` has the files of every subset; it is what is loaded without a name.
    """
    every: dict[str, list[str]] = {}
    for splits in configs.values():
        for split, path in splits.items():
            every.setdefault(split, []).append(path)
    whole = {"all": every} if len(configs) > 1 else {}
    content: dict[str, Any] = {
        **({"license": licence} if licence else {}),
        "language": [language],
        "task_categories": ["question-answering", "text-classification"],
        "tags": ["relational-reasoning", "compositional-generalization"],
        "configs": [
            {
                "config_name": name,
                **({"default": True} if name == "all" or len(configs) == 1 else {}),
                "data_files": [{"split": split, "path": path} for split, path in splits.items()],
            }
            for name, splits in {**whole, **configs}.items()
        ],
    }
    return f"---\n{yaml.safe_dump(content, sort_keys=False, allow_unicode=True)}---\n"


def rendered(package: str, template: str, **said: Any) -> str:
    """Return the text that a template of a package gives."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(package, "."),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template(template).render(said)


def subsets_of(files: Iterable[tuple[str, str, str, Mapping[str, int]]]) -> dict[str, Any]:
    """Return what a manifest says of its subsets. files: the subset, split, path and labels of each."""
    subsets: dict[str, Any] = {}
    for subset, split, path, labels in files:
        about = {"rows": 0, "labels": {}, "files": []}
        of = subsets.setdefault(subset, {}).setdefault(split, about)
        of["rows"] += sum(labels.values())
        for label, rows in sorted(labels.items()):
            of["labels"][label] = of["labels"].get(label, 0) + rows
        of["files"].append(path)
    return subsets


# The file and the labels of each subset and split.
ConvertedFiles = dict[tuple[str, str], tuple[str, Counter[str]]]


def converted_manifest(
    data: Dataset, form: str, written: ConvertedFiles, kept: Mapping[str, str], unread: int = 0
) -> dict[str, Any]:
    """Return the manifest of a converted folder.

    unread: of how many rows some of the text was not read
    """
    order = {"train": 0, "validation": 1, "test": 2}
    keys = sorted(written, key=lambda key: (natural(key[0]), order.get(key[1], 3)))
    return {
        "world": {"name": data.world.name, "sha256": data.world.digest},
        "assume": data.assume,
        "format": form,
        "converted_from": data.made_as,
        **({"kept": dict(kept)} if kept else {}),
        "source": data.path.name,
        "skipped": len(data.notes.skipped),
        "unread": unread,
        "subsets": subsets_of((*key, *written[key]) for key in keys),
    }


def converted_card(data: Dataset, manifest: Mapping[str, Any]) -> str:
    """Return the README.md of a converted folder, which the Hugging Face hub understands."""
    subsets: Mapping[str, Mapping[str, Any]] = manifest["subsets"]
    files = {
        name: {split: about["files"][0] for split, about in of.items()}
        for name, of in subsets.items()
    }
    # Generated data is CC0.
    licence = "cc0-1.0" if "config" in data.manifest else LICENCES.get(data.made_as)
    return rendered(
        "clutrr._data",
        "card.md.jinja",
        head=front_matter(data.world.lexicon.language, files, licence),
        data=data,
        manifest={"kept": {}, **manifest},
        licence=licence,
        splits=list(dict.fromkeys(split for of in subsets.values() for split in of)),
        columns=COLUMNS,
        statements=any(form.statements for _, form in data.files) and STATEMENT_COLUMN,
        extra=any(form.extra for _, form in data.files),
        version=VERSION,
    )
