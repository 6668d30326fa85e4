"""A result file: what an experiment came to, as one small JSON file that people can read and compare.

    {"about": "Trained on short chains, tested on long ones.",
     "matrix": "composer",
     "commands": ["clutrr reproduce OUT --matrix composer"],
     "settings": {...},
     "made": [{"device": "NVIDIA H200", "versions": {...}, "trainings": ["gnn-M3-seed0", ...]}],
     "stories": {"trained on": {"M3": CHECKSUM}, "tested on": {"M4": CHECKSUM}},
     "lookups": [{"train": "M3", "test": "M4", "last relation": 61.2}, ...],
     "cells": [{"model": "gnn", "train": "M3", "test": "M4", "seeds": 3, "accuracy": 88.1, "spread": 2.0,
                "stories": 1000, "right": {"0": 861, "1": 881, "2": 901}}, ...]}

It is `table.json` of a report, and those of the docs are in docs/results. `outcome` says what it holds. For a
table or a figure of a page (`render`), cells are enough, and of a cell the model, what it was trained and
tested on, the number of seeds and the accuracy.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from clutrr.errors import ConfigError, DataError, short
from clutrr.experiment.matrix_file import matrix_of
from clutrr.files import read_json
from clutrr.limits import CELLS, RAISE, limit
from clutrr.measure import natural
from clutrr.report.grid import Cell, Grid, Key, Pair, grid_of, scored
from clutrr.report.outcome import Made, Outcome
from clutrr.storage import Where

_LONGEST_NAME = 200  # of a model or a subset


def result_text(outcome: Outcome) -> str:
    """The file of an outcome: a line for each entry of its parts, so that changes can be seen."""
    parts = [f" {_line(name)}: {_part(value)}" for name, value in outcome.to_json().items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _part(value: Any) -> str:
    if not isinstance(value, dict | list) or not value:
        return _line(value)
    if isinstance(value, list):
        first, entries, last = "[", [_line(entry) for entry in value], "]"
    else:
        first, entries, last = "{", [f"{_line(name)}: {_line(entry)}" for name, entry in value.items()], "}"
    return f"{first}\n  " + ",\n  ".join(entries) + f"\n {last}"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def load_outcome(path: Where) -> Outcome:
    """What a result file says."""
    content = read_content(path)
    with reading(path, "the result file of an experiment"):
        try:
            matrix = matrix_of(content["settings"])
        except ConfigError as error:
            raise DataError(f"{path}: settings: {error}") from None
        stories = {name: _texts(content["stories"][name]) for name in ("trained on", "tested on")}
        made, inputs = tuple(map(_made, content["made"])), dict(content["inputs"])
        cells, lookups = _cells(content), read_lookups(content["lookups"])
        for cell in cells.values():
            if cell.model not in matrix.models or cell.train not in matrix.trained_on:
                raise ValueError(f"{cell.model} trained on {cell.train} is not among its settings")
            if others := sorted({*cell.right} - {*matrix.seeds}):
                raise ValueError(f"seed {others[0]} is not among its settings")
        tested_on = {test for _, test in lookups} | {cell.test for cell in cells.values()}
        grid = _grid(path, matrix.models, matrix.trained_on, tested_on, cells, lookups)
        return Outcome(matrix, made, stories["trained on"], stories["tested on"], inputs, grid)


def load_grid(path: Path) -> Grid:
    """The cells of a file; those that it lacks count as missing."""
    content = read_content(path)
    with reading(path, "the cells of an experiment"):
        cells, lookups = _cells(content), read_lookups(content.get("lookups", ()))
        if not cells:
            raise ValueError("no training is finished")
    models = tuple(dict.fromkeys(cell.model for cell in cells.values()))
    trained_on = tuple(dict.fromkeys(cell.train for cell in cells.values()))
    return _grid(path, models, trained_on, {cell.test for cell in cells.values()}, cells, lookups)


def _grid(
    path: Where,
    models: Sequence[str],
    trained_on: Sequence[str],
    tested_on: Set[str],
    cells: Mapping[Key, Cell],
    lookups: Mapping[Pair, Mapping[str, float]],
) -> Grid:
    if (in_all := len(models) * len(trained_on) * len(tested_on)) > limit(CELLS):
        raise DataError(f"{path}: a table of {in_all:,} cells, more than {limit(CELLS):,}: {RAISE}")
    return grid_of(models, trained_on, sorted(tested_on, key=natural), cells, lookups)


def read_content(path: Where) -> Any:
    """What a JSON file says."""
    try:
        return read_json(path)
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise DataError(f"{path}: cannot be read: {' '.join(str(error).split())}") from None


@contextmanager
def reading(path: Where, what: str) -> Iterator[None]:
    """One line for whatever is wrong with the content of a file."""
    try:
        yield
    except KeyError as error:
        raise DataError(f"{path}: not {what} (it has no {short(str(error.args[0]), quote=False)})") from None
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise DataError(f"{path}: not {what} ({short(str(error), quote=False)})") from None


def _cells(content: Mapping[str, Any]) -> dict[Key, Cell]:
    found = {cell.key: cell for cell in map(_cell, content["cells"])}
    if len(found) < len(content["cells"]):
        raise ValueError("one of its cells is there twice")
    return found


def read_lookups(content: Iterable[Mapping[str, Any]]) -> dict[Pair, dict[str, float]]:
    """What look-ups and ceilings reach, by training set and subset."""
    return {
        (str(pair["train"]), str(pair["test"])): {
            str(key): float(value) for key, value in pair.items() if key not in ("train", "test")
        }
        for pair in content
    }


def _cell(content: Mapping[str, Any]) -> Cell:
    names = content["model"], content["train"], content["test"]
    if not all(isinstance(name, str) for name in names):
        raise TypeError("model, train and test are texts")
    if max(map(len, names)) > _LONGEST_NAME:
        raise ValueError(f"a name of more than {_LONGEST_NAME} letters")
    published, n = _number(content.get("paper")), int(content.get("stories", 0))
    if right := {int(seed): int(count) for seed, count in content.get("right", {}).items()}:
        if not n or not all(0 <= count <= n for count in right.values()):
            raise ValueError("its counts do not add up")
        return scored(*names, right, n, published)
    interval, seeds, accuracy = content.get("interval"), int(content["seeds"]), float(content["accuracy"])
    if seeds < 1 or not 0 <= accuracy <= 100:
        raise ValueError("a cell has at least one seed, and an accuracy from 0 to 100")
    return Cell(
        *names,
        seeds,
        n,
        accuracy,
        _number(content.get("spread")),
        None if interval is None else (float(interval[0]), float(interval[1])),
        published,
        False,
        {},
    )


def _made(content: Mapping[str, Any]) -> Made:
    trainings = content["trainings"]
    if not isinstance(trainings, list):
        raise TypeError("trainings are a list")
    return Made(str(content["device"]), _texts(content["versions"]), tuple(map(str, trainings)))


def _texts(content: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in content.items()}


def _number(value: Any) -> float | None:
    if value is not None and not math.isfinite(value):
        raise ValueError(f"{value} is not a figure")
    return None if value is None else float(value)
