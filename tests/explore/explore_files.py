"""Data, runs and pages for the tests of the explorer."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from clutrr._data import open_dataset
from clutrr._explore.page import make_page
from clutrr._explore.page import write_page as save_page
from clutrr._explore.pick import pick
from clutrr._puzzle import Puzzle
from clutrr._score.predictions import named, read_predictions
from clutrr._table import to_table


def write_data(folder: Path, puzzles: Sequence[Puzzle]) -> Path:
    path = folder / "puzzles.parquet"
    pq.write_table(to_table(puzzles), path)
    return path


def write_run(folder: Path, puzzles: Sequence[Puzzle], wrong: Callable[[int], bool]) -> Path:
    """A run's predictions: the target, or "aunt" where the answer is to be wrong."""
    folder.mkdir()
    table = {
        "subset": [f"M{puzzle.k}" for puzzle in puzzles],
        "id": [puzzle.id for puzzle in puzzles],
        "target": [puzzle.target for puzzle in puzzles],
        "prediction": ["aunt" if wrong(i) else puzzle.target for i, puzzle in enumerate(puzzles)],
        "probability": pa.array([0.75] * len(puzzles), pa.float32()),
    }
    pq.write_table(pa.table(table), folder / "predictions.parquet")
    return folder


def write_page(data: Path, out: Path, runs: Sequence[Path] = (), **options: Any) -> Path:
    """Judged under `tree`, since nothing says what these files were made under."""
    models = {name: read_predictions(path) for name, path in named(runs).items()}
    selection = pick(replace(open_dataset(data), assume="tree"), models, **options)
    save_page(make_page(selection), out)
    return out
