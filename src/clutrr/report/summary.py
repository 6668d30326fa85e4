"""What the records say: for each model, subset trained on and subset tested on, ours and the paper's."""

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clutrr import paper
from clutrr.measure import wilson
from clutrr.report.results import Results, Tested

NEAR = (5, 10)  # points from the paper's figure that are counted
_Z = 1.959964  # of a 95 % interval


@dataclass(frozen=True)
class Cell:
    """Test accuracy in percent; none where no training is finished yet.

    accuracy: the mean over the seeds. spread: their standard deviation, where there are several.
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
            "accuracy": _rounded(self.accuracy),
            "spread": _rounded(self.spread),
            "interval": [round(bound, 2) for bound in self.interval] if self.interval else None,
            "paper": self.paper,
            "difference": _rounded(self.difference),
            "best": self.best,
            "lookups": dict(self.lookups),
        }


@dataclass(frozen=True)
class Near:
    """How many cells are within so many points of the paper's, of how many that can be compared."""

    of: int
    within: Mapping[int, int]

    def __str__(self) -> str:
        counts = " and ".join(f"{count} within {points}" for points, count in self.within.items())
        return f"of {self.of} cells there are {counts} points of the paper's"

    def to_json(self) -> dict[str, int]:
        return {"of": self.of, **{f"within {points}": count for points, count in self.within.items()}}


@dataclass(frozen=True)
class Mean:
    """Of a model on a subset tested on, over the subsets trained on: ours, over so many, and the paper's."""

    ours: float | None
    of: int
    paper: float | None


@dataclass(frozen=True)
class Summary:
    """Every cell of an experiment."""

    results: Results
    cells: tuple[Cell, ...]

    def cell(self, model: str, train: str, test: str) -> Cell:
        return next(c for c in self.cells if (c.model, c.train, c.test) == (model, train, test))

    def mean(self, model: str, test: str) -> Mean:
        cells = [self.cell(model, train, test) for train in self.results.trained_on]
        ours = [cell.accuracy for cell in cells if cell.accuracy is not None]
        theirs = [cell.paper for cell in cells if cell.paper is not None]
        return Mean(
            statistics.fmean(ours) if ours else None,
            len(ours),
            statistics.fmean(theirs) if len(theirs) == len(cells) else None,
        )

    @property
    def compared(self) -> bool:
        """Whether some cell has a figure of the paper beside it."""
        return any(cell.paper is not None for cell in self.cells)

    def near(self, model: str | None = None) -> Near:
        """Of a model, or of all."""
        gaps = [
            round(abs(cell.difference), 6)  # 48.6 is within 5 points of 43.6
            for cell in self.cells
            if cell.difference is not None and model in (None, cell.model)
        ]
        return Near(len(gaps), {points: sum(gap <= points for gap in gaps) for points in NEAR})

    def to_json(self) -> dict[str, Any]:
        results = self.results
        return {
            "folders": [str(folder) for folder in results.folders],
            "settings": dict(results.settings),
            "reduced": results.reduced,
            "trainings": len(results.records),
            "missing": [f"{model}-{train}-seed{seed}" for model, train, seed in results.missing],
            "near": {
                "all": self.near().to_json(),
                **{model: self.near(model).to_json() for model in results.models},
            }
            if self.compared
            else None,
            "cells": [cell.to_json() for cell in self.cells],
            "means": [
                {"model": model, "test": test, **_mean_json(self.mean(model, test))}
                for model in results.models
                for test in results.tested_on
            ],
        }


def summarise(results: Results) -> Summary:
    """Every cell, whether its trainings are finished or not."""
    cells: list[Cell] = []
    for train in results.trained_on:
        for test in results.tested_on:
            cells += _column(results, train, test)
    return Summary(results, tuple(cells))


def _column(results: Results, train: str, test: str) -> Iterator[Cell]:
    """The cells of all models for a pair of subsets."""
    tests = {model: results.tests(model, train, test) for model in results.models}
    shown = {model: round(_mean(found), 1) for model, found in tests.items() if found}
    top = max(shown.values(), default=0.0)
    for model, found in tests.items():
        values = [tested.accuracy for tested in found]
        yield Cell(
            model,
            train,
            test,
            len(found),
            found[0].n if found else 0,
            _mean(found) if found else None,
            statistics.stdev(values) if len(values) > 1 else None,
            wilson(_mean(found) / 100 * found[0].n, found[0].n) if found else None,
            paper.accuracy(model, train, test) if results.comparable else None,
            bool(found) and top > 0 and shown[model] == top,
            results.lookups.get((train, test), {}),
        )


def _mean(found: list[Tested]) -> float:
    return statistics.fmean(tested.accuracy for tested in found)


def _mean_json(mean: Mean) -> dict[str, float | None]:
    return {"accuracy": _rounded(mean.ours), "trained": mean.of, "paper": _rounded(mean.paper)}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
