"""clutrr report: the table, the figures and a page of an experiment, or of several models' answers."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from clutrr.cli.options import AsJson, Where, path_or_url
from clutrr.cli.show import print_json, print_table, progress, say, shown
from clutrr.errors import ConfigError

if TYPE_CHECKING:
    from clutrr.report.summary import Summary


def report(
    out: Annotated[
        Where,
        typer.Argument(
            help="The folder of a `clutrr reproduce`; or a data set.", show_default=False, parser=path_or_url
        ),
    ],
    more: Annotated[
        list[Where] | None,
        typer.Argument(
            parser=path_or_url,
            help="Other folders of the same experiment; or answers to the data set, as for `clutrr score`.",
            show_default=False,
        ),
    ] = None,
    to: Annotated[
        Where | None,
        typer.Option(
            help="The folder to write the report into. For an experiment: OUT/report.",
            show_default=False,
            parser=path_or_url,
        ),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(help="For answers: only the questions of train or test.", show_default="test, or all"),
    ] = None,
    world: Annotated[
        str | None,
        typer.Option(help="For answers: a world by name, or its folder.", show_default="the data's"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show an experiment beside the paper's table; or several models' answers side by side.

    For an experiment, made from its records alone: the table (Markdown, LaTeX, JSON), Figure 2 (SVG, PNG),
    what a composer learnt, and one page with all of it. Trainings that are not finished are shown as missing.
    For answers to a data set (`clutrr report DATA ANSWERS... --to FOLDER`): accuracy by the length of the
    chain, as a table and as curves with 95 % bands, beside look-ups and ceilings.
    """
    from clutrr.report.load import is_experiment

    if more and not is_experiment(out):
        _compare(out, more, to, split, world, as_json)
        return
    if split is not None or world is not None:
        raise ConfigError("--split and --world are only for answers to a data set")
    show_report([out, *(more or [])], to, as_json)


def _compare(
    data: Where, answers: list[Where], to: Where | None, split: str | None, world: str | None, as_json: bool
) -> None:
    from clutrr.data import open_dataset
    from clutrr.report.compare import compare, table
    from clutrr.report.write import PAGE, write_comparison

    if to is None:
        raise ConfigError("name the folder to write the report into: --to FOLDER")
    with progress("questions", None) as tick:
        comparison = compare(open_dataset(data, world), answers, split, tick)
    files = write_comparison(comparison, to)
    if as_json:
        print_json({**comparison.to_json(), "files": [str(file) for file in files]})
        return
    header, *rows = table(comparison)
    models = 2 + len(comparison.models)
    title = f"Answers to {data}: accuracy in % and its 95 % interval"
    print_table(title, header[:models], [row[:models] for row in rows])
    if comparison.lookups:
        beside = [[row[0], *row[models:]] for row in rows[:-1]]
        print_table("Without any model: look-ups and ceilings, in %", [header[0], *header[models:]], beside)
    say(f"The page: {to / PAGE}")


def show_report(folders: list[Where], to: Where | None, as_json: bool) -> None:
    """Write the report of these folders, and print its table. to: None for the first folder's own."""
    from clutrr.report.load import load_results
    from clutrr.report.outcome import outcome_of
    from clutrr.report.summary import summarise
    from clutrr.report.write import PAGE, write_report

    summary = summarise(load_results(folders))
    own, to = to is None, to or folders[0] / "report"
    files = write_report(summary, to, own)
    if as_json:
        print_json({**outcome_of(summary).to_json(), "files": [str(file) for file in files]})
        return
    _print(summary)
    say(f"The page: {to / PAGE}")


def _print(summary: "Summary") -> None:
    from rich.console import Console

    from clutrr.report.table import closing_lines, terminal_tables

    width = None if sys.stdout.isatty() else 200
    console = Console(width=width, emoji=False)
    for table in terminal_tables(summary, console.width):
        console.print(table)
    for line in closing_lines(summary):
        console.print(shown(line), highlight=False, markup=False)
