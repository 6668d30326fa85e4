"""Trainings from data to finished runs: start, continue, save, stop."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc
import torch

from clutrr.data import WORLD, Dataset, open_dataset
from clutrr.errors import ConfigError, OutputError
from clutrr.experiment.check import check_own_model
from clutrr.experiment.config import TrainConfig
from clutrr.experiment.evaluate import digest
from clutrr.experiment.loop import Training
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
    naming_own_model,
    own_blueprint,
    own_model,
    save_record,
)
from clutrr.files import Where, file_digest, is_empty, locked, writing
from clutrr.models import Blueprint, blueprint, learn_vocabulary
from clutrr.models.text.encoder import encoder_digest, try_encoder
from clutrr.world import World, save_world

_LOCK = ".lock"
_SAVE_EVERY = 5.0  # seconds between saves, at least; a killed training repeats what came after the last


@dataclass(frozen=True)
class TrainJob:
    """A training to be done: settings, data and folder. force: replace another training there. made_from: the
    model, if it is an object. world: instead of the data's own."""

    data: Where | Dataset
    run: Where
    config: TrainConfig
    device: torch.device
    force: bool = False
    made_from: Blueprint | None = None
    world: str | Where | World | None = None


Show = Callable[[Run, int, int], None]


def train(job: TrainJob, show: Show = lambda run, done, total: None) -> Run:
    """Train to the end, from the checkpoint in the run's folder if there is one.

    show: called after each step with the epochs so far, the stories done, and all that there are to do.
    """
    made_from = job.made_from or blueprint(job.config.model, job.config.encoder)
    data = job.data if isinstance(job.data, Dataset) else open_dataset(job.data, job.world)
    table = _stories(data, job)
    if job.run.exists() and not job.run.is_dir():
        raise OutputError(f"{job.run} is a file; a run is a folder")
    new = _new_run(data, table, job)
    if job.made_from is not None or own_model(job.config.model):
        with naming_own_model(job.config.model):
            check_own_model(new, made_from, table)
    with writing(job.run), locked(job.run / _LOCK):
        before = _begun(job, new)
        _prepare(before, job.run, data.world)
        if before.run.finished:
            return before.run
        with naming_own_model(job.config.model):
            return _trained(before, table, job, show)


def _stories(data: Dataset, job: TrainJob) -> pa.Table:
    """Return the stories to train on."""
    table = pa.concat_tables(data.split("train").values())
    there = sorted(table["k"].unique().to_pylist())
    if missing := ", ".join(f"M{k}" for k in job.config.k if k not in there):
        listed = ", ".join(f"M{k}" for k in there)
        raise ConfigError(f"k: {data.path} has no training stories of {missing}; it has {listed}")
    wanted = pc.is_in(table["k"], pa.array(job.config.k, table["k"].type))
    return table.filter(wanted).combine_chunks()


def _new_run(data: Dataset, table: pa.Table, job: TrainJob) -> Run:
    """Return a training on these stories that has not begun."""
    file, world = own_model(job.config.model), data.world
    return Run(
        job.config,
        learn_vocabulary([table], world),
        {"name": world.name, "sha256": world.digest},
        {"stories": table.num_rows, "sha256": digest(table), "assume": data.assume},
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
    return before if job.made_from is None else Checkpoint(new, {})  # an object may have changed


def _prepare(before: Checkpoint, folder: Where, world: World) -> None:
    """Put into the folder what belongs there before the first checkpoint."""
    run = before.run
    if not before.tensors and run.config.encoder:
        try_encoder(run.config.encoder)
    if not before.tensors or run.finished:
        save_record(run, folder)  # from here on the folder is known to be a run
    if not run.finished:
        keep_own_model(run, folder)
        save_world(world, folder / WORLD)


def _trained(before: Checkpoint, table: pa.Table, job: TrainJob, show: Show) -> Run:
    """Train to the last epoch, from a checkpoint; save now and then, and at the end."""
    run, config = before.run, before.run.config
    made_from = job.made_from or own_blueprint(run, job.run)
    stories = made_from.encode(table, run.vocabulary, teach=True).to(job.device)
    training = Training(run.build(made_from), stories, config, job.device)
    if before.tensors:
        load_weights(training.model, before.part("model."), job.run)
        count = len(list(training.model.parameters()))
        training.restore([before.part(f"optimiser.{i}.") for i in range(count)])
    saved = time.monotonic()
    for epoch in range(len(run.epochs), config.epochs):
        started, done = time.monotonic(), epoch * training.size
        for count in training.steps(epoch):
            done += count
            show(run, done, config.epochs * training.size)
        result = training.result()  # this waits for a GPU
        if math.isnan(result[0]):
            raise ConfigError(
                f"{config.model}: the loss is nan in epoch {epoch + 1}: try a smaller learning rate; "
                "in a model of your own, look for 0 / 0 and log(0)"
            )
        epochs = (*run.epochs, Epoch(*result, round(time.monotonic() - started, 3)))
        run = replace(run, epochs=epochs, finished=len(epochs) == config.epochs)
        if run.finished or time.monotonic() - saved > _SAVE_EVERY:
            _save(run, training, job.run)
            saved = time.monotonic()
    return run


def _save(run: Run, training: Training, folder: Where) -> None:
    tensors = {f"model.{k}": v for k, v in training.model.state_dict().items()}
    for i, kept in enumerate(training.state()):
        tensors |= {f"optimiser.{i}.{k}": v for k, v in kept.items()}
    Checkpoint(run, tensors).save(folder)
