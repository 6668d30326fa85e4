"""How work grows with workers: the same on processes of this machine and on Dask workers of it."""

import contextlib
import multiprocessing
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from clutrr.auditor import audit
from clutrr.data import open_dataset
from clutrr.generator import Config
from clutrr.generator.folder import Job, generate_folder
from clutrr.workers import Crew, Processes, look_for_garbage_seldom, maybe_crew

BY = ("processes", "dask")
WORK = ("generate", "audit")
_K = (3,)  # facts of the stories


@dataclass(frozen=True)
class ScaleRow:
    """A measurement. rows: stories made, or rows audited. seconds: from the first task to the last file;
    cpu_seconds: the same, of all processes together. start: seconds until Dask's workers were there.
    overhead: how much more CPU time it took than with as many processes, in percent; None for those."""

    work: str
    by: str
    workers: int
    rows: int
    seconds: float
    cpu_seconds: float
    rows_per_s: int
    start: float
    overhead: float | None = None


def bench_scale(
    work: Sequence[str], by: Sequence[str], workers: Sequence[int], stories: int, rows: int
) -> Iterator[ScaleRow]:
    """Measure each in a process of its own. stories: to generate. rows: to audit."""
    for what in work:
        alone: dict[int, float] = {}
        for count in workers:
            for who in by:
                context = multiprocessing.get_context("spawn")
                with ProcessPoolExecutor(1, context, look_for_garbage_seldom) as pool:
                    size = stories if what == "generate" else rows
                    row = pool.submit(_measure, what, who, count, size).result()
                if who == BY[0]:
                    alone[count] = row.cpu_seconds
                yield _compared(row, alone.get(count))


def _compared(row: ScaleRow, alone: float | None) -> ScaleRow:
    if row.by == BY[0] or alone is None:
        return row
    return ScaleRow(
        row.work,
        row.by,
        row.workers,
        row.rows,
        row.seconds,
        row.cpu_seconds,
        row.rows_per_s,
        row.start,
        round(100 * (row.cpu_seconds / alone - 1), 1),
    )


def _measure(work: str, by: str, workers: int, rows: int) -> ScaleRow:
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        config = Config("sound", _K, rows, 0)
        if work == "audit":
            generate_folder(Job(data, config, workers=1))
            begun = time.perf_counter()
        with _crew(by, workers) as crew:
            cpu, started = _cpu_seconds(), time.perf_counter()
            if work == "audit":
                audit(open_dataset(data), crew=crew)
            else:
                generate_folder(Job(data, config), crew=crew)
            seconds, cpu = time.perf_counter() - started, _cpu_seconds() - cpu
    return ScaleRow(
        work,
        by,
        workers,
        rows,
        round(seconds, 2),
        round(cpu, 2),
        round(rows / seconds),
        round(started - begun, 2),
    )


def _crew(by: str, workers: int) -> AbstractContextManager[Crew | None]:
    if by == "dask":
        return maybe_crew(f"local:{workers}")
    return nullcontext(Processes(workers))


def _cpu_seconds() -> float:
    """CPU time of this process and of all that it started, ended or not (where /proc tells)."""
    parents: dict[int, int] = {}
    used: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = stat.read_text().rsplit(")", 1)[1].split()
            parents[int(stat.parent.name)] = int(fields[1])
            used[int(stat.parent.name)] = sum(map(int, fields[11:15]))
    family = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(used.get(pid, 0) for pid in family) / os.sysconf("SC_CLK_TCK")
