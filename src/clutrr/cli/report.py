"""clutrr report: the table, the figures and a page from the records of an experiment."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clutrr.cli.show import print_json

if TYPE_CHECKING:
    from clutrr.report.summary import Summary


def report(
    out: Annotated[Path, typer.Argument(help="The folder of a `clutrr reproduce`.", show_default=False)],
    more: Annotated[
        list[Path] | None,
        typer.Argument(help="Other folders of the same experiment, to bring together.", show_default=False),
    ] = None,
    to: Annotated[
        Path | None, typer.Option(help="The folder to write the report into.", show_default="OUT/report")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show an experiment beside the paper's table, from its records alone.

    Writes the table (Markdown, LaTeX, JSON), Figure 2 (SVG, PNG) and a page that has all of it.
    Trainings that are not finished are shown as missing. What a composer learnt is a figure too.
    """
    show_report([out, *(more or [])], to, as_json)


def show_report(folders: list[Path], to: Path | None, as_json: bool) -> None:
    """Write the report of these folders, and print its table. to: None for the first folder's own."""
    from clutrr.report.load import load_results
    from clutrr.report.summary import summarise
    from clutrr.report.write import PAGE, write_report

    summary = summarise(load_results(folders))
    own, to = to is None, to or folders[0] / "report"
    files = write_report(summary, to, own)
    if as_json:
        print_json({**summary.to_json(), "files": [str(file) for file in files]})
        return
    _print(summary)
    print(f"The page: {to / PAGE}")


def _print(summary: "Summary") -> None:
    from rich.console import Console

    from clutrr.report.table import closing_lines, terminal_tables

    width = None if sys.stdout.isatty() else 200
    console = Console(width=width, emoji=False)
    for table in terminal_tables(summary, console.width):
        console.print(table)
    for line in closing_lines(summary):
        console.print(line, highlight=False)
