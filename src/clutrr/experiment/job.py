"""Trainings from data to finished runs: start, continue, save, stop."""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc
import torch

from clutrr.data import WORLD, Dataset, open_dataset
from clutrr.errors import ConfigError, OutputError
from clutrr.experiment.config import TrainConfig
from clutrr.experiment.evaluate import digest
from clutrr.experiment.loop import InStep, Training
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
    own_blueprint,
    own_model,
    save_record,
)
from clutrr.files import Where, file_digest, is_empty, locked, writing
from clutrr.models import blueprint, learn_vocabulary
from clutrr.models.text.encoder import encoder_digest, try_encoder
from clutrr.world import World, save_world

_LOCK = ".lock"
_SAVE_EVERY = 5.0  # seconds between saves, at least; a killed training repeats what came after the last


@dataclass(frozen=True)
class TrainJob:
    """A training to be done: settings, data and folder. force: replace another training there. world: instead
    of the data's own."""

    data: Where
    run: Where
    config: TrainConfig
    device: torch.device
    force: bool = False
    world: str | Where | World | None = None


@dataclass(frozen=True)
class Progress:
    """The progress of a training: stories done, and in all; the current epoch; the last finished one."""

    done: int
    total: int
    epoch: int
    epochs: int
    last: Epoch | None


Show = Callable[[Progress], None]
ShowEach = Callable[[int, Progress], None]  # with the number of the training


def train(job: TrainJob, show: Show = lambda progress: None) -> Run:
    """Train to the end, from the checkpoint in the run's folder if there is one."""
    return train_seeds([job], lambda number, progress: show(progress))[0]


def train_seeds(jobs: Sequence[TrainJob], show: ShowEach = lambda number, progress: None) -> list[Run]:
    """Do the same for several trainings that differ only in their seeds and folders, in step."""
    first = jobs[0]
    assert all(
        replace(other, run=first.run, config=first.config, force=first.force) == first for other in jobs
    )
    assert all(replace(other.config, seed=first.config.seed) == first.config for other in jobs)
    blueprint(first.config.model, first.config.encoder)
    data = open_dataset(first.data, first.world)
    table = _stories(data, first)
    new = _new_run(data.world, table, first)
    with ExitStack() as held:
        states = []
        for number, job in enumerate(jobs):
            if job.run.exists() and not job.run.is_dir():
                raise OutputError(f"{job.run} is a file; a run is a folder")
            held.enter_context(writing(job.run))
            held.enter_context(locked(job.run / _LOCK))
            states.append(_State(number, job.run, _begun(job, replace(new, config=job.config))))
        for state in states:
            state.prepare(data.world)
        _train([state for state in states if not state.run.finished], table, first.device, show)
    return [state.run for state in states]


def _stories(data: Dataset, job: TrainJob) -> pa.Table:
    """Return the stories to train on."""
    table = pa.concat_tables(data.split("train").values())
    there = sorted(table["k"].unique().to_pylist())
    if missing := ", ".join(f"M{k}" for k in job.config.k if k not in there):
        listed = ", ".join(f"M{k}" for k in there)
        raise ConfigError(f"k: {job.data} has no training stories of {missing}; it has {listed}")
    wanted = pc.is_in(table["k"], pa.array(job.config.k, table["k"].type))
    return table.filter(wanted).combine_chunks()


def _new_run(world: World, table: pa.Table, job: TrainJob) -> Run:
    """Return a training on these stories that has not begun."""
    file = own_model(job.config.model)
    return Run(
        job.config,
        learn_vocabulary([table], world),
        {"name": world.name, "sha256": world.digest},
        {"stories": table.num_rows, "sha256": digest(table)},
        device=job.device.type,
        model_sha256=None if file is None else file_digest(file),
        encoder_sha256=encoder_digest(job.config.encoder),
    )


def _begun(job: TrainJob, new: Run) -> Checkpoint:
    """Return the checkpoint to continue from, if the folder has one of this training; or an empty one."""
    empty = is_empty(job.run, _LOCK, RECORD)  # looked at first: another run may begin meanwhile
    begun = is_run(job.run)
    if not begun and not empty:
        raise OutputError(f"{job.run} holds something other than a training: choose another folder")
    if begun and job.force:
        clear_run(job.run, new)
    if not (job.run / CHECKPOINT).is_file():
        return Checkpoint(new, {})
    before = load_checkpoint(job.run)
    if what := new.differs(before.run):
        raise OutputError(
            f"{job.run} holds a training with another {what}: choose another folder, or add --force"
        )
    return before


def _train(states: "Sequence[_State]", table: pa.Table, device: torch.device, show: ShowEach) -> None:
    if not states:
        return
    first = states[0]
    made_from = own_blueprint(first.run, first.folder)
    stories = made_from.encode(table, first.run.vocabulary, teach=True).to(device)
    for epochs in sorted({len(state.run.epochs) for state in states}):
        members = [state for state in states if len(state.run.epochs) == epochs]  # they go in step
        for state in members:
            state.training = Training(state.run.build(made_from), stories, state.run.config, device)
        trainings = InStep([state.training for state in members])
        for state in members:
            state.restore()
        _advance(trainings, members, show)


def _advance(trainings: InStep, members: "Sequence[_State]", show: ShowEach) -> None:
    """Train to the last epoch; save now and then, and at the end."""
    saved = time.monotonic()
    first = members[0]
    for epoch in range(len(first.run.epochs), first.run.config.epochs):
        started, done = time.monotonic(), epoch * first.training.size
        for stories in trainings.steps(epoch):
            done += stories
            for state in members:
                show(state.number, state.progress(done))
        results = [state.training.result() for state in members]  # this waits for a GPU
        seconds = round((time.monotonic() - started) / len(members), 3)
        for state, result in zip(members, results, strict=True):
            state.add(Epoch(*result, seconds))
        if first.run.finished or time.monotonic() - saved > _SAVE_EVERY:
            for state in members:
                state.save()
            saved = time.monotonic()


class _State:
    """A training in progress."""

    training: Training

    def __init__(self, number: int, folder: Where, before: Checkpoint) -> None:
        self.number = number
        self.folder = folder
        self.run = before.run
        self.before = before

    def prepare(self, world: World) -> None:
        """Put into the folder what belongs there before the first checkpoint."""
        if not self.before.tensors and self.run.config.encoder:
            try_encoder(self.run.config.encoder)
        if not self.before.tensors or self.run.finished:
            save_record(self.run, self.folder)  # from here on the folder is known to be a run
        if not self.run.finished:
            keep_own_model(self.run, self.folder)
            save_world(world, self.folder / WORLD)

    def restore(self) -> None:
        """Continue where the training stopped."""
        if self.before.tensors:
            load_weights(self.training.model, self.before.part("model."), self.folder)
            count = len(list(self.training.model.parameters()))
            self.training.restore([self.before.part(f"optimiser.{i}.") for i in range(count)])

    def progress(self, done: int) -> Progress:
        epochs, number = self.run.config.epochs, len(self.run.epochs)
        last = self.run.epochs[-1] if number else None
        return Progress(done, epochs * self.training.size, number, epochs, last)

    def add(self, epoch: Epoch) -> None:
        """Add the epoch that was trained; after the last, the model is ready to be tested."""
        epochs = (*self.run.epochs, epoch)
        self.run = replace(self.run, epochs=epochs, finished=len(epochs) == self.run.config.epochs)
        if self.run.finished:
            self.training.model.settle(self.training.stories)

    def save(self) -> None:
        tensors = {f"model.{k}": v for k, v in self.training.model.state_dict().items()}
        for i, kept in enumerate(self.training.state()):
            tensors |= {f"optimiser.{i}.{k}": v for k, v in kept.items()}
        Checkpoint(self.run, tensors).save(self.folder)
