"""Figures of the README and of docs/what-the-table-measures.md and assumptions.md, worked out from the data.

python tools/page_figures.py      writes them into experiments/results; `tools/render.py` then fills in the pages
"""

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

import clutrr
from clutrr import _paper as paper
from clutrr import load_world
from clutrr._audit.audit import Audit, Group, examine
from clutrr._cli import main
from clutrr._data import open_dataset
from clutrr._table import from_table
from clutrr.theory import Finding
from clutrr.theory.kinship import Kinship
from clutrr.theory.kinship.drawing.families import enumerate_patterns

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "experiments/results"
PUBLISHED = ROOT.parent / "shared/published"
WRITES = "python tools/page_figures.py"
app = typer.Typer(add_completion=False)
LOOKUPS = ("longest known ending", "longest known beginning")


def audited(path: Path, by_facts: bool = False) -> Audit:
    return examine(open_dataset(path), by_facts=by_facts, assume="open")


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, Any]:
    return {"columns": list(columns), "rows": [list(row) for row in rows]}


def patterns(files: Audit) -> dict[str, Any]:
    """The patterns of each subset of the paper's files."""
    rows = [
        [
            name,
            len(group.labels),
            ", ".join(f"{each} {share:g}" for each, share in group.patterns.items()),
        ]
        for name, _, group in files.groups
    ]
    return table(["subset", "labels", "patterns, % of the rows"], rows)


def lookups(files: Audit) -> dict[str, Any]:
    """What look-ups fitted on one subset answer on another, beside the paper's models."""
    models = ("lstm", "gnn")
    rows = [
        [
            f"{cell['train']}, {cell['test']}",
            *(cell[name] for name in LOOKUPS),
            *(f"{paper.accuracy(model, cell['train'], cell['test']):g}" for model in models),
        ]
        for cell in files.matrix
        if cell["train"] != cell["test"]
        and paper.accuracy("lstm", cell["train"], cell["test"]) is not None
    ]
    titles = [f"{paper.title(model)} (paper)" for model in models]
    return table(["trained on, tested on", *LOOKUPS, *titles], rows)


def answerable(longest: int = 6) -> dict[str, Any]:
    """Of all paths that the paper describes: the share with one possible relation, by length."""
    world = load_world()
    assert isinstance(world.theory, Kinship)
    columns: list[str] = ["facts"]
    shares: list[list[Any]] = [["proved, %"], ["entailed, %"]]
    for edges in range(2, longest + 1):
        found = enumerate_patterns(world.theory.ways, 3, 3, edges, "all")
        meanings = [
            world.theory.compose(world.labels, [world.labels.kinds[kind].name for kind in pattern])
            for pattern in found.patterns.tolist()
        ]
        columns.append(str(edges))
        for row, kept in zip(
            shares, ([m.determined for m in meanings], [m.entailed for m in meanings]), strict=True
        ):
            row.append(round(100 * float(found.paths[kept].sum() / found.paths.sum()), 1))
    return table(columns, shares)


def under_both(longest: int = 6) -> dict[str, Any]:
    """Of 500 stories of `sound` at each length, the shares that are proved and entailed."""
    world = load_world()
    tree, wide = (world.theory.solver(world.labels, assume) for assume in ("tree", "open"))
    rows = []
    for k in range(2, longest + 1):
        puzzles = clutrr.generate("sound", k=k, size=500, seed=1, distractors=0)
        verdicts = [
            (tree.verdict(p.facts, p.query), wide.verdict(p.facts, p.query)) for p in puzzles
        ]
        assert all(
            p.target in under.relations for p, (_, under) in zip(puzzles, verdicts, strict=True)
        )
        counts = (
            sum(under.proved for _, under in verdicts),
            sum(under.entailed for under, _ in verdicts),
            sum(under.entailed for _, under in verdicts),
        )
        rows.append([k, *(100 * count / len(verdicts) for count in counts)])
    columns = ["k", "proved under `open`", "entailed under `tree`", "entailed under `open`"]
    return table(columns, rows)


def ruled_out(path: Path, longest: int = 10) -> dict[str, Any]:
    """Test rows of CLUTRR v1.0 whose target their facts rule out, by length."""
    puzzles = [
        puzzle for each in open_dataset(path).split("test").values() for puzzle in from_table(each)
    ]
    puzzles = [puzzle for puzzle in puzzles if puzzle.k <= longest]
    lengths = sorted({puzzle.k for puzzle in puzzles})
    rows: list[list[Any]] = [["rows", *(sum(puzzle.k == k for puzzle in puzzles) for k in lengths)]]
    for name in ("kinship-v1", "kinship-v1-by-marriage"):
        world = load_world(name)
        for assume in ("tree", "open"):
            solver = world.theory.solver(world.labels, assume)
            refuted = [
                puzzle.k
                for puzzle in puzzles
                if solver.verdict(puzzle.facts, puzzle.query).finding(puzzle.target)
                is Finding.REFUTED
            ]
            rows.append([f"`{name}`, `{assume}`", *(refuted.count(k) for k in lengths)])
    return table(["k", *map(str, lengths)], rows)


def quality_of(name: str, group: Group) -> list[Any]:
    """A row of the table on data."""
    found = group.soundness["open"]
    shares = (found["refuted"], found["undetermined"], group.leaks.shorter_path)
    return [f"{name} ({group.rows:,} rows)", len(group.patterns), len(group.labels), *shares]


def our_quality(folder: Path) -> list[Any]:
    puzzles = clutrr.generate("strict", 6, 1000, split="test")
    clutrr.write(puzzles, folder)
    (group,) = audited(folder).subsets["M6"].values()
    return quality_of("ours, `generate --preset strict --k 6`", group)


def quality(files: Audit, v1: Audit, ours: list[Any]) -> dict[str, Any]:
    """Test questions of six facts: the paper's files, CLUTRR v1.0, ours."""
    columns = [
        "data",
        "patterns",
        "labels",
        "ruled out, %",
        "several answers, %",
        "shorter path, %",
    ]
    rows = [
        quality_of("the paper's files, M6", files.subsets["M6"]["test"]),
        quality_of("CLUTRR v1.0, data_089907f8", v1.subsets["1.6"]["test"]),
        ours,
    ]
    return table(columns, rows)


def content(files: Audit, v1: Audit, folder: Path) -> dict[str, dict[str, Any]]:
    """The result files, by name."""
    return {
        "published-files": {
            "about": "The first 500 rows of each published v0.1 file, and what look-ups answer there.",
            "commands": ["clutrr audit FILES --json", WRITES],
            "tables": {"patterns": patterns(files), "lookups": lookups(files)},
        },
        "described": {
            "about": "Which of the questions that the paper describes have one answer, assuming tree.",
            "commands": [WRITES],
            "tables": {"answerable": answerable()},
        },
        "data-quality": {
            "about": "Test questions of six facts, assuming open.",
            "commands": [
                "clutrr generate ours --preset strict --k 6",
                "clutrr audit ours --json",
                "clutrr audit FILES --assume open --json",
                "clutrr audit data_089907f8 --facts --assume open --json",
                WRITES,
            ],
            "tables": {"quality": quality(files, v1, our_quality(folder))},
        },
        "assumptions": {
            "about": "What stories determine under `tree` and `open`, and where aunts by marriage count.",
            "commands": [
                "clutrr audit data_089907f8 --facts --world WORLD --assume ASSUMPTION --json",
                WRITES,
            ],
            "tables": {
                "sound": under_both(),
                "ruled-out": ruled_out(PUBLISHED / "v1.0/data_089907f8"),
            },
        },
    }


@app.command()
def write() -> None:
    """Write the result files into experiments/results."""
    with tempfile.TemporaryDirectory() as scratch:
        made = content(
            audited(PUBLISHED / "v0.1"),
            audited(PUBLISHED / "v1.0/data_089907f8", by_facts=True),
            Path(scratch) / "ours",
        )
    for name, each in made.items():
        (RESULTS / f"{name}.json").write_text(json.dumps(each, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(app)
