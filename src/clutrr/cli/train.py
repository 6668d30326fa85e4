"""clutrr train: a model on the stories of some lengths."""

import time
from typing import TYPE_CHECKING, Annotated

from clutrr import api
from clutrr.cli.options import AsJson, Data, DataWorld, Device, Encoder, Force, Where, option, place
from clutrr.cli.show import print_json, progress, say
from clutrr.experiment.config import TrainConfig
from clutrr.measure import written

if TYPE_CHECKING:
    from clutrr.experiment.run import Run


def train(
    data: Data,
    run: Annotated[Where, place("The folder to write the training to.")],
    model: Annotated[
        str,
        option(
            "lstm, gnn, gnn-attention, composer, epignn, algebra, pairs, or FILE.py:NAME; "
            "a variant follows a plus sign, as in composer+spliced."
        ),
    ] = TrainConfig.model,
    k: Annotated[str, option("Lengths to train on: 3, 2-3, or 2,4.")] = written(TrainConfig.k),
    seed: Annotated[
        int, option("Seed of the weights, the order of the stories and the random vectors.")
    ] = TrainConfig.seed,
    device: Device = "auto",
    epochs: Annotated[int, option("Passes over the stories.")] = TrainConfig.epochs,
    batch: Annotated[int, option("Stories per step.")] = TrainConfig.batch,
    learning_rate: Annotated[float, option("Adam's learning rate.")] = TrainConfig.learning_rate,
    encoder: Encoder = TrainConfig.encoder,
    world: DataWorld = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Train a model on the training stories of some lengths.

    To continue a training that was killed, run the same command again. On the CPU the same seed gives
    the same weights, bit for bit; on a GPU the last bits differ from run to run.
    """
    settings = {name: value for name, value in locals().items() if name != "as_json"}
    import torch

    torch.set_num_threads(1)
    started = time.monotonic()
    with progress(model) as tell:
        done = api.train(
            show=lambda so_far, stories, total: tell(0, stories, total, _so_far(so_far)), **settings
        )
    seconds = time.monotonic() - started
    config, last, stories = done.config, done.epochs[-1], done.data["stories"]
    if as_json:
        about = {"run": str(run), "model": config.model, "trained_on": config.trained_on, "stories": stories}
        fit = {"epochs": len(done.epochs), "loss": last.loss, "accuracy": last.accuracy}
        print_json({**about, **fit, "device": done.device, "seconds": round(seconds, 2)})
        return
    say(
        f"{run}: {config.model} trained on {stories:,} stories of {', '.join(config.trained_on)}, "
        f"{len(done.epochs)} epochs on {done.device} in {seconds:.1f} s; "
        f"loss {last.loss:.4f}, {last.accuracy:.1f} % of the training stories right."
    )


def _so_far(run: "Run") -> str:
    fit = "".join(f", loss {last.loss:.4f}, accuracy {last.accuracy:.1f} %" for last in run.epochs[-1:])
    return f"epoch {len(run.epochs) + 1} of {run.config.epochs}{fit}"
