"""Trainings of several seeds that advance in step learn what each learns alone."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from clutrr.experiment import cells, job
from clutrr.experiment.cells import CellJob, groups_of, run_group
from clutrr.experiment.config import TrainConfig
from clutrr.experiment.job import Progress, TrainJob, train, train_seeds
from clutrr.experiment.run import CHECKPOINT, Checkpoint, load_checkpoint
from clutrr.generator import Config
from clutrr.generator.folder import Job, generate_folder

CPU = torch.device("cpu")
SEEDS = (3, 0, 11)


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("in-step") / "stories"
    generate_folder(Job(out, Config(preset="sound", k=(2, 3), train=60, test=20, distractors=0)))
    return out


def configs(**more: float) -> list[TrainConfig]:
    settings = {"epochs": 4, "batch": 20, **more}
    return [TrainConfig("gnn", (3,), seed=seed, **settings) for seed in SEEDS]  # type: ignore[arg-type]


class StoppedError(Exception):
    pass


def same(one: Path, other: Path) -> None:
    mine, theirs = load_checkpoint(one), load_checkpoint(other)
    assert mine.run.finished
    assert [epoch.validation for epoch in mine.run.epochs] == [
        epoch.validation for epoch in theirs.run.epochs
    ]
    assert mine.tensors.keys() == theirs.tensors.keys()
    assert all(torch.equal(value, theirs.tensors[key]) for key, value in mine.tensors.items())


@pytest.mark.parametrize(
    "more", [{}, {"validation": 0.3, "patience": 2, "epochs": 12, "learning_rate": 0.01}]
)
def test_each_seed_learns_what_it_learns_alone(more: dict[str, float], data: Path, tmp_path: Path) -> None:
    for config in configs(**more):
        train(TrainJob(data, tmp_path / f"alone{config.seed}", config, CPU))
    jobs = [TrainJob(data, tmp_path / f"seed{config.seed}", config, CPU) for config in configs(**more)]
    runs = train_seeds(jobs)
    assert [run.config.seed for run in runs] == list(SEEDS)
    for each in jobs:
        same(each.run, tmp_path / f"alone{each.config.seed}")
    if more:  # each stops when it is its time
        assert len({len(run.epochs) for run in runs}) > 1
    before = [(each.run / CHECKPOINT).read_bytes() for each in jobs]
    train_seeds(jobs)  # nothing left to do
    assert [(each.run / CHECKPOINT).read_bytes() for each in jobs] == before


def test_stopped_at_different_epochs(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill between two saves leaves one training further than the others."""
    monkeypatch.setattr(job, "_SAVE_EVERY", 0.0)
    jobs = [TrainJob(data, tmp_path / f"seed{config.seed}", config, CPU) for config in configs()]

    def stop_after(epochs: int) -> job.ShowEach:
        def show(number: int, progress: Progress) -> None:
            if progress.epoch == epochs:
                raise StoppedError

        return show

    with pytest.raises(StoppedError):
        train_seeds(jobs[:1], stop_after(3))
    with pytest.raises(StoppedError):
        train_seeds(jobs[1:], stop_after(2))
    assert [len(load_checkpoint(each.run).run.epochs) for each in jobs] == [3, 2, 2]
    train_seeds(jobs)
    for config in configs():
        train(TrainJob(data, tmp_path / "alone", config, CPU, force=True))
        same(tmp_path / f"seed{config.seed}", tmp_path / "alone")


def test_cells_that_advance_in_step(data: Path, tmp_path: Path) -> None:
    tests = (cells.Tests(data),)

    def cell(model: str, k: int, seed: int) -> CellJob:
        config = TrainConfig(model, (k,), seed=seed, epochs=2, batch=20)
        name = f"{model}-M{k}-seed{seed}"
        return CellJob(name, f"M{k}", TrainJob(data, tmp_path / name, config, CPU), tests)

    every = [cell(model, k, seed) for seed in (0, 1) for model in ("gnn", "own.py:mine") for k in (2, 3)]
    assert [[job.name for job in group] for group in groups_of(every)] == [
        [f"{model}-M{k}-seed{seed}" for seed in (0, 1)] for model in ("gnn", "own.py:mine") for k in (2, 3)
    ]
    for result in run_group(groups_of(every)[0]):
        alone = cell(result.model, result.training.config["k"][0], result.training.seed)
        elsewhere = replace(alone.training, run=tmp_path / "alone" / alone.name)
        (other,) = run_group([replace(alone, training=elsewhere)])
        assert result.tested == other.tested


@pytest.mark.gpu
def test_a_checkpoint_from_a_gpu(data: Path, tmp_path: Path) -> None:
    run = train(TrainJob(data, tmp_path / "run", configs()[0], CPU))
    every = load_checkpoint(tmp_path / "run").tensors | {
        "best.odd": torch.arange(7, dtype=torch.int16).view(7, 1)
    }
    Checkpoint(run, {name: tensor.cuda() for name, tensor in every.items()}).save(tmp_path / "other")
    found = load_checkpoint(tmp_path / "other").tensors
    assert found.keys() == every.keys()
    for name, tensor in every.items():
        assert found[name].dtype == tensor.dtype
        assert torch.equal(found[name], tensor)
