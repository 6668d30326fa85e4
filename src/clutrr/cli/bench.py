"""clutrr bench: how fast things are."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from clutrr.cli.examples import ending
from clutrr.cli.options import AsJson
from clutrr.cli.show import print_json, print_table, progress, say, spinner
from clutrr.measure import numbers

app = typer.Typer(help="Measure speed.", no_args_is_help=True)


@app.callback()
def bench() -> None:
    """Measure speed."""


@app.command("generate", epilog=ending("bench generate"))
def bench_generate(
    presets: Annotated[
        str, typer.Option("--presets", help="Which presets.")
    ] = "published,described,sound,strict",
    k: Annotated[str, typer.Option(help="Facts on the path: 3-6, or 3,6.")] = "3,6,10,20,30",
    form: Annotated[str, typer.Option("--format", help="parquet, csv, jsonl, or several.")] = "parquet",
    told: Annotated[
        str,
        typer.Option(
            help="How stories are told: plain, noise (2 extra facts of each role), prose, or several."
        ),
    ] = "plain,noise,prose",
    stories: Annotated[
        int, typer.Option(help="Stories in each measurement; a sixteenth of them beyond k = 6.")
    ] = 8192,
    repeats: Annotated[int, typer.Option(help="How many measurements; the median is reported.")] = 3,
    as_json: AsJson = False,
) -> None:
    """Measure the generator on one core, and compare it with writing the same stories ready-made.

    Speeds are stories per second of CPU time; the ratio is that of generating to writing alone.
    """
    from clutrr import bench as measure
    from clutrr.data import FORMATS
    from clutrr.errors import ConfigError
    from clutrr.generator import Config

    forms, names, ks = form.split(","), presets.split(","), numbers(k, "k")
    for preset in names:
        Config(preset=preset)  # is there such a preset?
    for preset, length in measure.cells(names, list(ks)):
        Config(preset=preset, k=(length,))
    for name in forms:
        if name not in FORMATS:
            raise ConfigError(f"format: {name!r} is not one of {', '.join(FORMATS)}")
    ways = told.split(",")
    for name in ways:
        if name not in measure.TOLD:
            raise ConfigError(f"told: {name!r} is not one of {', '.join(measure.TOLD)}")
    if stories < 1 or repeats < 1:
        raise ConfigError("stories and repeats must be at least 1")
    rows = []
    with progress("measurements", len(measure.cells(names, list(ks))) * len(forms) * len(ways)) as tick:
        for row in measure.bench_generate(names, list(ks), forms, ways, stories, repeats):
            rows.append(row)
            tick(1)
    if as_json:
        print_json(measure.record(rows, stories, repeats))
        return
    print_table(
        f"Stories per CPU-second, one core, median of {repeats}",
        ["preset", "k", "format", "told", "generated", "sentences", "written only", "ratio", "peak MB"],
        [
            [
                r.preset,
                r.k,
                r.format,
                r.told,
                r.stories_per_cpu_s,
                r.sentences_per_cpu_s,
                r.writer_only_per_cpu_s,
                r.ratio,
                r.peak_rss_mb,
            ]
            for r in rows
        ],
    )


@app.command("audit", epilog=ending("bench audit"))
def bench_audit(
    data: Annotated[Path, typer.Argument(help="A file or folder of puzzles.", show_default=False)],
    repeats: Annotated[int, typer.Option(help="How many measurements; the median is reported.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Measure the audit of data on one core, in rows per second of CPU time."""
    from clutrr import bench as measure
    from clutrr.errors import ConfigError

    if repeats < 1:
        raise ConfigError("repeats must be at least 1")
    with spinner("audits"):
        row = measure.bench_audit(data, repeats)
    if as_json:
        print_json(asdict(row))
    else:
        say(f"{row.data}: {row.rows:,} rows, {row.rows_per_cpu_s:,} per CPU-second, median of {repeats}")


@app.command("scale", epilog=ending("bench scale"))
def bench_scale(
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
    from clutrr.errors import ConfigError
    from clutrr.scale import BY, WORK, ScaleRow
    from clutrr.scale import bench_scale as measure

    counts, works, crews = numbers(workers, "workers"), work.split(","), by.split(",")
    for name, given, known in (("work", works, WORK), ("by", crews, BY)):
        if not set(given) <= set(known):
            raise ConfigError(f"{name}: give {' or '.join(known)}, or both with a comma between them")
    if min(counts) < 1 or stories < 1 or rows < 1:
        raise ConfigError("workers, stories and rows must be at least 1")
    found: list[ScaleRow] = []
    with progress("measurements", len(counts) * len(works) * len(crews)) as tick:
        for row in measure(works, crews, counts, stories, rows):
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
