"""clutrr reproduce: the whole experiment, from nothing to the report."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from clutrr import api
from clutrr.cli.options import AsJson, Cluster, Device, Where, path_or_url, words
from clutrr.cli.report import show_report
from clutrr.cli.show import command_line, watch
from clutrr.errors import ConfigError, WorkError


def reproduce(
    out: Annotated[
        Where, typer.Argument(help="The folder for stories, results and report.", parser=path_or_url)
    ] = Path("reproduction"),
    full: Annotated[
        bool, typer.Option("--full", help="The paper's sizes, instead of sizes for a laptop.")
    ] = False,
    models: Annotated[
        str | None,
        typer.Option(
            help="Models, separated by commas: any that `clutrr train` takes.",
            show_default="lstm,gnn,gnn-attention",
        ),
    ] = None,
    seeds: Annotated[
        str | None, typer.Option(help="How many seeds for each training, or which (3-5).", show_default="1")
    ] = None,
    device: Device = "auto",
    data: Annotated[
        Where | None,
        typer.Option(
            parser=path_or_url,
            help="Files to test on, after training on generated stories in their wording; if the matrix "
            "trains on a folder, that folder.",
            show_default="test on generated stories",
        ),
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            help="For pairs: the pretrained encoder, a folder or a name on the hub.", show_default=False
        ),
    ] = None,
    matrix: Annotated[
        str | None,
        typer.Option(
            help="Run this experiment instead: a file, or one of the names above.", show_default=False
        ),
    ] = None,
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Generate the stories, audit them, train and test every model, and show the paper's table.

    To continue a run that was killed, run the same command again. OUT/matrix.yaml says what was run; edit a
    copy of it and name it with --matrix to run another experiment. There are also experiments by name:
    table-1, sound, composer, composer-spliced, composer-both, composer-both-later, composer-one-length,
    composer-strict, algebra (four worlds), stories (with noise and in prose), stories-windows, messages,
    real-text (with --encoder), quick (the default) and full (--full).
    """
    from clutrr.experiment.matrix import at_place, find_matrix
    from clutrr.experiment.reproduce import check_inputs
    from clutrr.reports.figures import check_installed

    if full and matrix is not None:
        raise ConfigError("--full and --matrix: give only one of them")
    named = matrix or ("builtin:full" if full else "builtin:quick")
    changes: dict[str, Any] = {
        "models": models and words(models, "models"),
        "seeds": seeds,
        "data": data,
        "encoder": encoder,
    }
    wanted = find_matrix(named, models is not None).changed(**changes)
    with at_place(matrix or ""):
        check_inputs(wanted)
    check_installed()
    started = time.monotonic()
    cells = len(list(wanted.cells()))
    failure = None
    with watch(cells) as shown:
        if wanted.about:
            shown.say(wanted.about)
        try:
            api.reproduce(
                out,
                named,
                device=device,
                cluster=cluster,
                say=shown.say,
                each=shown.finish,
                command=command_line(),
                **changes,
            )
        except WorkError as error:
            if not shown.finished:
                raise
            failure = error  # the others are finished, and shown
        shown.say(f"{shown.finished} trainings in {time.monotonic() - started:.0f} s")
    show_report([out], None, as_json)
    if failure is not None:
        raise failure
