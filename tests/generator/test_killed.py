"""A run that is killed outright leaves no folder; the same command goes on where it stopped."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from processes import session

pytestmark = pytest.mark.process

# The command with shards of one block, so that there are many of them.
SCRIPT = """
import sys
from clutrr.generator import shards
shards.SHARD = shards.BLOCK
from clutrr.cli import main
if __name__ == "__main__":
    sys.argv = ["clutrr", "generate", *sys.argv[1:]]
    main()
"""
OPTIONS = ["--preset", "described", "--k", "3", "--train", "40000", "--test", "100", "--distractors", "2"]


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    script = tmp_path_factory.mktemp("script") / "generate.py"
    script.write_text(SCRIPT)

    def start(out: Path, *more: str) -> subprocess.Popen:
        arguments = [sys.executable, script, out, *OPTIONS, *more]
        return subprocess.Popen(arguments, start_new_session=True, stderr=subprocess.PIPE)

    return start


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, command):
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    with command(out) as run:
        assert run.wait(120) == 0, run.stderr.read()
    return files(out)


def files(out: Path) -> dict[str, bytes]:
    return {str(p.relative_to(out)): p.read_bytes() for p in out.rglob("*") if p.is_file()}


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_killed_run(tmp_path, command, undisturbed, workers):
    out, partial = tmp_path / "out", tmp_path / "out.partial"
    with command(out, "--workers", workers) as run:
        deadline = time.monotonic() + 60
        while len(list(partial.glob("done/*.json"))) < 3:
            assert run.poll() is None, run.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        os.killpg(run.pid, signal.SIGKILL)
    assert not out.exists()
    assert not list(tmp_path.rglob("README.md"))
    assert not list(tmp_path.rglob("manifest.json"))
    records = [record.stem for record in partial.glob("done/*.json")]
    assert 3 <= len(records) < 21
    finished = {}
    for record in records:
        k, split, number = record.split("-")
        (file,) = partial.glob(f"data-set/data/{k}/{split}-{number}-of-*.parquet")
        finished[file.name] = file.stat().st_ino, file.stat().st_mtime_ns
    with command(out) as run:
        assert run.wait(120) == 0, run.stderr.read()
    for name, (inode, changed) in finished.items():
        file = out / "data/M3" / name
        assert (file.stat().st_ino, file.stat().st_mtime_ns) == (inode, changed)
    assert files(out) == undisturbed
    assert not partial.exists()


def test_workers_do_not_outlive_a_killed_run(tmp_path, command):
    """Otherwise they go on writing where the next run is at work."""
    with command(tmp_path / "out", "--workers", "2") as run:
        while len(list((tmp_path / "out.partial").glob("done/*.json"))) < 3:
            assert run.poll() is None, run.stderr.read()
            time.sleep(0.01)
        run.kill()
    deadline = time.monotonic() + 3
    while (left := session(run.pid)) and time.monotonic() < deadline:
        time.sleep(0.1)
    for process in left:
        os.kill(process, signal.SIGKILL)
    assert not left
