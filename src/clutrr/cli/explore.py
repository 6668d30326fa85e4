"""clutrr explore: a page on which to look at stories, scenes and proofs."""

import time
from pathlib import Path
from typing import Annotated

from clutrr.cli.options import AsJson, Data, DataWorld, Where, flag, local_path, option, path_or_url
from clutrr.cli.show import print_json, progress, say
from clutrr.errors import ConfigError


def explore(
    data: Data,
    out: Annotated[
        Path | None, option("The page to write.", "explore.html; none with --serve", parser=local_path)
    ] = None,
    run: Annotated[
        list[Where] | None,
        option("The folder of an evaluated training; may be repeated.", False, parser=path_or_url),
    ] = None,
    answers: Annotated[
        list[Where] | None,
        option("A file of answers, as for `clutrr score`; may be repeated.", False, parser=path_or_url),
    ] = None,
    limit: Annotated[
        int, option("At most this many stories on the page; larger data is sampled evenly.")
    ] = 10_000,
    world: DataWorld = None,
    serve: Annotated[bool, flag("--serve", "Serve the page on this machine and open it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a page that shows stories, their scenes and their proofs.

    It is one file that needs no network. With --run or --answers it shows the stories that models answered,
    with their answers side by side.
    """
    from clutrr.data import open_dataset
    from clutrr.explore.page import check_out, make_page
    from clutrr.explore.pick import pick

    if serve and as_json:
        raise ConfigError("--json cannot be combined with --serve")
    started = time.perf_counter()
    file = out or (None if serve else Path("explore.html"))
    if file is not None:
        check_out(file)
    models = {}
    if run or answers:
        from clutrr.scoring.predictions import named, read_predictions

        paths = named([*(run or ()), *(answers or ())])
        models = {name: read_predictions(path) for name, path in paths.items()}
    with progress("stories read") as tick:
        sample = pick(open_dataset(data, world), models, limit, tick=tick)
    with progress("proofs", len(sample.picked)) as tick:
        page = make_page(sample, tick=tick)
    if file is not None:
        page.write(file)
    size, seconds = len(page.html.encode()), time.perf_counter() - started
    if as_json:
        about = {"page": str(file), "stories": page.stories, "total": page.total}
        print_json({**about, "runs": sample.models, "bytes": size, "seconds": round(seconds, 3)})
        return
    sampled = f" of {page.total:,}, sampled evenly" if page.stories < page.total else ""
    say(f"{file or 'A page'}: {page.stories:,} stories{sampled}, {size / 1e6:.1f} MB, {seconds:.1f} s.")
    if serve:
        _serve(page.html)


def _serve(html: str) -> None:
    import webbrowser

    from clutrr.explore.page import serve

    def ready(address: str) -> None:
        say(f"{address} (stop with Ctrl-C)", flush=True)
        webbrowser.open(address)

    serve(html, 0, ready)
