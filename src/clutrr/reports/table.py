"""Results side by side: the table of an experiment, and several models' answers to one data set.

The table has the mean over the seeds for each model, training set and subset tested on; answers are counted
by the number of facts, beside look-ups. What is printed, figures and pages are views of both.
"""

import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from clutrr import paper
from clutrr.auditor.lookups import Fitted, Rules
from clutrr.auditor.rows import Asked, asked_in
from clutrr.data import Dataset
from clutrr.errors import DataError, plain
from clutrr.files import Where
from clutrr.limits import CELLS, RAISE, limit
from clutrr.measure import numbers, wilson
from clutrr.reports.experiment import Experiment, Pair
from clutrr.scoring import Result, Score, counted
from clutrr.scoring.predictions import ALL

_NEAR = (5, 10)  # points from the paper's figure that are counted
MISSING = "\N{EN DASH}"
_MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class Entry:
    """A model trained on a training set and tested on a subset.

    - seeds: the scores, by seed; none if no training is finished yet
    - paper: the figure of the paper, if it has one
    - lookups: what needs no model, by name, in percent
    - best: whether no other model has more, to the decimal that is shown
    """

    model: str
    train: str
    test: str
    seeds: Mapping[int, Score] = field(default_factory=dict)
    paper: float | None = None
    lookups: Mapping[str, float] = field(default_factory=dict)
    best: bool = False

    @property
    def rows(self) -> int:
        """How many questions each seed answered."""
        return next((score.rows for score in self.seeds.values()), 0)

    @property
    def accuracy(self) -> float | None:
        """The mean over the seeds, in percent."""
        return statistics.fmean(score.accuracy for score in self.seeds.values()) if self.seeds else None

    @property
    def spread(self) -> float | None:
        """The standard deviation over the seeds, if there are several."""
        several = len(self.seeds) > 1
        return statistics.stdev(score.accuracy for score in self.seeds.values()) if several else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 %, for the choice of the test stories: Wilson's, of the mean share over them."""
        mean = self.accuracy
        return None if mean is None else wilson(mean / 100 * self.rows, self.rows)

    @property
    def difference(self) -> float | None:
        """From the paper's figure, in points."""
        return None if self.accuracy is None or self.paper is None else self.accuracy - self.paper

    def to_json(self) -> dict[str, Any]:
        """The figures of an entry that has some."""
        return {
            "model": self.model,
            "train": self.train,
            "test": self.test,
            "seeds": len(self.seeds),
            "accuracy": _rounded(self.accuracy, 3),
            "spread": _rounded(self.spread, 3),
            "rows": self.rows,
            "right": {str(seed): score.right for seed, score in self.seeds.items()},
            "interval": [_rounded(bound, 2) for bound in self.interval or ()],
            **({} if self.paper is None else {"paper": float(self.paper)}),
        }


@dataclass(frozen=True)
class Table:
    """An entry for each model, training set and subset tested on. styles: the ways to tell stories, by name,
    if there are several."""

    models: tuple[str, ...]
    trained_on: tuple[str, ...]
    tested_on: tuple[str, ...]
    entries: tuple[Entry, ...]
    styles: tuple[str, ...] = ()

    def entry(self, model: str, train: str, test: str) -> Entry:
        found = (e for e in self.entries if (e.model, e.train, e.test) == (model, train, test))
        return next(found, Entry(model, train, test))

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Training sets with the subsets that they are tested on."""
        return tuple(dict.fromkeys((entry.train, entry.test) for entry in self.entries))

    @property
    def lookups(self) -> tuple[str, ...]:
        """The names of the look-ups and ceilings."""
        return tuple(dict.fromkeys(name for entry in self.entries for name in entry.lookups))

    @property
    def compared(self) -> bool:
        """Whether some entry has a figure of the paper beside it."""
        return any(entry.paper is not None for entry in self.entries)

    @property
    def near(self) -> str:
        """How near the paper's figures are; "" if there are none."""
        differences = [entry.difference for entry in self.entries if entry.difference is not None]
        gaps = [round(abs(difference), 6) for difference in differences]  # 48.6 is within 5 points of 43.6
        counts = " and ".join(f"{sum(gap <= points for gap in gaps)} within {points}" for points in _NEAR)
        return f"Of {len(gaps)} cells there are {counts} points of the paper's." if gaps else ""


def table_of(experiment: Experiment) -> Table:
    """Return every entry, whether its trainings are finished or not; no result is left out."""
    models, trained_on, tested_on = experiment.models, experiment.trained_on, experiment.tested_on
    if (in_all := len(models) * len(trained_on) * len(tested_on)) > limit(CELLS):
        where = experiment.places[0]
        raise DataError(f"{where}: a table of {in_all:,} cells, more than {limit(CELLS):,}: {RAISE}")
    scores: dict[tuple[str, str, str], dict[int, Score]] = {}
    for result in experiment.results:
        model, train, seed = result.key
        for test, score in result.tested.items():
            scores.setdefault((model, train, test), {})[seed] = score
    tested = {(train, test) for _, train, test in scores} | set(experiment.lookups)
    entries: list[Entry] = []
    for pair in ((train, test) for train in trained_on for test in tested_on):
        if pair in tested or not experiment.styles:  # a model is not tested on every style
            entries += _with_best(
                [
                    Entry(
                        model,
                        *pair,
                        dict(sorted(scores.get((model, *pair), {}).items())),
                        paper.accuracy(model, *pair) if experiment.comparable else None,
                        experiment.lookups.get(pair, {}),
                    )
                    for model in models
                ]
            )
    return Table(models, trained_on, tested_on, tuple(entries), experiment.styles)


def _with_best(column: Sequence[Entry]) -> list[Entry]:
    """The entries of all models for one pair, with the best of them marked."""
    shown = [_rounded(entry.accuracy, 1) for entry in column]
    top = max((value for value in shown if value is not None), default=0.0)
    return [
        replace(entry, best=value is not None and value == top > 0)
        for entry, value in zip(column, shown, strict=True)
    ]


def style_of(name: str) -> str:
    """Return the style of a training set or a subset, such as `prose` of `prose M2-3`."""
    found = re.fullmatch(r"(.+) M[\d,-]+", name)
    return found[1] if found else ""


def trained_lengths(train: str) -> tuple[int, ...]:
    """Return the lengths in the name of a training set."""
    name = train.removeprefix(style_of(train)).strip()
    return numbers(name[1:], "train") if re.fullmatch(r"M[\d,-]+", name) else ()


def own_subsets(train: str) -> list[str]:
    """Return the subsets with the style and a length of a training set."""
    return [f"{style_of(train)} M{k}".strip() for k in trained_lengths(train)]


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


# Somebody's answers


@dataclass(frozen=True)
class Comparison:
    """Several models' answers to the same questions.

    - results: one a model, each with its name
    - files: where the answers are, in the same order
    - lookups: percent by name and length, fitted on the training rows; none if the data has none
    - trained: the lengths of these rows
    """

    results: tuple[Result, ...]
    files: tuple[str, ...]
    lookups: Mapping[str, Mapping[int, float]]
    trained: tuple[int, ...]

    @property
    def questions(self) -> Mapping[str, Any]:
        """What was asked: data, split, world and assumption."""
        return self.results[0].questions

    @property
    def lengths(self) -> list[int]:
        return sorted({k for result in self.results for k in result.lengths})

    def to_json(self) -> dict[str, Any]:
        """Everything, as plain data."""
        return {
            "questions": dict(self.questions),
            "trained_on": list(self.trained),
            "lookups": {name: {str(k): v for k, v in by.items()} for name, by in self.lookups.items()},
            "results": [result.to_json() for result in self.results],
        }


def compare(data: Dataset, results: Sequence[Result], files: Sequence[Where]) -> Comparison:
    """The results of several models on the data, beside what needs no model."""
    questions: dict[str, Counter[Asked]] = {}
    for part in data.parts():
        questions.setdefault(part.split or "", Counter()).update(asked_in(part.table, data.world))
    split = results[0].questions["split"]
    lookups: dict[str, dict[int, float]] = {}
    trained: tuple[int, ...] = ()
    if known := questions.get("train"):
        # What the models were trained on, if their records say it; else all that there is.
        recorded = {k for result in results if result.training for k in result.training.config.get("k", ())}
        known = Counter({one: n for one, n in known.items() if not recorded or one.k in recorded})
        trained = tuple(sorted({one.k for one in known}))
        fitted = Fitted("train", known, Rules(data.world))
        there = (found for name, found in questions.items() if split in (ALL, name) or not name)
        tested = sum(there, Counter())
        for k in sorted({one.k for one in tested}):
            for name, share in fitted.cell({one: n for one, n in tested.items() if one.k == k}).items():
                lookups.setdefault(name, {})[k] = share
    return Comparison(tuple(results), tuple(plain(str(file)) for file in files), lookups, trained)


def comparison_rows(comparison: Comparison) -> Iterator[list[str]]:
    """Yield the header, a row for each length, and one for all: accuracy with its interval, then look-ups."""
    results, lookups = comparison.results, comparison.lookups
    yield ["facts", "questions", *(result.model for result in results), *lookups]
    for k in comparison.lengths:
        scores = [result.lengths.get(k) for result in results]
        cells = [MISSING if score is None else score.text for score in scores]
        yield [str(k), counted(scores), *cells, *(number(by.get(k)) for by in lookups.values())]
    totals = [result.total for result in results]
    yield ["all", counted(totals), *(score.text for score in totals), *("" for _ in lookups)]


# As text


def number(value: float | None) -> str:
    return MISSING if value is None else f"{value:.1f}"


def signed(value: float | None) -> str:
    """Return a difference with its sign."""
    return MISSING if value is None else f"{round(value, 1) + 0.0:+.1f}".replace("-", _MINUS)


def ours(entry: Entry) -> str:
    """Return the mean, with the spread over the seeds."""
    return number(entry.accuracy) + ("" if entry.spread is None else f" ±{entry.spread:.1f}")


def bold(entry: Entry, text: str | None = None) -> str:
    """Return the figure, in bold if it is the best. text: instead of the mean with its spread."""
    mean, *spread = (text or ours(entry)).split(" ")
    return " ".join([f"**{mean}**" if entry.best else mean, *spread])


def interval(entry: Entry) -> str:
    return MISSING if entry.interval is None else "{:.1f} to {:.1f}".format(*entry.interval)


def closing_lines(experiment: Experiment, table: Table) -> Iterator[str]:
    """Yield what to know when reading the table, one sentence each."""
    if missing := len(experiment.missing):
        finished = len(experiment.results)
        yield f"{finished} of {finished + missing} trainings are finished; {MISSING}: not yet."
    if table.near:
        yield table.near


def terminal_rows(table: Table) -> Iterator[list[str]]:
    """Yield the header, and a row for each pair. In a cell: the mean, its interval, the paper's figure."""

    def cell(entry: Entry) -> str:
        between = [] if entry.interval is None else [interval(entry)]
        beside = [] if entry.paper is None else [f"paper {entry.paper:g}, {signed(entry.difference)}"]
        return "\n".join([ours(entry), *between, *beside])

    yield from _rows(table, cell)


def markdown(experiment: Experiment, table: Table) -> str:
    """Return the table, and what to know when reading it."""
    beside = " (the paper's, the difference)" if table.compared else ""
    spread = " ± the standard deviation over the seeds" if len(experiment.seeds) > 1 else ""
    first = f"Test accuracy in percent{spread}{beside}; best of the models in bold."
    return "\n".join([first, "", *cells_table(table), "", *closing_lines(experiment, table)]) + "\n"


def cells_table(table: Table, differences: bool = True) -> Iterator[str]:
    """Yield a row for each training set and subset tested on, a column for each model."""

    def cell(entry: Entry) -> str:
        known = differences and entry.difference is not None
        beside = f", {signed(entry.difference)}" if known else ""
        return bold(entry) if entry.paper is None else f"{bold(entry)} ({entry.paper:g}{beside})"

    header, *rows = _rows(table, cell)
    yield from markdown_table(header, rows)


def _rows(table: Table, cell: Callable[[Entry], str]) -> Iterator[list[str]]:
    yield ["trained on", "tested on", *map(paper.title, table.models)]
    for train, test in table.pairs:
        yield [train, test, *(cell(table.entry(model, train, test)) for model in table.models)]


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for line in (header, ["---"] * len(header), *rows):
        yield f"| {' | '.join(text.replace('|', '¦') for text in line)} |"
