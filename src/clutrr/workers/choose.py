"""The choice of a crew: `--cluster ADDRESS`, `local:N`, or what Dask's own configuration says."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from clutrr.errors import ConfigError, plain
from clutrr.workers.crew import Crew

VARIABLE = "DASK_SCHEDULER_ADDRESS"  # Dask's own
LOCAL = "local:"


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
