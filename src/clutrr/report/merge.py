"""Results of one experiment put together: models, training sets and seeds that were run apart.

Refused are results of different experiments, on different stories, and two figures for the same training.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from clutrr.errors import DataError
from clutrr.measure import natural
from clutrr.report.grid import Cell, grid_of, scored
from clutrr.report.load import load_results
from clutrr.report.outcome import Outcome, outcome_of, together
from clutrr.report.parts import check_experiment, check_same, joined_matrix
from clutrr.report.result_file import load_outcome
from clutrr.report.summary import summarise
from clutrr.storage import Where


@dataclass(frozen=True)
class Part:
    """The outcome of a part of an experiment, and where it is from."""

    name: str
    outcome: Outcome


def load_part(path: Where) -> Part:
    """From a result file, or from the folder of an experiment."""
    found = outcome_of(summarise(load_results([path]))) if path.is_dir() else load_outcome(path)
    return Part(str(path), found)


def merge(parts: Iterable[Part], later: bool = False) -> Outcome:
    """All together. later: of a model that two have trained on the same stories, keep the later figures."""
    one, *others = parts
    for other in others:
        names = f"{one.name} and {other.name}"
        check_experiment(one.outcome.matrix, other.outcome.matrix, names)
        _check_stories(one.outcome, other.outcome, names)
        kept = _without(one.outcome, other.outcome) if later else one.outcome
        one = Part(one.name, _both(kept, other.outcome, names))
    return one.outcome


def _both(here: Outcome, there: Outcome, names: str) -> Outcome:
    matrix = joined_matrix(here.matrix, there.matrix, names)
    cells = {cell.key: cell for cell in here.grid.cells if cell.seeds}
    for cell in there.grid.cells:
        if cell.seeds:
            cells[cell.key] = _joined(cells[cell.key], cell, names) if cell.key in cells else cell
    tested_on = sorted({*here.grid.tested_on, *there.grid.tested_on}, key=natural)
    lookups = {**there.lookups, **here.lookups}
    return Outcome(
        matrix,
        together((*here.made, *there.made), matrix),
        {**there.trained_on, **here.trained_on},
        {**there.tested_on, **here.tested_on},
        {**there.inputs, **here.inputs},
        grid_of(matrix.models, matrix.trained_on, tested_on, cells, lookups),
    )


def _check_stories(one: Outcome, other: Outcome, names: str) -> None:
    """Refuse results of different stories, as far as it is known which they are of."""

    def tested(subset: str) -> str:
        return f"{names} were tested on different stories of {subset}"

    check_same(one.inputs, other.inputs, lambda name: f"{names} are made from different files: {name}")
    check_same(
        one.trained_on, other.trained_on, lambda name: f"{names} were trained on different stories of {name}"
    )
    check_same(one.tested_on, other.tested_on, tested)
    check_same(_sizes(one), _sizes(other), tested)
    check_same(one.lookups, other.lookups, lambda pair: f"{tested(pair[1])}: their look-ups differ")


def _joined(one: Cell, other: Cell, names: str) -> Cell:
    """The cell of the seeds of both."""
    if one.right and other.right:
        check_same(
            one.right,
            other.right,
            lambda seed: (
                f"{names} both hold {one.model} trained on {one.train} with seed {seed}, with different "
                f"results on {one.test}: add --replace to keep those of the second"
            ),
        )
        return scored(*one.key, {**one.right, **other.right}, one.n, one.paper)
    if replace(one, right={}) == replace(other, right={}):
        return one if one.right else other
    raise DataError(
        f"{names} both hold {one.model} trained on {one.train}, and not both say what each seed answered: "
        "add --replace to keep what the second says"
    )


def _without(outcome: Outcome, other: Outcome) -> Outcome:
    """The first without what the other says too: its models on their training sets."""
    there = {(cell.model, cell.train) for cell in other.grid.cells if cell.seeds}
    cells = {
        cell.key: cell for cell in outcome.grid.cells if cell.seeds and (cell.model, cell.train) not in there
    }
    replaced = {cell.name for cell in outcome.matrix.cells() if (cell.model, cell.train) in there}
    made = tuple(
        replace(each, trainings=tuple(name for name in each.trainings if name not in replaced))
        for each in outcome.made
    )
    # If all figures of a model are replaced, it may be trained in another way now. One without any stays.
    left = {model for model, _, _ in cells} | ({*outcome.matrix.models} - {model for model, _ in there})
    models = tuple(model for model in outcome.matrix.models if model in left)
    if not models:
        seeds = tuple(sorted({*outcome.matrix.seeds, *other.matrix.seeds}))
        return replace(other, matrix=replace(other.matrix, seeds=seeds), made=())
    grid = outcome.grid
    return replace(
        outcome,
        matrix=outcome.matrix.on_models(models),
        made=made,
        grid=grid_of(models, grid.trained_on, grid.tested_on, cells, outcome.lookups),
    )


def _sizes(outcome: Outcome) -> dict[str, int]:
    """How many stories each subset has, as far as it is known."""
    return {cell.test: cell.n for cell in outcome.grid.cells if cell.n}
