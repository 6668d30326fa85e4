"""clutrr reproduce: the whole experiment, from nothing to the report."""

import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clutrr.cli.options import numbers
from clutrr.cli.report import show_report
from clutrr.cli.watch import watch
from clutrr.errors import ConfigError

if TYPE_CHECKING:
    from clutrr.experiment.matrix import Matrix


def reproduce(
    out: Annotated[Path, typer.Argument(help="The folder for stories, records and report.")] = Path(
        "reproduction"
    ),
    full: Annotated[
        bool, typer.Option("--full", help="The paper's sizes, rather than some for a laptop.")
    ] = False,
    preset: Annotated[
        str | None, typer.Option(help="published, described or sound.", show_default="published")
    ] = None,
    k: Annotated[str | None, typer.Option(help="Lengths: 3-6 or 2,3.", show_default="3-6")] = None,
    models: Annotated[
        str | None,
        typer.Option(
            help="Models, with commas: any that `clutrr train` knows.", show_default="lstm,gnn,gnn-attention"
        ),
    ] = None,
    seeds: Annotated[int | None, typer.Option(help="Trainings of each kind.", show_default="1")] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    data: Annotated[
        Path | None,
        typer.Option(
            help="Files to learn the wording of and to test on; trained on generated stories.",
            show_default="test on generated stories",
        ),
    ] = None,
    epochs: Annotated[
        int | None, typer.Option(help="Passes over the stories.", show_default="25; with --full 60")
    ] = None,
    matrix: Annotated[
        Path | None, typer.Option(help="A matrix.yaml to run instead.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Generate the stories, audit them, train and test every model, and show the paper's table.

    A killed run goes on where it was with the same command. OUT/matrix.yaml says what was run;
    a copy of it, edited, is another experiment for --matrix.
    """
    from clutrr.experiment.config import reads_with_encoder
    from clutrr.experiment.matrix import FULL, QUICK, Matrix
    from clutrr.experiment.reproduce import reproduce as run
    from clutrr.models import any_recipe
    from clutrr.paper import reduced
    from clutrr.report.figures import check_installed

    if full and matrix is not None:
        raise ConfigError("--full and --matrix: give one of them")
    start = Matrix.load(matrix) if matrix is not None else FULL if full else QUICK
    wanted = _changed(start, preset, k, models, seeds, data, epochs)
    for model in wanted.models:
        any_recipe(model, wanted.encoder if reads_with_encoder(model) else "")
    if data is not None and not data.exists():
        raise ConfigError(f"data: there is no {data}")
    check_installed()
    started = time.monotonic()
    cells = len(list(wanted.cells()))
    with watch(cells) as shown:
        if smaller := reduced(asdict(wanted)):
            shown.say(f"reduced, for the paper's sizes add --full: {'; '.join(smaller)}")
        for result in run(wanted, out, device, shown.say, shown.show):
            shown.finish(result)
        shown.say(f"{cells} trainings in {time.monotonic() - started:.0f} s")
    show_report([out], None, as_json)


def _changed(
    start: "Matrix",
    preset: str | None,
    k: str | None,
    models: str | None,
    seeds: int | None,
    data: Path | None,
    epochs: int | None,
) -> "Matrix":
    """The matrix with what the flags say."""
    changes: dict[str, Any] = {
        "preset": preset,
        "k": None if k is None else numbers(k, "k"),
        "models": None if models is None else tuple(name.strip() for name in models.split(",")),
        "seeds": seeds,
        "data": None if data is None else str(data),
        "epochs": epochs,
    }
    return replace(start, **{name: value for name, value in changes.items() if value is not None})
