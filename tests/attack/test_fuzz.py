"""Changed files of every kind, through every reader: puzzles, or one line. `make attack` tries 5,000."""

import contextlib
import json
import random
import shutil
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sample_files
from clutrr.data import open_dataset
from clutrr.errors import ClutrrError
from clutrr.experiment.config import TrainConfig
from clutrr.experiment.matrix_file import find_matrix, load_matrix, matrix_text
from clutrr.generator import Config
from clutrr.generator.folder import Job, generate_folder
from clutrr.puzzle import SCHEMA, from_table
from clutrr.report.load import load_results
from clutrr.scoring import read_predictions
from clutrr.wording.readable import check_readable
from clutrr.world import load_world

PIECES = [
    *(
        b"",
        b"\n",
        b'"',
        b",",
        b"[",
        b"]",
        b"{",
        b"}",
        b"'",
        b":",
        b"- ",
        b"&a ",
        b"*a",
        b"!!int ",
        b"\\",
        b"\0",
    ),
    *(b"-1", b"0", b"1e999", b"9" * 30, b"null", b"true", b"nan", b"\xff", b"\xed\xa0\x80", b"\\ud800", b"#"),
    *(b"2001-99-99", b"<<: ", b"[[]]", b'{"a": []}', b"../..", b"/dev/zero", b"%s", b"[/b]", b"\xef\xbb\xbf"),
]


def changed(content: bytes, rng: random.Random) -> bytes:
    """The content with a few pieces cut out, doubled, flipped or put in."""
    for _ in range(rng.randint(1, 4)):
        start = rng.randint(0, len(content))
        stop = min(len(content), start + rng.choice((0, 0, 1, 2, 8, 40)))
        kind = rng.randrange(4)
        if kind == 0 and start < len(content):
            piece, stop = bytes([content[start] ^ 1 << rng.randrange(8)]), start + 1
        elif kind == 1:
            piece = content[start:stop] * 2
        elif kind == 2:
            piece = rng.randbytes(rng.randint(1, 8))
        else:
            piece = rng.choice(PIECES)
        content = content[:start] + piece + content[stop:]
    return content


def read_data(path: Path) -> None:
    for part in open_dataset(path).parts():
        list(from_table(part.table))


def read_world(path: Path) -> None:
    check_readable(load_world(path), path)


def read_run(path: Path) -> None:
    from clutrr.experiment.run import load_run

    load_run(path)


class Target:
    """A file or folder to spoil, and what reads it."""

    def __init__(self, path: Path, read: Callable[[Path], object]) -> None:
        self.path, self.read = path, read
        files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
        self.files = {file: file.read_bytes() for file in files}

    def attack(self, rng: random.Random) -> None:
        file = rng.choice(list(self.files))
        file.write_bytes(changed(self.files[file], rng))
        try:
            with contextlib.suppress(ClutrrError):
                self.read(self.path)
        finally:
            file.write_bytes(self.files[file])


@pytest.fixture(scope="module")
def targets(tmp_path_factory) -> list[Target]:
    folder = tmp_path_factory.mktemp("fuzz")
    found = []
    for name, text in sample_files.TEXTS.items():
        (folder / name).write_text(text)
        found.append(Target(folder / name, read_data))
    pq.write_table(pa.Table.from_pylist([sample_files.OWN] * 3, SCHEMA), folder / "own.parquet")
    found.append(Target(folder / "own.parquet", read_data))
    generate_folder(Job(folder / "data", Config("described", (2,), 12, 6, distractors=1)))
    found.append(Target(folder / "data", read_data))
    with resources.as_file(resources.files("clutrr.world") / "kinship") as source:
        found.append(Target(Path(shutil.copytree(source, folder / "world")), read_world))
    (folder / "answers.csv").write_text("id,answer\nM2-test-000000000,son\n")
    found.append(Target(folder / "answers.csv", read_predictions))
    (folder / "matrix.yaml").write_text(matrix_text(find_matrix("composer")))
    found.append(Target(folder / "matrix.yaml", load_matrix))
    found.append(Target(_results(folder / "results"), lambda path: load_results([path])))
    if pytest.importorskip("torch"):
        found.append(Target(_run(folder), read_run))
    return found


def _results(folder: Path) -> Path:
    cell = folder / "cells/gnn-M3-seed0"
    cell.mkdir(parents=True)
    (folder / "matrix.yaml").write_text("data: {k: 3}\nmodels: [gnn]\n")
    tested = {"M3": {"accuracy": 50.0, "n": 2, "interval": [10.0, 90.0], "patterns": {"child-SO": [1, 2]}}}
    result = {
        "cell": "gnn-M3-seed0",
        "model": "gnn",
        "train": "M3",
        "seed": 0,
        "device": "cpu",
        "versions": {"clutrr": "0"},
        "data": {"sha256": "0"},
        "epochs": [{"accuracy": 50.0}],
        "seconds": 1.0,
        "tested": tested,
        "config": TrainConfig("gnn", (3,)).to_json(),
    }
    (cell / "result.json").write_text(json.dumps(result))
    load_results([folder])
    return folder


def _run(folder: Path) -> Path:
    import torch

    from clutrr.experiment.job import TrainJob, train

    config = TrainConfig("gnn", (2,), epochs=1)
    train(TrainJob(folder / "data", folder / "run", config, torch.device("cpu")))
    return folder / "run"


def attack(targets: list[Target], times: int, rng: random.Random) -> None:
    for number in range(times):
        targets[number % len(targets)].attack(rng)


def test_some_changed_files(targets):
    attack(targets, 260, random.Random(1))


@pytest.mark.slow
def test_5000_changed_files(targets):
    attack(targets, 5000, random.Random(2))
