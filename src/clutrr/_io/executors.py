"""Executors run tasks: in this process, in other processes of this machine, or on a Dask cluster.

A task is `work(shared, task)`: a function that can be imported, called with what all tasks share and the
task itself. Both travel by value. Tasks are pure: run again, or twice at once, one gives the same result and
writes the same bytes.

A task that fails for good does not keep the others from being finished; it is named at the end. What
concerns the output as a whole, such as a full disk, ends the run at once.
"""

import contextlib
import gc
import os
import pickle
import queue
import subprocess
import sys
import threading
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from itertools import islice
from multiprocessing.connection import Connection, Pipe
from typing import Any, TypeVar

from clutrr.errors import ClusterError, ClutrrError, ConfigError, OutputError, WorkError, plain

S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")
C = TypeVar("C", bound="Executor | None")
Work = Callable[[S, T], R]
_POLL = 0.2  # seconds between two looks at how things are
_SAID = 300  # characters of another library's error message
VARIABLE = "DASK_SCHEDULER_ADDRESS"  # Dask's own
_LOCAL = "local:"
_OBJECTS = 100_000  # new objects between two looks for cycles of garbage
# What a process of a `ProcessExecutor` runs: from the package that this one uses, and nothing in the current folder.
_PROGRAM = (
    "import sys; sys.path[:] = {path!r}; from clutrr._io.executors import _serve; _serve({line})"
)


class Executor(ABC):
    """Runs tasks. is_remote: whether they may run on another machine, or in another folder than this one."""

    is_remote = False

    @abstractmethod
    def max_in_flight(self) -> int:
        """Return how many tasks may be on their way: a few more than can run at once."""

    def on_gpus(self) -> "Executor | None":
        """Return the same executor for tasks that need a GPU each; None if no worker of a cluster offers one."""
        return None

    def watch(self) -> None:  # noqa: B027  there is nothing to look at here
        """Look, now and then, whether there is somebody to do the work; raise where there never will be."""

    def result_of(self, future: Future[R]) -> R:
        """Return what a task gave; its failures say what they mean."""
        return future.result()

    @abstractmethod
    def started(
        self, work: Work[S, T, R], shared: S
    ) -> AbstractContextManager[Callable[[T], Future[R]]]:
        """Yield what begins a task; when the block ends, nothing goes on."""

    def run(
        self, work: Work[S, T, R], shared: S, tasks: Iterable[T], name: Callable[[T], str] = str
    ) -> Iterator[tuple[T, R]]:
        """Run the tasks, and yield each with its result as they come. name: of a task, for messages.

        Tasks whose workers died are tried once more at the end, each alone, to see whose fault it was.
        """
        suspects: list[T] = []
        failures: list[tuple[str, Exception]] = []
        finished = 0
        with self.started(work, shared) as begin:
            gathered = self._gather(begin, tasks, self.max_in_flight)
            alone = self._gather(begin, suspects, lambda: 1)
            for again, results in enumerate((gathered, alone)):
                for task, future in results:
                    try:
                        result = self.result_of(future)
                    except (OutputError, ClusterError, OSError):
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

    def _gather(
        self, begin: Callable[[T], Future[R]], tasks: Iterable[T], max_in_flight: Callable[[], int]
    ) -> Iterator[tuple[T, Future[R]]]:
        """Begin tasks, not too many at once, and yield each with its future when that is done."""
        waiting: dict[Future[R], T] = {}
        left = iter(tasks)
        try:
            while True:
                for task in islice(left, max(0, max_in_flight() - len(waiting))):
                    waiting[begin(task)] = task
                if not waiting:
                    return
                self.watch()
                for future in wait(waiting, _POLL, FIRST_COMPLETED).done:
                    yield waiting.pop(future), future
        finally:
            for future in waiting:
                future.cancel()


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
    return WorkError(
        f"{how_many} failed, and {finished:,} others are finished: {first}{name}: {said}"
    )


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
    """Keep what was made last, in each thread, as long as the arguments are equal.

    A worker may run several tasks side by side, and what is expensive to make is seldom safe to share.
    """
    kept = threading.local()

    @wraps(make)
    def made(*arguments: Any) -> R:
        if getattr(kept, "arguments", None) != arguments:
            kept.value = make(*arguments)
            kept.arguments = arguments
        value: R = kept.value
        return value

    return made


def print_notice(text: str) -> None:
    """Print a line on standard error."""
    print(f"clutrr: {plain(text)}", file=sys.stderr, flush=True)


@contextmanager
def open_executor(
    cluster: str | None, otherwise: C, say: Callable[[str], None] = print_notice
) -> Iterator[Executor | C]:
    """Yield the workers of the cluster that is named, here or in Dask's configuration; or else `otherwise`.

    cluster: the address of a scheduler, a scheduler's file, or local:N for N processes of this machine.
    """
    named = cluster if cluster is not None else os.environ.get(VARIABLE)
    if not named:
        yield otherwise
    elif named.startswith(_LOCAL):
        size = named.removeprefix(_LOCAL)
        if not (size.isascii() and size.isdecimal() and len(size) < 5 and 0 < int(size) <= 4096):
            raise ConfigError(
                "is not a number of processes, as in local:4", setting="cluster", value=named[:40]
            )
        yield ProcessExecutor(int(size))
    else:
        from clutrr._io.cluster import connected

        with connected(named, say) as executor:
            yield executor


class SerialExecutor(Executor):
    """This process, one task after the other."""

    def max_in_flight(self) -> int:
        return 1

    @contextmanager
    def started(self, work: Work[S, T, R], shared: S) -> Iterator[Callable[[T], Future[R]]]:
        def begin(task: T) -> Future[R]:
            done: Future[R] = Future()
            try:
                done.set_result(work(shared, task))
            except Exception as error:
                done.set_exception(error)
            return done

        yield begin


class ProcessExecutor(Executor):
    """Processes of this machine, each started when there is work for it."""

    def __init__(self, size: int) -> None:
        self._size = size

    def max_in_flight(self) -> int:
        return 4 * self._size

    @contextmanager
    def started(self, work: Work[S, T, R], shared: S) -> Iterator[Callable[[T], Future[R]]]:
        every: list[_Process] = []
        idle: queue.SimpleQueue[_Process] = queue.SimpleQueue()
        starting, over = threading.Lock(), False

        def run(task: T) -> R:
            try:
                process = idle.get_nowait()
            except queue.Empty:
                with starting:
                    if over:
                        raise OutputError("stopped") from None
                    every.append(process := _Process(work, shared))
            result: R = process.run(task)
            idle.put(process)
            return result

        with contextlib.ExitStack() as ended, ThreadPoolExecutor(self._size) as threads:
            try:
                yield lambda task: threads.submit(run, task)
            finally:
                with starting:
                    over = True
                for process in every:
                    process.kill()
                    ended.callback(process.close)


class _Process:
    """A process that runs tasks, one after the other. It ends when the one that started it does."""

    def __init__(self, work: Any, shared: Any) -> None:
        self._line, theirs = Pipe()
        with theirs:
            path = [folder for folder in sys.path if folder]
            program = _PROGRAM.format(path=path, line=theirs.fileno())
            # In a group of its own, Ctrl-C does not reach it.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", program],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                process_group=0,
            )
        self._first: tuple[Any, ...] = work, shared

    def run(self, task: Any) -> Any:
        try:
            for part in (*self._first, task):
                self._line.send(part)
            self._first = ()
            good, result = self._line.recv()
        except (EOFError, ConnectionError):
            raise OutputError(
                "a worker process was killed (out of memory?): run the same command again"
            ) from None
        if good:
            return result
        raise result

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        self._line.close()
        self._process.wait()


def _serve(number: int) -> None:
    """Run the tasks that come along a line, in a process that was started for it."""
    raise_gc_threshold()
    line, given = Connection(number), queue.SimpleQueue[bytes]()

    def listen() -> None:
        try:
            while True:
                given.put(line.recv_bytes())
        finally:
            os._exit(1)  # whoever wanted the results is gone

    threading.Thread(target=listen, daemon=True).start()
    work, shared = pickle.loads(given.get()), pickle.loads(given.get())
    while True:
        task = given.get()
        try:
            line.send((True, work(shared, pickle.loads(task))))
        except Exception as error:
            error.add_note(traceback.format_exc())  # for CLUTRR_DEBUG
            line.send((False, error))
