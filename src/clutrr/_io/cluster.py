"""Tasks on a Dask cluster, whoever started it: Slurm, Kubernetes, SSH, or this machine.

Dask runs the tasks, moves them when a worker dies, and gives a task up when it took several workers with
it. What is added here is what a command has to say: that a worker has another version, that it waits for
workers, that the scheduler is gone, which task failed.
"""

import contextlib
import logging
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from distributed import Client, KilledWorker, get_worker
from distributed.protocol.pickle import dumps as pack
from distributed.protocol.pickle import loads as unpack
from distributed.utils import sync

from clutrr._io.executors import DiedError, Executor, R, S, T, Work, thread_cached
from clutrr._io.records import read_json
from clutrr._version import VERSION
from clutrr.errors import ClusterError, short

_CONNECT = 3  # seconds until a scheduler that does not answer counts as none
_LOOK = 1.0  # seconds between two looks at the workers
_AHEAD, _LEAST = 3, 8  # tasks submitted in advance: for each thread of the workers, and at least
_AGAIN = 60  # seconds between two lines that say the same


def _versions() -> dict[str, str]:
    """Return what the bytes of a result depend on."""
    return {"clutrr": VERSION, "numpy": np.__version__, "pyarrow": pa.__version__}


@contextmanager
def connected(named: str, say: Callable[[str], None]) -> Iterator["DaskExecutor"]:
    """Yield the workers of a scheduler, known by its address or by the file that it wrote."""
    _hush()
    address = _address(named)
    with contextlib.ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")  # Dask's hints are for those who write for Dask
        try:
            client = _OurClient(address, timeout=_CONNECT, set_as_default=False)
        except (OSError, MemoryError):  # the last by what is no scheduler
            raise ClusterError(
                f"the scheduler {_shown(address)} does not answer", setting="cluster"
            ) from None
        except (ValueError, TypeError) as error:
            why = f"is not an address: {_shown(error)}"
            raise ClusterError(
                f"the scheduler {_shown(address)} {why}", setting="cluster"
            ) from None
        stack.callback(_close, client)
        executor = DaskExecutor(client, address, say)
        executor.wait()
        yield executor


class _OurClient(Client):  # type: ignore[misc]  # Dask has no types
    """A client that we close, and that is connected in time: what listens there need not be a scheduler."""

    def start(self, **settings: Any) -> None:
        self._loop_runner.start()
        sync(self.loop, self._start, callback_timeout=_CONNECT, **settings)

    def __del__(self) -> None:
        """One that never connected would otherwise wait half a minute at exit."""


def _shown(text: object) -> str:
    return short(str(text), quote=False)


def _address(named: str) -> str:
    """The address of a scheduler, which may stand in a file that it wrote."""
    if not named.endswith(".json"):
        return named
    try:
        return str(read_json(Path(named))["address"])
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ClusterError(
            f"{_shown(named)} is not a scheduler file: {_shown(error)}", setting="cluster"
        ) from None


def _close(client: Client) -> None:
    with contextlib.suppress(
        Exception
    ):  # with a scheduler that is gone, there is nobody to say goodbye to
        client.close(timeout=2)


def _hush() -> None:
    """Silence Dask's logs: our own messages cover them."""
    for name in ("distributed", "tornado", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


class DaskExecutor(Executor):
    """The workers of a scheduler."""

    is_remote = True

    def __init__(
        self, client: Client, address: str, say: Callable[[str], None], gpus: int = 0
    ) -> None:
        self._client, self._address, self._say, self._gpus = client, address, say, gpus
        self._looked = 0.0
        self._said: float | None = None  # when it was last said that there is no worker
        self._workers: dict[str, Any] = {}

    @property
    def size(self) -> int:
        """The number of tasks that it can run at once; this may change."""
        self._look()
        return max(1, sum(int(worker["nthreads"]) for worker in self._workers.values()))

    def on_gpus(self) -> "DaskExecutor | None":
        self._look()
        executor = DaskExecutor(self._client, self._address, self._say, gpus=1)
        return executor if any(map(executor._able, self._workers.values())) else None

    def wait(self) -> None:
        """Wait until there is a worker."""
        while not self._workers:
            self.watch()
            time.sleep(0.1)

    def max_in_flight(self) -> int:
        return max(_LEAST, _AHEAD * self.size)

    @contextmanager
    def started(self, work: Work[S, T, R], shared: S) -> Iterator[Callable[[T], Future[R]]]:
        executor = self._client.get_executor(
            pure=False, resources={"GPU": self._gpus} if self._gpus else None
        )
        given = pack(shared)  # bytes, which Dask looks into no further
        yield partial(executor.submit, _attempt, _versions(), work, given)

    def result_of(self, future: Future[R]) -> R:
        try:
            return future.result()
        except CancelledError:
            raise self._lost() from None
        except KilledWorker as error:
            died = error.allowed_failures + 1
            raise DiedError(f"this task crashed {died} workers (out of memory?)") from None

    def _look(self) -> None:
        """Look at the workers, unless that was done just now."""
        if time.monotonic() - self._looked < _LOOK:
            return
        self._looked = time.monotonic()
        try:
            self._workers = dict(self._client.scheduler_info(n_workers=-1)["workers"])
        except Exception:
            if self._client.status != "running":
                raise self._lost() from None

    def watch(self) -> None:
        """Say where there is nobody to do the work; end where nobody is left to ask."""
        if self._client.status != "running":
            raise self._lost()
        self._look()
        if any(self._able(worker) for worker in self._workers.values()):
            self._said = None
        elif self._said is None or time.monotonic() - self._said > _AGAIN:
            self._said = time.monotonic()
            self._say(
                f"no worker{' with GPU=1' * self._gpus} at {_shown(self._address)}: waiting for one"
            )

    def _able(self, worker: dict[str, Any]) -> bool:
        """Return whether the worker has what the tasks need."""
        return bool(worker.get("resources", {}).get("GPU", 0) >= self._gpus)

    def _lost(self) -> ClusterError:
        return ClusterError(
            f"the scheduler {_shown(self._address)} is gone: start it, and run the same command "
            "again to go on",
            setting="cluster",
        )


@thread_cached
def _unpacked(packed: bytes) -> Any:
    """Return a copy of what tasks share, in which they may keep what they found out."""
    return unpack(packed)


def _attempt(expected: dict[str, str], work: Any, shared: bytes, task: Any) -> Any:
    """Run a task on a worker."""
    worker = get_worker()
    for package, version in _versions().items():
        if expected[package] != version:
            raise ClusterError(
                f"the worker {worker.name} ({worker.address}) has {package} {version}, and this is "
                f"{expected[package]}: install the same on all",
                setting="cluster",
            )
    return work(_unpacked(shared), task)
