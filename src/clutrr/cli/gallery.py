"""clutrr gallery: sample stories as a page."""

from pathlib import Path
from typing import Annotated

import typer

from clutrr.cli.options import local_path
from clutrr.cli.show import say


def gallery(
    out: Annotated[
        Path,
        typer.Argument(help="The folder to write gallery.md and pipeline.svg into.", parser=local_path),
    ] = Path("docs"),
) -> None:
    """Write sample stories of every preset and length, and a picture of how one is made."""
    from clutrr.report.gallery import write_gallery

    for path in write_gallery(out):
        say(path)
