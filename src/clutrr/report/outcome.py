"""What an experiment came to: its figures by seed, and how they were made. A result file says it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from clutrr.experiment.matrix import Matrix
from clutrr.experiment.matrix_file import find_matrix, matrix_content
from clutrr.experiment.named import named, portable
from clutrr.report.grid import Grid, Pair
from clutrr.report.summary import Summary


@dataclass(frozen=True)
class Made:
    """Trainings, by name, on the same device with the same versions; of older ones these may not be known."""

    device: str
    versions: Mapping[str, str]
    trainings: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "device": self.device,
            "versions": dict(self.versions),
            "trainings": list(self.trainings),
        }


@dataclass(frozen=True)
class Outcome:
    """An experiment and every figure of it.

    trained_on, tested_on: checksums of the stories, by training set and by subset, as far as they are known.
    inputs: checksums of the files that it is made from: given data, models that are not ours, an encoder.
    """

    matrix: Matrix
    made: tuple[Made, ...]
    trained_on: Mapping[str, str]
    tested_on: Mapping[str, str]
    inputs: Mapping[str, Any]
    grid: Grid

    @property
    def missing(self) -> list[str]:
        """The trainings that are still to come."""
        there = {name for made in self.made for name in made.trainings}
        return [cell.name for cell in self.matrix.cells() if cell.name not in there]

    @property
    def lookups(self) -> dict[Pair, Mapping[str, float]]:
        return {(cell.train, cell.test): cell.lookups for cell in self.grid.cells if cell.lookups}

    def to_json(self) -> dict[str, Any]:
        """The content of a result file: the same for the same figures, wherever they were measured."""
        grid, matrix = self.grid, portable(self.matrix, self.inputs)
        ours = named(matrix)
        return {
            "about": self.matrix.about,
            "matrix": ours.name or None,
            "commands": list(ours.commands),
            "settings": matrix_content(replace(matrix, prepare=ours.commands[:-1])),
            "reduced": self.matrix.smaller_than(find_matrix("builtin:full")),
            "made": [made.to_json() for made in self.made],
            "missing": self.missing,
            "inputs": {name: self.inputs[name] for name in sorted(self.inputs)},
            "stories": {
                "trained on": _in_order(self.trained_on, self.matrix.trained_on),
                "tested on": _in_order(self.tested_on, grid.tested_on),
            },
            "near": _near(grid),
            "lookups": [
                {"train": train, "test": test, **values} for (train, test), values in self.lookups.items()
            ],
            "cells": [cell.to_json() for cell in grid.cells if cell.seeds],
        }


def outcome_of(summary: Summary) -> Outcome:
    """The outcome of an experiment whose records are at hand."""
    results, records = summary.results, summary.results.records.values()
    made = [Made(record.device, record.versions, (record.name,)) for record in records]
    return Outcome(
        results.matrix,
        together(made, results.matrix),
        {record.train: record.stories for record in records},
        {
            name: tested.stories
            for record in records
            for name, tested in record.tested.items()
            if tested.stories
        },
        results.inputs,
        summary.grid,
    )


def together(made: Iterable[Made], matrix: Matrix) -> tuple[Made, ...]:
    """One for each device and versions, with its trainings in the order of the matrix. A training that is
    there twice belongs to the first."""
    whose: dict[str, Made] = {}
    for each in made:
        for name in each.trainings:
            whose.setdefault(name, Made(each.device, dict(sorted(each.versions.items())), ()))
    found: list[Made] = []
    for cell in matrix.cells():
        if cell.name in whose and whose[cell.name] not in found:
            found.append(whose[cell.name])
    return tuple(
        replace(each, trainings=tuple(c.name for c in matrix.cells() if whose.get(c.name) == each))
        for each in found
    )


def _near(grid: Grid) -> dict[str, Any] | None:
    """How near the paper's figures it is, in all and by model; None if no cell can be compared."""
    near = grid.near()
    if not near.of:
        return None
    return {"all": near.to_json(), **{model: grid.near(model).to_json() for model in grid.models}}


def _in_order(values: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    return {name: values[name] for name in names if name in values}
