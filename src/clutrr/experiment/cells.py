"""Cells of a matrix, each a training that is tested; a finished one is a result on disk.

A cell is a process with one thread: two trainings side by side are faster than one with two threads. On a
cluster it is a task; its folder lies where all workers see it, so that another goes on where one was lost.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch

from clutrr.data import open_dataset
from clutrr.errors import ConfigError
from clutrr.experiment.evaluate import Tables, evaluate, result_of
from clutrr.experiment.job import TrainJob, train
from clutrr.experiment.learnt import inspect_composer
from clutrr.experiment.run import Run, load_result, load_run, naming_own_model, save_result, world_of
from clutrr.files import Where
from clutrr.models import Blueprint, Model, blueprint
from clutrr.scoring.result import Result
from clutrr.workers import Crew, Processes
from clutrr.world import World

_AT_ONCE_ON_GPU = 8


@dataclass(frozen=True)
class ToldStories:
    """Stories to train or to test on. style: put before the names of their subsets, if there are several
    styles. world: instead of the data's own."""

    data: Where
    style: str = ""
    world: World | None = None

    def subset(self, name: str) -> str:
        return f"{self.style} {name}".strip()

    def tables(self) -> Tables:
        """Return the stories by subset."""
        found = open_dataset(self.data, self.world).split("test")
        return {self.subset(name): table for name, table in found.items() if table.num_rows}


@dataclass(frozen=True)
class CellJob:
    """A training and the data to test it on. train: the name of the training set. command: as typed."""

    name: str
    train: str
    training: TrainJob
    tests: tuple[ToldStories, ...]
    command: str = ""


def run_cells(jobs: list[CellJob], workers: int, crew: Crew | None = None) -> Iterator[Result]:
    """Run the cells that have no result yet, and yield the results of all as they come.

    workers: how many at once, unless there is a crew.
    """
    todo = []
    for job in jobs:
        config, folder = job.training.config, job.training.run
        blueprint(config.model, config.encoder)
        done = load_result(folder)
        if done is None or done.training is None:
            todo.append(job)
            continue
        if done.training.config != config.to_json():
            raise ConfigError(f"{folder} holds another training: choose another folder")
        yield done
    if todo:
        # The cells that take longest come first, so that none of them is left for the end.
        todo.sort(key=lambda job: (job.training.config.model != "lstm", -max(job.training.config.k)))
        most = _AT_ONCE_ON_GPU if todo[0].training.device.type == "cuda" else workers
        hands = crew or Processes(min(workers, len(todo), most))
        for _, result in hands.run(_run, None, todo, name=lambda job: job.name):
            yield result


def _run(shared: None, job: CellJob) -> Result:
    torch.set_num_threads(1)
    return run_cell(job)


def run_cell(job: CellJob) -> Result:
    """Train a cell, test it, and write its result."""
    started = time.monotonic()
    run, made_from, model = _trained(job.training)
    device = job.training.device
    tables = {name: table for part in job.tests for name, table in part.tables().items()}
    with naming_own_model(run.config.model):
        answers = evaluate(model, made_from, run.vocabulary, tables, device)
    on = torch.cuda.get_device_name() if device.type == "cuda" else "CPU, one thread"
    learnt = inspect_composer(run, model, world_of(job.training.run))
    result = replace(
        result_of(run, answers, on, time.monotonic() - started, job.train),
        command=job.command,
        learnt=None if learnt is None else learnt.to_json(),
    )
    save_result(result, job.training.run)
    return result


def _trained(job: TrainJob) -> tuple[Run, Blueprint, Model]:
    """Train it, and return what its folder holds then. At a URL another run of the experiment may have put an
    earlier checkpoint in the place of the last: then it goes on from there."""
    while True:
        train(job)
        loaded = load_run(job.run, trust=True)
        if loaded[0].finished:
            return loaded
