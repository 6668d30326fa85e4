"""Crews run tasks: in this process, in other processes of this machine, or on a Dask cluster.

A task is `work(shared, task)`: a function that can be imported, called with what all tasks share and the
task itself. Both travel by value. Tasks are pure: run again, or twice at once, one gives the same result and
writes the same bytes.

A task that fails for good does not keep the others from being finished; it is named at the end. What
concerns the output as a whole, such as a full disk, ends the run at once.
"""

import contextlib
import gc
import multiprocessing
import os
import queue
import signal
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from itertools import islice
from typing import Any, TypeVar

from clutrr.errors import ClusterError, ClutrrError, ConfigError, OutputError, WorkError, plain

S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")
C = TypeVar("C", bound="Crew | None")
Work = Callable[[S, T], R]
# What runs tasks: gives a future for a task, the result of a future, and is called in idle moments.
Station = tuple[Callable[[Any], Any], Callable[[Any], Any], Callable[[], None]]
_POLL = 0.2  # seconds between two looks at how things are
_SAID = 300  # characters of another library's error message
VARIABLE = "DASK_SCHEDULER_ADDRESS"  # Dask's own
LOCAL = "local:"
_SAFE = "PYTHONSAFEPATH"  # Python's own
_OBJECTS = 100_000  # new objects between two looks for cycles of garbage


@contextmanager
def closed_path() -> Iterator[None]:
    """Let no process that is started look for modules in the current folder, which may hold anything."""
    before = os.environ.get(_SAFE)
    os.environ[_SAFE] = "1"
    try:
        yield
    finally:
        del os.environ[_SAFE]
        if before is not None:
            os.environ[_SAFE] = before


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

    def on_gpus(self) -> "Crew | None":
        """Return the same crew for tasks that need a GPU each; None if no worker of a cluster offers one."""
        return None

    @abstractmethod
    def station(self, work: Work[S, T, R], shared: S) -> AbstractContextManager[Station]:
        """Open what runs the tasks."""

    def run(
        self, work: Work[S, T, R], shared: S, tasks: Iterable[T], name: Callable[[T], str] = str
    ) -> Iterator[tuple[T, R]]:
        """Run the tasks, and yield each with its result as they come. name: of a task, for messages.

        Only a few more tasks are begun than can run at once. Tasks whose workers died are tried once more at
        the end, each alone, to see whose fault it was.
        """
        suspects: list[T] = []
        failures: list[tuple[str, Exception]] = []
        finished = 0
        with self.station(work, shared) as (submit, result_of, idle):
            gathered = _gather(submit, tasks, self.ahead, idle)
            alone = _gather(submit, suspects, lambda: 1, idle)
            for again, results in enumerate((gathered, alone)):
                for task, future in results:
                    try:
                        result = result_of(future)
                    except (OutputError, ClusterError, BrokenProcessPool, OSError):
                        raise
                    except Exception as error:
                        if isinstance(error, DiedError) and not again:
                            suspects.append(task)
                        else:
                            failures.append((name(task), error))
                        continue
                    finished += 1
                    yield task, result
        if failures:
            raise _failure(failures, finished) from failures[0][1]


class DiedError(WorkError):
    """A task whose workers died, one after the other: through its own fault or that of a task beside it."""


def _failure(failures: list[tuple[str, Exception]], finished: int) -> WorkError:
    """Return an error that names the first task that failed for good."""
    name, error = failures[0]
    said = str(error)
    if not isinstance(error, ClutrrError):
        said = f"{type(error).__name__}: {' '.join(said.split())[:_SAID]}"
    if len(failures) == 1 and not finished:
        return WorkError(f"{name} failed: {said}")
    how_many, first = "1 task", ""
    if len(failures) > 1:
        how_many, first = f"{len(failures)} tasks", "the first of them, "
    return WorkError(f"{how_many} failed, and {finished:,} others are finished: {first}{name}: {said}")


def _gather(
    submit: Callable[[T], Any], tasks: Iterable[T], ahead: Callable[[], int], idle: Callable[[], None]
) -> Iterator[tuple[T, Any]]:
    """Submit tasks, not too many at once, and yield each with its future when that is done.

    Futures are those of `concurrent.futures` or of Dask. idle: called now and then; it may raise.
    """
    done: queue.Queue[int] = queue.Queue()
    waiting: dict[int, tuple[T, Any]] = {}
    numbered = enumerate(tasks)
    try:
        while True:
            for number, task in islice(numbered, max(0, ahead() - len(waiting))):
                waiting[number] = task, submit(task)
                waiting[number][1].add_done_callback(lambda future, at=number: done.put(at))
            if not waiting:
                break
            idle()
            with contextlib.suppress(queue.Empty):
                yield waiting.pop(done.get(timeout=_POLL))
    finally:
        with contextlib.suppress(Exception):  # of a scheduler that is gone
            for _, future in waiting.values():
                future.cancel()


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


def say_aside(text: str) -> None:
    """Print a line on standard error."""
    print(f"clutrr: {plain(text)}", file=sys.stderr, flush=True)


@contextmanager
def open_crew(
    cluster: str | None, otherwise: C, say: Callable[[str], None] = say_aside
) -> Iterator[Crew | C]:
    """Yield the workers of the cluster that is named, here or in Dask's configuration; else the other crew.

    cluster: the address of a scheduler, a scheduler's file, or local:N for N processes of this machine.
    """
    named = cluster if cluster is not None else os.environ.get(VARIABLE)
    if not named:
        yield otherwise
        return
    if named.startswith(LOCAL):
        size = named.removeprefix(LOCAL)
        if not (size.isascii() and size.isdecimal() and len(size) < 5 and 0 < int(size) <= 4096):
            raise ConfigError(f"cluster: {named[:40]!r} is not a number of processes, as in local:4")
    from clutrr.cluster import connected

    with connected(named, say) as crew:
        yield crew


class Here(Crew):
    """This process, one task after the other."""

    size = 1

    def ahead(self) -> int:
        return 1

    @contextmanager
    def station(self, work: Work[S, T, R], shared: S) -> Iterator[Station]:
        def submit(task: T) -> Future[R]:
            done: Future[R] = Future()
            try:
                done.set_result(work(shared, task))
            except Exception as error:
                done.set_exception(error)
            return done

        yield submit, Future.result, lambda: None


@contextmanager
def _without_script() -> Iterator[None]:
    """Processes that are started now do not run the user's script, which may have no guard."""
    main = vars(sys.modules["__main__"])
    hidden: dict[str, Any] = {name: main[name] for name in ("__file__", "__spec__") if name in main}
    main.pop("__file__", None)
    main["__spec__"] = None
    try:
        yield
    finally:
        main |= hidden


class Processes(Crew):
    """Processes of this machine."""

    size = 1

    def __init__(self, size: int) -> None:
        self.size = size

    @contextmanager
    def station(self, work: Work[S, T, R], shared: S) -> Iterator[Station]:
        context = multiprocessing.get_context("spawn")
        others = set(multiprocessing.active_children())
        pool = ProcessPoolExecutor(self.size, context, _begin, (work, shared))

        def submit(task: T) -> Future[Any]:
            with _uninterrupted(), _without_script():  # processes are started when there is work for them
                return pool.submit(_attempt, task)

        ended: list[Any] = []  # why the thread that feeds the processes did, which tells nobody

        def noticed(about: Any) -> None:
            if type(about.thread).__module__ == "concurrent.futures.process":
                ended.append(about.exc_value)
            else:
                usual(about)

        def look() -> None:
            if ended:
                raise MemoryError(str(ended[0]))

        usual, threading.excepthook = threading.excepthook, noticed
        try:
            with closed_path():
                yield submit, Future.result, look
        except BrokenProcessPool:
            raise OutputError(
                "a worker process was killed (out of memory?): run the same command again"
            ) from None
        except BaseException:
            for child in multiprocessing.active_children():
                if child not in others:
                    child.terminate()
            raise
        finally:
            with contextlib.suppress(RuntimeError):  # where not even its thread could be started
                pool.shutdown(cancel_futures=True)
            threading.excepthook = usual


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put off Ctrl-C. A process that is started in here is never reached by it, not even while it loads;
    and a pool that is stopped in the middle of starting one waits for it for ever."""
    if threading.current_thread() is not threading.main_thread():  # only the main one is interrupted
        yield
        return
    caught: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: caught.append(number))
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, masked)
        signal.signal(signal.SIGINT, before)
    if caught:
        raise KeyboardInterrupt


# What a process of `Processes` was started for: the work, and what its tasks share.
_given: list[Any] = []


def _begin(work: Any, shared: Any) -> None:
    """Prepare a process: Ctrl-C reaches it through its parent alone, which then ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise_gc_threshold()
    _end_with_parent()
    _given[:] = work, shared


def _attempt(task: Any) -> Any:
    work, shared = _given
    return work(shared, task)


def _end_with_parent() -> None:
    """Make this process end when the one that started it does, however that ends."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
