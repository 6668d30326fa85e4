"""The Slurm recipe of docs/cluster.md, run as it stands but for sizes, on a Slurm of one node."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from distributed import Client

from .conftest import content, end, recipe, until
from .slurm import Slurm, missing

pytest.importorskip("dask_jobqueue", reason="needs dask-jobqueue")

pytestmark = [
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.skipif(missing() is not None, reason=missing() or "Slurm is here"),
]

SMALLER = {
    "cores=16, processes=16": "cores=2, processes=2",
    '"64GB"': '"2GB"',
    "jobs=8": "jobs=2",
    "100000000": "300",
}


@pytest.fixture
def slurm(processes, tmp_path) -> Iterator[Slurm]:
    folder = tmp_path / "slurm"
    folder.mkdir()
    made = Slurm(processes, folder)
    try:
        made.start()
        yield made
    finally:
        made.stop()


@dataclass(frozen=True)
class Login:
    """The script of the recipe on its way. command: the line to run then, without `clutrr`."""

    script: subprocess.Popen
    command: list[str]
    address: str
    folder: Path


@pytest.fixture
def login(slurm, processes, tmp_path) -> Iterator[Login]:
    """What the recipe does on the login node, up to the address that it prints."""
    script, line = recipe("Slurm", {**SMALLER, "/shared": str(tmp_path)})
    (processes.folder / "recipe.py").write_text(script)
    errors = processes.folder / "recipe.err"
    with errors.open("wb") as log:
        running = subprocess.Popen(
            [sys.executable, "recipe.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            cwd=processes.folder,
            env={**processes.env, **slurm.env},
            start_new_session=True,
        )
    try:
        address = running.stdout.readline().strip()
        assert re.fullmatch(r"tcp://[\d.]+:\d+", address), errors.read_text()
        command = shlex.split(line.replace("tcp://10.0.0.1:40000", address))
        assert command[0] == "clutrr"
        assert command[-2:] == ["--cluster", address]
        yield Login(running, command[1:], address, processes.folder)
    finally:
        end(running)
        running.stdin.close()
        running.stdout.close()


def joined(login: Login) -> set[str]:
    """The workers that the scheduler knows, by name."""
    with Client(login.address, set_as_default=False) as client:
        return {worker["id"] for worker in client.scheduler_info(n_workers=-1)["workers"].values()}


def test_the_recipe(clutrr, slurm, login, tmp_path):
    until(lambda: slurm.jobs() == ["RUNNING"] * 2, "both jobs")
    code, _, said = clutrr(*login.command)
    assert code == 0, said
    assert not said or "waiting for one" in said  # where the command was faster than the jobs
    here = [part.replace("/stories", "/here") for part in login.command[:-2]]
    assert clutrr(*here)[0] == 0
    assert content(tmp_path / "stories") == content(tmp_path / "here")
    # All workers are those of the jobs, and Enter ends them.
    until(lambda: len(joined(login)) == 4, "every worker of both jobs")
    assert joined(login) == {f"SLURMCluster-{job}-{worker}" for job in range(2) for worker in range(2)}
    login.script.communicate("\n", timeout=60)
    assert login.script.returncode == 0
    until(lambda: not slurm.jobs(), "the end of the jobs")


def test_a_job_is_cancelled_at_work(begun, clutrr, slurm, login, tmp_path):
    """The other job does the rest."""
    sizes = shlex.split("--preset described --k 2-6 --train 20000 --test 20000 --distractors 1")
    out = tmp_path / "out"
    until(lambda: len(joined(login)) == 4, "every worker of both jobs")
    running = begun("generate", out, *sizes, "--cluster", login.address)
    # Ten shards for four workers: each job has something to do when the first is finished.
    until(lambda: list((tmp_path / "out.partial" / "done").glob("*.json")), "a first shard")
    first, _ = slurm.ask("squeue", "--noheader", "--format", "%A").split()
    slurm.ask("scancel", first)
    until(lambda: slurm.jobs() == ["RUNNING"], "the end of one job")
    assert running.poll() is None
    _, said = running.communicate(timeout=300)
    assert running.returncode == 0, said
    assert "failed" not in said
    assert clutrr("generate", tmp_path / "here", *sizes)[0] == 0
    assert content(out) == content(tmp_path / "here")
