"""A run that is killed outright leaves no folder; the same command goes on where it stopped."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from processes import PATIENCE, session, until

pytestmark = pytest.mark.process

# The command with shards of one block, so that there are many; slowly, if it is to be killed in between.
SCRIPT = """
import os
import sys
import time
from clutrr.generator import folder, shards
shards.SHARD = 4096
if "SLOWLY" in os.environ:
    write = folder.write_shard
    def write_slowly(*given):
        time.sleep(0.3)
        return write(*given)
    folder.write_shard = write_slowly
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

    def start(out: Path, *more: str, **env: str) -> subprocess.Popen:
        arguments = [sys.executable, script, out, *OPTIONS, *more]
        return subprocess.Popen(
            arguments, start_new_session=True, stderr=subprocess.PIPE, env={**os.environ, **env}
        )

    return start


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, command):
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    with command(out) as run:
        assert run.wait(PATIENCE) == 0, run.stderr.read()
    return files(out)


def records(partial: Path) -> list[str]:
    """The shards that are known to be written."""
    return [record.stem for record in partial.glob("done/*.json")]


def files(out: Path) -> dict[str, bytes]:
    return {str(p.relative_to(out)): p.read_bytes() for p in out.rglob("*") if p.is_file()}


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_killed_run(tmp_path, command, undisturbed, workers):
    out, partial = tmp_path / "out", tmp_path / "out.partial"
    with command(out, "--workers", workers, SLOWLY="1") as run:
        until(lambda: len(records(partial)) >= 3 or run.poll() is not None, "three shards")
        assert run.poll() is None, run.stderr.read()
        os.killpg(run.pid, signal.SIGKILL)
    assert not out.exists()
    assert not list(tmp_path.rglob("README.md"))
    assert not list(tmp_path.rglob("manifest.json"))
    written = records(partial)
    assert 3 <= len(written) < 21
    finished = {}
    for record in written:
        k, split, number = record.split("-")
        (file,) = partial.glob(f"data-set/data/{k}/{split}-{number}-of-*.parquet")
        finished[file.name] = file.stat().st_ino, file.stat().st_mtime_ns
    with command(out) as run:
        assert run.wait(PATIENCE) == 0, run.stderr.read()
    for name, (inode, changed) in finished.items():
        file = out / "data/M3" / name
        assert (file.stat().st_ino, file.stat().st_mtime_ns) == (inode, changed)
    assert files(out) == undisturbed
    assert not partial.exists()


def test_workers_do_not_outlive_a_killed_run(tmp_path, command):
    """Otherwise they go on writing where the next run is at work."""
    partial = tmp_path / "out.partial"
    with command(tmp_path / "out", "--workers", "2", SLOWLY="1") as run:
        until(lambda: len(records(partial)) >= 3 or run.poll() is not None, "three shards")
        assert run.poll() is None, run.stderr.read()
        run.kill()
    try:
        until(lambda: not session(run.pid), "the end of its workers")
    finally:
        for process in session(run.pid):
            os.kill(process, signal.SIGKILL)
    assert len(records(partial)) < 21  # they did not end because there was no more work
