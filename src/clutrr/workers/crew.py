"""What runs tasks, whatever is behind it.

A task is `work(shared, task, tell)`: a function that can be imported, called with what all tasks share,
the task itself, and a function to report progress to. The three arguments travel by value. Tasks are
pure: run again, or twice at once, one gives the same result and writes the same bytes.

A task that fails for good does not keep the others from being finished; it is named at the end. What
concerns the output as a whole, such as a full disk, ends the run at once.
"""

import gc
import queue
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import Any, Protocol, TypeVar

from clutrr.errors import ClusterError, ClutrrError, OutputError, WorkError, short

S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")
Tell = Callable[[Any], None]
Work = Callable[[S, T, Tell], R]
_POLL = 0.2  # seconds between two looks at how things are
_SAID = 300  # characters of another library's error message
_OBJECTS = 100_000  # new objects between two looks for cycles of garbage


def unheard(message: Any) -> None:
    """Nobody listens."""


class Crew(Protocol):
    """Runs tasks."""

    @property
    def size(self) -> int:
        """How many tasks it can run at once; this may change."""
        ...

    @property
    def elsewhere(self) -> bool:
        """Whether tasks may run on another machine, or in another folder than this one."""
        ...

    def needing(self, resources: dict[str, float]) -> "Crew":
        """The same, for tasks that need resources: {"GPU": 1}."""
        ...

    def offers(self, resource: str) -> bool:
        """Whether there is such a resource."""
        ...

    def run(
        self,
        work: Work[S, T, R],
        shared: S,
        tasks: Iterable[T],
        heard: Tell = unheard,
        name: Callable[[T], str] = str,
    ) -> Iterator[tuple[T, R]]:
        """Run the tasks; each with its result, as they come. heard: called with what tasks report. name: of
        a task, for messages. Only a few more tasks are begun than can run at once."""
        ...


@dataclass(frozen=True)
class Told:
    """What a task reported."""

    message: Any


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


def gather(
    submit: Callable[[T], Any],
    tasks: Iterable[T],
    ahead: Callable[[], int],
    events: "queue.Queue[Any]",
    heard: Tell,
    name: Callable[[T], str],
    idle: Callable[[], None] = lambda: None,
) -> Iterator[tuple[T, Any]]:
    """Submit tasks, not too many at once, and give their results as they come.

    submit: gives a future, of `concurrent.futures` or of Dask. ahead: how many may be on their way. events:
    the queue for progress (`Told`) and for finished tasks. idle: called now and then; it may raise.
    Tasks whose workers died are tried once more at the end, each alone, to see whose fault it was.
    """
    waiting: dict[int, tuple[T, Any]] = {}
    suspects: list[T] = []
    failures, rest, number, alone = Failures(), iter(tasks), 0, False
    try:
        while True:
            while len(waiting) < (1 if alone else ahead()):
                try:
                    task = next(rest)
                except StopIteration:
                    break
                number += 1
                waiting[number] = task, submit(task)
                waiting[number][1].add_done_callback(lambda future, at=number: events.put((at, future)))
            if not waiting:
                if not suspects or alone:
                    break
                rest, alone = iter(suspects), True
                continue
            try:
                event = events.get(timeout=_POLL)
            except queue.Empty:
                idle()
                continue
            if isinstance(event, Told):
                heard(event.message)
                continue
            task, future = waiting.pop(event[0])
            try:
                result = future.result()
            except Exception as error:
                if isinstance(error, DiedError) and not alone:
                    suspects.append(task)
                else:
                    failures.add(name(task), error)
                continue
            failures.finished()
            yield task, result
    finally:
        for _, future in waiting.values():
            future.cancel()
    while not events.empty():
        event = events.get()
        if isinstance(event, Told):
            heard(event.message)
    failures.raise_any()


def in_order(results: Iterable[tuple[tuple[int, T], R]]) -> Iterator[tuple[tuple[int, T], R]]:
    """Results of tasks that are numbered from 0, in the order of their numbers."""
    early: dict[int, tuple[tuple[int, T], R]] = {}
    number = 0
    for task, result in results:
        early[task[0]] = task, result
        while number in early:
            yield early.pop(number)
            number += 1


def look_for_garbage_seldom() -> None:
    """For processes of our own: they make few cycles, and to search many rows for them is slow."""
    gc.set_threshold(_OBJECTS)


def kept_by_thread(make: Callable[..., R]) -> Callable[..., R]:
    """Keep what was made last, in each thread: a worker may run several tasks side by side, and what is
    expensive to make is seldom safe to share. The arguments are those of `make`, after a key for them."""
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
