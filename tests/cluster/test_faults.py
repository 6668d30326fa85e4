"""Workers, schedulers and tasks that fail while a command is at work. Real processes, killed with -9."""

import random
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from clutrr._generate import Config
from clutrr._generate.folder import Job, generate_folder
from clutrr._io.executors import open_executor
from clutrr.errors import ClusterError
from made import contents

from .conftest import HERE, end, shard_of, until
from .hands import COME

pytestmark = pytest.mark.process

CONFIG = Config("described", (2, 3), 30_000, 20_000, distractors=1)
SIZES = [
    "--preset",
    "described",
    "--k",
    "2,3",
    "--train",
    "30000",
    "--test",
    "20000",
    "--distractors",
    "1",
]


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> dict[str, bytes]:
    """What comes out where nothing fails."""
    out = tmp_path_factory.mktemp("expected") / "out"
    generate_folder(Job(out, CONFIG, workers=1))
    return contents(out)


def records(out: Path) -> list[Path]:
    """What is known of finished shards."""
    return list((out.with_name(out.name + ".partial") / "done").glob("*.json"))


def hands(cluster, work: str, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    """What the script of that name prints, which has the workers do this."""
    return subprocess.run(
        [sys.executable, HERE / "hands.py", cluster.address, work],
        capture_output=True,
        text=True,
        env=cluster.processes.env,
        timeout=timeout,
        check=True,
    )


def wait_for(workers: int, cluster) -> None:
    """Until so many are there: without a worker, a command has something to say."""
    with open_executor(cluster.address, None) as executor:
        until(lambda: executor.size == workers, "all workers")


def line_of(process: subprocess.Popen, word: str) -> str:
    """The next line of standard error, which has the word."""
    line = process.stderr.readline()
    assert word in line
    return line


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, 10))]
)
def test_a_worker_is_killed_at_any_moment(begun, cluster, tmp_path, expected, seed):
    chance = random.Random(seed)
    cluster.start(3)
    wait_for(3, cluster)
    out = tmp_path / "out"
    running = begun("generate", out, *SIZES, "--cluster", cluster.address)
    until(lambda: out.with_name("out.partial").exists() or running.poll() is not None, "a start")
    time.sleep(chance.uniform(0, 3))
    end(chance.choice(cluster.workers))
    _, said = running.communicate(timeout=300)
    assert (running.returncode, said) == (0, "")
    assert contents(out) == expected


def test_no_worker_is_left_until_one_comes(begun, cluster, tmp_path, expected):
    cluster.start(0)
    out = tmp_path / "out"
    running = begun("generate", out, *SIZES, "--cluster", cluster.address)
    assert "waiting for one" in line_of(running, cluster.address)
    cluster.add("first")
    until(lambda: records(out), "a first shard")
    end(cluster.workers[0])
    assert "waiting for one" in line_of(running, cluster.address)
    cluster.add("second")
    _, said = running.communicate(timeout=300)
    assert (running.returncode, said) == (0, "")
    assert contents(out) == expected


def test_the_scheduler_is_killed(begun, clutrr, cluster, tmp_path, expected):
    cluster.start(1)
    out = tmp_path / "out"
    command = ["generate", out, *SIZES, "--cluster", cluster.address]
    running = begun(*command)
    until(lambda: records(out), "a first shard")
    end(cluster.scheduler)
    end(cluster.workers[0])
    _, said = running.communicate(timeout=300)
    assert running.returncode == 2
    assert said == (
        f"clutrr: --cluster: the scheduler {cluster.address} is gone: start it, and run the same command "
        "again to go on\n"
    )
    assert not out.exists()
    making = out.with_name("out.partial") / "data-set"
    done = [shard_of(record, making) for record in records(out)]
    before = {path: (making / path).stat().st_mtime_ns for path in done}
    cluster.start(1)
    code, _, said = clutrr(*command)
    assert (code, said) == (0, "")
    assert contents(out) == expected
    assert {path: (out / path).stat().st_mtime_ns for path in done} == before  # not done again


def test_a_task_that_fails_for_good(cluster):
    cluster.start(1)
    done = hands(cluster, "divide")
    *results, failed = done.stdout.splitlines()
    assert sorted(results) == ["1 12.0", "2 6.0", "3 4.0", "4 3.0", "5 2.4"]
    assert failed == (
        "WorkError 1 task failed, and 5 others are finished: number 0: ZeroDivisionError: division by zero"
    )


def test_all_workers_are_given_work(cluster):
    """Though the tasks share something that each worker has to get first."""
    cluster.start(3)
    wait_for(3, cluster)
    done = hands(cluster, "rest")
    by_worker = Counter(line.partition(" ")[2] for line in done.stdout.splitlines())
    assert by_worker.total() == 12
    assert set(by_worker) == {"worker-0", "worker-1", "worker-2"}
    assert max(by_worker.values()) <= 6  # 4 each, if all are equally fast


def test_a_worker_comes_after_others_changed_what_is_shared(cluster, processes):
    """It is sent as the command gave it, not as a worker has it, who may be changing it just then."""
    cluster.start(1)
    running = processes.start(sys.executable, HERE / "hands.py", cluster.address, "keep")
    log = processes.folder / f"log-{len(processes.running) - 1}"
    until(lambda: "worker-0" in log.read_text(), "a first task")
    cluster.add("late")
    wait_for(2, cluster)
    (processes.folder / COME).touch()
    assert running.wait(timeout=300) == 0
    results = [line for line in log.read_text().splitlines() if "kept" in line]
    assert len(results) == 60
    assert {line.partition(" ")[2] for line in results} == {"['kept'] worker-0", "['kept'] late"}


@pytest.mark.slow
def test_a_worker_out_of_memory(cluster):
    """Dask ends a worker at its limit and starts it again; a task that ends several is given up."""
    cluster.start(0)
    cluster.add("small", "--memory-limit", "500MB", nanny=True)
    done = hands(cluster, "hog", timeout=500)
    *results, failed = done.stdout.splitlines()
    assert sorted(results) == ["0 0", "1 1", "2 2", "4 4", "5 5"]
    assert failed.startswith("WorkError 1 task failed, and 5 others are finished: number 3: ")
    assert "this task crashed " in failed
    assert " workers (out of memory?)" in failed


@pytest.mark.parametrize("listens", [False, True])
def test_what_does_not_answer_is_named_within_five_seconds(listens):
    """Nobody is there, or something that takes connections and says nothing."""
    import clutrr._io.cluster  # noqa: F401  loading Dask takes its time

    with socket.create_server(("127.0.0.1", 0)) as mute:
        address = f"tcp://127.0.0.1:{mute.getsockname()[1] if listens else 9}"
        started = time.monotonic()
        with (
            pytest.raises(ClusterError, match=f"{address} does not answer"),
            open_executor(address, None),
        ):
            pass
        assert time.monotonic() - started < 5
