"""clutrr train: a model on the stories of some lengths."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from clutrr.cli.options import AsJson, Device, Where, path_or_url
from clutrr.cli.show import print_json, say
from clutrr.measure import numbers

if TYPE_CHECKING:
    from clutrr.experiment.job import Progress


def train(
    data: Annotated[
        Where,
        typer.Argument(
            help="A data set, or any file that can be read.", show_default=False, parser=path_or_url
        ),
    ],
    run: Annotated[
        Where,
        typer.Argument(help="The folder to write the training to.", show_default=False, parser=path_or_url),
    ],
    model: Annotated[
        str,
        typer.Option(
            help="lstm, gnn, gnn-attention, composer, epignn, pairs, or FILE.py:NAME; "
            "a variant follows a plus sign, as in composer+spliced."
        ),
    ] = "gnn-attention",
    k: Annotated[str, typer.Option(help="Lengths to train on: 3, 2-3, or 2,4.")] = "3",
    seed: Annotated[
        int, typer.Option(help="Seed of the weights, the order of the stories and the random vectors.")
    ] = 0,
    device: Device = "auto",
    epochs: Annotated[int, typer.Option(help="Passes over the stories.")] = 60,
    batch: Annotated[int, typer.Option(help="Stories per step.")] = 100,
    learning_rate: Annotated[float, typer.Option(help="Learning rate, for Adam.")] = 0.001,
    validation: Annotated[
        float, typer.Option(help="Share of the stories to set aside for validation.")
    ] = 0.0,
    patience: Annotated[
        int,
        typer.Option(
            help="Stop after this many epochs without improvement on the validation stories; 0: never."
        ),
    ] = 0,
    encoder: Annotated[
        str, typer.Option(help="For pairs: the pretrained encoder, a folder or a name on the hub.")
    ] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace another training in RUN.")] = False,
    as_json: AsJson = False,
) -> None:
    """Train a model on the training stories of some lengths.

    To continue a training that was killed, run the same command again. On the CPU the same seed gives
    the same weights, bit for bit; on a GPU the last bits differ from run to run.
    """
    import torch

    from clutrr.experiment.config import TrainConfig, choose_device
    from clutrr.experiment.job import TrainJob
    from clutrr.experiment.job import train as run_training

    config = TrainConfig(
        model, numbers(k, "k"), seed, epochs, batch, learning_rate, validation, patience, encoder
    )
    job = TrainJob(data, run, config, choose_device(device), force)
    torch.set_num_threads(1)
    started = time.monotonic()
    with _bar() as show:
        done = run_training(job, show)
    seconds = time.monotonic() - started
    last = done.epochs[-1]
    stories = done.data["training"]
    if as_json:
        print_json(
            {
                "run": str(run),
                "model": config.model,
                "trained_on": config.trained_on,
                "stories": stories,
                "epochs": len(done.epochs),
                "loss": last.loss,
                "accuracy": last.accuracy,
                "validation": last.validation,
                "device": done.device,
                "seconds": round(seconds, 2),
            }
        )
        return
    watched = "" if last.validation is None else f", {last.validation:.1f} % of those set aside"
    say(
        f"{run}: {config.model} trained on {stories:,} stories of {', '.join(config.trained_on)}, "
        f"{len(done.epochs)} epochs on {done.device} in {seconds:.1f} s; "
        f"loss {last.loss:.4f}, {last.accuracy:.1f} % of the training stories right{watched}."
    )


@contextmanager
def _bar() -> Iterator["Callable[[Progress], None]"]:
    """A bar with loss, accuracy and time left on standard error, while it is a terminal."""
    if not sys.stderr.isatty():
        yield lambda progress: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading stories", total=None)

        def show(progress: "Progress") -> None:
            last = progress.last
            so_far = f"  loss {last.loss:.4f}  accuracy {last.accuracy:.1f} %" if last else ""
            about = f"epoch {progress.epoch + 1} of {progress.epochs}{so_far}"
            bar.update(task, description=about, completed=progress.done, total=progress.total)

        yield show
