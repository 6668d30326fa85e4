"""How fast things are: the generator, compared with writing ready-made tables; and the audit."""

import gc
import multiprocessing
import re
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from clutrr.auditor import audit
from clutrr.data import open_dataset
from clutrr.data.formats import open_writer
from clutrr.generator import BLOCK, PRESETS, Config, Generator, block_size
from clutrr.generator.shards import GROUP, Shard, write_shard
from clutrr.world import builtin_world


@dataclass(frozen=True)
class Row:
    """One measurement: medians over repeats, one process, CPU time."""

    preset: str
    k: int
    format: str
    stories_per_cpu_s: int
    writer_only_per_cpu_s: int
    ratio: float
    peak_rss_mb: int
    told: str
    sentences_per_cpu_s: int


@dataclass(frozen=True)
class AuditRow:
    """How fast a data set is audited: the median over repeats, one process each, CPU time."""

    data: str
    rows: int
    rows_per_cpu_s: int


# Ways to tell stories: settings of `Config` by name.
TOLD: dict[str, dict[str, Any]] = {
    "plain": {},
    "noise": {"supporting": 2, "irrelevant": 2, "disconnected": 2},
    "prose": {"style": "prose"},
}


_READY = 2  # groups of blocks that are made to be written again and again


def bench_generate(
    presets: list[str], ks: list[int], forms: list[str], told: Sequence[str], stories: int, repeats: int
) -> Iterator[Row]:
    """Measure each preset, k, way to tell and format in its own process, so that peak memory is its own.

    stories: in each measurement; fewer of long chains, whose blocks are smaller.
    """
    context = multiprocessing.get_context("spawn")
    for (preset, k), how, form in product(cells(presets, ks), told, forms):
        with context.Pool(1) as pool:
            yield pool.apply(_measure, (preset, k, form, how, stories, repeats))


def cells(presets: list[str], ks: list[int]) -> list[tuple[str, int]]:
    """The presets with the lengths that each has."""
    return [(preset, k) for preset in presets for k in ks if k in (PRESETS[preset].patterns or ks)]


def record(rows: Sequence[Row], stories: int, repeats: int) -> dict[str, Any]:
    """The measurements as plain data, with tables by length that a page can name (see `clutrr render`)."""
    ks = sorted({row.k for row in rows})
    speed: dict[tuple[str, str, str], dict[int, Row]] = {}
    for row in rows:
        speed.setdefault((row.preset, row.told, row.format), {})[row.k] = row

    def table(value: Callable[[Row], float]) -> dict[str, Any]:
        return {
            "columns": ["preset", "told", "format", *(f"k = {k}" for k in ks)],
            "rows": [
                [*of, *(value(by_k[k]) if k in by_k else None for k in ks)] for of, by_k in speed.items()
            ],
        }

    command = ["clutrr", "bench", "generate"]
    for option, values in (
        ("--presets", (row.preset for row in rows)),
        ("--k", map(str, ks)),
        ("--format", (row.format for row in rows)),
        ("--told", (row.told for row in rows)),
    ):
        command += [option, ",".join(dict.fromkeys(values))]
    command += ["--stories", str(stories), "--repeats", str(repeats), "--json"]
    return {
        "about": "Stories generated per CPU-second on one core, beside writing the same stories ready-made.",
        "commands": [" ".join(command)],
        "stories": stories,
        "repeats": repeats,
        "rows": [asdict(row) for row in rows],
        "tables": {
            "stories": table(lambda row: row.stories_per_cpu_s),
            "sentences": table(lambda row: row.sentences_per_cpu_s),
            "memory": table(lambda row: row.peak_rss_mb),
        },
    }


def bench_audit(path: Path, repeats: int) -> AuditRow:
    """Audit a data set repeatedly, reading its files each time, in a process of its own each time, so that
    nothing is remembered."""
    context = multiprocessing.get_context("spawn")
    found = []
    for _ in range(repeats):
        with context.Pool(1) as pool:
            found.append(pool.apply(_measure_audit, (path,)))
    rows = found[0][0]
    return AuditRow(str(path), rows, round(rows / statistics.median(taken for _, taken in found)))


def _measure_audit(path: Path) -> tuple[int, float]:
    """The rows, and the seconds that their audit took."""
    pa.set_cpu_count(1)
    pa.array([0])  # imports that pyarrow puts off
    started = time.process_time()
    found = audit(open_dataset(path))
    return sum(group.rows for _, _, group in found.groups), time.process_time() - started


def _measure(preset: str, k: int, form: str, told: str, stories: int, repeats: int) -> Row:
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    generator = Generator(Config(preset=preset, k=(k,), **TOLD[told]), builtin_world("kinship"))
    group = block_size(k) * GROUP
    rows = -(-stories * block_size(k) // (BLOCK * group)) * group
    shard = Shard(k, "train", 0, 1, 0, rows)
    generated: list[float] = []
    written: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        write_shard(generator, shard, form, out, {}, lambda done: None)  # tables that are made once
        peak = _peak_mb()
        ready = [
            pa.concat_tables([generator.block("train", k, number + i) for i in range(GROUP)])
            for number in range(0, min(_READY, rows // group) * GROUP, GROUP)
        ]
        groups = [ready[i % len(ready)] for i in range(rows // group)]
        for repeat in range(1, repeats + 1):  # one after the other, so that both meet the same machine
            gc.collect()
            shard = Shard(
                k, "train", 0, 1, repeat * rows, (repeat + 1) * rows
            )  # nothing remembered from before
            started = time.process_time()
            write_shard(generator, shard, form, out, {}, lambda done: None)
            generated.append(time.process_time() - started)
            started = time.process_time()
            with open_writer(out / "ready", form, {}) as writer:
                for table in groups:
                    writer.write(table)
            written.append(time.process_time() - started)
    whole, alone = statistics.median(generated), statistics.median(written)
    ratio = statistics.median(one / both for one, both in zip(written, generated, strict=True))
    return Row(
        preset,
        k,
        form,
        round(shard.rows / whole),
        round(shard.rows / alone),
        round(ratio, 3),
        round(peak),
        told,
        round(sum(pc.sum(pc.list_value_length(table["sentences"])).as_py() for table in groups) / whole),
    )


def _peak_mb() -> float:
    """The most memory this process has held. What `getrusage` says may be its parent's."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(re.findall(r"VmHWM:\s*(\d+) kB", status)[0]) / 1024
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
