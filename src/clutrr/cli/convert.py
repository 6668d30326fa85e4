"""clutrr convert: between formats, and into the words of a world."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from clutrr.cli.show import print_json, progress


def convert(
    data: Annotated[Path, typer.Argument(metavar="IN", help="A data file or folder.", show_default=False)],
    out: Annotated[
        Path,
        typer.Argument(
            help="The file to write (.parquet, .csv, .jsonl; .gz), or a folder.", show_default=False
        ),
    ],
    form: Annotated[
        str | None,
        typer.Option("--to", help="parquet, csv, jsonl, v0.1 or v1.0.", show_default="as OUT is named"),
    ] = None,
    wording: Annotated[
        str | None,
        typer.Option(
            metavar="WORLD",
            help="Tell the stated facts again, and nothing else, in a world's sentences.",
            show_default="the stories as they are",
        ),
    ] = None,
    world: Annotated[
        str | None, typer.Option(help="The world of IN, by name or its folder.", show_default="the data's")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the sentences that --wording draws.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace OUT.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write data of any known format in another one.

    What the other format cannot hold is said before anything is written. A folder gets one file for
    each subset and split.
    """
    from clutrr.data import open_dataset
    from clutrr.data.convert import Target
    from clutrr.data.convert import convert as run
    from clutrr.data.retell import Wording
    from clutrr.world import load_world

    target = Target.of(out, form)
    words = None if wording is None else Wording(load_world(wording), seed)
    losses: list[str] = []

    def say(loss: str) -> None:
        losses.append(loss)
        print(f"clutrr: {loss}", file=sys.stderr, flush=True)

    with progress("puzzles", None) as tick:
        rows = run(open_dataset(data, world), target, force, say, tick, words)
    if as_json:
        about = {"out": str(out), "format": target.form, "wording": wording}
        print_json({**about, "rows": rows, "losses": losses})
    else:
        told = "" if wording is None else f" in the words of {wording}"
        print(f"{out}: {target.form}, {rows:,} puzzles{told}")
