"""Tasks in this process, in its threads, or in processes that end when they should: with their work, with
their parent, or when it is stopped."""

import multiprocessing
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, Self

from clutrr.errors import OutputError
from clutrr.workers.crew import (
    Failures,
    R,
    S,
    T,
    Tell,
    Told,
    Work,
    gather,
    look_for_garbage_seldom,
    unheard,
)

_TURN = 0.0002  # seconds
_AHEAD = 4  # tasks that wait for each process


class _Local:
    """What all crews of this machine have in common: resources are for clusters."""

    elsewhere = False

    def needing(self, resources: dict[str, float]) -> Self:
        return self

    def offers(self, resource: str) -> bool:
        return False


class Here(_Local):
    """This process, one task after the other."""

    size = 1

    def run(
        self,
        work: Work[S, T, R],
        shared: S,
        tasks: Iterable[T],
        heard: Tell = unheard,
        name: Callable[[T], str] = str,
    ) -> Iterator[tuple[T, R]]:
        failures = Failures()
        for task in tasks:
            try:
                result = work(shared, task, heard)
            except Exception as error:
                failures.add(name(task), error)
                continue
            failures.finished()
            yield task, result
        failures.raise_any()


class Threads(_Local):
    """Threads of this process, for work that is done on a GPU."""

    def __init__(self, size: int) -> None:
        self.size = size

    def run(
        self,
        work: Work[S, T, R],
        shared: S,
        tasks: Iterable[T],
        heard: Tell = unheard,
        name: Callable[[T], str] = str,
    ) -> Iterator[tuple[T, R]]:
        events: queue.Queue[Any] = queue.Queue()

        def tell(message: Any) -> None:
            events.put(Told(message))

        with _brief_turns(), ThreadPoolExecutor(self.size) as pool:
            yield from gather(
                lambda task: pool.submit(work, shared, task, tell),
                tasks,
                lambda: _AHEAD * self.size,
                events,
                heard,
                name,
            )


@contextmanager
def _brief_turns() -> Iterator[None]:
    """Threads take short turns: one that only has to start work on a GPU does not wait long."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(_TURN)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


class Processes(_Local):
    """Processes of this machine."""

    def __init__(self, size: int) -> None:
        self.size = size

    def run(
        self,
        work: Work[S, T, R],
        shared: S,
        tasks: Iterable[T],
        heard: Tell = unheard,
        name: Callable[[T], str] = str,
    ) -> Iterator[tuple[T, R]]:
        events: queue.Queue[Any] = queue.Queue()
        messages: Any = multiprocessing.get_context("spawn").Queue()

        def listen() -> None:
            while not messages.empty():
                heard(messages.get())

        with worker_pool(self.size, _station, (work, shared, messages)) as pool:
            for task, result in gather(
                lambda task: pool.submit(_at_station, task),
                tasks,
                lambda: _AHEAD * self.size,
                events,
                heard,
                name,
                listen,
            ):
                listen()
                yield task, result


# What a process of `Processes` was started for: the work, what its tasks share, whom they tell.
_given: list[Any] = []


def _station(work: Any, shared: Any, messages: Any) -> None:
    _given[:] = work, shared, messages.put


def _at_station(task: Any) -> Any:
    work, shared, tell = _given
    return work(shared, task, tell)


@contextmanager
def worker_pool(
    processes: int, start: Callable[..., None] | None = None, given: tuple[Any, ...] = ()
) -> Iterator[ProcessPoolExecutor]:
    """Fresh processes to submit work to. start: called in each with what is given.

    Ctrl-C reaches them through their parent alone, which then ends them; none of them prints anything.
    """
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    pool = _Pool(processes, context, initializer=_begin, initargs=(start, given))
    try:
        yield pool
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
        pool.shutdown(cancel_futures=True)


class _Pool(ProcessPoolExecutor):
    """Processes start when there is work for them; Ctrl-C waits until that is done."""

    def submit(self, *work: Any, **settings: Any) -> Any:
        with _uninterrupted():
            return super().submit(*work, **settings)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put off Ctrl-C. A process that is started in here is never reached by it, not even while it loads;
    and a pool that is stopped in the middle of starting one waits for it for ever."""
    if threading.current_thread() is not threading.main_thread():  # only the main one is interrupted
        yield
        return
    caught: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: caught.append(number))
    if sys.platform != "win32":
        masked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if sys.platform != "win32":
            signal.pthread_sigmask(signal.SIG_SETMASK, masked)
        signal.signal(signal.SIGINT, before)
    if caught:
        raise KeyboardInterrupt


def _begin(start: Callable[..., None] | None, given: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    look_for_garbage_seldom()
    _end_with_parent()
    if start is not None:
        start(*given)


def _end_with_parent() -> None:
    """Make this process end when the one that started it does, however that ends."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
