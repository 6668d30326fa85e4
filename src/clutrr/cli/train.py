"""clutrr train: a model on the stories of some lengths."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from clutrr import api
from clutrr.cli.options import AsJson, Data, DataWorld, Device, Where, path_or_url
from clutrr.cli.show import print_json, progress_with_note, say
from clutrr.experiment.config import TrainConfig
from clutrr.measure import numbers, written

if TYPE_CHECKING:
    from clutrr.experiment.job import Progress
    from clutrr.experiment.run import Run


def train(
    data: Data,
    run: Annotated[
        Where,
        typer.Argument(help="The folder to write the training to.", show_default=False, parser=path_or_url),
    ],
    model: Annotated[
        str,
        typer.Option(
            help="lstm, gnn, gnn-attention, composer, epignn, algebra, pairs, or FILE.py:NAME; "
            "a variant follows a plus sign, as in composer+spliced."
        ),
    ] = TrainConfig.model,
    k: Annotated[str, typer.Option(help="Lengths to train on: 3, 2-3, or 2,4.")] = written(TrainConfig.k),
    seed: Annotated[
        int, typer.Option(help="Seed of the weights, the order of the stories and the random vectors.")
    ] = TrainConfig.seed,
    device: Device = "auto",
    epochs: Annotated[int, typer.Option(help="Passes over the stories.")] = TrainConfig.epochs,
    batch: Annotated[int, typer.Option(help="Stories per step.")] = TrainConfig.batch,
    learning_rate: Annotated[float, typer.Option(help="Adam's learning rate.")] = TrainConfig.learning_rate,
    encoder: Annotated[
        str, typer.Option(help="For pairs: the pretrained encoder, a folder or a name on the hub.")
    ] = TrainConfig.encoder,
    world: DataWorld = None,
    force: Annotated[bool, typer.Option("--force", help="Replace another training in RUN.")] = False,
    as_json: AsJson = False,
) -> None:
    """Train a model on the training stories of some lengths.

    To continue a training that was killed, run the same command again. On the CPU the same seed gives
    the same weights, bit for bit; on a GPU the last bits differ from run to run.
    """
    import torch

    torch.set_num_threads(1)
    started = time.monotonic()
    with progress_with_note(model) as show:
        done = api.train(
            data,
            run,
            world=world,
            show=lambda progress: show(progress.done, progress.total, _so_far(progress)),
            model=model,
            k=numbers(k, "k"),
            seed=seed,
            device=device,
            epochs=epochs,
            batch=batch,
            learning_rate=learning_rate,
            encoder=encoder,
            force=force,
        )
    _print_run(run, done, time.monotonic() - started, as_json)


def _so_far(progress: "Progress") -> str:
    last = progress.last
    fit = f", loss {last.loss:.4f}, accuracy {last.accuracy:.1f} %" if last else ""
    return f"epoch {progress.epoch + 1} of {progress.epochs}{fit}"


def _print_run(run: Where, done: "Run", seconds: float, as_json: bool) -> None:
    config, last, stories = done.config, done.epochs[-1], done.data["stories"]
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
                "device": done.device,
                "seconds": round(seconds, 2),
            }
        )
        return
    say(
        f"{run}: {config.model} trained on {stories:,} stories of {', '.join(config.trained_on)}, "
        f"{len(done.epochs)} epochs on {done.device} in {seconds:.1f} s; "
        f"loss {last.loss:.4f}, {last.accuracy:.1f} % of the training stories right."
    )
