"""Tasks in this process, or in processes that end with their work, with their parent, or when stopped."""

import multiprocessing
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from clutrr.errors import OutputError
from clutrr.workers.crew import Crew, R, S, Station, T, Tell, Work, raise_gc_threshold


class Here(Crew):
    """This process, one task after the other."""

    size = 1

    def ahead(self) -> int:
        return 1

    @contextmanager
    def station(
        self, work: Work[S, T, R], shared: S, events: "queue.Queue[Any]", heard: Tell
    ) -> Iterator[Station]:
        def submit(task: T) -> Future[R]:
            done: Future[R] = Future()
            try:
                done.set_result(work(shared, task, heard))
            except Exception as error:
                done.set_exception(error)
            return done

        yield submit, lambda: None


class Processes(Crew):
    """Processes of this machine."""

    size = 1

    def __init__(self, size: int) -> None:
        self.size = size

    @contextmanager
    def station(
        self, work: Work[S, T, R], shared: S, events: "queue.Queue[Any]", heard: Tell
    ) -> Iterator[Station]:
        messages: Any = multiprocessing.get_context("spawn").Queue()

        def listen() -> None:
            while not messages.empty():
                heard(messages.get())

        with worker_pool(self.size, _start, (work, shared, messages)) as pool:
            yield (lambda task: pool.submit(_attempt, task)), listen


# What a process of `Processes` was started for: the work, what its tasks share, where they report.
_given: list[Any] = []


def _start(work: Any, shared: Any, messages: Any) -> None:
    _given[:] = work, shared, messages.put


def _attempt(task: Any) -> Any:
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
    raise_gc_threshold()
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
