"""Cells of a matrix, each a training that is tested; a finished one is a result on disk.

On the CPU a cell is a process with one thread: two trainings side by side are faster than one with
two threads. On a GPU the cells that differ in their seeds alone are trained in step, in one process. On a
cluster such a group, or a cell on the CPU, is a task; its folder lies where all workers see it, so that
another goes on where one was lost.
"""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from clutrr.data import open_dataset
from clutrr.errors import ConfigError, WorkError
from clutrr.experiment.config import reads_with_encoder
from clutrr.experiment.evaluate import Tables, answers_of, encode_tests, result_of
from clutrr.experiment.job import TrainJob, train_seeds
from clutrr.experiment.learnt import inspect_composer
from clutrr.experiment.run import Run, load_result, load_run, save_result, world_of
from clutrr.files import Where
from clutrr.models import Blueprint, Model, blueprint
from clutrr.scoring import Result
from clutrr.workers import Crew, Processes, Tell
from clutrr.world import World

_AT_ONCE_ON_GPU = 8  # groups of trainings
_AT_MOST_IN_STEP = 16  # trainings of a group


@dataclass(frozen=True)
class Tests:
    """Stories to test on. style: put before the names of their subsets, if there are several styles. world:
    instead of the data's own."""

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
    tests: tuple[Tests, ...]
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
        on_gpu = todo[0].training.device.type == "cuda"
        # The cells that take longest come first, so that none of them is left for the end.
        todo.sort(key=lambda job: (job.training.config.model != "lstm", -max(job.training.config.k)))
        groups = groups_of(todo) if on_gpu else [[job] for job in todo]
        at_once = min(workers, len(groups), *([_AT_ONCE_ON_GPU] if on_gpu else []))
        hands = crew or Processes(at_once)
        try:
            for _, results in hands.run(_run, None, groups, name=lambda group: group[0].name):
                yield from results
        except WorkError as error:
            if not isinstance(error.__cause__, BrokenProcessPool):
                raise
            raise WorkError("a training was killed (out of memory?): run the same command again") from error


def groups_of(jobs: Sequence[CellJob]) -> list[list[CellJob]]:
    """Return the cells that are trained in step: those that differ only in their seeds."""
    groups: dict[CellJob, list[list[CellJob]]] = {}
    for job in jobs:
        training = replace(job.training, run=Path(), config=replace(job.training.config, seed=0))
        alike = replace(job, name="", training=training)
        if reads_with_encoder(training.config.model):
            alike = job  # its steps are not recorded, so several take as long as one after the other
        parts = groups.setdefault(alike, [[]])
        if len(parts[-1]) == _AT_MOST_IN_STEP:
            parts.append([])
        parts[-1].append(job)
    return [part for parts in groups.values() for part in parts]


def _run(shared: None, jobs: list[CellJob], tell: Tell) -> list[Result]:
    torch.set_num_threads(1)
    return run_group(jobs)


def run_group(jobs: Sequence[CellJob]) -> list[Result]:
    """Train cells that differ only in their seeds, test them, and write their results."""
    started = time.monotonic()
    loaded = _trained(jobs)
    first, made_from, _ = loaded[0]
    device = jobs[0].training.device
    tables = {name: table for part in jobs[0].tests for name, table in part.tables().items()}
    stories = encode_tests(made_from, first.vocabulary, tables)
    answers = [answers_of(model, first.vocabulary, tables, stories, device) for _, _, model in loaded]
    seconds = (time.monotonic() - started) / len(jobs)
    on = torch.cuda.get_device_name() if device.type == "cuda" else "CPU, one thread"
    results = []
    for job, (run, _, model), part in zip(jobs, loaded, answers, strict=True):
        learnt = inspect_composer(run, model, world_of(job.training.run))
        result = replace(
            result_of(run, part, on, seconds, job.train),
            command=job.command,
            learnt=None if learnt is None else learnt.to_json(),
        )
        save_result(result, job.training.run)
        results.append(result)
    return results


def _trained(jobs: Sequence[CellJob]) -> list[tuple[Run, Blueprint, Model]]:
    """Train them, and return what their folders hold then. At a URL another run of the experiment may have
    put an earlier checkpoint in the place of the last: then they go on from there."""
    while True:
        train_seeds([job.training for job in jobs])
        loaded = [load_run(job.training.run, trust=True) for job in jobs]
        if all(run.finished for run, _, _ in loaded):
            return loaded
