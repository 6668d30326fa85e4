"""Measure speed: generator, streams and audit on one core, training, and how work grows with workers.

python tools/bench.py generate [--world kinship] [--presets sound] [--k 3,6] [--style plain,noise] [--json]
python tools/bench.py stream [--world kinship,time] [--k 3] [--style sentences] [--items 20000] [--json]
python tools/bench.py book [--entities 25,1000] [--questions 10000] [--with ages,places] [--json]
python tools/bench.py audit DATA [--facts] [--json]
python tools/bench.py train [--models gnn,composer] [--k 3] [--seeds 1,5] [--device auto] [--json]
python tools/bench.py scale [--workers 1,2] [--json]
"""

import contextlib
import gc
import multiprocessing
import os
import random
import re
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import pyarrow as pa
import pyarrow.compute as pc
import typer

import clutrr
from clutrr import _config as config
from clutrr._audit import examine
from clutrr._cli import main
from clutrr._cli.options import AsJson, Device
from clutrr._cli.show import print_json, print_table, progress, say
from clutrr._data import FORMATS, open_dataset
from clutrr._data.own import open_writer
from clutrr._generate import Config, Generator
from clutrr._generate.folder import Job, generate_folder
from clutrr._generate.shards import Shard, write_shard
from clutrr._io.executors import Executor, ProcessExecutor, open_executor, raise_gc_threshold
from clutrr._lexicon import builtin_world
from clutrr._measure import numbers
from clutrr._table import to_table
from clutrr.errors import ConfigError
from clutrr.theory import WORLDS
from clutrr.theory.kinship.presets import PRESETS

if TYPE_CHECKING:
    import torch

app = typer.Typer(help="Measure speed.", no_args_is_help=True, add_completion=False)
# Ways to tell stories: settings of `Config` by name.
STYLES: dict[str, dict[str, Any]] = {
    "plain": {},
    "noise": {"supporting": 2, "irrelevant": 2, "disconnected": 2},
    "prose": {"style": "prose"},
    "short": {"distractors": 2},
    "routes": {"distractors": 2, "routes": (3,)},
}
EXECUTORS = ("processes", "dask")
WORK = ("generate", "audit")
_BLOCK = 4096  # stories of a block of short routes
_READY = 4  # blocks that are made to be written again and again
_SCALE_K = (3,)  # facts of the stories
Repeats = Annotated[int, typer.Option(help="How many measurements; the median is reported.")]


def _chosen(text: str, name: str, known: Sequence[str]) -> list[str]:
    """Names with commas between them, each of which must be known."""
    for given in text.split(","):
        if given not in known:
            raise ConfigError(f"{name}: {given!r} is not one of {', '.join(known)}")
    return text.split(",")


def _at_least_one(**counts: float) -> None:
    for name, count in counts.items():
        if count < 1:
            raise ConfigError(f"{name} must be at least 1")


# The generator


@dataclass(frozen=True)
class GenerateRow:
    """One measurement: medians over repeats, one process, CPU time. preset: after its world, if another."""

    preset: str
    k: int
    format: str
    stories_per_cpu_s: int
    writer_only_per_cpu_s: int
    ratio: float
    peak_rss_mb: int
    style: str
    sentences_per_cpu_s: int


@app.command()
def generate(
    worlds: Annotated[
        str, typer.Option("--world", help="kinship, or others, all `strict`.")
    ] = "kinship",
    presets: Annotated[str, typer.Option(help="Of kinship.")] = "published,described,sound,strict",
    k: Annotated[str, typer.Option(help="Facts on the path: 3-6, or 3,6.")] = "3,6,10,20,30",
    form: Annotated[
        str, typer.Option("--format", help="parquet, csv, jsonl, or several.")
    ] = "parquet",
    style: Annotated[
        str,
        typer.Option(
            help="plain, noise (2 extra facts of each role), prose, short, routes (short, 3), or several."
        ),
    ] = "plain,noise,prose",
    stories: Annotated[
        int, typer.Option(help="Stories in each measurement; a sixteenth of them beyond k = 6.")
    ] = 8192,
    repeats: Repeats = 3,
    as_json: AsJson = False,
) -> None:
    """Measure the generator on one core, and compare it with writing the same stories ready-made.

    Speeds are stories per second of CPU time; the ratio is that of generating to writing alone.
    """
    names, forms = presets.split(","), _chosen(form, "format", FORMATS)
    styles, lengths = _chosen(style, "style", tuple(STYLES)), list(numbers(k, "k"))
    _at_least_one(stories=stories, repeats=repeats)
    for preset in names:
        Config(preset=preset)  # is there such a preset?
    for preset, length in _cells(names, lengths):
        Config(preset=preset, k=(length,))
    context = multiprocessing.get_context("spawn")
    cells = _cells(names, lengths) if worlds == "kinship" else []
    others = _chosen(worlds, "world", WORLDS) if not cells else []
    cells += [(f"{world} strict", length) for world in others for length in lengths]
    cases = list(product(cells, styles, forms))
    rows = []
    with progress("measurements", len(cases)) as tick:
        for (preset, length), each, kind in cases:
            with context.Pool(1) as pool:  # each in its own process, so that peak memory is its own
                rows.append(pool.apply(_generate, (preset, length, kind, each, stories, repeats)))
            tick(1)
    if as_json:
        print_json(_record(rows, stories, repeats))
        return
    print_table(
        f"Stories per CPU-second, one core, median of {repeats}",
        [
            "preset",
            "k",
            "format",
            "generated",
            "written only",
            "ratio",
            "peak MB",
            "style",
            "sentences",
        ],
        [list(asdict(row).values()) for row in rows],
    )


def _cells(presets: list[str], ks: list[int]) -> list[tuple[str, int]]:
    """The presets with the lengths that each has."""
    patterns = {preset.name: preset.patterns for preset in PRESETS}
    return [(preset, k) for preset in presets for k in ks if k in (patterns[preset] or ks)]


def _record(rows: Sequence[GenerateRow], stories: int, repeats: int) -> dict[str, Any]:
    """The measurements as plain data, with tables by length that a page can name (see `tools/render.py`)."""
    ks = sorted({row.k for row in rows})
    speed: dict[tuple[str, str, str], dict[int, GenerateRow]] = {}
    for row in rows:
        speed.setdefault((row.preset, row.style, row.format), {})[row.k] = row

    def table(value: Callable[[GenerateRow], float]) -> dict[str, Any]:
        return {
            "columns": ["preset", "style", "format", *(f"k = {k}" for k in ks)],
            "rows": [
                [*of, *(value(by_k[k]) if k in by_k else None for k in ks)]
                for of, by_k in speed.items()
            ],
        }

    command = ["python", "tools/bench.py", "generate"]
    for option, values in (
        ("--presets", (row.preset for row in rows)),
        ("--k", map(str, ks)),
        ("--format", (row.format for row in rows)),
        ("--style", (row.style for row in rows)),
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


def _generate(
    preset: str, k: int, form: str, style: str, stories: int, repeats: int
) -> GenerateRow:
    raise_gc_threshold()  # as the command does
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    world, name = preset.split() if " " in preset else ("kinship", preset)
    generator = Generator(Config(preset=name, k=(k,), **STYLES[style]), builtin_world(world))
    block = generator.block_size(k)
    rows = -(-stories // _BLOCK) * block
    shard = Shard(k, "train", 0, 1, 0, rows)
    generated: list[float] = []
    written: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        write_shard(generator, shard, form, out, {})  # tables that are made once
        peak = _peak_mb()
        ready = [
            generator.block("train", k, number) for number in range(min(_READY, rows // block))
        ]
        blocks = [ready[i % len(ready)] for i in range(rows // block)]
        for repeat in range(
            1, repeats + 1
        ):  # one after the other, so that both meet the same machine
            gc.collect()
            # Other stories than before, so that nothing is remembered.
            shard = Shard(k, "train", 0, 1, repeat * rows, (repeat + 1) * rows)
            started = time.process_time()
            write_shard(generator, shard, form, out, {})
            generated.append(time.process_time() - started)
            started = time.process_time()
            with open_writer(out / "ready", form, {}) as write:
                for table in blocks:
                    write(table)
            written.append(time.process_time() - started)
    whole, alone = statistics.median(generated), statistics.median(written)
    ratio = statistics.median(one / both for one, both in zip(written, generated, strict=True))
    return GenerateRow(
        preset,
        k,
        form,
        round(shard.rows / whole),
        round(shard.rows / alone),
        round(ratio, 3),
        round(peak),
        style,
        round(
            sum(pc.sum(pc.list_value_length(table["sentences"])).as_py() for table in blocks)
            / whole
        ),
    )


def _peak_mb() -> float:
    """The most memory this process has held. What `getrusage` says may be its parent's."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(re.findall(r"VmHWM:\s*(\d+) kB", status)[0]) / 1024
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# Streams

_STREAM = ["world", "k", "style", "first item, s", "in order", "at random", "peak MB"]


@app.command()
def stream(
    worlds: Annotated[str, typer.Option("--world", help="One, or several.")] = ",".join(WORLDS),
    k: Annotated[str, typer.Option(help="Facts on the path: 3-6, or 3,6.")] = "3",
    style: Annotated[str, typer.Option(help="sentences, prose, or both.")] = "sentences",
    items: Annotated[
        int, typer.Option(help="Items in each measurement; any of a million at random.")
    ] = 20_000,
    off_path: Annotated[int, typer.Option(help="Statements beside the route.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Measure streams (`strict`, two distractors) on one core, in items per second of CPU time."""
    _at_least_one(items=items)
    cases = product(
        _chosen(worlds, "world", WORLDS),
        numbers(k, "k"),
        _chosen(style, "style", config.STYLES),
    )
    told = [
        case
        for case in cases
        if case[2] != "prose" or builtin_world(case[0]).lexicon.prose is not None
    ]
    rows = []
    with progress("measurements", len(told)) as tick:
        for case in told:
            with multiprocessing.get_context("spawn").Pool(
                1
            ) as pool:  # so that peak memory is its own
                rows.append([*case, *pool.apply(_stream, (*case, items, off_path))])
            tick(1)
    if as_json:
        asked = f"--world {worlds} --k {k} --style {style} --items {items}"
        asked += f" --off-path {off_path}" if off_path else ""
        command = f"python tools/bench.py stream {asked} --json"
        print_json(
            {"commands": [command], "tables": {"streams": {"columns": _STREAM, "rows": rows}}}
        )
    else:
        print_table("Items per CPU-second, one core", _STREAM, rows)


_BOOKS = (
    *("entities", "articles", "tokens", "questions", "CPU-s", "CPU-s articles", "ms a question"),
    "peak RSS, MB",
)


@app.command()
def book(
    entities: Annotated[
        str, typer.Option(help="How many people, of several books with commas.")
    ] = "25,1000,10000,100000,1000000",
    questions: Annotated[int, typer.Option(help="Of each book, up to six hops.")] = 10_000,
    more: Annotated[str, typer.Option("--with", help="What else the books are about.")] = "",
    style: Annotated[str, typer.Option(help="sentences or prose.")] = "sentences",
    as_json: AsJson = False,
) -> None:
    """Measure books of kinship, written in one process: CPU time and memory, by size."""
    sizes = [int(one) if one.isdecimal() else 0 for one in entities.split(",")]
    _at_least_one(entities=min(sizes), questions=questions)
    rows = []
    with progress("books", len(sizes)) as tick:
        for size in sizes:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                rows.append(pool.apply(_book, (size, questions, more, style)))
            tick(1)
    if as_json:
        asked = f"--entities {entities} --questions {questions} --style {style}"
        asked += f" --with {more}" if more else ""
        command = f"python tools/bench.py book {asked} --json"
        print_json({"commands": [command], "tables": {"books": {"columns": _BOOKS, "rows": rows}}})
    else:
        print_table("Books, one process", _BOOKS, rows)


def _book(entities: int, questions: int, more: str, style: str) -> list[float]:
    """Measure a book, with its questions and with one alone."""
    settings: dict[str, Any] = {"entities": entities, "style": style}
    settings |= {"with_": more} if more else {}
    with tempfile.TemporaryDirectory() as folder:
        raise_gc_threshold()
        started = time.process_time()
        manifest = clutrr.book(Path(folder) / "one", questions=0, workers=1, **settings)
        articles = time.process_time() - started
        started = time.process_time()
        asked = clutrr.book(**settings, questions=questions).book(0)
        for number in range(questions):
            asked.question(number)
        drawn = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    return [
        entities,
        manifest["counts"]["articles"],
        manifest["tokens"],
        questions,
        round(articles + drawn, 1),
        round(articles, 1),
        round(1000 * drawn / questions, 2),
        round(peak),
    ]


def _stream(
    world: str, k: int, style: str, items: int, off_path: int
) -> tuple[float, int, int, int]:
    """The seconds to a first item after other settings, items a second in order and at random, and memory."""
    settings: dict[str, Any] = {"world": world, "style": style, "off_path": off_path}
    clutrr.stream("strict", k, **settings)[0]
    started = time.process_time()
    made = clutrr.stream("strict", k, distractors=2, seed=1, **settings)
    made[0]
    taken = [time.process_time() - started]
    drawn = random.Random(0)
    for chosen in (range(items), [drawn.randrange(10**6) for _ in range(items)]):
        started = time.process_time()
        for number in chosen:
            made[number]
        taken.append(time.process_time() - started)
    first, ordered, mixed = taken
    return round(first, 2), round(items / ordered), round(items / mixed), round(_peak_mb())


# The audit


@app.command("audit")
def bench_audit(
    data: Annotated[Path, typer.Argument(help="A file or folder of puzzles.", show_default=False)],
    facts: Annotated[bool, typer.Option("--facts", help="Judge by the facts columns.")] = False,
    repeats: Repeats = 5,
    as_json: AsJson = False,
) -> None:
    """Measure the audit of data on one core, in rows per second of CPU time, and its memory."""
    _at_least_one(repeats=repeats)
    context = multiprocessing.get_context("spawn")
    found = []
    with progress("audits") as tick:
        for _ in range(repeats):
            with context.Pool(
                1
            ) as pool:  # its own process each time, so that nothing is remembered
                found.append(pool.apply(_audit, (data, facts)))
            tick(1)
    rows = found[0][0]
    speed = round(rows / statistics.median(taken for _, taken, _ in found))
    peak = round(statistics.median(peak for *_, peak in found))
    if as_json:
        print_json({"data": str(data), "rows": rows, "rows_per_cpu_s": speed, "peak_rss_mb": peak})
    else:
        say(f"{data}: {rows:,} rows, {speed:,} per CPU-second, peak {peak} MB, median of {repeats}")


def _audit(path: Path, by_facts: bool) -> tuple[int, float, float]:
    """The rows, the seconds that their audit took, and the memory, as the command runs it."""
    raise_gc_threshold()
    pa.set_cpu_count(1)
    pa.array([0])  # imports that pyarrow puts off
    started = time.process_time()
    found = examine(open_dataset(path), by_facts)
    return (
        sum(group.rows for _, _, group in found.groups),
        time.process_time() - started,
        _peak_mb(),
    )


# Training


@dataclass(frozen=True)
class TrainRow:
    """One measurement: the median over repeats. examples_per_s: stories trained on, each epoch counted."""

    model: str
    k: int
    device: str
    examples_per_s: int
    epochs_60_of_4000_s: float


@app.command()
def train(
    models: Annotated[str, typer.Option(help="Which models.")] = "lstm,gnn,gnn-attention,composer",
    k: Annotated[str, typer.Option(help="Facts on the path: 3-6, or 3,6.")] = "6",
    device: Device = "auto",
    preset: Annotated[str, typer.Option(help="Preset of the stories.")] = "published",
    stories: Annotated[int, typer.Option(help="Stories to train on.")] = 1000,
    seconds: Annotated[float, typer.Option(help="At least so long a measurement.")] = 2.0,
    repeats: Repeats = 3,
    as_json: AsJson = False,
) -> None:
    """Measure the steps of training, in stories per second: of CPU time, or on a GPU of time."""
    import torch

    from clutrr._train.config import choose_device

    lengths = numbers(k, "k")
    _at_least_one(stories=stories, repeats=repeats)
    torch.set_num_threads(1)
    on = choose_device(device)
    rows = []
    with progress("measurements", len(models.split(",")) * len(lengths)) as tick:
        for length in lengths:
            table = to_table(clutrr.generate(preset=preset, k=length, size=stories)[:])
            for model in models.split(","):
                speed = statistics.median(_speeds(model, table, length, on, seconds, repeats))
                rows.append(
                    TrainRow(model, length, on.type, round(speed), round(60 * 4000 / speed, 1))
                )
                tick(1)
    if as_json:
        print_json({"rows": [asdict(row) for row in rows]})
        return
    print_table(
        f"Stories per second in training, median of {repeats}",
        ["model", "k", "device", "stories/s", "60 epochs of 4000, s"],
        [list(asdict(row).values()) for row in rows],
    )


def _speeds(
    model: str, table: pa.Table, k: int, device: "torch.device", seconds: float, repeats: int
) -> list[float]:
    """Return the speed in each measurement; the first step is not counted."""
    import torch

    from clutrr._train.config import TrainConfig
    from clutrr._train.loop import Trainer
    from clutrr.models import blueprint, learn_vocabulary

    vocabulary = learn_vocabulary([table], builtin_world("kinship"))
    encoded = blueprint(model).encode(table, vocabulary).to(device)
    training = Trainer(blueprint(model).make(vocabulary), encoded, TrainConfig(model, (k,)), device)
    steps = (size for epoch in range(10**9) for size in training.steps(epoch))
    next(steps)
    on_gpu = device.type == "cuda"
    clock = (
        time.perf_counter if on_gpu else time.process_time
    )  # other work on the machine matters little
    found = []
    for _ in range(repeats):
        started, done = clock(), 0
        while clock() - started < seconds:
            done += next(steps)
            if on_gpu and not done % 1000:
                torch.cuda.synchronize()  # the CPU may run far ahead
        if on_gpu:
            torch.cuda.synchronize()
        found.append(done / (clock() - started))
    return found


# More workers


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


@app.command()
def scale(
    workers: Annotated[str, typer.Option(help="How many: 1-4, or 1,2,4.")] = "1,2",
    work: Annotated[str, typer.Option(help="generate, audit, or both.")] = "generate,audit",
    by: Annotated[
        str, typer.Option(help="What the workers are: processes, dask, or both.")
    ] = "processes,dask",
    stories: Annotated[int, typer.Option(help="Stories to generate.")] = 1_000_000,
    rows: Annotated[int, typer.Option(help="Rows to audit.")] = 20_000,
    as_json: AsJson = False,
) -> None:
    """Measure generating and auditing with more and more workers: local processes, and those of Dask.

    The time to start Dask's workers is shown separately, since on a cluster they are already running.
    """
    counts, works, executors = (
        numbers(workers, "workers"),
        _chosen(work, "work", WORK),
        _chosen(by, "by", EXECUTORS),
    )
    _at_least_one(workers=min(counts), stories=stories, rows=rows)
    found: list[ScaleRow] = []
    with progress("measurements", len(counts) * len(works) * len(executors)) as tick:
        for what, count, executor in product(works, counts, executors):
            context = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(1, context, raise_gc_threshold) as pool:
                row = pool.submit(
                    _scale, what, executor, count, stories if what == "generate" else rows
                ).result()
            for alone in found:
                if (alone.work, alone.workers, alone.by) == (
                    what,
                    count,
                    EXECUTORS[0],
                ) and executor != EXECUTORS[0]:
                    row = replace(
                        row, overhead=round(100 * (row.cpu_seconds / alone.cpu_seconds - 1), 1)
                    )
            found.append(row)
            tick(1)
    if as_json:
        print_json({"rows": [asdict(row) for row in found]})
        return
    print_table(
        "Rows per second, with more and more workers",
        ["work", "by", "workers", "rows", "seconds", "CPU s", "rows/s", "start s", "overhead %"],
        [list(asdict(row).values()) for row in found],
    )


def _scale(work: str, by: str, workers: int, rows: int) -> ScaleRow:
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        config = Config("sound", _SCALE_K, rows, 0)
        if work == "audit":
            generate_folder(Job(data, config, workers=1))
            begun = time.perf_counter()
        with _executor(by, workers) as executor:
            cpu, started = _cpu_seconds(), time.perf_counter()
            if work == "audit":
                examine(open_dataset(data), executor=executor)
            else:
                generate_folder(Job(data, config), executor=executor)
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


@contextmanager
def _executor(by: str, workers: int) -> Iterator[Executor | None]:
    if by == "dask":
        from distributed import LocalCluster

        local = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
        with local, open_executor(local.scheduler_address, None) as executor:
            yield executor
    else:
        yield ProcessExecutor(workers)


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


if __name__ == "__main__":
    main(app)
