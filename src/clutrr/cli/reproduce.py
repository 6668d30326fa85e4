"""clutrr reproduce: the whole experiment, from nothing to the report; report: its table, figures and page."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from clutrr import api
from clutrr.cli.options import AsJson, Cluster, Device, Encoder, Where, flag, option, path_or_url, place
from clutrr.cli.show import command_line, experiment_json, print_experiment, print_json, say
from clutrr.errors import ConfigError, WorkError

if TYPE_CHECKING:
    from clutrr.scoring.result import Result


def reproduce(
    out: Annotated[Where, place("The folder for stories, results and report.", show_default=True)] = Path(
        "reproduction"
    ),
    full: Annotated[bool, flag("--full", "The paper's sizes, instead of sizes for a laptop.")] = False,
    models: Annotated[
        str | None,
        option("Models, separated by commas: any that `clutrr train` takes.", "lstm,gnn,gnn-attention"),
    ] = None,
    seeds: Annotated[str | None, option("How many seeds for each training, or which (3-5).", "1")] = None,
    device: Device = "auto",
    data: Annotated[
        Where | None,
        option(
            "Files to test on, after training on generated stories in their wording; if the matrix "
            "trains on a folder, that folder.",
            "test on generated stories",
            parser=path_or_url,
        ),
    ] = None,
    encoder: Encoder = "",
    matrix: Annotated[
        str | None, option("Run this experiment instead: a file, or one of the names above.", False)
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
    import torch  # noqa: F401  whose extra is named first

    from clutrr.reports.figures import check_installed

    check_installed()
    if full and matrix is not None:
        raise ConfigError("--full and --matrix: give only one of them")
    started, finished = time.monotonic(), 0
    failure = None

    def tell(text: str) -> None:
        say(text, file=sys.stderr, flush=True)

    def each(result: "Result") -> None:
        nonlocal finished
        finished += 1
        tested = ", ".join(f"{subset} {score.accuracy:.1f}" for subset, score in result.tested.items())
        seconds = 0.0 if result.training is None else result.training.seconds
        tell(f"[{finished}] {result.name}: {tested} % in {seconds:.0f} s")

    given = {"models": models, "seeds": seeds, "data": data, "encoder": encoder or None}
    changes = {name: value for name, value in given.items() if value is not None}
    try:
        api.reproduce(
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
    if to is None and not out[0].is_dir():
        raise ConfigError(f"{out[0]} is not a folder: name one to write the report into: --to FOLDER")
    page = (to or out[0] / "report") / "index.html"
    experiment = api.report(*out, to=page.parent)
    if as_json:
        print_json({**experiment_json(experiment), "page": str(page)})
        return
    print_experiment(experiment)
    say(f"The page: {page}")
