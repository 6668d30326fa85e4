"""From nothing to the records of a whole experiment: generate, audit, train, test.

    OUT/matrix.yaml       the experiment
    OUT/inputs.json       checksums of the files it is made from: given data, models of one's own
    OUT/world/            the wording of the given files, where there are any
    OUT/data/             the stories
    OUT/audit.json        what the audit says of the stories that are tested on
    OUT/cells/NAME/       one training each: checkpoint, record.json, result.json

Every step that is finished is left alone when the same command is run again.
"""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from clutrr.auditor import audit
from clutrr.data import open_dataset
from clutrr.errors import DataError, OutputError
from clutrr.experiment.cells import CellJob, Show, run_cells
from clutrr.experiment.config import choose_device
from clutrr.experiment.matrix import Matrix
from clutrr.experiment.run import own_model
from clutrr.files import file_digest, is_empty, load_json, locked, replace_text, writing
from clutrr.generator.folder import Job, generate_folder
from clutrr.wording.learning import learn, write_world

MATRIX, INPUTS, AUDIT = "matrix.yaml", "inputs.json", "audit.json"
_LOCK = ".lock"


def reproduce(
    matrix: Matrix,
    out: Path,
    device: str,
    say: Callable[[str], None] = lambda text: None,
    show: Show = lambda progress: None,
) -> Iterator[dict[str, Any]]:
    """Run the experiment; the result of each cell as it comes."""
    on = choose_device(device)
    if out.exists() and not out.is_dir():
        raise OutputError(f"{out} is a file; an experiment is a folder")
    with writing(out), locked(out / _LOCK):
        _claim(matrix, out)
        test_data = _stories(matrix, out, say)
        _audit(test_data, out, say)
        yield from _cells(matrix, out, test_data, on.type, say, show)


def _cells(
    matrix: Matrix, out: Path, test_data: Path, device: str, say: Callable[[str], None], show: Show
) -> Iterator[dict[str, Any]]:
    jobs = [
        CellJob(
            cell.name,
            out / "cells" / cell.name,
            out / "data",
            test_data,
            matrix.training(cell),
            device,
            None if matrix.data is None else _world(matrix, out),
        )
        for cell in matrix.cells()
    ]
    say(f"training {len(jobs)} models on {device}")
    yield from run_cells(jobs, os.cpu_count() or 1, show)


def _claim(matrix: Matrix, out: Path) -> None:
    """Make the folder this experiment's; refused where it is another's, be it by what its files hold."""
    path, inputs = out / MATRIX, _inputs(matrix)
    if path.exists():
        if Matrix.load(path) != matrix:
            raise OutputError(f"{out} holds another experiment (see {path}): choose another folder")
        before = load_json(out / INPUTS)
        for name in inputs:
            if before.get(name) != inputs[name]:
                raise OutputError(f"{out} holds an experiment on another {name}: choose another folder")
        return
    if not is_empty(out, MATRIX, INPUTS, _LOCK):
        raise OutputError(f"{out} already holds something else: choose another folder")
    replace_text(out / INPUTS, json.dumps(inputs, indent=1) + "\n")
    replace_text(path, matrix.to_yaml())


def _inputs(matrix: Matrix) -> dict[str, Any]:
    """The checksum of every file that the experiment is made from."""
    found: dict[str, Any] = {}
    if matrix.data is not None:
        files = {str(source.named): source.path for source, _ in open_dataset(matrix.data).files}
        found[f"content of {matrix.data}"] = {name: _checksum(path) for name, path in files.items()}
    for model in matrix.models:
        if file := own_model(model):
            found[f"content of {file}"] = _checksum(file)
    return found


def _checksum(path: Path) -> str:
    try:
        return file_digest(path)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None


def _world(matrix: Matrix, out: Path) -> str:
    """The world that the stories are made in: ours, or the wording of the files given."""
    return "builtin:kinship" if matrix.data is None else str(out / "world")


def _stories(matrix: Matrix, out: Path, say: Callable[[str], None]) -> Path:
    """Generate the stories; where the tests lie: among them, or in the files given."""
    if matrix.data is not None and not (out / "world" / "relations.yaml").is_file():
        say(f"learning the wording of {matrix.data}")
        given = open_dataset(matrix.data)
        write_world(learn(given.puzzles(), "world", given.world), out / "world", force=True)
    config = matrix.config()
    say(f"generating {len(config.k) * (config.train + config.test):,} stories, preset {matrix.preset}")
    generate_folder(Job(out / "data", config, _world(matrix, out)))
    return out / "data" if matrix.data is None else Path(matrix.data)


def _audit(data: Path, out: Path, say: Callable[[str], None]) -> None:
    if not (out / AUDIT).exists():
        say("auditing them")
        world = out / "world" if (out / "world").is_dir() else None
        found = audit(open_dataset(data, world))
        replace_text(out / AUDIT, json.dumps(asdict(found), indent=1) + "\n")
