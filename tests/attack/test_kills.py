"""A command that is killed at any moment ends, when run again, as if nothing had been.

A few kills of each command are in the default run; `make attack` does a hundred.
"""

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from clutrr._generate import Config
from clutrr._generate.folder import Job, generate_folder
from commands import begin

pytestmark = pytest.mark.process

SIZES = ["--k", "2", "--train", "3000", "--test", "300", "--distractors", "1"]
COMMANDS = {
    "generate": ["generate", "OUT", *SIZES],
    "convert": ["convert", "DATA", "OUT", "--to", "jsonl"],
    "learn-world": ["learn-world", "DATA", "OUT"],
    "train": ["train", "DATA", "OUT", "--model", "gnn", "--k", "2", "--epochs", "4"],
    "reproduce": ["reproduce", "OUT", "--matrix", "MATRIX"],
}
# Stories to make in the wording of given data, to audit, to train on and to test on.
MATRIX = """
data: {preset: described, k: 2, train: 200, test: 50, distractors: 0}
wording: DATA
models: [gnn]
epochs: 2
"""
ONCE = ("convert", "learn-world")  # what they have finished they refuse to do again
# How often each is killed by `make attack`, a hundred in all, and in the default run.
KILLS = {
    "generate": (35, 2),
    "convert": (27, 1),
    "learn-world": (20, 1),
    "train": (10, 0),
    "reproduce": (8, 0),
}


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("kills") / "data"
    generate_folder(Job(out, Config("described", (2,), 1500, 100, distractors=1)))
    return out


def start(name: str, folder: Path, data: Path) -> subprocess.Popen:
    given = {"OUT": folder / "out", "DATA": data, "MATRIX": folder / "matrix.yaml"}
    if name == "reproduce":
        given["MATRIX"].write_text(MATRIX.replace("DATA", str(data)))
    return begin(*(str(given.get(part, part)) for part in COMMANDS[name]))


def finish(name: str, folder: Path, data: Path) -> float:
    """Run it to its end; how long that took."""
    began = time.monotonic()
    with start(name, folder, data) as run:
        errors = run.stderr.read()
        assert run.wait(600) == 0, errors
    return time.monotonic() - began


def contents(folder: Path) -> dict[str, bytes]:
    """Every file but those that tell times, and the pictures of the report."""
    found = {}
    for path in sorted((folder / "out").rglob("*")):
        name = str(path.relative_to(folder / "out"))
        timed = (
            path.name in ("record.json", "result.json", "checkpoint.safetensors")
            or "report/" in name
        )
        if path.is_file():
            found[name] = b"" if timed else path.read_bytes().replace(str(folder).encode(), b"")
    return found


def weights(folder: Path) -> list[bytes]:
    torch = pytest.importorskip("torch")
    from clutrr._train.run import load_checkpoint

    found = []
    for path in sorted(folder.rglob("checkpoint.safetensors")):
        for _, tensor in sorted(load_checkpoint(path.parent).tensors.items()):
            found.append(tensor.reshape(-1).view(torch.uint8).numpy().tobytes())
    return found


def attack(name: str, kills: int, tmp_path: Path, data: Path, rng: random.Random) -> None:
    for needed in ("torch",) if name in ("train", "reproduce") else ():
        pytest.importorskip(needed)
    whole = tmp_path / "whole"
    whole.mkdir()
    seconds = finish(name, whole, data)
    left, number = kills, 0
    while left > 0:
        folder = tmp_path / f"killed-{number}"
        folder.mkdir()
        number += 1
        for _ in range(min(left, rng.randint(1, 4))):  # several times in a row, too
            left -= 1
            with start(name, folder, data) as run:
                time.sleep(rng.uniform(0.2, 1.0) * seconds)
                os.killpg(run.pid, signal.SIGKILL)
            if name in ONCE and (folder / "out").exists():
                break  # the kill came when all was done
        else:
            finish(name, folder, data)
        assert contents(folder) == contents(whole)
        if name in ("train", "reproduce"):
            assert weights(folder) == weights(whole)
        beside = {path.name for path in folder.iterdir()} - {"matrix.yaml"}
        assert beside == {"out"}
        shutil.rmtree(folder)


@pytest.mark.parametrize("name", [name for name in KILLS if KILLS[name][1]])
def test_some_kills(tmp_path, data, name):
    attack(name, KILLS[name][1], tmp_path, data, random.Random(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", KILLS)
def test_a_hundred_kills(tmp_path, data, name):
    attack(name, KILLS[name][0], tmp_path, data, random.Random(f"{name} again"))


# Commands that want the same OUT, each of which makes something else of it.
RACES = {
    "generate": [["generate", "OUT", *SIZES, "--seed", str(seed)] for seed in range(3)],
    "generate and convert": [
        ["generate", "OUT", *SIZES],
        ["convert", "DATA", "OUT", "--to", "jsonl"],
        ["learn-world", "DATA", "OUT"],
    ],
    "train": [
        ["train", "DATA", "OUT", "--model", "gnn", "--k", "2", "--epochs", "2", "--seed", str(seed)]
        for seed in range(2)
    ],
}


def race(name: str, times: int, tmp_path: Path, data: Path, rng: random.Random) -> None:
    """Of commands that start at about the same time, one writes and the others are refused."""
    if name == "train":
        pytest.importorskip("torch")

    def given(command: list[str], out: Path) -> list[str]:
        return [str({"OUT": out, "DATA": data}.get(part, part)) for part in command]

    alone = {}
    for number, command in enumerate(RACES[name]):
        folder = tmp_path / f"alone-{number}"
        with begin(*given(command, folder / "out")) as run:
            errors = run.stderr.read()
            assert run.wait(600) == 0, errors
        alone[number] = contents(folder), weights(folder) if name == "train" else []
    for time_ in range(times):
        folder = tmp_path / str(time_)
        runs = []
        for command in RACES[name]:
            runs.append(begin(*given(command, folder / "out")))
            time.sleep(rng.choice((0, 0, rng.uniform(0, 1.5))))
        ended = [(run.stderr.read(), run.wait(600)) for run in runs]
        for run in runs:
            run.stderr.close()
        assert sorted(code for _, code in ended) == [0] + [2] * (len(runs) - 1), ended
        for error, code in ended:
            assert code == 0 or any(
                says in error
                for says in ("another process", "holds something else", "another config")
            )
        winner = [code for _, code in ended].index(0)
        assert (contents(folder), weights(folder) if name == "train" else []) == alone[winner]
        assert [path.name for path in folder.iterdir()] == ["out"]
        shutil.rmtree(folder)


def test_a_race(tmp_path, data):
    race("generate", 1, tmp_path, data, random.Random(4))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "times"), [("generate", 6), ("generate and convert", 6), ("train", 3)]
)
def test_races(tmp_path, data, name, times):
    race(name, times, tmp_path, data, random.Random(5))
