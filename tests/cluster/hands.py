"""Tasks for workers to fail at, and a script that runs them: hands.py ADDRESS WORK."""

import sys
import time

from clutrr.errors import ClutrrError
from clutrr.workers import Tell, open_crew


def divide(shared: int, task: int, tell: Tell) -> float:
    tell(f"at {task}")
    return shared / task


def hog(shared: int, task: int, tell: Tell) -> int:
    """The task 3 takes all memory that it can get."""
    taken = []
    while task == 3:
        taken.append(bytearray(b"x") * (1 << 24))
        time.sleep(0.02)
    return task


def main(address: str, work: str) -> None:
    def none():
        raise AssertionError("no cluster")

    told = []
    try:
        with open_crew(address, none) as crew:
            run = crew.run(
                {"divide": divide, "hog": hog}[work], 12, range(6), told.append, "number {}".format
            )
            for task, result in run:
                print(task, result, flush=True)
    except ClutrrError as error:
        print(type(error).__name__, error)
    print("told", sorted(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
