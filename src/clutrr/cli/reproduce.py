"""clutrr reproduce: the whole experiment, from nothing to the report."""

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clutrr.cli.options import AsJson, Cluster, Device, Where, path_or_url, words
from clutrr.cli.report import show_report
from clutrr.cli.show import command_line, watch
from clutrr.errors import ConfigError

if TYPE_CHECKING:
    from clutrr.experiment.matrix import Matrix


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
    composer-strict, stories (with noise and in prose), stories-windows, messages, real-text (with --encoder),
    quick (the default) and full (--full).
    """
    from clutrr.experiment.matrix import at_place, find_matrix
    from clutrr.experiment.reproduce import check_inputs
    from clutrr.experiment.reproduce import reproduce as run
    from clutrr.report.figures import check_installed
    from clutrr.workers import open_crew

    if full and matrix is not None:
        raise ConfigError("--full and --matrix: give only one of them")
    start = find_matrix(matrix or ("builtin:full" if full else "builtin:quick"), models is not None)
    wanted = _changed(start, models, seeds, data, encoder)
    with at_place(matrix or ""):
        check_inputs(wanted)
    check_installed()
    started = time.monotonic()
    cells = len(list(wanted.cells()))
    with watch(cells) as shown, open_crew(cluster, None, shown.say) as crew:
        if wanted.about:
            shown.say(wanted.about)
        for result in run(wanted, out, device, shown.say, crew, command_line()):
            shown.finish(result)
        shown.say(f"{cells} trainings in {time.monotonic() - started:.0f} s")
    show_report([out], None, as_json)


def _changed(
    start: "Matrix",
    models: str | None = None,
    seeds: str | None = None,
    data: Where | None = None,
    encoder: str | None = None,
) -> "Matrix":
    """The matrix with the changes that the options ask for."""
    from clutrr.experiment.matrix import seeds_of

    changed = start if data is None else start.on_files(str(data))
    if models is not None:
        changed = replace(changed, models=words(models, "models"))
    if seeds is not None:
        changed = replace(changed, seeds=seeds_of(int(seeds) if seeds.isdecimal() else seeds))
    if encoder is not None:
        changed = replace(changed, how=replace(changed.how, encoder=encoder))
    return changed
