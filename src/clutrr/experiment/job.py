"""A training from data to a finished run: start, go on, save, stop."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import torch
from torch import Tensor

from clutrr.data import WORLD, open_dataset
from clutrr.errors import ConfigError, OutputError
from clutrr.experiment.config import TrainConfig, seed_of
from clutrr.experiment.division import divide_by_sentences
from clutrr.experiment.loop import Training, answer
from clutrr.experiment.run import (
    CHECKPOINT,
    RECORD,
    Checkpoint,
    Epoch,
    Run,
    clear_run,
    is_run,
    keep_own_model,
    load_checkpoint,
    load_weights,
    own_model,
    own_recipe,
    save_record,
)
from clutrr.experiment.source import digest, of_lengths
from clutrr.files import file_digest, is_empty, locked, writing
from clutrr.models import Passages, SelfTaught, Stories, any_recipe, learn_vocabulary
from clutrr.world import World, save_world

_LOCK = ".lock"
_SAVE_EVERY = 5.0  # seconds, at least; a killed training repeats what came after


@dataclass(frozen=True)
class TrainJob:
    """What to train, on which data, and where to. force: replace another training there. world: instead
    of the data's own."""

    data: Path
    run: Path
    config: TrainConfig
    device: torch.device
    force: bool = False
    world: str | Path | World | None = None


@dataclass(frozen=True)
class Progress:
    """How far a training is: stories done and in all; the epoch at work; the last finished one."""

    done: int
    total: int
    epoch: int
    epochs: int
    last: Epoch | None


Show = Callable[[Progress], None]


def train(job: TrainJob, show: Show = lambda progress: None) -> Run:
    """Train to the end, from the checkpoint in the run's folder where there is one."""
    config = job.config
    any_recipe(config.model, config.encoder)
    data = open_dataset(job.data, job.world)
    table = of_lengths(data.split("train"), config.k, job.data)
    file = own_model(config.model)
    run = Run(
        config,
        learn_vocabulary([table], data.world),
        {"name": data.world.name, "sha256": data.world.digest},
        {"stories": table.num_rows, "sha256": digest([table])},
        device=job.device.type,
        model_sha256=None if file is None else file_digest(file),
    )
    if job.run.exists() and not job.run.is_dir():
        raise OutputError(f"{job.run} is a file; a run is a folder")
    with writing(job.run), locked(job.run / _LOCK):
        before = _begun(job, run)
        if before is not None and before.run.finished:
            save_record(before.run, job.run)
            return before.run
        return _train(job, run, table, data.world, before, show)


def _train(
    job: TrainJob, run: Run, table: pa.Table, world: World, before: Checkpoint | None, show: Show
) -> Run:
    if before is None:
        save_record(run, job.run)  # from here on the folder is known to be a run
    keep_own_model(run, job.run)
    save_world(world, job.run / WORLD)
    made_from = own_recipe(run, job.run)
    config = run.config
    stories, watched = _divide(made_from.encode(table, run.vocabulary, teach=True), table, config)
    run = replace(run, data={**run.data, "training": len(stories)})
    training = Training(run.build(made_from), stories, config, job.device, made_from.recorded)
    state = _State(run, training, watched.to(job.device) if watched else None)
    if before is not None:
        state.restore(before, job.run)
    return state.train(job.run, show)


def _begun(job: TrainJob, run: Run) -> Checkpoint | None:
    """The checkpoint to go on from, if the folder has one of this very training."""
    if not is_run(job.run):
        if not is_empty(job.run, _LOCK, RECORD):
            raise OutputError(f"{job.run} holds something other than a training: choose another folder")
        return None
    if job.force:
        clear_run(job.run)
    if not (job.run / CHECKPOINT).is_file():
        return None
    before = load_checkpoint(job.run)
    if what := run.differs(before.run):
        raise OutputError(
            f"{job.run} holds a training with another {what}: choose another folder, or add --force"
        )
    return before


def _divide(
    stories: Stories | Passages, table: pa.Table, config: TrainConfig
) -> tuple[Stories | Passages, Stories | Passages | None]:
    """The stories to train on, and those kept aside; where text is read, they share no sentence."""
    if isinstance(stories, Passages) and config.validation:
        seed = seed_of(config.seed, "validation")
        parts = divide_by_sentences(table["story"].to_pylist(), config.validation, seed)
        if not all(parts):
            raise ConfigError(
                f"validation: no division of {len(stories)} stories in which none share a sentence"
            )
        taught, kept_aside = (stories.select(torch.tensor(part)) for part in parts)
        return taught, kept_aside
    kept = round(len(stories) * config.validation)
    if not kept:
        if config.validation:
            raise ConfigError(f"validation: {config.validation} of {len(stories)} stories is none")
        return stories, None
    generator = torch.Generator().manual_seed(seed_of(config.seed, "validation"))
    order = torch.randperm(len(stories), generator=generator)
    return stories.select(order[kept:]), stories.select(order[:kept])


class _State:
    """A training on its way."""

    def __init__(self, run: Run, training: Training, watched: Stories | Passages | None) -> None:
        self.run = run
        self.training = training
        self.watched = watched
        self.best: dict[str, Tensor] = {}

    def train(self, folder: Path, show: Show) -> Run:
        saved = time.monotonic()
        of, epochs = len(self.training.stories), self.run.config.epochs
        while not self._is_over():
            started = time.monotonic()
            number = len(self.run.epochs)
            last = self.run.epochs[-1] if number else None
            done = number * of
            for stories in self.training.steps(number):
                done += stories
                show(Progress(done, epochs * of, number, epochs, last))
            result = self.training.result()
            if isinstance(self.training.model, SelfTaught) and (self.watched or number + 1 == epochs):
                self.training.model.settle(self.training.stories)
            validation = self._validate()
            epoch = Epoch(result.loss, result.accuracy, validation, round(time.monotonic() - started, 3))
            self.run = replace(self.run, epochs=(*self.run.epochs, epoch))
            if time.monotonic() - saved > _SAVE_EVERY:
                self.checkpoint().save(folder)
                saved = time.monotonic()
        self.run = replace(self.run, finished=True)
        self.checkpoint().save(folder)
        return self.run

    def _is_over(self) -> bool:
        config, epochs = self.run.config, self.run.epochs
        if len(epochs) >= config.epochs:
            return True
        return bool(config.patience) and len(epochs) - 1 - self._best_epoch() >= config.patience

    def _best_epoch(self) -> int:
        accuracy = [epoch.validation or 0.0 for epoch in self.run.epochs]
        return accuracy.index(max(accuracy)) if accuracy else 0

    def _validate(self) -> float | None:
        if self.watched is None:
            return None
        generator = torch.Generator(self.training.device)
        generator.manual_seed(seed_of(self.run.config.seed, "watch", len(self.run.epochs)))
        found = answer(self.training.model, self.watched, generator).argmax(1)
        accuracy = 100 * (found == self.watched.target).double().mean().item()
        if self.run.config.patience and all(accuracy > (e.validation or 0.0) for e in self.run.epochs):
            self.best = {k: v.clone() for k, v in self.training.model.state_dict().items()}
        return accuracy

    def checkpoint(self) -> Checkpoint:
        tensors = {f"model.{k}": v for k, v in self.training.model.state_dict().items()}
        tensors |= {f"best.{k}": v for k, v in self.best.items()}
        for i, parameter in enumerate(self.training.model.parameters()):
            state = self.training.optimiser.state[parameter]
            tensors |= {f"optimiser.{i}.{k}": v for k, v in state.items()}
        return Checkpoint(self.run, tensors)

    def restore(self, before: Checkpoint, folder: Path) -> None:
        """Go on from there. In place, since a recorded step holds on to its tensors."""
        training = self.training
        self.run = before.run
        self.best = {k: v.to(training.device) for k, v in before.part("best.").items()}
        load_weights(training.model, before.part("model."), folder)
        for i, parameter in enumerate(training.model.parameters()):
            state = training.optimiser.state[parameter]
            for key, value in before.part(f"optimiser.{i}.").items():
                if key in state:
                    state[key].copy_(value)
                else:
                    state[key] = value.to(training.device)
