"""The figures of an experiment, cell by cell: what its tables and curves are made from.

A grid comes from records (`summary`) or from a result file (`result_file`).
"""

import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from clutrr.measure import wilson

NEAR = (5, 10)  # points from the paper's figure that are counted
Key = tuple[str, str, str]  # model, training set, and subset tested on
Pair = tuple[str, str]  # training set, and subset tested on


@dataclass(frozen=True)
class Cell:
    """Test accuracy in percent; none if no training is finished yet.

    accuracy: the mean over the seeds. spread: their standard deviation, if there are several.
    interval: 95 %, for the choice of the test stories (Wilson's, of the mean share over them).
    best: none of the other models has more, to the decimal that is shown. right: the number of right
    answers by seed, if it is known.
    """

    model: str
    train: str
    test: str
    seeds: int
    n: int
    accuracy: float | None
    spread: float | None
    interval: tuple[float, float] | None
    paper: float | None
    best: bool
    lookups: Mapping[str, float]
    right: Mapping[int, int] = field(default_factory=dict)

    @property
    def key(self) -> Key:
        return self.model, self.train, self.test

    @property
    def difference(self) -> float | None:
        if self.accuracy is None or self.paper is None:
            return None
        return self.accuracy - self.paper

    def to_json(self) -> dict[str, Any]:
        """What a result file says of it; what is not known is left out."""
        known = {
            "stories": self.n,
            "right": {str(seed): self.right[seed] for seed in sorted(self.right)},
            "interval": [round(bound, 2) for bound in self.interval] if self.interval else None,
        }
        return {
            "model": self.model,
            "train": self.train,
            "test": self.test,
            "seeds": self.seeds,
            "accuracy": rounded(self.accuracy),
            "spread": rounded(self.spread),
            **{name: value for name, value in known.items() if value},
            **({} if self.paper is None else {"paper": float(self.paper)}),
        }


@dataclass(frozen=True)
class Near:
    """How many cells are within this many points of the paper's, and how many can be compared."""

    of: int
    within: Mapping[int, int]

    def __str__(self) -> str:
        counts = " and ".join(f"{count} within {points}" for points, count in self.within.items())
        return f"of {self.of} cells there are {counts} points of the paper's"

    def to_json(self) -> dict[str, int]:
        return {"of": self.of, **{f"within {points}": count for points, count in self.within.items()}}


@dataclass(frozen=True)
class Mean:
    """The mean of a model on a test subset over the training sets: ours, over how many, and the paper's."""

    ours: float | None
    of: int
    paper: float | None


@dataclass(frozen=True)
class Grid:
    """Every cell: each model, training set and subset tested on, except pairs of styles that are not
    tested (see `pairs_of`)."""

    models: tuple[str, ...]
    trained_on: tuple[str, ...]
    tested_on: tuple[str, ...]
    cells: tuple[Cell, ...]

    def cell(self, model: str, train: str, test: str) -> Cell:
        found = (cell for cell in self.cells if cell.key == (model, train, test))
        return next(found, missing_cell(model, train, test))

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Training sets with the subsets that they are tested on."""
        return tuple(dict.fromkeys((cell.train, cell.test) for cell in self.cells))

    @property
    def styles(self) -> tuple[str, ...]:
        """The styles that are trained on and tested on, by name; none if there are no styles."""
        return styles_of(self.trained_on, self.tested_on)

    def mean(self, model: str, test: str) -> Mean:
        cells = [self.cell(model, train, test) for train in self.trained_on]
        ours = [cell.accuracy for cell in cells if cell.accuracy is not None]
        theirs = [cell.paper for cell in cells if cell.paper is not None]
        return Mean(
            statistics.fmean(ours) if ours else None,
            len(ours),
            statistics.fmean(theirs) if len(theirs) == len(cells) else None,
        )

    @property
    def lookups(self) -> tuple[str, ...]:
        """The names of the look-ups and ceilings."""
        return tuple(dict.fromkeys(name for cell in self.cells for name in cell.lookups))

    @property
    def seeds(self) -> int:
        """The number of seeds of the cell that has most."""
        return max((cell.seeds for cell in self.cells), default=0)

    @property
    def compared(self) -> bool:
        """Whether some cell has a figure of the paper beside it."""
        return any(cell.paper is not None for cell in self.cells)

    def near(self, model: str | None = None) -> Near:
        """How near the paper's figures are, for one model or for all."""
        gaps = [
            round(abs(cell.difference), 6)  # 48.6 is within 5 points of 43.6
            for cell in self.cells
            if cell.difference is not None and model in (None, cell.model)
        ]
        return Near(len(gaps), {points: sum(gap <= points for gap in gaps) for points in NEAR})


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


def scored(
    model: str, train: str, test: str, right: Mapping[int, int], n: int, published: float | None
) -> Cell:
    """The cell of these right answers, by seed, to n questions each. published: the paper's figure."""
    values = [100 * right[seed] / n for seed in sorted(right)]
    mean = statistics.fmean(values) if values else None
    return Cell(
        model,
        train,
        test,
        len(values),
        n if values else 0,
        mean,
        statistics.stdev(values) if len(values) > 1 else None,
        None if mean is None else wilson(mean / 100 * n, n),
        published,
        False,
        {},
        dict(right),
    )


def grid_of(
    models: Sequence[str],
    trained_on: Sequence[str],
    tested_on: Sequence[str],
    found: Mapping[Key, Cell],
    lookups: Mapping[Pair, Mapping[str, float]],
) -> Grid:
    """The grid of these cells. Those that are not there count as missing; none that is there is left out."""
    cells: list[Cell] = []
    asked = {*pairs_of(trained_on, tested_on), *((train, test) for _, train, test in found)}
    for train, test in ((train, test) for train in trained_on for test in tested_on):
        if (train, test) not in asked:
            continue
        beside = lookups.get((train, test), {})
        column = [found.get((model, train, test), missing_cell(model, train, test)) for model in models]
        cells += with_best([replace(cell, lookups=beside) for cell in column])
    return Grid(tuple(models), tuple(trained_on), tuple(tested_on), tuple(cells))


def with_best(column: Sequence[Cell]) -> list[Cell]:
    """The cells of all models for one pair, with the best of them marked, to the decimal that is shown."""
    shown = [None if cell.accuracy is None else round(cell.accuracy, 1) for cell in column]
    top = max((value for value in shown if value is not None), default=0.0)
    return [
        replace(cell, best=value is not None and value == top > 0)
        for cell, value in zip(column, shown, strict=True)
    ]


def missing_cell(model: str, train: str, test: str) -> Cell:
    return Cell(model, train, test, 0, 0, None, None, None, None, False, {})


def rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
