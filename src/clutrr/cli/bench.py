"""clutrr bench: how fast things are."""

from dataclasses import asdict
from typing import Annotated

import typer

from clutrr.cli.options import numbers
from clutrr.cli.show import print_json, print_table, progress

app = typer.Typer(help="Measure speed.", no_args_is_help=True)


@app.callback()
def bench() -> None:
    """Measure speed."""


@app.command("generate")
def bench_generate(
    presets: Annotated[str, typer.Option("--presets", help="Which presets.")] = "published,described,sound",
    k: Annotated[str, typer.Option(help="Facts on the path: 3-6, or 3,6.")] = "3,6",
    form: Annotated[str, typer.Option("--format", help="parquet, csv, jsonl, or several.")] = "parquet",
    stories: Annotated[int, typer.Option(help="Stories in each measurement.")] = 32768,
    repeats: Annotated[int, typer.Option(help="Measurements; the median counts.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Generate into a file, on one core, and write the same ready-made tables alone.

    Speeds are stories per second of CPU time; the ratio is what of the writer's speed is left.
    """
    from clutrr import bench as measure
    from clutrr.data import FORMATS
    from clutrr.errors import ConfigError
    from clutrr.generate import Config

    forms, names, ks = form.split(","), presets.split(","), numbers(k, "k")
    for preset in names:
        Config(preset=preset, k=ks)
    for name in forms:
        if name not in FORMATS:
            raise ConfigError(f"format: no {name!r}; one of {', '.join(FORMATS)}")
    if stories < 1 or repeats < 1:
        raise ConfigError("stories, repeats: at least 1")
    rows = []
    with progress("measurements", len(names) * len(ks) * len(forms)) as tick:
        for row in measure.bench_generate(names, list(ks), forms, stories, repeats):
            rows.append(row)
            tick(1)
    if as_json:
        print_json({"rows": [asdict(row) for row in rows]})
        return
    print_table(
        f"Stories per CPU-second, one core, median of {repeats}",
        ["preset", "k", "format", "generated", "written only", "ratio", "peak MB"],
        [
            [r.preset, r.k, r.format, r.stories_per_cpu_s, r.writer_only_per_cpu_s, r.ratio, r.peak_rss_mb]
            for r in rows
        ],
    )
