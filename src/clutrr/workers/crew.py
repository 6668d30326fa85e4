"""Crews run tasks, whatever is behind them.

A task is `work(shared, task, tell)`: a function that can be imported, called with what all tasks share,
the task itself, and a function to report progress to. The three arguments travel by value. Tasks are
pure: run again, or twice at once, one gives the same result and writes the same bytes.

A task that fails for good does not keep the others from being finished; it is named at the end. What
concerns the output as a whole, such as a full disk, ends the run at once.
"""

import gc
import os
import queue
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import wraps
from itertools import islice
from typing import Any, TypeVar

from clutrr.errors import ClusterError, ClutrrError, ConfigError, OutputError, WorkError, plain, short

S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")
Tell = Callable[[Any], None]
Work = Callable[[S, T, Tell], R]
Station = tuple[Callable[[Any], Any], Callable[[], None]]
_POLL = 0.2  # seconds between two looks at how things are
_SAID = 300  # characters of another library's error message
VARIABLE = "DASK_SCHEDULER_ADDRESS"  # Dask's own
LOCAL = "local:"
_OBJECTS = 100_000  # new objects between two looks for cycles of garbage


def discard(message: Any) -> None:
    """Ignore a message."""


class Crew(ABC):
    """Runs tasks. elsewhere: whether they may run on another machine, or in another folder than this one."""

    elsewhere = False

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of tasks that it can run at once; this may change."""

    def ahead(self) -> int:
        """Return how many tasks may be on their way."""
        return 4 * self.size

    def needing(self, resources: dict[str, float]) -> "Crew":
        """Return the same crew for tasks that need resources: {"GPU": 1}. They are for clusters."""
        return self

    def offers(self, resource: str) -> bool:
        """Return whether there is such a resource."""
        return False

    @abstractmethod
    def station(
        self, work: Work[S, T, R], shared: S, events: "queue.Queue[Any]", heard: Tell
    ) -> AbstractContextManager[Station]:
        """Open what runs the tasks: a function that gives a future for a task, and one for idle moments.

        - events: the queue for what tasks report, each a `Message`.
        - heard: called with what they report, where that can be done at once.
        """

    def run(
        self,
        work: Work[S, T, R],
        shared: S,
        tasks: Iterable[T],
        heard: Tell = discard,
        name: Callable[[T], str] = str,
    ) -> Iterator[tuple[T, R]]:
        """Run the tasks, and yield each with its result as they come.

        - heard: called with what tasks report.
        - name: of a task, for messages.

        Only a few more tasks are begun than can run at once. Tasks whose workers died are tried once more at
        the end, each alone, to see whose fault it was.
        """
        events: queue.Queue[Any] = queue.Queue()
        suspects: list[T] = []
        failures = Failures()
        with self.station(work, shared, events, heard) as (submit, idle):
            gathered = _gather(submit, tasks, self.ahead, events, heard, idle)
            alone = _gather(submit, suspects, lambda: 1, events, heard, idle)
            for again, results in enumerate((gathered, alone)):
                for task, future in results:
                    try:
                        result = future.result()
                    except Exception as error:
                        if isinstance(error, DiedError) and not again:
                            suspects.append(task)
                        else:
                            failures.add(name(task), error)
                        continue
                    failures.finished()
                    yield task, result
        failures.raise_any()


@dataclass(frozen=True)
class Message:
    """A report of a task."""

    content: Any


class DiedError(WorkError):
    """A task whose workers died, one after the other: through its own fault or that of a task beside it."""


class Failures:
    """The tasks that failed for good, so that the others can be finished first."""

    def __init__(self) -> None:
        self._first: tuple[str, Exception] | None = None
        self._failed = self._finished = 0

    def finished(self) -> None:
        self._finished += 1

    def add(self, name: str, error: Exception) -> None:
        if isinstance(error, OutputError | ClusterError | OSError):
            raise error
        self._failed += 1
        self._first = self._first or (name, error)

    def raise_any(self) -> None:
        """Name what failed, where anything did."""
        if self._first is None:
            return
        name, error = self._first
        said = str(error)
        if not isinstance(error, ClutrrError):
            said = f"{type(error).__name__}: {' '.join(said.split())[:_SAID]}"
        if self._failed == 1 and not self._finished:
            raise WorkError(f"{name} failed: {said}") from error
        how_many = "1 task" if self._failed == 1 else f"{self._failed} tasks"
        first = "" if self._failed == 1 else "the first of them, "
        raise WorkError(
            f"{how_many} failed, and {self._finished:,} others are finished: {first}{name}: {said}"
        ) from error


def _gather(
    submit: Callable[[T], Any],
    tasks: Iterable[T],
    ahead: Callable[[], int],
    events: "queue.Queue[Any]",
    heard: Tell,
    idle: Callable[[], None],
) -> Iterator[tuple[T, Any]]:
    """Submit tasks, not too many at once, and yield each with its future when that is done.

    Futures are those of `concurrent.futures` or of Dask. idle: called now and then; it may raise.
    """
    waiting: dict[int, tuple[T, Any]] = {}
    numbered = enumerate(tasks)
    try:
        while True:
            for number, task in islice(numbered, max(0, ahead() - len(waiting))):
                waiting[number] = task, submit(task)
                waiting[number][1].add_done_callback(lambda future, at=number: events.put(at))
            if not waiting:
                break
            try:
                event = events.get(timeout=_POLL)
            except queue.Empty:
                idle()
                continue
            if isinstance(event, Message):
                heard(event.content)
                continue
            idle()
            yield waiting.pop(event)
    finally:
        for _, future in waiting.values():
            future.cancel()
    while not events.empty():
        event = events.get()
        if isinstance(event, Message):
            heard(event.content)


def in_order(results: Iterable[tuple[tuple[int, T], R]]) -> Iterator[tuple[tuple[int, T], R]]:
    """Results of tasks that are numbered from 0, in the order of their numbers."""
    early: dict[int, tuple[tuple[int, T], R]] = {}
    number = 0
    for task, result in results:
        early[task[0]] = task, result
        while number in early:
            yield early.pop(number)
            number += 1


def raise_gc_threshold() -> None:
    """Look for garbage seldom: our processes make few cycles, and to search many rows for them is slow."""
    gc.set_threshold(_OBJECTS)


def thread_cached(make: Callable[..., R]) -> Callable[..., R]:
    """Keep what was made last, in each thread; the arguments are those of `make`, after a key for them.

    A worker may run several tasks side by side, and what is expensive to make is seldom safe to share.
    """
    kept = threading.local()

    @wraps(make)
    def made(key: Hashable, *arguments: Any) -> R:
        if getattr(kept, "key", None) != key:
            kept.value = make(*arguments)
            kept.key = key
        value: R = kept.value
        return value

    return made


def shown(address: str) -> str:
    """An address as messages show it."""
    return short(address, quote=False)


def say_aside(text: str) -> None:
    """Print a line on standard error."""
    print(f"clutrr: {plain(text)}", file=sys.stderr, flush=True)


@contextmanager
def open_crew(cluster: str | None, otherwise: Callable[[], Crew]) -> Iterator[Crew]:
    """The workers of the cluster that is named, here or in Dask's configuration; else the other crew."""
    with maybe_crew(cluster) as crew:
        yield crew or otherwise()


@contextmanager
def maybe_crew(cluster: str | None, say: Callable[[str], None] = say_aside) -> Iterator[Crew | None]:
    """The workers of the cluster that is named, here or in Dask's configuration; None where none is.

    cluster: the address of a scheduler, a scheduler's file, or local:N for N processes of this machine.
    """
    named = cluster if cluster is not None else os.environ.get(VARIABLE)
    if not named:
        yield None
        return
    if named.startswith(LOCAL):
        size = named.removeprefix(LOCAL)
        if not (size.isascii() and size.isdecimal() and len(size) < 5 and 0 < int(size) <= 4096):
            raise ConfigError(f"cluster: {named[:40]!r} is not a number of processes, as in local:4")
    from clutrr.workers.cluster import connected

    with connected(named, say) as crew:
        yield crew
