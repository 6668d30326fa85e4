"""Tasks in, results as they come, failures told apart: here, in other processes, or on a Dask cluster."""

from clutrr.workers.crew import (
    Crew,
    Tell,
    in_order,
    maybe_crew,
    open_crew,
    raise_gc_threshold,
    say_aside,
    thread_cached,
)
from clutrr.workers.local import Here, Processes, worker_pool

__all__ = [
    "Crew",
    "Here",
    "Processes",
    "Tell",
    "in_order",
    "thread_cached",
    "raise_gc_threshold",
    "maybe_crew",
    "open_crew",
    "say_aside",
    "worker_pool",
]
