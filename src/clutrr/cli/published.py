"""clutrr published: audit published data sets, as a page of the docs."""

from pathlib import Path
from typing import Annotated

import typer

from clutrr.cli.show import say, spinner


def published(
    folder: Annotated[
        Path, typer.Argument(help="A folder of data sets, each in a folder of its own.", show_default=False)
    ],
) -> None:
    """Audit every data set in a folder, and print docs/published-data.md from it."""
    from clutrr.auditor.published import page

    with spinner("stories") as tick:
        text = page(folder, tick)
    say(text, end="")
