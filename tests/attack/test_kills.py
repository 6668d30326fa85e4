"""A command that is killed at any moment ends, when run again, as if nothing had been.

A few kills of each command are in the default run; `make attack` does a hundred.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clutrr.generator import Config
from clutrr.generator.folder import Job, generate_folder

pytestmark = pytest.mark.process

SIZES = ["--k", "2", "--train", "3000", "--test", "300", "--distractors", "1"]
COMMANDS = {
    "generate": ["generate", "OUT", *SIZES],
    "convert": ["convert", "DATA", "OUT", "--to", "jsonl"],
    "learn-world": ["learn-world", "DATA", "OUT"],
    "train": ["train", "DATA", "OUT", "--model", "gnn", "--k", "2", "--epochs", "4"],
    "reproduce": ["reproduce", "OUT", "--matrix", "MATRIX"],
}
MATRIX = "preset: described\nk: [2]\nmodels: [gnn]\ntrain: 200\ntest: 50\ndistractors: 0\nepochs: 2\n"
ONCE = ("convert", "learn-world")  # what they have finished they refuse to do again
# How often each is killed by `make attack`, a hundred in all, and in the default run.
KILLS = {
    "generate": (30, 2),
    "convert": (25, 1),
    "learn-world": (20, 1),
    "train": (15, 0),
    "reproduce": (10, 0),
}


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("kills") / "data"
    generate_folder(Job(out, Config("described", (2,), 1500, 100, distractors=1)))
    return out


def start(name: str, folder: Path, data: Path) -> subprocess.Popen:
    given = {"OUT": folder / "out", "DATA": data, "MATRIX": folder / "matrix.yaml"}
    if name == "reproduce":
        given["MATRIX"].write_text(MATRIX)
    arguments = [str(given.get(part, part)) for part in COMMANDS[name]]
    return subprocess.Popen(
        [sys.executable, "-m", "clutrr", *arguments],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


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
        timed = path.name in ("record.json", "result.json", "checkpoint.safetensors") or "report/" in name
        if path.is_file():
            found[name] = b"" if timed else path.read_bytes()
    return found


def weights(folder: Path) -> list[bytes]:
    torch = pytest.importorskip("torch")
    from clutrr.experiment.run import load_checkpoint

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


@pytest.mark.skipif(sys.platform == "win32", reason="no process groups to kill")
@pytest.mark.parametrize("name", [name for name in KILLS if KILLS[name][1]])
def test_some_kills(tmp_path, data, name):
    attack(name, KILLS[name][1], tmp_path, data, random.Random(name))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no process groups to kill")
@pytest.mark.parametrize("name", KILLS)
def test_a_hundred_kills(tmp_path, data, name):
    attack(name, KILLS[name][0], tmp_path, data, random.Random(f"{name} again"))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no process groups to kill")
def test_races(tmp_path, data):
    """Of commands that start at about the same time, one writes and the others are refused."""
    rng = random.Random(5)
    for number in range(8):
        out = tmp_path / str(number)
        runs = []
        for seed in range(3):
            command = ["generate", str(out), *SIZES, "--seed", str(seed)]
            runs.append(
                subprocess.Popen(
                    [sys.executable, "-m", "clutrr", *command],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
            time.sleep(rng.uniform(0, 1.5))
        ended = [(run.wait(120), run.stderr.read()) for run in runs]
        for run in runs:
            run.stderr.close()
        assert sorted(code for code, _ in ended) == [0, 2, 2], ended
        winner = [code for code, _ in ended].index(0)
        alone = tmp_path / f"{number}-alone"
        config = Config("sound", (2,), 3000, 300, seed=winner, distractors=1)
        generate_folder(Job(alone, config))
        files = {path.relative_to(alone) for path in alone.rglob("*") if path.is_file()}
        assert all((out / file).read_bytes() == (alone / file).read_bytes() for file in files)
        shutil.rmtree(out)
        shutil.rmtree(alone)
