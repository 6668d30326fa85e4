"""What the records say: for each model, training set and subset tested on, ours and the paper's."""

from dataclasses import dataclass

from clutrr import paper
from clutrr.report.grid import Cell, Grid, grid_of, pairs_of, scored
from clutrr.report.results import Results


@dataclass(frozen=True)
class Summary:
    """An experiment and every cell of it."""

    results: Results
    grid: Grid


def summarise(results: Results) -> Summary:
    """Every cell, whether its trainings are finished or not."""
    every = [
        _cell(results, model, train, test)
        for train, test in pairs_of(results.trained_on, results.tested_on)
        for model in results.models
    ]
    cells = {cell.key: cell for cell in every}
    return Summary(
        results, grid_of(results.models, results.trained_on, results.tested_on, cells, results.lookups)
    )


def _cell(results: Results, model: str, train: str, test: str) -> Cell:
    found = {r.seed: r.tested[test] for r in results.of(model, train) if test in r.tested}
    n = next((tested.n for tested in found.values()), 0)
    published = paper.accuracy(model, train, test) if results.comparable else None
    return scored(model, train, test, {seed: tested.right for seed, tested in found.items()}, n, published)
