"""Streams on a GPU, each with one owner at a time.

`torch.cuda.Stream()` hands out the same few streams again and again. While a step is recorded as a
CUDA graph on a stream, whatever another thread does on that stream breaks both: it must not wait
for work that is not recorded (cudaErrorStreamCaptureIsolation). So a stream that is in use is never
handed out here.

Streams side by side need queues of their own to the GPU, or one waits for what another has in its
queue; CUDA makes eight, unless it is told otherwise before it starts.
"""

import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

import torch


class Recording:
    """While one thread records a graph, others may neither record nor replay theirs, nor seed. Those
    who only replay or seed do not disturb each other."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting = 0  # to record
        self._replaying = 0
        self._recorded = False

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Record."""
        with self._changed:
            self._waiting += 1
            self._changed.wait_for(lambda: not self._recorded and not self._replaying)
            self._waiting -= 1
            self._recorded = True
        try:
            yield
        finally:
            with self._changed:
                self._recorded = False
                self._changed.notify_all()

    @contextmanager
    def beside_others(self) -> Iterator[None]:
        """Replay or seed."""
        with self._changed:
            self._changed.wait_for(lambda: not self._recorded and not self._waiting)
            self._replaying += 1
        try:
            yield
        finally:
            with self._changed:
                self._replaying -= 1
                if not self._replaying:
                    self._changed.notify_all()


recording = Recording()

_AT_MOST = 32  # as many as torch hands out and CUDA makes queues for
_QUEUES = "CUDA_DEVICE_MAX_CONNECTIONS"
_taken: set[int] = set()
_taking = threading.Lock()


def ask_for_queues() -> None:
    """Let each stream have its queue: to be called before anything is done on a GPU."""
    os.environ.setdefault(_QUEUES, str(_AT_MOST))


def own_stream(owner: object, device: torch.device) -> torch.cuda.Stream:
    """A stream for this owner only, as long as the owner lives."""
    with _taking:
        for _ in range(_AT_MOST):
            stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
            if stream.cuda_stream not in _taken:
                _taken.add(stream.cuda_stream)
                weakref.finalize(owner, _taken.discard, stream.cuda_stream)
                return stream
    raise RuntimeError(f"no stream is left for another training: {_AT_MOST} are running on this GPU")
