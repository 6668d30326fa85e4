"""The recipe of docs/cluster.md for SSH, or by hand: its lines as they stand, but on this machine."""

import shlex
import sys
from pathlib import Path

import pytest

from clutrr.workers import maybe_crew

from .conftest import content, recipe, until

pytestmark = pytest.mark.process


def test_a_scheduler_known_by_its_file(clutrr, processes, tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    changes = {"/shared": str(shared), "ssh HOST ": "", "--nworkers 16": "--nworkers 2", "10000000": "300"}
    (block,) = recipe("SSH, or by hand", changes)
    scheduler, worker, command = map(shlex.split, block.splitlines())
    dask = Path(sys.executable).with_name("dask")
    assert scheduler[0] == worker[0] == "dask"
    processes.start(dask, *scheduler[1:], "--port", 0, "--no-dashboard", "--host", "127.0.0.1")
    until((shared / "scheduler.json").exists, "a scheduler's file")
    processes.start(dask, *worker[1:], "--no-dashboard")
    code, _, said = clutrr(*command[1:])
    assert code == 0, said
    assert not said or "waiting for one" in said  # where the command was faster than the workers
    with maybe_crew(str(shared / "scheduler.json")) as crew:
        until(lambda: crew.size == 2, "both workers, of one thread each")
    here = tmp_path / "here"
    arguments = [str(here) if part == f"{shared}/stories" else part for part in command[1:]]
    assert clutrr(*arguments[: arguments.index("--cluster")])[0] == 0
    assert content(here) == content(shared / "stories")
