"""A run that is killed leaves no folder and no workers; the same command goes on where it stopped."""

import os
import signal
import subprocess
import sys

import pytest

from clutrr._generate import Config, shards
from clutrr._generate.folder import Job, generate_folder
from made import contents
from processes import PATIENCE, session, until

pytestmark = pytest.mark.process

# The command with shards of one block, so that there are many; slowly, if it is to be killed in between.
SCRIPT = """
import os
import sys
import time
from clutrr._generate import folder, shards
shards.SHARD = 4096
if "SLOWLY" in os.environ:
    write = folder.write_shard
    def write_slowly(*given):
        time.sleep(0.3)
        return write(*given)
    folder.write_shard = write_slowly
from clutrr._cli import main
if __name__ == "__main__":
    sys.argv = ["clutrr", "generate", *sys.argv[1:]]
    main()
"""
OPTIONS = [
    "--preset",
    "described",
    "--k",
    "3",
    "--train",
    "40000",
    "--test",
    "100",
    "--distractors",
    "2",
]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_killed_run(tmp_path, monkeypatch, workers):
    """Its workers end with it: otherwise they go on writing where the next run is at work."""
    out, partial = tmp_path / "out", tmp_path / "out.partial"
    (tmp_path / "generate.py").write_text(SCRIPT)
    command = [sys.executable, tmp_path / "generate.py", out, *OPTIONS, "--workers", workers]

    def records() -> list[str]:
        """The shards that are known to be written."""
        return [record.stem for record in partial.glob("done/*.json")]

    slowly = {
        "env": {**os.environ, "SLOWLY": "1"},
        "start_new_session": True,
        "stderr": subprocess.PIPE,
    }
    with subprocess.Popen(command, **slowly) as run:
        until(lambda: len(records()) >= 3 or run.poll() is not None, "three shards")
        assert run.poll() is None, run.stderr.read()
        run.kill()
    try:
        until(lambda: not session(run.pid), "the end of its workers")
    finally:
        for process in session(run.pid):
            os.kill(process, signal.SIGKILL)
    assert not out.exists()
    assert not [*tmp_path.rglob("README.md"), *tmp_path.rglob("manifest.json")]
    assert 3 <= len(records()) < 21  # not all: they did not end because there was no more work
    finished = {}
    for record in records():
        k, split, number = record.split("-")
        (file,) = partial.glob(f"data-set/data/{k}/{split}-{number}-of-*.parquet")
        finished[file.name] = file.stat().st_ino, file.stat().st_mtime_ns
    subprocess.run(command, check=True, timeout=PATIENCE)
    for name, (inode, changed) in finished.items():
        file = out / "data/M3" / name
        assert (file.stat().st_ino, file.stat().st_mtime_ns) == (inode, changed)
    assert not partial.exists()
    monkeypatch.setattr(shards, "SHARD", 4096)
    generate_folder(
        Job(tmp_path / "undisturbed", Config("described", (3,), 40_000, 100, distractors=2))
    )
    assert contents(out) == contents(tmp_path / "undisturbed")
