"""The figures of an experiment, cell by cell: what its tables and curves are made from.

A grid comes from records (`summary`) or from a file, `table.json` of a report or a shorter one:

    {"cells": [{"model": "gnn", "train": "M3", "test": "M4", "seeds": 3, "accuracy": 88.1, "spread": 2}, ...]}
"""

import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from clutrr.errors import DataError, short
from clutrr.files import read_json
from clutrr.limits import CELLS, RAISE, limit
from clutrr.measure import natural

NEAR = (5, 10)  # points from the paper's figure that are counted


_LONGEST_NAME = 200  # of a model or a subset


@dataclass(frozen=True)
class Cell:
    """Test accuracy in percent; none if no training is finished yet.

    accuracy: the mean over the seeds. spread: their standard deviation, if there are several.
    interval: 95 %, for the choice of the test stories (Wilson's, of the mean share over them).
    best: none of the other models has more, to the decimal that is shown.
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

    @property
    def difference(self) -> float | None:
        if self.accuracy is None or self.paper is None:
            return None
        return self.accuracy - self.paper

    def to_json(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "train": self.train,
            "test": self.test,
            "seeds": self.seeds,
            "stories": self.n,
            "accuracy": rounded(self.accuracy),
            "spread": rounded(self.spread),
            "interval": [round(bound, 2) for bound in self.interval] if self.interval else None,
            "paper": self.paper,
            "difference": rounded(self.difference),
            "best": self.best,
            "lookups": dict(self.lookups),
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
        found = (c for c in self.cells if (c.model, c.train, c.test) == (model, train, test))
        return next(found, _missing(model, train, test))

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
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


def pairs_of(trained_on: Sequence[str], tested_on: Sequence[str]) -> list[tuple[str, str]]:
    """Which training sets are tested on which subsets: all on all; but a style only on itself, and the first
    on every style."""
    first = styles_of(trained_on, tested_on)[:1]
    return [
        (train, test)
        for train in trained_on
        for test in tested_on
        if not first or style_of(train) in (*first, style_of(test))
    ]


def load_grid(path: Path) -> Grid:
    """The grid of a file; cells that it lacks count as missing."""
    content = _content(path)
    try:
        found = {(c.model, c.train, c.test): c for c in map(_from_json, content["cells"])}
        if len(found) < len(content["cells"]) or not found:
            raise ValueError("no cells, or one of them twice")
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise DataError(
            f"{path}: not the cells of an experiment ({short(str(error), quote=False)})"
        ) from None
    models = tuple(dict.fromkeys(cell.model for cell in found.values()))
    trained_on = tuple(dict.fromkeys(cell.train for cell in found.values()))
    tested_on = tuple(sorted({cell.test for cell in found.values()}, key=natural))
    if (cells_in_all := len(models) * len(trained_on) * len(tested_on)) > limit(CELLS):
        raise DataError(f"{path}: a table of {cells_in_all:,} cells, more than {limit(CELLS):,}: {RAISE}")
    cells = []
    for train, test in pairs_of(trained_on, tested_on):
        column = [found.get((model, train, test), _missing(model, train, test)) for model in models]
        cells += with_best(column)
    return Grid(models, trained_on, tested_on, tuple(cells))


def note_of(path: Path) -> str:
    """What distinguishes the rows of the file, if it says so."""
    content = _content(path)
    return str(content.get("note", "")) if isinstance(content, Mapping) else ""


def _content(path: Path) -> Any:
    try:
        return read_json(path)
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read: {' '.join(str(error).split())}") from None


def with_best(column: Sequence[Cell]) -> list[Cell]:
    """The cells of all models for one pair, with the best of them marked, to the decimal that is shown."""
    shown = [None if cell.accuracy is None else round(cell.accuracy, 1) for cell in column]
    top = max((value for value in shown if value is not None), default=0.0)
    return [
        replace(cell, best=value is not None and value == top > 0)
        for cell, value in zip(column, shown, strict=True)
    ]


def _missing(model: str, train: str, test: str) -> Cell:
    return Cell(model, train, test, 0, 0, None, None, None, None, False, {})


def _from_json(content: Mapping[str, Any]) -> Cell:
    interval = content.get("interval")
    names = content["model"], content["train"], content["test"]
    if not all(isinstance(name, str) for name in names):
        raise TypeError("model, train and test are texts")
    if max(map(len, names)) > _LONGEST_NAME:
        raise ValueError(f"a name of more than {_LONGEST_NAME} letters")
    return Cell(
        *names,
        int(content["seeds"]),
        int(content.get("stories", 0)),
        _number(content["accuracy"]),
        _number(content.get("spread")),
        None if interval is None else (float(interval[0]), float(interval[1])),
        _number(content.get("paper")),
        False,
        {name: float(value) for name, value in content.get("lookups", {}).items()},
    )


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
