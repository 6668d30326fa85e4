"""A page on which to look at stories, their scenes and their proofs."""

import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clutrr._arguments import LocationLike, public
from clutrr._books.load import is_book, open_book
from clutrr._data.given import DataLike, WorldLike, open_data
from clutrr._explore.book_page import book_page
from clutrr._explore.page import check_out, make_page, serve_page, write_page
from clutrr._explore.pick import LIMIT, pick
from clutrr._io.executors import print_notice
from clutrr._io.locations import Location, is_location, parse_location
from clutrr._score.predictions import named, read_predictions
from clutrr.errors import ArgumentError, ConfigError

_PAGE = "explore.html"
Locations = LocationLike | Sequence[LocationLike] | None


@dataclass(frozen=True)
class ExplorerPage:
    """What the page shows.

    - page: its file; None if it was only served
    - stories, total: how many it shows, and how many there were to choose from
    - runs: the names of the models whose answers it shows
    - html: all of it
    """

    page: Path | None
    stories: int
    total: int
    runs: tuple[str, ...]
    html: str = field(repr=False)

    def to_json(self) -> dict[str, Any]:
        """Return what it shows as plain data."""
        names = ("stories", "total", "runs")
        size = len(self.html.encode())
        return {
            "page": str(self.page),
            **{name: getattr(self, name) for name in names},
            "bytes": size,
        }


@public
def explore(
    data: DataLike,
    *,
    out: LocationLike | None = None,
    run: Locations = None,
    answers: Locations = None,
    limit: int = LIMIT,
    world: WorldLike | None = None,
    skip_bad: bool = False,
    serve: bool = False,
    tick: Callable[[str, int], None] = lambda step, stories: None,
    ready: Callable[[ExplorerPage, str], None] = lambda page, address: None,
) -> ExplorerPage:
    """Write a page that shows stories, their scenes and their proofs: one file that needs no network.

    Of a book it shows the questions, their proofs, and the articles, with links and the evidence marked.

    - out: the file, on this machine; explore.html by default, and none with `serve`
    - run: folders of evaluated trainings, whose answers are shown side by side
    - answers: files of answers, as for `score`, which are shown too
    - limit: at most this many stories; larger data is sampled evenly
    - skip_bad: whether to leave out rows and files that cannot be read, and name them
    - serve: whether to serve the page on this machine and open it, until interrupted
    - tick: called with what is done, and for how many more stories
    - ready: called with the page and its address when it is served

    >>> from clutrr import generate
    >>> explore(generate(k=2, size=3), out="page.html").stories
    3
    """
    file = _file(out, serve)
    if file is not None:
        check_out(file)
    if is_book(data):
        for name, value in (("run", run), ("answers", answers)):
            if value is not None:
                raise ConfigError("is for puzzles, and the data is a book", setting=name)
        opened_book = open_book(data)
        html, stories = book_page(opened_book, limit)
        total = len(opened_book.questions)
        return _ready(ExplorerPage(file, stories, total, (), html), serve, ready)
    paths = named([*_several(run, "run"), *_several(answers, "answers")])
    models = {name: read_predictions(path) for name, path in paths.items()}
    opened = open_data(data, world, skip_bad=skip_bad)
    sample = pick(opened, models, limit, tick=lambda more: tick("stories read", more))
    opened.notes.tell(print_notice)
    html = make_page(sample, lambda more: tick("proofs", more))
    return _ready(
        ExplorerPage(file, len(sample.picked), sample.total, sample.models, html), serve, ready
    )


def _ready(
    page: ExplorerPage, serve: bool, ready: Callable[[ExplorerPage, str], None]
) -> ExplorerPage:
    """Write and serve a page, as was asked."""
    if page.page is not None:
        write_page(page.html, page.page)
    if serve:

        def opened_at(address: str) -> None:
            ready(page, address)
            webbrowser.open(address)

        serve_page(page.html, opened_at)
    return page


def _file(out: LocationLike | None, serve: bool) -> Path | None:
    """Return the file to write, if there is one."""
    if out is None:
        return None if serve else Path(_PAGE)
    found = parse_location(out)
    if not isinstance(found, Path):
        raise ConfigError("a path on this machine is needed here, not a URL", place=found)
    return found


def _several(given: Locations, name: str) -> list[Location]:
    """Return one path or several as a list."""
    if given is None or is_location(given):
        return [] if given is None else [parse_location(given)]
    if isinstance(given, list | tuple) and all(map(is_location, given)):
        return [parse_location(one) for one in given]
    raise ArgumentError("is not a path or several", setting=name, value=given)
