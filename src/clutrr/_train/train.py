"""A training, as users ask for it."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from clutrr._arguments import LocationLike, with_settings
from clutrr._config import read_numbers
from clutrr._data.given import DataLike, WorldLike, open_data
from clutrr._display import notebook_bar
from clutrr._io.executors import print_notice
from clutrr._io.locations import parse_location
from clutrr._train.config import TrainConfig, choose_device
from clutrr._train.job import TrainJob, run_training
from clutrr._train.loop import one_thread
from clutrr._train.run import OBJECT, Run
from clutrr.errors import ArgumentError
from clutrr.models import Blueprint, Keep, Recipe

_SETTINGS = tuple(one.name for one in fields(TrainConfig) if one.name not in ("model", "k"))


def _nothing(run: Run, done: int, total: int) -> None:
    """Show nothing, where nobody says what to show."""


@with_settings(*_SETTINGS)
def train(
    data: DataLike,
    run: LocationLike,
    *,
    model: Any = TrainConfig.model,
    k: Any = TrainConfig.k,
    world: WorldLike | None = None,
    device: str = "auto",
    skip_bad: bool = False,
    force: bool = False,
    show: Callable[[Run, int, int], None] = _nothing,
    **settings: Any,
) -> Run:
    """Train a model on the training stories of some lengths, and return the record of the run.

    Called again, it continues a training that was killed. On the CPU it works in one thread, and the same
    seed gives the same weights, bit for bit.

    - run: the folder to write the training to
    - model: a name, `FILE.py:NAME`, or a `Recipe` (docs/own-model.md), which `evaluate` needs again
    - k: lengths to train on: 3, "2-4", range(2, 5) or a list; (2, 4) is two lengths, 2 and 4
    - device: auto, cpu or cuda
    - skip_bad: whether to leave out rows and files that cannot be read, and name them
    - force: whether to replace another training
    - show: called after each step with the run so far, the stories done, and all that there are to do; without
      it, a notebook shows a bar
    - settings: `seed`, `epochs`, `batch`, `learning_rate` and `encoder`, as for `clutrr train`

    >>> from clutrr import generate
    >>> train(generate(k=2, size=20), "run", model="gnn", k=2, epochs=1, device="cpu").finished
    True
    """
    named, given = _named(model)
    config = TrainConfig(named, read_numbers(k, "k"), **settings)
    opened = open_data(data, world, skip_bad=skip_bad)
    job = TrainJob(opened, parse_location(run), config, choose_device(device), force, given)
    if show is _nothing:
        bar = notebook_bar(f"Training {named}")

        def show(run: Run, done: int, total: int) -> None:
            bar(done, total, f"stories, epoch {len(run.epochs) + 1} of {run.config.epochs}")

    with one_thread():
        trained = run_training(job, show)
    opened.notes.tell(print_notice)
    return trained


def _named(given: Any) -> tuple[str, Blueprint | None]:
    """Return the name of a model, and the object, if it is one."""
    if isinstance(given, str):
        return given, None
    if not isinstance(given, Blueprint):
        raise ArgumentError(
            "is not a name, nor a Recipe of three parts", setting="model", value=given
        )
    part: Any = type(given)
    if isinstance(given, Recipe):
        part = given.reader if given.processor is Keep else given.processor
    return OBJECT + getattr(part, "__name__", type(given).__name__), given
