"""clutrr render: tables and figures of pages, from the result files that they name."""

from pathlib import Path
from typing import Annotated

import typer

from clutrr.cli.options import AsJson
from clutrr.cli.show import print_json, say


def render(
    pages: Annotated[list[Path], typer.Argument(help="Markdown files.", show_default=False)],
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if something is out of date.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Bring the tables and figures of pages up to date with the result files that they name.

    A page names them in comments: `<!-- table by length: results/mine.json -->` and, below the table,
    `<!-- end of table -->`. A result file is the table.json of a report, or has its cells.
    """
    from clutrr.errors import DataError
    from clutrr.files import replace_bytes, replace_text, writing
    from clutrr.report.render import render as rendered

    found = [rendered(page) for page in pages]
    changed = [path for page in found for path in page.changed]
    if check and changed:
        raise DataError(f"out of date: {', '.join(map(str, changed))}; run clutrr render without --check")
    for page in found:
        for path, picture in page.pictures.items():
            with writing(path):
                replace_bytes(path, picture)
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
