"""Tables of Markdown pages, from an experiment or from a file that holds them ready to be shown.

{"tables": {"causes": {"columns": ["cause", "stories"], "rows": [["a fact is misread", 60.0], ...]}}}
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from clutrr import _paper as paper
from clutrr._io.records import read_json
from clutrr._measure import natural
from clutrr._report.experiment import Experiment
from clutrr._report.subsets import style_of
from clutrr._report.table import bold, markdown_table, number, ours
from clutrr.errors import DataError


def lengths_table(experiments: Sequence[tuple[Experiment, str]]) -> Iterator[str]:
    """A row for each training set and model, a column for each subset tested on.

    The tables, one below the other, each with a note for its training sets.
    """
    tested_on = sorted(
        {test for experiment, _ in experiments for test in experiment.tested_on}, key=natural
    )
    rows = []
    for experiment, note in experiments:
        for train in experiment.trained_on:
            for model in experiment.models:
                entries = {
                    e.test: e
                    for e in experiment.entries.values()
                    if (e.model, e.train) == (model, train) and e.seeds
                }
                if entries:
                    seeds = max(len(entry.seeds) for entry in entries.values())
                    figures = [ours(entries[test]) if test in entries else "" for test in tested_on]
                    rows.append([f"{train} {note}".strip(), f"`{model}`", str(seeds), *figures])
    yield from markdown_table(["trained on", "model", "seeds", *tested_on], rows)


def models_table(experiment: Experiment, train: str) -> Iterator[str]:
    """A row for each model trained on one subset, a column for each subset tested on; only means."""
    if train not in experiment.trained_on:
        raise DataError(
            f"a table by model: no model is trained on {train!r} (file.json#SUBSET names what is)"
        )
    rows = []
    for model in experiment.models:
        entries = [experiment.entry(model, train, test) for test in experiment.tested_on]
        rows.append(
            [paper.title(model), *(bold(entry, number(entry.accuracy)) for entry in entries)]
        )
    yield from markdown_table(["model", *experiment.tested_on], rows)


def styles_table(experiment: Experiment) -> Iterator[str]:
    """A row for each style tested on, style trained on and model, a column for each length."""
    lengths = sorted(
        {test.removeprefix(style_of(test)).strip() for test in experiment.tested_on}, key=natural
    )
    rows = []
    for tested in experiment.styles:
        for train in experiment.trained_on:
            for model in experiment.models:
                entries = [
                    experiment.entry(model, train, f"{tested} {length}") for length in lengths
                ]
                if seeds := max(len(entry.seeds) for entry in entries):
                    rows.append([tested, train, f"`{model}`", str(seeds), *map(ours, entries)])
    yield from markdown_table(["tested on", "trained on", "model", "seeds", *lengths], rows)


def board_table(experiments: Sequence[tuple[Experiment, str]]) -> Iterator[str]:
    """A row for each model's results on one frozen set, the best first; a column for each subset.

    The note of a file tells how its models were trained or asked.
    """
    found = [(result, note) for experiment, note in experiments for result in experiment.results]
    if len({result.questions.get("set") for result, _ in found} - {None}) != 1:
        raise DataError("a table by board takes results on one frozen set")
    if nameless := [result.model for result, _ in found if not result.questions.get("set")]:
        raise DataError(f"these results are on no frozen set: {', '.join(nameless)}")
    subsets = sorted({name for result, _ in found for name in result.tested}, key=natural)
    rows = []
    for result, note in sorted(found, key=lambda one: -one[0].total.accuracy):
        scores = [result.tested.get(name) for name in subsets]
        rows.append(
            [
                f"`{result.model}`",
                note,
                result.total.text,
                *(number(None if one is None else one.accuracy) for one in scores),
            ]
        )
    yield from markdown_table(["model", "how", "all, % (95 % interval)", *subsets], rows)


def rows_table(path: Path, name: str) -> Iterator[str]:
    """The lines of a table in a file: fractions with one decimal, whole numbers with commas."""
    try:
        table = read_json(path)["tables"][name]
        columns, rows = table["columns"], table["rows"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path}: has no table {name!r} ({type(error).__name__})") from None
    if not (isinstance(rows, list) and all(isinstance(row, list) for row in (columns, *rows))):
        raise DataError(f"{path}: the table {name!r} is not lists of values")
    if any(len(row) != len(columns) for row in rows):
        raise DataError(f"{path}: in the table {name!r} a row is not as long as the header")
    yield from shown_table(columns, rows)


def shown_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a table: fractions with one decimal, whole numbers with commas."""
    lines = [columns, ["---"] * len(columns), *rows]
    return [f"| {' | '.join(_shown(value) for value in line)} |" for line in lines]


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
