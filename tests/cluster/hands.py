"""Tasks for workers to fail at, and a script that runs them: hands.py ADDRESS WORK."""

import sys
import threading
import time
from pathlib import Path
from typing import Any

from clutrr._io.executors import open_executor
from clutrr.errors import ClutrrError


def divide(shared: int, task: int) -> float:
    return shared / task


def hog(shared: int, task: int) -> int:
    """The task 3 takes all memory that it can get."""
    taken = []
    while task == 3:
        taken.append(bytearray(b"x") * (1 << 24))
        time.sleep(0.02)
    return task


def keep(shared: dict[str, Any], task: int) -> str:
    """Keeps something with what is shared, as a cache does; this cannot be sent. All tasks but the first wait
    until the test says that another worker has come."""
    from distributed import get_worker

    shared["kept"] = threading.Lock()
    while task and not Path(COME).exists():
        time.sleep(0.02)
    time.sleep(0.1)
    return f"{sorted(shared)} {get_worker().name}"


def rest(shared: bytes, task: int) -> str:
    """The first tasks wait for each other: some workers take long to start."""
    from distributed import get_worker

    name = str(get_worker().name)
    Path(f"{name}.begun").touch()
    while len(list(Path().glob("*.begun"))) < 3:
        time.sleep(0.02)
    time.sleep(0.5)
    return name


COME = "another has come"  # a file in the folder of the workers
# What is run, what all tasks share, and how many there are.
WORKS: dict[str, tuple[Any, Any, int]] = {
    "divide": (divide, 12, 6),
    "hog": (hog, 12, 6),
    "keep": (keep, {}, 60),
    "rest": (rest, b"little", 12),
}


def main(address: str, work: str) -> None:
    try:
        with open_executor(address, None) as executor:
            do, shared, tasks = WORKS[work]
            for task, result in executor.run(do, shared, range(tasks), "number {}".format):
                print(task, result, flush=True)
    except ClutrrError as error:
        print(type(error).__name__, error)


if __name__ == "__main__":
    main(*sys.argv[1:])
