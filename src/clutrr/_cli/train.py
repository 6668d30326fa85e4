"""clutrr train: a model on the stories of some lengths; evaluate: how often it is right."""

import time
from typing import TYPE_CHECKING, Annotated

import clutrr
from clutrr._cli.options import (
    AsJson,
    Data,
    DataWorld,
    Device,
    Encoder,
    Force,
    Location,
    SkipBad,
    flag,
    option,
    path_or_url,
    place,
)
from clutrr._cli.show import command_line, print_json, print_result, print_table, progress, say
from clutrr._measure import counted, written
from clutrr._train.config import TrainConfig

if TYPE_CHECKING:
    from clutrr._train.run import Run

_SHOWN = 5  # pairs of target and answer


def train(
    data: Data,
    run: Annotated[Location, place("The folder to write the training to.")],
    model: Annotated[
        str,
        option(
            "lstm, gnn, gnn-attention, composer, epignn, algebra, pairs, or FILE.py:NAME; "
            "a variant follows a plus sign, as in composer+spliced."
        ),
    ] = TrainConfig.model,
    k: Annotated[
        str, option("Lengths to train on: 3, or 2-4 (three lengths), or 2,4 (two).")
    ] = written(TrainConfig.k),
    seed: Annotated[
        int, option("Seed of the weights, the order of the stories and the random vectors.")
    ] = TrainConfig.seed,
    device: Device = "auto",
    epochs: Annotated[int, option("Passes over the stories.")] = TrainConfig.epochs,
    batch: Annotated[int, option("Stories per step.")] = TrainConfig.batch,
    learning_rate: Annotated[float, option("Adam's learning rate.")] = TrainConfig.learning_rate,
    encoder: Encoder = TrainConfig.encoder,
    world: DataWorld = None,
    skip_bad: SkipBad = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Train a model on the training stories of some lengths.

    To continue a training that was killed, run the same command again. On the CPU the same seed gives
    the same weights, bit for bit; on a GPU the last bits differ from run to run.
    """
    settings = {name: value for name, value in locals().items() if name != "as_json"}
    started = time.monotonic()
    with progress(model) as tell:
        done = clutrr.train(
            show=lambda so_far, stories, total: tell(0, stories, total, _so_far(so_far)), **settings
        )
    seconds = time.monotonic() - started
    config, last, stories = done.config, done.epochs[-1], done.data["stories"]
    if as_json:
        about = {
            "run": str(run),
            "model": config.model,
            "trained_on": config.trained_on,
            "stories": stories,
        }
        fit = {"epochs": len(done.epochs), "loss": last.loss, "accuracy": last.accuracy}
        print_json({**about, **fit, "device": done.device, "seconds": round(seconds, 2)})
        return
    say(
        f"{run}: {config.model} trained on {stories:,} stories of {', '.join(config.trained_on)}, "
        f"{counted(len(done.epochs), 'epoch')} on {done.device} in {seconds:.1f} s; "
        f"loss {last.loss:.4f}, {last.accuracy:.1f} % of the training stories right."
    )


def _so_far(run: "Run") -> str:
    fit = "".join(
        f", loss {last.loss:.4f}, accuracy {last.accuracy:.1f} %" for last in run.epochs[-1:]
    )
    return f"epoch {len(run.epochs) + 1} of {run.config.epochs}{fit}"


def evaluate(
    run: Annotated[Location, place("The folder of a training.")],
    data: Data,
    split: Annotated[str, option("The split to test on, where the data has splits.")] = "test",
    world: DataWorld = None,
    device: Device = "auto",
    skip_bad: SkipBad = False,
    trust: Annotated[
        bool, flag("--trust", "Run the program RUN/model.py, if the model is not one of ours.")
    ] = False,
    to: Annotated[
        Location | None,
        option("The file for the answers.", "RUN/predictions.parquet", parser=path_or_url),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Test a trained model on every subset of the data, and write its answers with the result.

    Intervals are 95 % (Wilson). Relations that the model never saw count as wrong. A training that is
    not finished is tested as it is, and the output says so. The run of a model of your own holds a
    program, which is run only with --trust.
    """
    settings = {name: value for name, value in locals().items() if name != "as_json"}
    answers = clutrr.evaluate(**settings, command=command_line())
    if as_json:
        print_json(answers.to_json())
        return
    trained, config = answers.run, answers.run.config
    so_far = "" if trained.finished else f", {len(trained.epochs)} of {config.epochs} epochs"
    named = f"{config.model} trained on {', '.join(config.trained_on)}{so_far}"
    print_result(f"{named}, tested on {data}", answers.result)
    wrong = [
        [*pair, times] for pair, times in answers.confusion.most_common() if pair[0] != pair[1]
    ]
    if wrong:
        columns = ["target", "answered", "stories"]
        print_table("Most frequent mistakes (--json lists all)", columns, wrong[:_SHOWN])
    if answers.unknown_words or answers.unknown_targets:
        say(
            f"The model never saw {answers.unknown_words:,} of the words read, "
            f"nor the answers of {answers.unknown_targets:,} stories, which count as wrong."
        )
    if so_far:
        say(f"The training is not finished: {len(trained.epochs)} of {config.epochs} epochs.")
    say(f"Every answer is in {answers.file}.")
