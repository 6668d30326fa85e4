"""Streams on a GPU, each with one owner at a time.

`torch.cuda.Stream()` hands out the same few streams again and again. While a step is recorded as a
CUDA graph on a stream, whatever another thread does on that stream breaks both: it is then not
free to wait for work that is not recorded (cudaErrorStreamCaptureIsolation). So a stream that
is in use is never handed out here.
"""

import threading
import weakref

import torch

# While one thread records a graph, others may neither record nor replay theirs, nor seed.
recording = threading.Lock()

_AT_MOST = 32  # that torch has to hand out
_taken: set[int] = set()
_taking = threading.Lock()


def own_stream(owner: object, device: torch.device) -> torch.cuda.Stream:
    """A stream that is the owner's alone as long as it lives."""
    with _taking:
        for _ in range(_AT_MOST):
            stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
            if stream.cuda_stream not in _taken:
                _taken.add(stream.cuda_stream)
                weakref.finalize(owner, _taken.discard, stream.cuda_stream)
                return stream
    raise RuntimeError(f"no stream is left for another training: {_AT_MOST} are at work on this GPU")
