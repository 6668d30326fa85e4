"""What the records say: for each model, training set and subset tested on, ours and the paper's."""

import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from clutrr import paper
from clutrr.experiment.matrix_file import matrix_content
from clutrr.measure import wilson
from clutrr.report.grid import Cell, Grid, Mean, pairs_of, rounded, with_best
from clutrr.report.results import Results


@dataclass(frozen=True)
class Summary:
    """An experiment and every cell of it."""

    results: Results
    grid: Grid

    def to_json(self) -> dict[str, Any]:
        results, grid = self.results, self.grid
        return {
            "folders": [str(folder) for folder in results.folders],
            "settings": matrix_content(results.matrix),
            "reduced": results.reduced,
            "trainings": len(results.records),
            "missing": [cell.name for cell in results.missing],
            "near": {
                "all": grid.near().to_json(),
                **{model: grid.near(model).to_json() for model in grid.models},
            }
            if grid.compared
            else None,
            "cells": [cell.to_json() for cell in grid.cells],
            "means": [
                {"model": model, "test": test, **_mean_json(grid.mean(model, test))}
                for model in grid.models
                for test in grid.tested_on
            ],
        }


def summarise(results: Results) -> Summary:
    """Every cell, whether its trainings are finished or not."""
    cells: list[Cell] = []
    for train, test in pairs_of(results.trained_on, results.tested_on):
        cells += with_best(list(_column(results, train, test)))
    return Summary(results, Grid(results.models, results.trained_on, results.tested_on, tuple(cells)))


def _column(results: Results, train: str, test: str) -> Iterator[Cell]:
    """The cells of all models for a training set and a subset tested on."""
    for model in results.models:
        found = results.tests(model, train, test)
        values = [tested.accuracy for tested in found]
        mean = statistics.fmean(values) if values else None
        yield Cell(
            model,
            train,
            test,
            len(found),
            found[0].n if found else 0,
            mean,
            statistics.stdev(values) if len(values) > 1 else None,
            None if mean is None else wilson(mean / 100 * found[0].n, found[0].n),
            paper.accuracy(model, train, test) if results.comparable else None,
            False,
            results.lookups.get((train, test), {}),
        )


def _mean_json(mean: Mean) -> dict[str, float | None]:
    return {"accuracy": rounded(mean.ours), "trained": mean.of, "paper": rounded(mean.paper)}
