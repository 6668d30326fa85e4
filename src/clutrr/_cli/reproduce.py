"""clutrr reproduce: the whole experiment, from nothing to the report; report: its table, figures and page."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import clutrr
from clutrr._cli.options import (
    AsJson,
    Cluster,
    Device,
    Encoder,
    Location,
    flag,
    option,
    path_or_url,
    place,
)
from clutrr._cli.show import command_line, experiment_json, print_experiment, print_json, say
from clutrr.errors import ConfigError, Give, Hint, WorkError

if TYPE_CHECKING:
    from clutrr._score.result import Result


def reproduce(
    out: Annotated[
        Location, place("The folder for stories, results and report.", show_default=True)
    ] = Path("reproduction"),
    full: Annotated[
        bool, flag("--full", "The paper's sizes, instead of sizes for a laptop.")
    ] = False,
    models: Annotated[
        str | None,
        option(
            "Models, separated by commas: any that `clutrr train` takes.", "lstm,gnn,gnn-attention"
        ),
    ] = None,
    seeds: Annotated[
        str | None, option("How many seeds for each training, or which (3-5).", "1")
    ] = None,
    device: Device = "auto",
    data: Annotated[
        Location | None,
        option(
            "Files to test on, after training on generated stories in their wording; if the matrix "
            "trains on a folder, that folder.",
            "test on generated stories",
            parser=path_or_url,
        ),
    ] = None,
    encoder: Encoder = "",
    epochs: Annotated[
        int | None, option("How long each model is trained.", "as in the matrix")
    ] = None,
    train: Annotated[
        int | None, option("Stories of each length to train on.", "as in the matrix")
    ] = None,
    test: Annotated[
        int | None, option("Stories of each length to test on.", "as in the matrix")
    ] = None,
    matrix: Annotated[
        str | None, option("Run this experiment instead: a file, or one of the names above.", False)
    ] = None,
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Generate the stories, audit them, train and test every model, and show the paper's table.

    To continue a run that was killed, run the same command again. OUT/matrix.yaml says what was run; edit a
    copy of it and name it with --matrix to run another experiment. The experiments by name are those of the
    paper: quick (the default), full (--full) and table-1 (five seeds, and the composer). A checkout has
    those of the documentation's pages in experiments/, as in --matrix experiments/composer.yaml.
    """
    from clutrr._report.figures import check_installed

    reproduction = clutrr.reproduce  # which names torch, if it is missing, before the figures do
    check_installed()
    if full and matrix is not None:
        raise ConfigError("give only one of them", setting="full, matrix")
    started, finished = time.monotonic(), 0
    failure = None

    def tell(text: str) -> None:
        say(text, file=sys.stderr, flush=True)

    def each(result: "Result") -> None:
        nonlocal finished
        finished += 1
        tested = ", ".join(
            f"{subset} {score.accuracy:.1f}" for subset, score in result.tested.items()
        )
        seconds = 0.0 if result.training is None else result.training.seconds
        tell(f"[{finished}] {result.name}: {tested} % in {seconds:.0f} s")

    given: dict[str, Any] = {"models": models, "seeds": seeds, "data": data}
    given |= {"encoder": encoder or None, "epochs": epochs, "train": train, "test": test}
    changes = {name: value for name, value in given.items() if value is not None}
    try:
        reproduction(
            out,
            matrix or ("builtin:full" if full else "builtin:quick"),
            device=device,
            cluster=cluster,
            say=tell,
            each=each,
            command=command_line(),
            **changes,
        )
    except WorkError as error:
        if not finished:
            raise
        failure = error  # the others are finished, and shown
    tell(f"{finished} trainings in {time.monotonic() - started:.0f} s")
    report([out], None, as_json)
    if failure is not None:
        raise failure


def report(
    out: Annotated[
        list[Location],
        place(
            "Folders of `reproduce`, runs that were evaluated, files of answers that `evaluate` wrote, folders "
            "of `score --to` or `report --to`, or the table.json in them; several are put together.",
            metavar="OUT...",
        ),
    ],
    to: Annotated[
        Location | None,
        option("The folder to write the report into.", "OUT/report", parser=path_or_url),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show results, whatever wrote them: an experiment beside the paper's table, or models side by side.

    Written are the table (Markdown, and the results as JSON), accuracy by length and, of an experiment, Figure
    2 (SVG, PNG), and one page with all of it and what a composer learnt. Trainings that are not finished are
    shown as missing. Parts of an experiment are put together; refused are different experiments, different
    stories (by their checksums), and different figures for the same training.
    """
    if to is None and not out[0].is_dir():
        raise ConfigError(
            "not a folder",
            place=out[0],
            hint=Hint("name one to write the report into: {}", (Give("to"),)),
        )
    page = (to or out[0] / "report") / "index.html"
    experiment = clutrr.report(*out, to=page.parent)
    if as_json:
        print_json({**experiment_json(experiment), "page": str(page)})
        return
    print_experiment(experiment)
    say(f"The page: {page}")
