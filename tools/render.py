"""Bring the tables and figures of Markdown pages up to date with the result files that the pages name.

    python tools/render.py README.md docs/*.md [--check] [--json]

    <!-- table by length: results/composer.json, results/composer-both.json (of both) -->
    ... is replaced by a row for each training set and model, with the note after the training sets; by cell:
    for each pair of subsets; by style: for each style tested on, training set and model ...
    <!-- end of table -->

    <!-- table by board: results/board/gnn.json (trained on 2 to 4 facts) -->
    ... by a row for each result on a frozen set, the best first ...
    <!-- end of table -->

    <!-- table by model: results/sound.json#M3 -->
    ... by a row for each model trained on that subset ...
    <!-- end of table -->

    <!-- table by row: results/real-text.json#causes -->
    ... by the rows that the file has under that name (see `page_tables`) ...
    <!-- end of table -->

    <!-- figure-2-left of experiments/results/sound.json -->
    ![This picture is drawn](docs/figure-2-sound.png)

A result file is the `table.json` of the report of an experiment (see `experiment`). Paths are relative to the
page. A picture holds the checksum of the file it was drawn from.
"""

import hashlib
import os
import re
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from clutrr._cli import main
from clutrr._cli.options import AsJson
from clutrr._cli.show import print_json, say
from clutrr._io.files import replace_files, replace_text, writing
from clutrr._io.yamls import read_text
from clutrr._report.experiment import Experiment
from clutrr._report.figures import draw
from clutrr._report.loading import load_experiment
from clutrr._report.table import cells_table
from clutrr._report.write import FIGURES
from clutrr.errors import DataError, OutputError
from page_tables import board_table, lengths_table, models_table, rows_table, styles_table

app = typer.Typer(add_completion=False)
_TABLE = re.compile(r"<!-- table by (\w+): (.+?) -->\n(.*?)(<!-- end of table -->)", re.DOTALL)
_FIGURE = re.compile(r"<!-- ([\w-]+) of (\S+) -->\n!\[[^\n]*\]\(([^)\n]+)\)")
_NOTED = re.compile(r"(.+?)(?: \(([^()]+)\))?")  # a file, and what to say of its rows
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# Layouts that take one file and a name in it, after a #: a table that the file holds as it is to be shown,
# or what its models were trained on.
_ROWS, _MODELS = "row", "model"
_DRAWN_FROM = "Drawn from"  # the entry of a PNG that says so


@app.command("render")
def update(
    pages: Annotated[list[Path], typer.Argument(help="Markdown files.", show_default=False)],
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if something is out of date.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Bring the tables and figures of pages up to date with the result files that they name."""
    found = [render(page) for page in pages]
    changed = [path for page in found for path in page.changed]
    if check and changed:
        raise DataError(
            f"out of date: {', '.join(map(str, changed))}; run tools/render.py without --check"
        )
    for page in found:
        for path, picture in page.pictures.items():
            with writing(path):
                replace_files(path.parent, {path.name: picture})
        if page.text != page.before:
            with writing(page.path):
                replace_text(page.path, page.text)
    if as_json:
        print_json({"pages": len(found), "changed": [str(path) for path in changed]})
        return
    for path in changed:
        say(path)
    if not changed:
        say("Everything is up to date.")


@dataclass(frozen=True)
class Rendered:
    """A page with the content of its result files. pictures: those that have to be drawn, by path."""

    path: Path
    before: str
    text: str
    pictures: Mapping[Path, bytes]

    @property
    def changed(self) -> list[Path]:
        """What is out of date."""
        return [*([self.path] if self.text != self.before else []), *self.pictures]


def render(page: Path) -> Rendered:
    """The page with its tables filled in, and the pictures that are out of date drawn again."""
    before = read_text(page, DataError)
    if before.count("<!-- table by ") != len(_TABLE.findall(before)):
        raise DataError(f"{page}: a table has no <!-- end of table --> below it")

    def table(found: re.Match[str]) -> str:
        layout, files, _, end = found.groups()
        return "\n".join(
            [f"<!-- table by {layout}: {files} -->", *_lines(page, layout, files), end]
        )

    return Rendered(page, before, _TABLE.sub(table, before), dict(_pictures(page, before)))


def _lines(page: Path, layout: str, files: str) -> Iterator[str]:
    """The lines of a table by its layout and the files that the page names for it."""
    if layout in (_ROWS, _MODELS):
        name, _, part = files.partition("#")
        file = page.parent / name
        yield from (
            rows_table(file, part) if layout == _ROWS else models_table(load_experiment(file), part)
        )
        return
    if layout not in _LAYOUTS:
        raise DataError(
            f"{page}: there is no table by {layout!r}; there are tables by "
            f"{', '.join((*_LAYOUTS, _MODELS, _ROWS))}"
        )
    yield from _LAYOUTS[layout]([_noted(page, name.strip()) for name in files.split(",")])


def _noted(page: Path, named: str) -> tuple[Experiment, str]:
    found = _NOTED.fullmatch(named)
    if found is None:
        raise DataError(
            f"{page}: a table names no file (two commas, or none between a comma and the end)"
        )
    return load_experiment(page.parent / found[1]), found[2] or ""


def _by_cell(grids: Sequence[tuple[Experiment, str]]) -> Iterator[str]:
    yield from cells_table(_only(grids, "cell"), differences=False)


def _by_style(grids: Sequence[tuple[Experiment, str]]) -> Iterator[str]:
    grid = _only(grids, "style")
    if not grid.styles:
        raise DataError(
            "a table by style needs an experiment that tells its stories in several styles"
        )
    yield from styles_table(grid)


def _only(grids: Sequence[tuple[Experiment, str]], layout: str) -> Experiment:
    if len(grids) != 1:
        raise DataError(f"a table by {layout} takes one result file")
    return grids[0][0]


_LAYOUTS: Mapping[str, Callable[[Sequence[tuple[Experiment, str]]], Iterator[str]]] = {
    "board": board_table,
    "cell": _by_cell,
    "length": lengths_table,
    "style": _by_style,
}


def _pictures(page: Path, text: str) -> Iterator[tuple[Path, bytes]]:
    """Those that were not drawn from the file as it is now."""
    for name, file, picture in _FIGURE.findall(text):
        if name not in FIGURES:
            raise DataError(
                f"{page}: there is no figure {name!r}; the figures are {', '.join(FIGURES)}"
            )
        source, target = page.parent / file, page.parent / picture
        experiment = load_experiment(source)
        checksum = hashlib.sha256(source.read_bytes()).hexdigest()
        drawn = drawn_from(target.read_bytes()) if target.is_file() else None
        if drawn is None and os.path.lexists(target):
            raise OutputError(
                f"{page}: {target} already exists and was not drawn by clutrr: move it away"
            )
        if drawn != checksum:
            _, png = draw(FIGURES[name](experiment), name)
            yield target, _with_source(png, checksum)


def _with_source(png: bytes, checksum: str) -> bytes:
    """The picture with a text entry after its header."""
    content = b"tEXt" + f"{_DRAWN_FROM}\0{checksum}".encode("latin-1")
    chunk = struct.pack(">I", len(content) - 4) + content + struct.pack(">I", zlib.crc32(content))
    header = len(_SIGNATURE) + 25  # every PNG starts with one of 13 bytes, in a chunk of 25
    return png[:header] + chunk + png[header:]


def drawn_from(png: bytes) -> str | None:
    """The checksum of the file that a picture was drawn from, if it says so."""
    if not png.startswith(_SIGNATURE):
        return None
    at = len(_SIGNATURE)
    while at + 12 <= len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        name, _, value = png[at + 8 : at + 8 + length].partition(b"\0")
        if png[at + 4 : at + 8] == b"tEXt" and name.decode("latin-1") == _DRAWN_FROM:
            return value.decode("latin-1")
        at += 12 + length
    return None


if __name__ == "__main__":
    main(app)
