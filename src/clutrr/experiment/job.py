"""Trainings from data to finished runs: start, continue, save, stop."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import torch
from torch import Tensor

from clutrr.data import WORLD, open_dataset
from clutrr.errors import ConfigError, OutputError
from clutrr.experiment.config import TrainConfig, seed_of
from clutrr.experiment.division import divide_by_sentences
from clutrr.experiment.loop import Result, Trainings, answer
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
from clutrr.experiment.source import Shared, digest, of_lengths
from clutrr.files import file_digest, is_empty, locked, writing
from clutrr.models import (
    AnyRecipe,
    Passages,
    Recipe,
    SelfTaught,
    Stories,
    Vocabulary,
    any_recipe,
    learn_vocabulary,
)
from clutrr.models.encoder import try_encoder
from clutrr.models.encoder_folder import encoder_digest
from clutrr.models.named import LSTM
from clutrr.storage import Where
from clutrr.world import World, save_world

_LOCK = ".lock"
_SAVE_EVERY = 5.0  # seconds between saves, at least; a killed training repeats what came after the last


@dataclass(frozen=True)
class TrainJob:
    """What to train, on which data, and where. force: replace another training there. world: instead
    of the data's own."""

    data: Where
    run: Where
    config: TrainConfig
    device: torch.device
    force: bool = False
    world: str | Where | World | None = None


@dataclass(frozen=True)
class Progress:
    """How far a training is: stories done, and in all; the current epoch; the last finished one."""

    done: int
    total: int
    epoch: int
    epochs: int
    last: Epoch | None


Show = Callable[[Progress], None]
ShowEach = Callable[[int, Progress], None]  # with the number of the training


def train(job: TrainJob, show: Show = lambda progress: None) -> Run:
    """Train to the end, from the checkpoint in the run's folder if there is one."""
    return train_together([job], lambda number, progress: show(progress))[0]


def train_together(
    jobs: Sequence[TrainJob], show: ShowEach = lambda number, progress: None, shared: Shared | None = None
) -> list[Run]:
    """The same for several trainings that differ only in their seeds and folders.

    shared: what they have in common with others that run at the same time.
    """
    job, shared = jobs[0], shared or Shared()
    once, turn = shared.once, shared.turn if _fills_a_gpu(job.config.model) else nullcontext()
    assert all(replace(other, run=job.run, config=job.config, force=job.force) == job for other in jobs)
    assert all(replace(other.config, seed=job.config.seed) == job.config for other in jobs)
    any_recipe(job.config.model, job.config.encoder)
    source = (job.data, str(job.world), job.config.k)
    lessons = once.get(("lessons", source), lambda: _lessons(job))
    file = own_model(job.config.model)
    run = Run(
        job.config,
        lessons.vocabulary,
        {"name": lessons.world.name, "sha256": lessons.world.digest},
        {"stories": lessons.table.num_rows, "sha256": lessons.sha256},
        device=job.device.type,
        model_sha256=None if file is None else file_digest(file),
        encoder_sha256=encoder_digest(job.config.encoder),
    )
    with ExitStack() as held:
        states = []
        for each in jobs:
            if each.run.exists() and not each.run.is_dir():
                raise OutputError(f"{each.run} is a file; a run is a folder")
            held.enter_context(writing(each.run))
            held.enter_context(locked(each.run / _LOCK))
            this = replace(run, config=each.config)
            states.append(_State(each.run, this, _begun(each, this)))

        def encoded(made_from: AnyRecipe) -> Stories | Passages:
            def make() -> Stories | Passages:
                return made_from.encode(lessons.table, lessons.vocabulary, teach=True)

            if not isinstance(made_from, Recipe):
                return make()
            return once.get(("stories", source, made_from.reads), make)

        _train(states, lessons, encoded, job.device, turn, show)
    return [state.run for state in states]


def _fills_a_gpu(model: str) -> bool:
    """Whether a batch of such trainings leaves little room on a GPU, so that two at once are no faster."""
    return model.split("+")[0] == LSTM


@dataclass(frozen=True)
class _Lessons:
    """The stories to train on, and what depends only on them."""

    world: World
    table: pa.Table
    vocabulary: Vocabulary
    sha256: str


def _lessons(job: TrainJob) -> _Lessons:
    data = open_dataset(job.data, job.world)
    table = of_lengths(data.split("train"), job.config.k, job.data)
    return _Lessons(data.world, table, learn_vocabulary([table], data.world), digest([table]))


def _train(
    states: "Sequence[_State]",
    lessons: _Lessons,
    encoded: Callable[[AnyRecipe], Stories | Passages],
    device: torch.device,
    turn: AbstractContextManager[Any],
    show: ShowEach,
) -> None:
    going: dict[int, list[int]] = {}  # by how far they are: those that are equally far continue together
    for number, state in enumerate(states):
        if state.run.finished:
            save_record(state.run, state.folder)
        else:
            state.prepare(lessons.world)
            going.setdefault(len(state.run.epochs), []).append(number)
    if not going:
        return
    first = next(state for state in states if not state.run.finished)
    made_from = own_recipe(first.run, first.folder)
    stories = encoded(made_from)
    for numbers in going.values():
        members = [states[number] for number in numbers]
        configs = [member.run.config for member in members]
        parts = [_divide(stories, lessons.table, config) for config in configs]
        models = [member.run.build(made_from) for member in members]
        taught = [part.taught for part in parts]
        if isinstance(stories, Passages):  # trained alone; its table is counted from them in the end
            trainings = Trainings(models, stories.select(taught[0]), configs, device, made_from.recorded)
        else:
            trainings = Trainings(models, stories, configs, device, made_from.recorded, taught)
        for place, (member, part) in enumerate(zip(members, parts, strict=True)):
            watched = None if part.watched is None else stories.select(part.watched).to(device)
            member.join(trainings, place, watched)
        with turn:
            _advance(trainings, dict(zip(numbers, members, strict=True)), show)


def _advance(trainings: Trainings, members: "dict[int, _State]", show: ShowEach) -> None:
    """Train until all have ended. One that ends before the others is left as it is; the others continue."""
    saved = time.monotonic()
    while going := {number: state for number, state in members.items() if not state.run.finished}:
        started = time.monotonic()
        epoch = len(next(iter(going.values())).run.epochs)
        done = epoch * trainings.size
        for stories in trainings.steps(epoch):
            done += stories
            for number, state in going.items():
                show(number, state.progress(done))
        results = trainings.results()
        save = time.monotonic() - saved > _SAVE_EVERY
        with trainings.on_stream():
            for state in going.values():
                state.add(results[state.place])
            share = round((time.monotonic() - started) / len(going), 3)
            for state in going.values():
                state.close_epoch(share, save)
        saved = time.monotonic() if save else saved


def _begun(job: TrainJob, run: Run) -> Checkpoint | None:
    """The checkpoint to continue from, if the folder has one of this same training."""
    empty = is_empty(job.run, _LOCK, RECORD)  # looked at first: another run may begin meanwhile
    if not is_run(job.run):
        if not empty:
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


@dataclass(frozen=True)
class _Division:
    """The stories to train on, by number, and those set aside for validation."""

    taught: Tensor
    watched: Tensor | None = None


def _divide(stories: Stories | Passages, table: pa.Table, config: TrainConfig) -> _Division:
    """If text is read, the stories to train on and those set aside share no sentence."""
    if isinstance(stories, Passages) and config.validation:
        seed = seed_of(config.seed, "validation")
        parts = divide_by_sentences(table["story"].to_pylist(), config.validation, seed)
        if not all(parts):
            raise ConfigError(
                f"validation: {len(stories)} stories cannot be divided without a sentence on both sides"
            )
        return _Division(*map(torch.tensor, parts))
    kept = round(len(stories) * config.validation)
    if not kept:
        if config.validation:
            raise ConfigError(
                f"validation: {config.validation} of {len(stories)} stories is less than one story"
            )
        return _Division(torch.arange(len(stories)))
    generator = torch.Generator().manual_seed(seed_of(config.seed, "validation"))
    order = torch.randperm(len(stories), generator=generator)
    return _Division(order[kept:], order[:kept])


class _State:
    """A training in progress, one of those that advance together."""

    def __init__(self, folder: Where, run: Run, before: Checkpoint | None) -> None:
        self.folder = folder
        self.run = run if before is None else before.run
        self.before = before
        self.best: dict[str, Tensor] = {}

    def prepare(self, world: World) -> None:
        """Put into the folder what belongs there before the first checkpoint."""
        if self.before is None:
            if self.run.config.encoder:
                try_encoder(self.run.config.encoder)
            save_record(self.run, self.folder)  # from here on the folder is known to be a run
        keep_own_model(self.run, self.folder)
        save_world(world, self.folder / WORLD)

    def join(self, trainings: Trainings, place: int, watched: Stories | Passages | None) -> None:
        """Become one of these trainings, and continue where it stopped."""
        self.trainings, self.place, self.watched = trainings, place, watched
        self.model = trainings.models[place]
        if self.before is None:
            self.run = replace(self.run, data={**self.run.data, "training": trainings.size})
            return
        self.best = {k: v.to(trainings.device) for k, v in self.before.part("best.").items()}
        load_weights(self.model, self.before.part("model."), self.folder)
        count = len(list(self.model.parameters()))
        trainings.restore(place, [self.before.part(f"optimiser.{i}.") for i in range(count)])
        if self._is_over():  # it only remains to record that
            self.run = replace(self.run, finished=True)
            self._checkpoint().save(self.folder)

    def progress(self, done: int) -> Progress:
        epochs, number = self.run.config.epochs, len(self.run.epochs)
        last = self.run.epochs[-1] if number else None
        return Progress(done, epochs * self.trainings.size, number, epochs, last)

    def add(self, result: Result) -> None:
        """Add an epoch that was trained."""
        last = len(self.run.epochs) + 1 == self.run.config.epochs
        if isinstance(self.model, SelfTaught) and (self.watched or last):
            self.model.settle(self.trainings.stories)
        epoch = Epoch(result.loss, result.accuracy, self._validate(), 0.0)
        self.run = replace(self.run, epochs=(*self.run.epochs, epoch))

    def close_epoch(self, seconds: float, save: bool) -> None:
        """Note how long the epoch took, and save if it is time to."""
        *others, epoch = self.run.epochs
        self.run = replace(self.run, epochs=(*others, replace(epoch, seconds=seconds)))
        self.run = replace(self.run, finished=self._is_over())
        if save or self.run.finished:
            self._checkpoint().save(self.folder)

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
        generator = torch.Generator(self.trainings.device)
        generator.manual_seed(seed_of(self.run.config.seed, "watch", len(self.run.epochs)))
        found = answer(self.model, self.watched, generator).argmax(1)
        accuracy = 100 * (found == self.watched.target).double().mean().item()
        if self.run.config.patience and all(accuracy > (e.validation or 0.0) for e in self.run.epochs):
            self.best = {k: v.clone() for k, v in self.model.state_dict().items()}
        return accuracy

    def _checkpoint(self) -> Checkpoint:
        tensors = {f"model.{k}": v for k, v in self.model.state_dict().items()}
        tensors |= {f"best.{k}": v for k, v in self.best.items()}
        for i, kept in enumerate(self.trainings.state(self.place)):
            tensors |= {f"optimiser.{i}.{k}": v for k, v in kept.items()}
        return Checkpoint(self.run, tensors)
