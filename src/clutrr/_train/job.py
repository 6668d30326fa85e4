"""Trainings from data to finished runs: which stories, in which folder, from which checkpoint."""

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import torch

from clutrr._data import WORLD, Dataset, open_dataset
from clutrr._io.files import file_digest, is_empty, writing
from clutrr._io.locations import Location
from clutrr._io.locks import locked
from clutrr._lexicon import World, save_world
from clutrr._train.check import check_own_model
from clutrr._train.config import TrainConfig
from clutrr._train.evaluate import digest
from clutrr._train.loop import OnStep, fit
from clutrr._train.run import (
    CHECKPOINT,
    RECORD,
    Checkpoint,
    Run,
    clear_run,
    is_run,
    keep_own_model,
    load_checkpoint,
    naming_own_model,
    own_blueprint,
    own_model,
    save_record,
)
from clutrr.errors import ConfigError, Give, Hint, OutputError
from clutrr.models import Blueprint, blueprint, learn_vocabulary
from clutrr.models.text.encoder import encoder_digest, try_encoder

_LOCK = ".lock"


@dataclass(frozen=True)
class TrainJob:
    """A training to be done.

    - data: where the stories are
    - run: the folder of the run
    - force: whether to replace another training there
    - made_from: the model, if it is an object
    - world: instead of the data's own
    """

    data: Location | Dataset
    run: Location
    config: TrainConfig
    device: torch.device
    force: bool = False
    made_from: Blueprint | None = None
    world: str | Location | World | None = None


def run_training(job: TrainJob, on_step: OnStep = lambda run, done, total: None) -> Run:
    """Train to the end, from the checkpoint in the run's folder if there is one.

    on_step: called after each step with the epochs so far, the stories done, and all that there are to do.
    """
    made_from = job.made_from or blueprint(job.config.model, job.config.encoder)
    data = job.data if isinstance(job.data, Dataset) else open_dataset(job.data, job.world)
    table = _stories(data, job)
    if job.run.exists() and not job.run.is_dir():
        raise OutputError("is a file; a run is a folder", place=job.run)
    new = _new_run(data, table, job)
    if job.made_from is not None or own_model(job.config.model):
        with naming_own_model(job.config.model):
            check_own_model(new, made_from, table)
    with writing(job.run), locked(job.run / _LOCK):
        before = _checkpoint_to_start_from(job, new)
        _lay_out(before, job.run, data.world)
        if before.run.finished:
            return before.run
        with naming_own_model(job.config.model):
            made_from = job.made_from or own_blueprint(before.run, job.run)
            stories = made_from.encode(table, before.run.vocabulary, teach=True)
            return fit(before, made_from, stories, job.device, job.run, on_step)


def _stories(data: Dataset, job: TrainJob) -> pa.Table:
    """Return the stories to train on."""
    table = pa.concat_tables(data.to_learn("train").values())
    there = sorted(table["k"].unique().to_pylist())
    if missing := ", ".join(f"M{k}" for k in job.config.k if k not in there):
        listed = ", ".join(f"M{k}" for k in there)
        raise ConfigError(
            f"{data.path} has no training stories of {missing}; it has {listed}", setting="k"
        )
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


def _checkpoint_to_start_from(job: TrainJob, new: Run) -> Checkpoint:
    """Return the checkpoint to continue from, if the folder has one of this training; or an empty one."""
    empty = is_empty(job.run, _LOCK, RECORD)  # looked at first: another run may begin meanwhile
    begun = is_run(job.run)
    if not begun and not empty:
        raise OutputError(
            "holds something other than a training", place=job.run, hint="choose another folder"
        )
    if begun and job.force:
        clear_run(job.run, new)
    if not (job.run / CHECKPOINT).is_file():
        return Checkpoint(new, {})
    before = load_checkpoint(job.run)
    if what := new.differs(before.run):
        raise OutputError(
            f"holds a training with another {what}",
            place=job.run,
            hint=Hint("choose another folder, or add {}", (Give("force", True),)),
        )
    return before if job.made_from is None else Checkpoint(new, {})  # an object may have changed


def _lay_out(before: Checkpoint, folder: Location, world: World) -> None:
    """Put into the folder what belongs there before the first checkpoint."""
    run = before.run
    if not before.tensors and run.config.encoder:
        try_encoder(run.config.encoder)
    if not before.tensors or run.finished:
        save_record(run, folder)  # from here on the folder is known to be a run
    if not run.finished:
        keep_own_model(run, folder)
        save_world(world, folder / WORLD)
