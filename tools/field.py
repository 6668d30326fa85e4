"""Judge every public set of relational questions at hand: docs/field.md and experiments/results/field.json.

python tools/field.py FOLDER [DOCS]

FOLDER holds the published sets (star, stepgame, v0.1, v1.0, ...); reasoning-gym's questions are made by the
installed package. The page is made from the result file: `python tools/field.py --page DOCS` writes it again.
"""

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from clutrr import audit
from clutrr._audit.audit import Audit, Group
from clutrr._audit.rows import RowJudge
from clutrr._cli import main
from clutrr._cli.show import say
from clutrr._data import open_dataset
from clutrr._io.records import read_json
from clutrr._lexicon import World
from clutrr._measure import natural, percent
from clutrr._puzzle import Entity, Fact, Puzzle
from clutrr.theory import Finding
from page_tables import shown_table

app = typer.Typer(add_completion=False)
_COMMAND = "python tools/field.py FOLDER"
_FINDINGS = ("proved", "undetermined", "refuted", "contradictory", "unread")
_HEADER = [
    "set",
    "rows",
    "read",
    "assuming",
    "proved",
    "several",
    "refuted",
    "inconsistent",
    "shortcut",
    "answers",
]
_CLUTRR = ("v0.1", "v1.0/data_089907f8", "v1.0-hub", "v1-template/data_2d5007e7", "v1.3")
_GYM = {"reasoning-gym, 4 to 8 people": (4, 8), "reasoning-gym, 9 to 12 people": (9, 12)}
_GYM_ROWS = 500
_INTRODUCTION = f"""\
# The field, judged

What a prover finds in the public sets of relational questions. Written by `{_COMMAND}`, from
`experiments/results/field.json`. `clutrr audit DATA` gives the same for one set by subset and split (its first line
counts the questions to test on alone); `clutrr convert DATA OUT --only proved` keeps what is proved, and
`--relabel` puts the proved answer in the place of one that is refuted.

*Read*: the share of the rows whose text was understood; nothing else counts as proved. *Several*: more than
one answer is possible. *Refuted*: the answer given is impossible. *Inconsistent*: no scene has all the facts.
All in percent of the rows, under an [assumption](assumptions.md). *Shortcut*: the look-up without
understanding that answers most, fitted on the training rows, or else on every second row. STaR has no text,
so its facts are judged.
"""

_ADDED = "\n## Trained on mistakes"  # from here on, the page is written by hand
_MINOR = (
    "CLUTRR v1.0-hub",
    "CLUTRR v1-template/data_2d5007e7",
    "CLUTRR v1.3",
    "reasoning-gym, 9 to 12 people",
)


@app.command()
def field(
    folder: Annotated[Path, typer.Argument(help="The published sets; the docs with --page.")],
    docs: Annotated[
        Path, typer.Argument(help="Where the page and the results are written.")
    ] = Path("docs"),
    page: Annotated[
        bool, typer.Option("--page", help="Only write the page of FOLDER again.")
    ] = False,
) -> None:
    """Judge the public sets in a folder, and write the page on them."""
    docs = folder if page else docs
    results = docs.parent / "experiments/results/field.json"
    if not page:
        results.parent.mkdir(parents=True, exist_ok=True)
        results.write_text(
            json.dumps(judged(folder), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    written = docs / "field.md"
    added = written.read_text(encoding="utf-8").partition(_ADDED)[1:] if written.is_file() else ()
    written.write_text(page_of(read_json(results)) + "".join(added), encoding="utf-8")
    say(written)


def judged(folder: Path) -> dict[str, Any]:
    """Everything that the page shows, as tables."""
    tables: dict[str, Any] = {"sets": {"columns": _HEADER, "rows": []}}
    rows: list[list[Any]] = tables["sets"]["rows"]
    for name in _CLUTRR:
        if (folder / name).is_dir():
            rows += _summary(f"CLUTRR {name}", audit(folder / name))
    for name, files in (
        ("STaR, regions", "test_rcc8_*.csv"),
        ("STaR, time", "test_interval_*.csv"),
    ):
        if found := sorted((folder / "star").glob(files), key=lambda path: natural(path.name)):
            audits = {path.stem.removeprefix("test_"): audit(path) for path in found}
            rows += _summary(name, *audits.values())
            tables.setdefault("star", {"columns": _STAR, "rows": []})["rows"] += list(_star(audits))
            tables.setdefault(
                "star duplicates",
                {"columns": ["set", "files", "rows", "questions that two files share"]},
            )
            tables["star duplicates"].setdefault("rows", []).append(_duplicates(name, found))
    for name in ("clean", "noise"):
        if (folder / "stepgame" / name).is_dir():
            for assume in ("unit", "free"):
                rows += _summary(
                    f"StepGame, {name}", audit(folder / "stepgame" / name, assume=assume)
                )
    if (folder / "stepgame").is_dir():
        tables |= _stepgame(folder / "stepgame")
    tables |= _gym(rows)
    tables["in short"] = in_short(tables["sets"])
    return {
        "about": "Public sets of relational questions, read, proved or refuted.",
        "commands": [_COMMAND],
        "tables": tables,
    }


def in_short(sets: Mapping[str, Any]) -> dict[str, Any]:
    """The table of the README: each set once, under the assumption that its makers meant, or the weakest."""
    columns = ["set", "rows", "read", "assuming", "proved", "several", "refuted", "inconsistent"]
    places = [sets["columns"].index(column) for column in columns]
    rows = {
        row[0]: [row[place] for place in places]
        for row in sets["rows"]
        if row[3] not in ("tree", "free")
    }
    return {"columns": columns, "rows": [row for name, row in rows.items() if name not in _MINOR]}


def _summary(name: str, *audits: Audit) -> Iterator[list[Any]]:
    """A row for each assumption: of all groups together."""
    groups = [group for found in audits for *_, group in found.groups]
    total = sum(group.rows for group in groups)
    tested = [group for group in groups if group.shortcuts]
    best, share = _furthest(tested)

    def mean(of: Any) -> float:
        return percent(sum(of(group) * group.rows for group in groups) / 100, total)

    for assume in groups[0].soundness:
        shares = {f: mean(lambda group, f=f, a=assume: group.soundness[a][f]) for f in _FINDINGS}
        read = round(100 - shares["unread"], 1)
        yield [name, total, read, assume, *(shares[f] for f in _FINDINGS[:-1]), best, share]


def _furthest(groups: Sequence[Group]) -> tuple[str, float]:
    """The look-up that answers most of the rows, and how many."""
    names = dict.fromkeys(name for group in groups for name in group.shortcuts or {})
    rows = sum(group.rows for group in groups)
    shares = {
        name: percent(
            sum((group.shortcuts or {}).get(name, 0) * group.rows for group in groups) / 100, rows
        )
        for name in names
    }
    best = max(shares, key=lambda name: shares[name])
    return best, shares[best]


# STaR

_STAR = [
    "file",
    "rows",
    "proved",
    "labels",
    "most frequent",
    "majority label",
    "first and last relation",
    "twice",
]


def _star(audits: Mapping[str, Audit]) -> Iterator[list[Any]]:
    for name, found in audits.items():
        ((_, _, group),) = found.groups
        (proved,) = [shares["proved"] for shares in group.soundness.values()]
        shortcuts = group.shortcuts or {}
        common, share = next(iter(group.labels.items()))
        lookups = [shortcuts["majority label"], shortcuts["first and last relation"]]
        yield [
            name,
            group.rows,
            proved,
            len(group.labels),
            f"{common} {share:g}",
            *lookups,
            group.leaks.story_twice,
        ]


def _duplicates(name: str, files: Sequence[Path]) -> list[Any]:
    """How many questions, as facts and query, are in two files."""
    seen: dict[Any, set[str]] = {}
    rows = 0
    for path in files:
        for puzzle in open_dataset(path).puzzles():
            rows += 1
            seen.setdefault((puzzle.query, frozenset(puzzle.facts)), set()).add(path.name)
    return [name, len(files), rows, sum(len(where) > 1 for where in seen.values())]


# StepGame


_JUDGED = (Finding.REFUTED, Finding.CONTRADICTORY)
_BY_K = ["files", "k", "rows", "asks of neighbours"]
_LETTER = re.compile(r"\b[A-Z]\b")


def _stepgame(folder: Path) -> dict[str, Any]:
    """By file what is refuted; the sentences that tell, shown by routes of one sentence; rows by these."""
    by_k: list[list[Any]] = []
    refuted: list[tuple[str, Puzzle]] = []
    single: Counter[str] = Counter()  # how often each wording is a route by itself
    broken = 0
    for path in sorted(folder.glob("*/*.json"), key=lambda path: natural(str(path))):
        data = open_dataset(path)
        judge = RowJudge(data.world, False, ("unit", "free"))
        counts: Counter[tuple[str, Finding]] = Counter()
        puzzles = list(data.puzzles())
        for puzzle in puzzles:
            judgements = judge.judge(puzzle)[1]
            counts.update((assume, one.finding) for assume, one in judgements.items())
            broken += any(fact.head == fact.tail for fact in puzzle.facts)
            if puzzle.k == 1:
                single[_wording(_route(puzzle)[0])] += 1
            if judgements["unit"].finding is Finding.REFUTED:
                where = f"{path.parent.name}/{path.name}, row {puzzle.id.rpartition('-')[2]}"
                refuted.append((where, puzzle))
        rows, neighbours = len(puzzles), sum(puzzle.k == 1 for puzzle in puzzles)
        k = int(path.stem[2:].removesuffix("_valid"))
        shares = [percent(counts[a, f], rows) for a in ("unit", "free") for f in _JUDGED]
        by_k.append([path.parent.name, k, rows, percent(neighbours, rows), *shares])
    wrong = Counter(_wording(_route(puzzle)[0]) for _, puzzle in refuted if puzzle.k == 1)
    told: dict[str, list[tuple[str, str]]] = {}
    for where, puzzle in refuted:
        telling = [text for text in _route(puzzle) if _wording(text) in wrong]
        first = max(telling, key=lambda text: wrong[_wording(text)], default="")
        told.setdefault(_wording(first), []).append((where, first))
    ordered = sorted(told.items(), key=lambda item: (not item[0], -len(item[1])))
    return {
        "stepgame": {
            "columns": [*_BY_K, *(f"{f}, {a}" for a in ("unit", "free") for f in _JUDGED)],
            "rows": by_k,
        },
        "stepgame sentences": {
            "columns": [
                "the sentence that tells",
                "for example in",
                "alone",
                "refuted",
                "rows that it tells of",
            ],
            "rows": [
                [
                    found[0][1] or "(no such sentence)",
                    found[0][0],
                    single[wording],
                    wrong[wording],
                    len(found),
                ]
                for wording, found in ordered
            ],
        },
        "stepgame rows": {
            "columns": ["the sentence that tells, as in", "rows"],
            "rows": [[found[0][1], "; ".join(where for where, _ in found)] for _, found in ordered],
        },
        "stepgame broken": {
            "columns": ["stories with a sentence about one thing alone"],
            "rows": [[broken]],
        },
    }


def _route(puzzle: Puzzle) -> list[str]:
    """The sentences that state the facts of the route."""
    return [
        puzzle.story[start:end]
        for start, end, facts in puzzle.sentences
        if any(number < puzzle.k for number in facts)
    ]


def _wording(sentence: str) -> str:
    return _LETTER.sub("_", sentence)


# reasoning-gym


def _gym(rows: list[list[Any]]) -> dict[str, Any]:
    """Questions of the installed package: judged by their text, and with the genders of its lists."""
    try:
        import reasoning_gym
        from reasoning_gym.graphs.family_relationships import FamilyRelationshipsConfig
    except ImportError:
        return {}
    lists = FamilyRelationshipsConfig()
    genders = dict.fromkeys(lists.male_names, "male") | dict.fromkeys(lists.female_names, "female")
    found: list[list[Any]] = []
    for name, (least, most) in _GYM.items():
        made = reasoning_gym.create_dataset(
            "family_relationships",
            size=_GYM_ROWS,
            seed=31,
            min_family_size=least,
            max_family_size=most,
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "questions.jsonl"
            path.write_text("".join(json.dumps(item) + "\n" for item in made), encoding="utf-8")
            rows += _summary(name, audit(path, assume="open"))
            data = open_dataset(path)
            puzzles = list(data.puzzles())
        by_text = _refuted(puzzles, data.world, by_facts=False)
        by_lists = _refuted(
            [_gendered(puzzle, genders, data.world) for puzzle in puzzles],
            data.world,
            by_facts=True,
        )
        asked = Counter(puzzle.target for puzzle in puzzles)
        found += [
            [name, label, asked[label], by_text[label], by_lists[label]]
            for label in sorted(asked)
            if by_text[label] or by_lists[label]
        ]
    header = ["set", "answer", "rows", "refuted by the text", "refuted with its genders"]
    return {"reasoning-gym": {"columns": header, "rows": found}}


def _refuted(puzzles: Sequence[Puzzle], world: World, by_facts: bool) -> Counter[str]:
    judge = RowJudge(world, by_facts, ("open",))
    return Counter(
        p.target for p in puzzles if judge.judge(p)[1]["open"].finding is Finding.REFUTED
    )


def _gendered(puzzle: Puzzle, genders: Mapping[str, str], world: World) -> Puzzle:
    """The puzzle with the gender that the package's lists give each name."""

    def word(relation: str, name: str) -> str:
        return world.meaning[relation].kind.words[world.forms.index(genders[name])]

    facts = tuple(Fact(head, word(relation, tail), tail) for head, relation, tail in puzzle.facts)
    return replace(
        puzzle,
        facts=facts,
        entities=tuple(Entity(e.name, genders[e.name]) for e in puzzle.entities),
    )


# The page


def page_of(results: Mapping[str, Any]) -> str:
    """The page, in Markdown."""
    tables = results["tables"]

    def shown(name: str, columns: slice = slice(None), most: int | None = None) -> list[str]:
        content = tables[name]
        return [
            *shown_table(
                content["columns"][columns], [row[columns] for row in content["rows"][:most]]
            ),
            "",
        ]

    lines = [_INTRODUCTION, *shown("sets")]
    if "stepgame" in tables:
        ((broken,),) = tables["stepgame broken"]["rows"]
        lines += [
            *("## StepGame", "", _ABOUT_STEPGAME.format(broken=broken), ""),
            *shown("stepgame"),
            "Sentences that tell which rows are wrong: of the routes that are this sentence *alone*, so many "
            "are *refuted*. The result file names all rows.",
            "",
            *shown("stepgame sentences", most=_SHOWN),
        ]
    if "star" in tables:
        lines += ["## STaR", "", _ABOUT_STAR, "", *shown("star duplicates"), *shown("star")]
    if "reasoning-gym" in tables:
        lines += [
            "## reasoning-gym's family_relationships",
            "",
            _ABOUT_GYM,
            "",
            *shown("reasoning-gym"),
        ]
    return "\n".join(lines).rstrip() + "\n"


_SHOWN = 12
_ABOUT_STEPGAME = """\
Every sentence is read, as ordinary English means it ([how that was
judged](../experiments/notes/2026-11-18-sentences-judged.md)). k is the number in the file's name; many questions are about
two things that one sentence joins (*asks of neighbours*). Under `unit` every sentence is one step, as its
authors mean it; under `free` a direction holds at any distance, and most longer questions have several
answers. {broken} stories have a sentence that says of one thing that it is above and to the left of itself.
In the noise files, sentences beside the route contradict it."""
_ABOUT_STAR = """\
Every answer is entailed, and every file has all labels, evenly. *Twice*: the share of the rows whose facts
and question another row of the file has too. What the first and the last relation of the routes answer is
fitted on every second row: with one short route they are nearly all there is to know."""
_ABOUT_GYM = """\
500 questions by the installed package, seed 31. Its stories state marriages and children, and no gender:
*refuted by the text* counts answers whose relation is wrong whatever the genders; *refuted with its genders*
those that are wrong once each name has the gender that the package's own lists give it. Answers that are
never refuted are left out."""


if __name__ == "__main__":
    main(app)
