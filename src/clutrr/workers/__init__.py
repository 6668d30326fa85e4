"""Tasks in, results as they come, failures told apart: here, in other processes, or on a Dask cluster."""

from clutrr.workers.choose import maybe_crew, open_crew
from clutrr.workers.crew import Crew, Tell, in_order, kept_by_thread, look_for_garbage_seldom
from clutrr.workers.local import Here, Processes, Threads, worker_pool

__all__ = [
    "Crew",
    "Here",
    "Processes",
    "Tell",
    "Threads",
    "in_order",
    "kept_by_thread",
    "look_for_garbage_seldom",
    "maybe_crew",
    "open_crew",
    "worker_pool",
]
