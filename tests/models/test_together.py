"""Trainings that advance together learn what each learns alone."""

import os
import threading
from pathlib import Path

import pytest
import torch
from kin_models import stories_of

from clutrr.errors import DataError
from clutrr.experiment import cells, job
from clutrr.experiment.cells import CellJob, run_together, together
from clutrr.experiment.config import TrainConfig, choose_device
from clutrr.experiment.job import Progress, TrainJob, train, train_together
from clutrr.experiment.loop import Result, Training, Trainings, answer, answer_all
from clutrr.experiment.run import CHECKPOINT, Checkpoint, load_checkpoint
from clutrr.experiment.source import Once, Shared
from clutrr.experiment.streams import Recording, own_stream
from clutrr.generator import Config
from clutrr.generator.folder import Job, generate_folder
from clutrr.models import Stories, Vocabulary, encode, learn_vocabulary, recipe
from clutrr.world import World
from processes import until

CPU = torch.device("cpu")
NAMED = [
    "lstm",
    "lstm+first",
    "gnn",
    "gnn+literal+values",
    "gnn-attention+attention-pool",
    "composer",
    "composer+no-kinds+no-open",
    "composer+spliced",
    "composer+windows",
    "epignn",
]
SEEDS = (3, 0, 11)


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("together") / "stories"
    generate_folder(Job(out, Config(preset="sound", k=(2, 3), train=60, test=20, distractors=0)))
    return out


def trained(
    name: str,
    seeds: tuple[int, ...],
    stories: Stories,
    words: Vocabulary,
    device: torch.device,
    graph: bool = True,
) -> tuple[list[list[Result]], list[dict[str, torch.Tensor]]]:
    """What trainings of these seeds have learnt after three epochs."""
    models = []
    for seed in seeds:
        torch.manual_seed(seed)
        models.append(recipe(name).make(words))
    configs = [TrainConfig(name, (3,), seed=seed, batch=20) for seed in seeds]
    trainings = Trainings(models, stories, configs, device, graph)
    results = []
    for epoch in range(3):
        for _ in trainings.steps(epoch):
            pass
        results.append(trainings.results())
    return results, [model.state_dict() for model in models]


def check_the_same_alone(name: str, world: World, device: torch.device, apart: float = 0.0) -> None:
    """apart: the share of weights that may differ. Where a gradient is rounding alone, Adam moves a weight
    as far as any other; on a GPU rounding is not the same with several."""
    table = stories_of("sound", 3, 50, distractors=1)  # the last step of an epoch has fewer stories
    words = learn_vocabulary([table], world)
    stories = recipe(name).encode(table, words)
    results, weights = trained(name, SEEDS, stories, words, device)
    for place, seed in enumerate(SEEDS):
        alone, (weights_alone,) = trained(name, (seed,), stories, words, device)
        for one, (other,) in zip(results, alone, strict=True):
            assert one[place].loss == pytest.approx(other.loss, abs=1e-4)
            assert one[place].accuracy == pytest.approx(other.accuracy, abs=1e-4)
        keys = [key for key in weights_alone if key != "reader.score.bias"]  # it changes nothing
        differ = [(weights[place][key] - weights_alone[key]).abs().flatten() > 1e-4 for key in keys]
        assert torch.cat(differ).float().mean() <= apart
    assert results[0][0] != results[0][1]


@pytest.mark.parametrize("name", NAMED)
def test_together_as_alone(name: str, world: World) -> None:
    check_the_same_alone(name, world, CPU)


def configs(**more: float) -> list[TrainConfig]:
    settings = {"epochs": 4, "batch": 20, **more}
    return [TrainConfig("gnn", (3,), seed=seed, **settings) for seed in SEEDS]  # type: ignore[arg-type]


class StoppedError(Exception):
    pass


def close(one: Path, other: Path) -> None:
    mine, theirs = load_checkpoint(one), load_checkpoint(other)
    assert mine.run.finished
    assert [epoch.validation for epoch in mine.run.epochs] == [
        epoch.validation for epoch in theirs.run.epochs
    ]
    assert mine.tensors.keys() == theirs.tensors.keys()
    apart = 0.1 * mine.run.config.learning_rate  # a tenth of what Adam moves a weight in a step
    for key, value in mine.tensors.items():
        torch.testing.assert_close(value, theirs.tensors[key], atol=apart, rtol=0)


@pytest.mark.parametrize(
    "more", [{}, {"validation": 0.3, "patience": 2, "epochs": 12, "learning_rate": 0.01}]
)
def test_runs_of_their_own(more: dict[str, float], data: Path, tmp_path: Path) -> None:
    for config in configs(**more):
        train(TrainJob(data, tmp_path / f"alone{config.seed}", config, CPU))
    jobs = [TrainJob(data, tmp_path / f"seed{config.seed}", config, CPU) for config in configs(**more)]
    runs = train_together(jobs)
    assert [run.config.seed for run in runs] == list(SEEDS)
    for each in jobs:
        close(each.run, tmp_path / f"alone{each.config.seed}")
    if more:  # each stops when it is its time
        assert len({len(run.epochs) for run in runs}) > 1
    before = [(each.run / CHECKPOINT).read_bytes() for each in jobs]
    train_together(jobs)  # nothing left to do
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
        train_together(jobs[:1], stop_after(3))
    with pytest.raises(StoppedError):
        train_together(jobs[1:], stop_after(2))
    assert [len(load_checkpoint(each.run).run.epochs) for each in jobs] == [3, 2, 2]
    train_together(jobs)
    for config in configs():
        train(TrainJob(data, tmp_path / "alone", config, CPU, force=True))
        close(tmp_path / f"seed{config.seed}", tmp_path / "alone")


def test_cells_that_advance_together(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tests = (cells.Tests(data),)

    def cell(model: str, k: int, seed: int) -> CellJob:
        config = TrainConfig(model, (k,), seed=seed, epochs=2, batch=20)
        name = f"{model}-M{k}-seed{seed}"
        return CellJob(name, f"M{k}", tmp_path / name, data, None, tests, config, "cpu")

    every = [cell(model, k, seed) for seed in (0, 1) for model in ("gnn", "own.py:mine") for k in (2, 3)]
    assert [sorted(job.name for job in group) for group in together(every)] == [
        ["gnn-M2-seed0", "gnn-M2-seed1"],
        ["gnn-M3-seed0", "gnn-M3-seed1"],
        *[[f"own.py:mine-M{k}-seed{seed}"] for seed in (0, 1) for k in (2, 3)],
    ]
    shared = Shared()
    results = [result for group in together(every)[:2] for result in run_together(group, shared)]
    for result in results:
        alone = cell(result["model"], result["config"]["k"][0], result["seed"])
        (other,) = run_together([CellJob(**{**vars(alone), "folder": tmp_path / "alone" / alone.name})])
        assert result["tested"] == other["tested"]


def check_answers(name: str, world: World, device: torch.device) -> None:
    table = stories_of("sound", 3, 30, distractors=1)
    words = learn_vocabulary([table], world)
    stories = recipe(name).encode(table, words).to(device)
    models = []
    for seed in SEEDS:
        torch.manual_seed(seed)
        models.append(recipe(name).make(words).to(device))
    alone = [answer(model, stories, torch.Generator(device).manual_seed(5)) for model in models]
    found = answer_all(models, stories, [torch.Generator(device).manual_seed(5) for _ in models])
    torch.testing.assert_close(found, torch.stack(alone), atol=1e-5, rtol=0)
    assert not torch.allclose(found[0], found[1], atol=1e-3)


@pytest.mark.parametrize("name", ["lstm", "gnn-attention", "composer", "composer+windows"])
def test_answers_of_several(name: str, world: World) -> None:
    check_answers(name, world, CPU)


def test_who_records_is_alone() -> None:
    recording, ended = Recording(), threading.Event()
    busy, disturbed = [False] * 5, []

    def replay(number: int) -> None:
        while not ended.is_set():
            with recording.beside_others():
                busy[number] = True
                busy[number] = False

    def record(number: int) -> None:
        for _ in range(20):
            with recording.alone():
                busy[number] = True
                disturbed.append(sum(busy) > 1)
                busy[number] = False

    replaying = [threading.Thread(target=replay, args=(number,)) for number in range(3)]
    recorders = [threading.Thread(target=record, args=(number,)) for number in (3, 4)]
    for thread in (*replaying, *recorders):
        thread.start()
    for thread in recorders:  # they come to their turn while others replay without end
        thread.join(20)
        assert not thread.is_alive()
    ended.set()
    for thread in replaying:
        thread.join()
    assert disturbed == [False] * 40

    with recording.beside_others():  # two at once
        other = threading.Thread(target=lambda: recording.beside_others().__enter__())
        other.start()
        other.join(20)
        assert not other.is_alive()


def test_each_stream_has_a_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "CUDA_DEVICE_MAX_CONNECTIONS"
    monkeypatch.setenv(name, "")
    monkeypatch.delenv(name)
    choose_device("cpu")
    assert os.environ[name] == "32"
    monkeypatch.setenv(name, "4")  # somebody's own choice stays
    choose_device("cpu")
    assert os.environ[name] == "4"


def test_once() -> None:
    once, made = Once(), []

    def make() -> int:
        made.append(1)
        return 5

    def fail() -> int:
        raise DataError("spoiled")

    assert [once.get("a", make), once.get("a", make), once.get("b", make)] == [5, 5, 5]
    assert len(made) == 2
    for _ in range(2):
        with pytest.raises(DataError, match="spoiled"):
            once.get("c", fail)


@pytest.mark.gpu
@pytest.mark.parametrize("name", NAMED)
def test_together_as_alone_on_a_gpu(name: str, world: World) -> None:
    check_the_same_alone(name, world, torch.device("cuda"), apart=0.001)


@pytest.mark.gpu
@pytest.mark.parametrize("name", ["lstm", "gnn-attention", "composer", "composer+windows"])
def test_answers_of_several_on_a_gpu(name: str, world: World) -> None:
    check_answers(name, world, torch.device("cuda"))


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


@pytest.mark.gpu
def test_streams_are_nobody_elses() -> None:
    class Owner:
        pass

    owners = [Owner() for _ in range(20)]
    cuda = torch.device("cuda")
    streams = [own_stream(owner, cuda).cuda_stream for owner in owners]
    assert len(set(streams)) == 20
    del owners
    assert len({own_stream(owner, cuda).cuda_stream for owner in [Owner() for _ in range(20)]}) == 20


@pytest.mark.gpu
def test_recording_beside_work_in_other_threads(world: World) -> None:
    """Cells that end are tested, others are trained, while the step of the next is recorded."""
    table = stories_of("published", 3, 300, distractors=1)
    words = learn_vocabulary([table], world)
    stories, cuda = encode(table, words), torch.device("cuda")
    there, model = stories.to(cuda), recipe("lstm").make(words).to(cuda)
    ended, errors, recorded = threading.Event(), [], []

    def answering() -> None:
        answer(model, there, torch.Generator(cuda).manual_seed(0))

    def recording() -> None:
        training = Training(recipe("lstm").make(words), stories, TrainConfig("lstm", (3,)), cuda)
        for _ in training.steps(0):
            pass
        recorded.append(training.result().loss)

    def again_and_again(work) -> None:
        while not ended.is_set():
            try:
                work()
            except Exception as error:
                errors.append(error)
                ended.set()

    threads = [
        threading.Thread(target=again_and_again, args=(work,)) for work in (answering, recording, recording)
    ]
    for thread in threads:
        thread.start()
    ended.wait(6)
    until(lambda: len(recorded) > 4 or ended.is_set(), "five steps recorded")
    ended.set()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(recorded) > 4
    assert recorded == pytest.approx([recorded[0]] * len(recorded), rel=0.2)
