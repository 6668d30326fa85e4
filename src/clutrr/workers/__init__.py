"""Tasks in, results as they come, failures told apart: here, in other processes, or on a Dask cluster."""

from clutrr.workers.choose import maybe_crew, open_crew
from clutrr.workers.crew import Crew, Tell, in_order, raise_gc_threshold, thread_cached
from clutrr.workers.local import Here, Processes, Threads, worker_pool

__all__ = [
    "Crew",
    "Here",
    "Processes",
    "Tell",
    "Threads",
    "in_order",
    "thread_cached",
    "raise_gc_threshold",
    "maybe_crew",
    "open_crew",
    "worker_pool",
]
