"""clutrr merge: results of one experiment that were measured apart, as one result file."""

from typing import Annotated

import typer

from clutrr.cli.options import AsJson, Where, path_or_url
from clutrr.cli.show import print_json, say


def merge(
    results: Annotated[
        list[Where],
        typer.Argument(
            help="Result files (OUT/report/table.json), or folders of `clutrr reproduce`.",
            show_default=False,
            parser=path_or_url,
        ),
    ],
    to: Annotated[
        Where,
        typer.Option(
            help="The result file to write: a new one, or one of those that are merged.",
            show_default=False,
            parser=path_or_url,
        ),
    ],
    replace: Annotated[
        bool,
        typer.Option(
            "--replace",
            help="If two hold the same model trained on the same stories, keep the figures of the later.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Put results of one experiment together: other models, other seeds, another machine.

    Refused are different experiments, different stories (by their checksums), and different figures for the
    same training. With one folder, write its result file.
    """
    from clutrr.errors import OutputError
    from clutrr.files import is_there, replace_text, writing
    from clutrr.report.merge import load_part
    from clutrr.report.merge import merge as merged
    from clutrr.report.result_file import result_text

    outcome = merged([load_part(path) for path in results], replace)
    if is_there(to) and str(to.absolute()) not in {str(path.absolute()) for path in results}:
        raise OutputError(f"{to} already exists: choose another name, or merge it too")
    with writing(to):
        replace_text(to, result_text(outcome))
    if as_json:
        print_json({**outcome.to_json(), "file": str(to)})
        return
    trainings = sum(len(made.trainings) for made in outcome.made)
    say(f"{to}: {trainings} trainings of {', '.join(outcome.grid.models)}; {len(outcome.missing)} missing")
