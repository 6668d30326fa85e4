"""clutrr explore: a page on which to look at stories, families and proofs."""

import time
from pathlib import Path
from typing import Annotated

import typer

from clutrr.cli.options import ASSUME, AsJson, DataWorld, Where, local_path, path_or_url
from clutrr.cli.show import print_json, progress, say, spinner
from clutrr.errors import ConfigError


def explore(
    data: Annotated[
        Where,
        typer.Argument(
            help="A data set, or any file that can be read.", show_default=False, parser=path_or_url
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="The page to write.", show_default="explore.html; none with --serve", parser=local_path
        ),
    ] = None,
    run: Annotated[
        list[Where] | None,
        typer.Option(
            help="A training with its predictions, or a file of answers; may be repeated.",
            show_default=False,
            parser=path_or_url,
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(help="At most this many stories on the page; larger data is sampled evenly.")
    ] = 10_000,
    world: DataWorld = None,
    assume: Annotated[
        str | None,
        typer.Option(
            help=ASSUME,
            show_default="what the data was made under; else open",
        ),
    ] = None,
    workers: Annotated[int, typer.Option(help="Processes.", show_default="all cores")] = 0,
    serve: Annotated[
        bool, typer.Option("--serve", help="Serve the page on this machine and open it.")
    ] = False,
    port: Annotated[int, typer.Option(help="Port for --serve.", show_default="any that is free")] = 0,
    as_json: AsJson = False,
) -> None:
    """Write a page that shows stories, their families and their proofs.

    It is one file that needs no network. With --run it shows what models answered, side by side.
    """
    from clutrr.data import open_dataset
    from clutrr.explore import load_run, make_page, pick
    from clutrr.explore.page import check_out
    from clutrr.world import Assumption

    if serve and as_json:
        raise ConfigError("--json cannot be combined with --serve")
    assumed = None if assume is None else Assumption.named(assume)
    started = time.perf_counter()
    file = out or (None if serve else Path("explore.html"))
    if file is not None:
        check_out(file)
    runs = [load_run(path) for path in run or ()]
    with spinner("stories read") as tick:
        selection = pick(open_dataset(data, world), runs, limit, assumed, tick)
    with progress("proofs", len(selection.picked)) as tick:
        page = make_page(selection, workers, tick)
    if file is not None:
        page.write(file)
    size, seconds = len(page.html.encode()), time.perf_counter() - started
    if as_json:
        print_json(
            {
                "page": str(file),
                "stories": page.stories,
                "total": page.total,
                "runs": list(selection.runs),
                "bytes": size,
                "seconds": round(seconds, 3),
            }
        )
        return
    sampled = f" of {page.total:,}, sampled evenly" if page.stories < page.total else ""
    say(f"{file or 'A page'}: {page.stories:,} stories{sampled}, {size / 1e6:.1f} MB, {seconds:.1f} s.")
    if serve:
        _serve(page.html, port)


def _serve(html: str, port: int) -> None:
    import webbrowser

    from clutrr.explore.serve import serve

    def ready(address: str) -> None:
        say(f"{address} (stop with Ctrl-C)", flush=True)
        webbrowser.open(address)

    serve(html, port, ready)
