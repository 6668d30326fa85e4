"""Cells of a matrix, each a training that is tested; a finished one is a result on disk.

A cell is a process with one thread: two trainings side by side are faster than one with two threads. On a
cluster it is a task; its folder lies where all workers see it, so that another goes on where one was lost.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch

from clutrr._data import open_dataset
from clutrr._io.executors import Executor, ProcessExecutor
from clutrr._io.locations import Location
from clutrr._lexicon import World
from clutrr._score.predictions import predictions_file
from clutrr._score.result import Result, load_result
from clutrr._train.evaluate import SubsetAnswers, Tables, answer_subsets, result_of, write_answers
from clutrr._train.inspect import inspect_composer
from clutrr._train.job import TrainJob, run_training
from clutrr._train.run import Run, load_run, naming_own_model, save_result, world_of
from clutrr.errors import ConfigError
from clutrr.models import Blueprint, Model, blueprint

_AT_ONCE_ON_GPU = 8


@dataclass(frozen=True)
class StorySet:
    """Stories to train or to test on.

    - style: how they are told, if there are several styles: put before the names of their subsets
    - world: instead of the data's own
    """

    data: Location
    style: str = ""
    world: World | None = None

    def subset(self, name: str) -> str:
        """Return the name of a subset in the experiment."""
        return f"{self.style} {name}".strip()

    def tables(self) -> Tables:
        """Return the test stories by subset."""
        found = open_dataset(self.data, self.world).to_learn("test")
        return {name: table for name, table in found.items() if table.num_rows}


@dataclass(frozen=True)
class CellJob:
    """A training and the data to test it on. train: the name of the training set. command: as typed."""

    name: str
    train: str
    training: TrainJob
    tests: tuple[StorySet, ...]
    command: str = ""


def run_cells(
    jobs: list[CellJob], workers: int, executor: Executor | None = None
) -> Iterator[Result]:
    """Run the cells that have no result yet, and yield the results of all as they come.

    workers: how many at once, unless there is an executor.
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
            raise ConfigError("holds another training", place=folder, hint="choose another folder")
        yield done
    if todo:
        # The cells that take longest come first, so that none of them is left for the end.
        todo.sort(
            key=lambda job: (job.training.config.model != "lstm", -max(job.training.config.k))
        )
        most = _AT_ONCE_ON_GPU if todo[0].training.device.type == "cuda" else workers
        chosen = executor or ProcessExecutor(min(workers, len(todo), most))
        for _, result in chosen.run(_run, None, todo, name=lambda job: job.name):
            yield result


def _run(shared: None, job: CellJob) -> Result:
    torch.set_num_threads(1)
    return run_cell(job)


def run_cell(job: CellJob) -> Result:
    """Train a cell, test it, and write its result."""
    started = time.monotonic()
    run, made_from, model = _trained(job.training)
    device = job.training.device
    tests = [(stories, stories.tables()) for stories in job.tests]
    tables = {
        stories.subset(name): table for stories, by_name in tests for name, table in by_name.items()
    }
    with naming_own_model(run.config.model):
        answers = answer_subsets(model, made_from, run.vocabulary, tables, device)
    on = torch.cuda.get_device_name() if device.type == "cuda" else "CPU, one thread"
    learnt = inspect_composer(run, model, world_of(job.training.run))
    result = replace(
        result_of(run, answers, on, time.monotonic() - started, job.train),
        command=job.command,
        learnt=None if learnt is None else learnt.to_json(),
    )
    found = {part.subset: part for part in answers}
    for stories, by_name in tests:
        own = [replace(found[stories.subset(name)], subset=name) for name in by_name]
        _keep_answers(own, stories, result, job.training.run)
    save_result(result, job.training.run)  # the last: a cell that has it is finished
    return result


def _keep_answers(
    answers: Sequence[SubsetAnswers], stories: StorySet, result: Result, run: Location
) -> None:
    """Write the answers to some stories into the folder of a run, as `clutrr evaluate` would.

    The file depends on nothing but the training: the times, the command and what was learnt are in the cell's
    own result.
    """
    training = result.training and replace(result.training, epochs=(), seconds=0.0)
    of_these = replace(
        result,
        tested={part.subset: part.score for part in answers},
        training=training,
        questions={"data": stories.data.name, "split": "test"},
        command="",
        learnt=None,
    )
    write_answers(answers, of_these, run / predictions_file(stories.style))


def _trained(job: TrainJob) -> tuple[Run, Blueprint, Model]:
    """Train it, and return what its folder holds then. At a URL another run of the experiment may have put an
    earlier checkpoint in the place of the last: then it goes on from there."""
    while True:
        run_training(job)
        loaded = load_run(job.run, trust=True)
        if loaded[0].finished:
            return loaded
