"""Data set cards: the head that the Hugging Face hub reads, what columns mean, and what was converted."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow.compute as pc
import yaml

from clutrr.data.dataset import Dataset
from clutrr.data.formats import FORMATS
from clutrr.data.part import UNSPLIT, Part
from clutrr.measure import natural
from clutrr.puzzle import EXTRA
from clutrr.version import VERSION
from clutrr.world import World

_SIZES = (1_000, "1K"), (10_000, "10K"), (100_000, "100K"), (1_000_000, "1M"), (10_000_000, "10M")

COLUMNS = """\
`id`; `story`, `abstract` (entities and attribute values in square brackets); `query` (two names); `target`
(what the second is to the first); `k` (facts of the route); `pattern` (their relation kinds); `facts`
(head, relation, tail: tail is head's relation; those of the route first, in its order); `entities` (name and
form of each, those on the route first); `scene` (an id); `roles` (of each fact: path, supporting,
irrelevant or disconnected); `sentences` (start and end in the story, and the numbers of the facts that
each states); `possible` (the relations that the facts allow) and `outside` (whether something else is
possible), both under the assumption."""


def front_matter(
    language: str, rows: int, configs: Mapping[str, Mapping[str, str]], licence: str | None
) -> str:
    """Return the YAML head. configs: by name, the files of each split. A single one needs no name to load."""
    content: dict[str, Any] = {
        **({"license": licence} if licence else {}),
        "language": [language],
        "task_categories": ["question-answering", "text-classification"],
        "tags": ["relational-reasoning", "compositional-generalization"],
        "size_categories": [_size(rows)],
        "configs": [
            {
                "config_name": name,
                **({"default": True} if len(configs) == 1 else {}),
                "data_files": [{"split": split, "path": path} for split, path in splits.items()],
            }
            for name, splits in configs.items()
        ],
    }
    return f"---\n{yaml.safe_dump(content, sort_keys=False, allow_unicode=True)}---\n"


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return [f"| {' | '.join(f'{c:,}' if isinstance(c, int) else str(c) for c in line)} |" for line in lines]


def _size(rows: int) -> str:
    """Return the hub's name for a number of rows, such as 1K<n<10K."""
    least = ""
    for most, name in _SIZES:
        if rows < most:
            return f"{least}<n<{name}" if least else f"n<{name}"
        least = name
    return f"n>{least}"


class Converted:
    """Counts what is written, file by file, and describes it."""

    def __init__(self, data: Dataset, world: World, form: str) -> None:
        self._data, self._world, self._form = data, world, form
        self._files: dict[tuple[str, str], str] = {}
        self._rows: Counter[tuple[str, str]] = Counter()
        self._labels: dict[tuple[str, str], Counter[str]] = {}
        self._extra = False

    def add(self, name: str, part: Part) -> None:
        """Note a part that was written to a file of this name."""
        key = part.subset, part.split or UNSPLIT
        self._files[key] = name
        self._rows[key] += len(part.table)
        self._extra |= EXTRA.name in part.table.column_names
        labels = self._labels.setdefault(key, Counter())
        for count in pc.value_counts(part.table["target"]).to_pylist():
            labels[count["values"]] += count["counts"]

    def manifest(self, assume: str | None, kept: Mapping[str, str]) -> dict[str, Any]:
        """Return the manifest of the folder."""
        subsets: dict[str, Any] = {}
        for subset, split in self._keys():
            subsets.setdefault(subset, {})[split] = {
                "rows": self._rows[subset, split],
                "labels": dict(sorted(self._labels[subset, split].items())),
                "files": [self._files[subset, split]],
            }
        return {
            "world": {"name": self._world.name, "sha256": self._world.digest},
            "assume": assume,
            "format": self._form,
            "converted_from": ", ".join(sorted({form.name for _, form in self._data.files})),
            **({"kept": dict(kept)} if kept else {}),
            "skipped": len(self._data.notes.skipped),
            "spelt": {f"{word}: {means}": n for (word, means), n in self._data.notes.spelt.items()},
            "subsets": subsets,
        }

    def card(self, manifest: Mapping[str, Any]) -> str:
        """Return the folder's README.md, which the Hugging Face hub understands."""
        configs: dict[str, dict[str, str]] = {}
        for subset, split in self._keys():
            configs.setdefault(subset, {})[split] = self._files[subset, split]
        made_here = "config" in self._data.manifest  # generated data is CC0
        head = front_matter(
            self._world.lexicon.language, sum(self._rows.values()), configs, "cc0-1.0" if made_here else None
        )
        splits = list(dict.fromkeys(split for _, split in self._keys()))
        rows = [[subset, *(self._rows[subset, split] for split in splits)] for subset in configs]
        lines = [
            head,
            f"# Stories, converted from {manifest['converted_from']}",
            "",
            f"A story states relations; the question is what the second entity of `query` is to the "
            f"first. World: `{self._world.name}`. "
            + (f"Assumption: `{manifest['assume']}`." if manifest["assume"] else "No assumption is known."),
            "",
            *table(["subset", *splits], rows),
            "",
            *self._said(manifest),
            "## Columns",
            "",
            COLUMNS if self._form in FORMATS else f"Those of CLUTRR {self._form}.",
        ]
        if self._extra and self._form in FORMATS:
            lines[-1] += " `extra` (JSON): what the file that this was converted from said besides."
        lines += ["", f"By `clutrr convert` {VERSION}; `manifest.json` has checksums."]
        return "\n".join(lines) + "\n"

    def _said(self, manifest: Mapping[str, Any]) -> list[str]:
        lines = []
        if kept := manifest.get("kept"):
            lines.append(
                f"Only part of the data: {', '.join(f'{name} {what}' for name, what in kept.items())}."
            )
        if skipped := manifest["skipped"]:
            lines.append(f"Left out because they could not be read: {skipped:,}.")
        for spelling, rows in manifest["spelt"].items():
            word, _, means = spelling.partition(": ")
            lines.append(f"`{word}` was read as `{means}` in {rows:,} rows.")
        return [*lines, ""] if lines else []

    def _keys(self) -> list[tuple[str, str]]:
        order = {"train": 0, "validation": 1, "test": 2}
        return sorted(self._files, key=lambda key: (natural(key[0]), order.get(key[1], 3)))
