"""Full disks and disks that cannot be written to: one line that names the output, and nothing half done.

The disks are mounted in a name space of their own, where that is permitted.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from clutrr._generate import Config
from clutrr._generate.folder import Job, generate_folder
from commands import is_refusal, outcome

pytestmark = pytest.mark.process
SMALL = ["--k", "2", "--train", "400", "--test", "100", "--distractors", "1"]
MATRIX = "data: {preset: described, k: 2, train: 30, test: 10, distractors: 0}\nmodels: [gnn]\nepochs: 1\n"
FULL = 'mount -t tmpfs -o size="$SIZE" tmpfs "$1"'
READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"'
ASKED = ("out", "out.csv", "out.jsonl", "out.html", "out.parquet")  # on the disk
DRIVING = Path(__file__).with_name("driving.py")


@pytest.fixture(scope="module")
def unshare(tmp_path_factory) -> list[str]:
    """How to get a name space in which we may mount."""
    folder = tmp_path_factory.mktemp("mount")
    for command in (["unshare", "-m"], ["unshare", "-Urm"]):
        try:
            tried = [*command, "sh", "-c", FULL, "sh", str(folder)]
            if (
                subprocess.run(
                    tried, capture_output=True, env={**os.environ, "SIZE": "1m"}
                ).returncode
                == 0
            ):
                return command
        except FileNotFoundError:
            break
    pytest.skip("mounting is not permitted here")


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("disks") / "data"
    generate_folder(Job(out, Config("described", (2,), 300, 100, distractors=1)))
    return out


def quick(data: Path, disk: Path) -> list[list[object]]:
    """The commands that write, each to one place on the disk."""
    return [
        ["generate", disk / "out", *SMALL],
        ["convert", data, disk / "out"],
        ["convert", data, disk / "out.csv"],
        ["learn-world", data, disk / "out"],
        ["explore", data, "--out", disk / "out.html"],
        ["audit", data, "--rows", disk / "out.parquet"],
        ["audit", data, "--rows", disk / "out.jsonl"],
    ]


def slow(data: Path, disk: Path, experiment: Path) -> list[list[object]]:
    return [
        ["train", data, disk / "out", "--model", "gnn", "--k", "2", "--epochs", "1"],
        ["reproduce", disk / "out", "--matrix", experiment / "matrix.yaml"],
        ["report", experiment, "--to", disk / "out"],
    ]


@pytest.fixture(scope="module")
def experiment(tmp_path_factory) -> Path:
    pytest.importorskip("torch")
    place = tmp_path_factory.mktemp("made")
    (place / "given.yaml").write_text(MATRIX)
    assert outcome("reproduce", place / "experiment", "--matrix", place / "given.yaml")[0] == 0
    return place / "experiment"


def attack(
    unshare: list[str], mount: str, size: str, commands: list[list[object]], disk: Path
) -> Iterator[dict]:
    todo = disk.with_name("commands.json")
    todo.write_text(json.dumps([[str(part) for part in command] for command in commands]))
    script = f'{mount} && exec "$2" "$3" "$1" "$4"'
    done = subprocess.run(
        [*unshare, "sh", "-c", script, "sh", str(disk), sys.executable, str(DRIVING), str(todo)],
        env={**os.environ, "SIZE": size, "OMP_NUM_THREADS": "1", "TMPDIR": "/tmp"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    ended = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["command"][0] for one in ended] == [command[0] for command in commands]
    yield from ended


def check_refused(one: dict) -> None:
    """One line says why; `reproduce` says before what it is about to do."""
    *before, last = one["err"].splitlines(keepends=True)
    assert is_refusal(one["code"], last), one
    assert not before or one["command"][0] == "reproduce", one


def check_full(ended: Iterator[dict], disk: Path) -> None:
    """Each has failed, has said why, and has left nothing under the name that was asked for but what the
    next run goes on from."""
    for one in ended:
        if one["command"][0] == "audit" and one["code"] == 0:  # its few rows may have room
            continue
        check_refused(one)
        assert "the disk is full" in one["err"], one
        assert str(disk) in one["err"], one
        left = [name for name in one["left"] if name.split("/")[0] in ASKED]
        if one["command"][0] == "reproduce":  # all that says which experiment it is, or nothing
            assert ("out/inputs.json" in left) == ("out/matrix.yaml" in left), one
        elif one["command"][0] != "train":  # both fill their folder step by step
            assert left in ([], ["out"]), one  # an empty folder, at most
        assert not any(name.endswith("result.json") for name in one["left"]), one


def check_read_only(ended: Iterator[dict], disk: Path) -> None:
    for one in ended:
        check_refused(one)
        assert str(disk) in one["err"], one
        assert "Read-only file system" in one["err"], one
        assert one["left"] == [], one


@pytest.fixture
def disk(tmp_path) -> Path:
    (tmp_path / "disk").mkdir()
    return tmp_path / "disk"


def test_a_full_disk(unshare, data, disk):
    check_full(attack(unshare, FULL, "4k", quick(data, disk), disk), disk)


def test_a_read_only_disk(unshare, data, disk):
    check_read_only(attack(unshare, READ_ONLY, "", quick(data, disk), disk), disk)


@pytest.mark.slow
def test_what_trains_on_such_disks(unshare, data, experiment, disk):
    for size in ("4k", "12k"):
        check_full(attack(unshare, FULL, size, slow(data, disk, experiment), disk), disk)
    check_read_only(attack(unshare, READ_ONLY, "", slow(data, disk, experiment), disk), disk)


@pytest.mark.slow
def test_a_disk_that_gets_room_again(unshare, data, tmp_path):
    """The same command goes on, and ends as if the disk had never been full."""
    disk, whole = tmp_path / "disk", tmp_path / "whole"
    disk.mkdir()
    script = (
        f'{FULL} && ! "$2" -m clutrr generate "$1/out" $SMALL && mount -o remount,size=100m "$1" '
        '&& "$2" -m clutrr generate "$1/out" $SMALL && diff -r "$1/out" "$3"'
    )
    assert outcome("generate", whole, *SMALL)[0] == 0
    done = subprocess.run(
        [*unshare, "sh", "-c", script, "sh", str(disk), sys.executable, str(whole)],
        env={**os.environ, "SIZE": "60k", "SMALL": " ".join(SMALL)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done
    assert "the disk is full" in done.stderr
