"""The recipes of docs/cluster.md: the one by hand as it stands, on this machine; of others what they run."""

import ast
import shlex
import sys
from pathlib import Path

import pytest

from clutrr._io.executors import open_executor
from made import contents

from .conftest import recipe, until

pytestmark = pytest.mark.process


def test_a_scheduler_known_by_its_file(clutrr, processes, tmp_path):
    """What the recipe says, but without `ssh HOST`."""
    shared = tmp_path / "shared"
    shared.mkdir()
    changes = {"/shared": str(shared), "--nworkers 16": "--nworkers 2", "10000000": "300"}
    (block,) = recipe("SSH, or by hand", changes)
    scheduler, worker, command = map(shlex.split, block.splitlines())
    dask = Path(sys.executable).with_name("dask")
    assert [*scheduler[:1], *worker[:3]] == ["dask", "ssh", "HOST", "dask"]
    processes.start(dask, *scheduler[1:], "--port", 0, "--no-dashboard", "--host", "127.0.0.1")
    until((shared / "scheduler.json").exists, "a scheduler's file")
    processes.start(dask, *worker[3:], "--no-dashboard")
    code, _, said = clutrr(*command[1:])
    assert code == 0, said
    assert not said or "waiting for one" in said  # where the command was faster than the workers
    with open_executor(str(shared / "scheduler.json"), None) as executor:
        until(lambda: executor.size == 2, "both workers, of one thread each")
    here = tmp_path / "here"
    arguments = [str(here) if part == f"{shared}/stories" else part for part in command[1:]]
    assert clutrr(*arguments[: arguments.index("--cluster")])[0] == 0
    assert contents(here) == contents(shared / "stories")


@pytest.mark.parametrize(("section", "out"), [("Slurm", "/shared"), ("Kubernetes", "s3://bucket")])
def test_other_recipes_are_programs_and_end_in_a_command(clutrr, tmp_path, section, out):
    script, line = recipe(section, {out: str(tmp_path), "100000000": "300"})
    assert "scheduler_address" in {
        node.attr for node in ast.walk(ast.parse(script)) if hasattr(node, "attr")
    }
    name, *command = shlex.split(line)
    assert name == "clutrr"
    assert clutrr(*command[: command.index("--cluster")])[0] == 0
