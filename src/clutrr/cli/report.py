"""clutrr report: the table, the figures and a page of an experiment."""

from typing import TYPE_CHECKING, Annotated

from clutrr.cli.options import AsJson, Where, option, path_or_url, place
from clutrr.cli.show import print_json, print_table, say

if TYPE_CHECKING:
    from clutrr.reports.experiment import Experiment


def report(
    out: Annotated[
        list[Where],
        place(
            "The folder of a `clutrr reproduce`, or the table.json of its report; or several of one "
            "experiment, run on several machines.",
            metavar="OUT...",
        ),
    ],
    to: Annotated[
        Where | None,
        option("The folder to write the report into.", "OUT/report", parser=path_or_url),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show an experiment beside the paper's table: made from its results alone.

    Written are the table (Markdown, and the results as JSON), Figure 2 and accuracy by length (SVG, PNG),
    and one page with all of it and what a composer learnt. Trainings that are not finished are shown as
    missing. Several folders are put together; refused are different experiments, different stories (by their
    checksums), and different figures for the same training.
    """
    show_report(out, to, as_json)


def show_report(places: list[Where], to: Where | None, as_json: bool) -> None:
    """Write the report of these folders, and print its table. to: None for the first folder's own."""
    from clutrr.errors import ConfigError
    from clutrr.reports.loading import load_experiment
    from clutrr.reports.write import PAGE, write_report

    experiment = load_experiment(*places)
    if to is None and not places[0].is_dir():
        raise ConfigError("name the folder to write the report into: --to FOLDER")
    folder = to or places[0] / "report"
    files = write_report(experiment, folder)
    if as_json:
        print_json({**experiment_json(experiment), "files": [str(file) for file in files]})
        return
    print_experiment(experiment)
    say(f"The page: {folder / PAGE}")


def experiment_json(experiment: "Experiment") -> dict[str, object]:
    """Return its file, and the entries that have figures."""
    cells = [entry.to_json() for entry in experiment.entries.values() if entry.seeds]
    return {**experiment.to_json(), "cells": cells}


def print_experiment(experiment: "Experiment") -> None:
    """Its table, and what to know when reading it."""
    from clutrr.reports.table import closing_lines, terminal_rows

    header, *rows = terminal_rows(experiment)
    beside = ", and the paper's with our difference from it" if experiment.compared else ""
    print_table(f"Test accuracy in %, its 95 % interval{beside}", header, rows)
    for line in closing_lines(experiment):
        say(line)
