"""The table of an experiment: for each model, training set and subset tested on, the mean over the seeds.

It is computed from results; texts (`text`), figures and pages are views of it.
"""

import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from clutrr import paper
from clutrr.errors import DataError
from clutrr.limits import CELLS, RAISE, limit
from clutrr.measure import wilson
from clutrr.report.experiment import Experiment, Pair
from clutrr.scoring import Score

NEAR = (5, 10)  # points from the paper's figure that are counted


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
class Near:
    """How many entries are within this many points of the paper's, and how many can be compared."""

    of: int
    within: Mapping[int, int]

    def __str__(self) -> str:
        counts = " and ".join(f"{count} within {points}" for points, count in self.within.items())
        return f"of {self.of} cells there are {counts} points of the paper's"


@dataclass(frozen=True)
class Mean:
    """The mean of a model on a subset over the training sets: ours, over how many, and the paper's."""

    ours: float | None
    of: int
    paper: float | None


@dataclass(frozen=True)
class Table:
    """An entry for each model, training set and subset that are asked for (see `pairs_of`)."""

    models: tuple[str, ...]
    trained_on: tuple[str, ...]
    tested_on: tuple[str, ...]
    entries: tuple[Entry, ...]

    def entry(self, model: str, train: str, test: str) -> Entry:
        found = (e for e in self.entries if (e.model, e.train, e.test) == (model, train, test))
        return next(found, Entry(model, train, test))

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Training sets with the subsets that they are tested on."""
        return tuple(dict.fromkeys((entry.train, entry.test) for entry in self.entries))

    @property
    def styles(self) -> tuple[str, ...]:
        """The styles that are trained on and tested on, by name; none if there are no styles."""
        return styles_of(self.trained_on, self.tested_on)

    def mean(self, model: str, test: str) -> Mean:
        entries = [self.entry(model, train, test) for train in self.trained_on]
        ours = [entry.accuracy for entry in entries if entry.accuracy is not None]
        theirs = [entry.paper for entry in entries if entry.paper is not None]
        return Mean(
            statistics.fmean(ours) if ours else None,
            len(ours),
            statistics.fmean(theirs) if len(theirs) == len(entries) else None,
        )

    @property
    def lookups(self) -> tuple[str, ...]:
        """The names of the look-ups and ceilings."""
        return tuple(dict.fromkeys(name for entry in self.entries for name in entry.lookups))

    @property
    def compared(self) -> bool:
        """Whether some entry has a figure of the paper beside it."""
        return any(entry.paper is not None for entry in self.entries)

    def near(self, model: str | None = None) -> Near:
        """How near the paper's figures are, for one model or for all."""
        gaps = [
            round(abs(entry.difference), 6)  # 48.6 is within 5 points of 43.6
            for entry in self.entries
            if entry.difference is not None and model in (None, entry.model)
        ]
        return Near(len(gaps), {points: sum(gap <= points for gap in gaps) for points in NEAR})


def table_of(experiment: Experiment) -> Table:
    """Every entry, whether its trainings are finished or not; no result is left out."""
    models, trained_on, tested_on = experiment.models, experiment.trained_on, experiment.tested_on
    if (in_all := len(models) * len(trained_on) * len(tested_on)) > limit(CELLS):
        where = experiment.places[0]
        raise DataError(f"{where}: a table of {in_all:,} cells, more than {limit(CELLS):,}: {RAISE}")
    scores: dict[tuple[str, str, str], dict[int, Score]] = {}
    for result in experiment.results:
        model, train, seed = result.key
        for test, score in result.tested.items():
            scores.setdefault((model, train, test), {})[seed] = score
    asked = {*pairs_of(trained_on, tested_on), *((train, test) for _, train, test in scores)}
    entries: list[Entry] = []
    for pair in ((train, test) for train in trained_on for test in tested_on):
        if pair in asked:
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
    return Table(models, trained_on, tested_on, tuple(entries))


def _with_best(column: Sequence[Entry]) -> list[Entry]:
    """The entries of all models for one pair, with the best of them marked."""
    shown = [_rounded(entry.accuracy, 1) for entry in column]
    top = max((value for value in shown if value is not None), default=0.0)
    return [
        replace(entry, best=value is not None and value == top > 0)
        for entry, value in zip(column, shown, strict=True)
    ]


def style_of(name: str) -> str:
    """The style of a training set or a subset, such as `prose` of `prose M2-3`."""
    found = re.fullmatch(r"(.+) M[\d,-]+", name)
    return found[1] if found else ""


def styles_of(trained_on: Sequence[str], tested_on: Sequence[str]) -> tuple[str, ...]:
    styles = tuple(dict.fromkeys(map(style_of, trained_on)))
    return styles if styles != ("",) and set(styles) == set(map(style_of, tested_on)) else ()


def pairs_of(trained_on: Sequence[str], tested_on: Sequence[str]) -> list[Pair]:
    """Which training sets are tested on which subsets: all on all; but a style only on itself, and the first
    on every style."""
    first = styles_of(trained_on, tested_on)[:1]
    return [
        (train, test)
        for train in trained_on
        for test in tested_on
        if not first or style_of(train) in (*first, style_of(test))
    ]


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
