"""Training, going on after a stop, testing; from Python and from the command line."""

import re
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from kin_models import fixed, stories_of

import clutrr
from clutrr._data import open_dataset
from clutrr._generate import Config
from clutrr._generate.folder import Job, generate_folder
from clutrr._lexicon import World
from clutrr._train import cells, loop
from clutrr._train.cells import CellJob, run_cell
from clutrr._train.config import TrainConfig
from clutrr._train.evaluate import answer_subsets
from clutrr._train.job import TrainJob, run_training
from clutrr._train.loop import Trainer
from clutrr._train.run import CHECKPOINT, Checkpoint, Run, load_checkpoint, load_run
from clutrr.errors import ConfigError, DataError, OutputError
from clutrr.models import blueprint, encode, learn_vocabulary
from commands import refused, run, told

CPU = torch.device("cpu")
SEEDS = (3, 0, 11)


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("data") / "stories"
    options = "--preset published --k 3-4 --train 1500 --test 300 --distractors 1"
    run("generate", out, *options.split())
    return out


@pytest.fixture(scope="session")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("few") / "stories"
    generate_folder(Job(out, Config(preset="sound", k=(2, 3), train=60, test=20, distractors=0)))
    return out


def outcome(data: Path, into: Path, name: str, epochs: int) -> dict[str, Any]:
    """Train on M3 and test on everything, by the commands."""
    run("train", data, into, "--model", name, "--k", "3", "--epochs", epochs, "--device", "cpu")
    return told("evaluate", into, data, "--device", "cpu")


@pytest.mark.parametrize("name", ["gnn", "gnn-attention"])
def test_graph_networks_learn_their_own_length(name: str, data: Path, tmp_path: Path) -> None:
    found = outcome(data, tmp_path / "run", name, 8)
    assert found["model"] == name
    assert found["train"] == "M3"
    assert {name: one["rows"] for name, one in found["tested"].items()} == {"M3": 300, "M4": 300}
    short = found["tested"]["M3"]
    assert short["accuracy"] >= 97
    assert short["interval"][0] < short["accuracy"] <= short["interval"][1]
    assert sum(sum(row.values()) for row in found["confusion"]["M4"].values()) == 300
    answers = pq.read_table(found["predictions"]).to_pylist()
    mine = [row for row in answers if row["subset"] == "M3"]
    right = sum(row["prediction"] == row["target"] for row in mine)
    assert 100 * right / len(mine) == pytest.approx(short["accuracy"], abs=1e-3)


@pytest.mark.slow
def test_the_lstm_learns_its_own_length(data: Path, tmp_path: Path) -> None:
    assert outcome(data, tmp_path / "run", "lstm", 12)["tested"]["M3"]["accuracy"] >= 97


class StoppedError(Exception):
    pass


def test_a_stopped_training_ends_as_one_that_was_not(
    few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "_SAVE_EVERY", 0.0)
    config = TrainConfig("gnn", (3,), seed=3, epochs=4, batch=10)
    run_training(TrainJob(few, tmp_path / "whole", config, CPU))

    def stop(run: Run, stories: int, total: int) -> None:
        if len(run.epochs) == 2 and stories > 2.5 * total / 4:
            raise StoppedError

    broken = TrainJob(few, tmp_path / "broken", config, CPU)
    with pytest.raises(StoppedError):
        run_training(broken, stop)
    assert len(load_checkpoint(tmp_path / "broken").run.epochs) == 2
    run_training(broken)
    same(tmp_path / "whole", tmp_path / "broken")


def configs() -> list[TrainConfig]:
    return [TrainConfig("gnn", (3,), seed=seed, epochs=4, batch=20) for seed in SEEDS]


def same(one: Path, other: Path) -> None:
    mine, theirs = load_checkpoint(one), load_checkpoint(other)
    assert mine.run.finished
    assert [epoch.loss for epoch in mine.run.epochs] == [epoch.loss for epoch in theirs.run.epochs]
    assert mine.tensors.keys() == theirs.tensors.keys()
    assert all(torch.equal(value, theirs.tensors[key]) for key, value in mine.tensors.items())


def test_a_finished_training_is_left_as_it_is(few: Path, tmp_path: Path) -> None:
    whole = TrainJob(few, tmp_path / "run", configs()[0], CPU)
    run_training(whole)
    before = (whole.run / CHECKPOINT).read_bytes()
    run_training(whole)
    assert (whole.run / CHECKPOINT).read_bytes() == before


def test_a_cell_again_has_the_same_result(few: Path, tmp_path: Path) -> None:
    config = TrainConfig("gnn", (2,), epochs=2, batch=20)
    jobs = [TrainJob(few, tmp_path / name, config, CPU) for name in ("one", "other")]
    one, other = (
        run_cell(CellJob(job.run.name, "M2", job, (cells.StorySet(few),))) for job in jobs
    )
    assert one.tested == other.tested


def test_what_was_never_seen_is_counted(small_run: Path, tmp_path: Path) -> None:
    shutil.copytree(small_run, tmp_path / "run")
    run(
        "generate",
        tmp_path / "other",
        "--preset",
        "described",
        "--k",
        "3",
        "--train",
        0,
        "--test",
        50,
    )
    out = run("evaluate", tmp_path / "run", tmp_path / "other", "--device", "cpu")
    count = re.search(r"never saw ([\d,]+) of the words read", out)
    assert count is not None
    assert int(count[1].replace(",", "")) > 100


@pytest.fixture(scope="session")
def small_run(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("runs") / "gnn"
    run_training(TrainJob(data, run, TrainConfig("gnn", (3,), epochs=1), CPU))
    return run


def test_bad_input_is_one_line(data: Path, small_run: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text("x = 1\n")
    (tmp_path / "wrong.py").write_text("import nothing_like_this\n")
    cut = tmp_path / "cut"
    cut.mkdir()
    (cut / CHECKPOINT).write_bytes((small_run / CHECKPOINT).read_bytes()[:-100])
    new = tmp_path / "new"
    cases: list[tuple[tuple[object, ...], str]] = [
        (
            ("train", data, new, "--model", "transformer"),
            "model: 'transformer' is not one of lstm, gnn",
        ),
        (
            ("train", data, new, "--model", "gnn+magic"),
            "model: 'gnn+magic' is not one of lstm, gnn, gnn+lit",
        ),
        (("train", data, new, "--model", f"{own}:model"), "has no Recipe 'model'; it has none"),
        (("train", data, new, "--model", f"{tmp_path}/no.py:model"), "no.py is not a file"),
        (
            ("train", data, new, "--model", f"{tmp_path}/wrong.py:model"),
            "cannot be run: ModuleNotFoundError",
        ),
        (("train", data, new, "--k", "7"), "has no training stories of M7; it has M3, M4"),
        (("train", data, new, "--k", "x"), "k: 'x' is not a number"),
        (("train", tmp_path / "nowhere", new), "no such file or folder"),
        (("train", data, new, "--epochs", "0"), "epochs: 0 is below 1"),
        (("train", data, small_run, "--seed", "9"), "holds a training with another config"),
        (("train", data, new, "--device", "abacus"), "device: 'abacus' is not one of"),
        (("evaluate", cut, data), "not a whole checkpoint"),
        (("evaluate", tmp_path, data), "not the folder of a run"),
        (("evaluate", small_run, data, "--split", "dreams"), "no dreams stories, only test, train"),
    ]
    if not torch.cuda.is_available():
        cases.append((("train", data, new, "--device", "cuda"), "no CUDA GPU can be used here"))
    for arguments, message in cases:
        assert message in refused(*arguments)
        assert not new.exists()


def test_another_world_is_refused(small_run: Path, data: Path, tmp_path: Path) -> None:
    checkpoint = load_checkpoint(small_run)
    changed = checkpoint.run.to_json()
    changed["world"] = {"name": "elsewhere", "sha256": "0"}
    other = type(checkpoint)(type(checkpoint.run).from_json(changed), checkpoint.tensors)
    other.save(tmp_path / "run")
    with pytest.raises(OutputError, match="another world"):
        run_training(TrainJob(data, tmp_path / "run", checkpoint.run.config, CPU))
    tables = open_dataset(data).split("test")
    for name, table in tables.items():
        strange = pa.array(["boss"] * table.num_rows)
        tables[name] = table.set_column(table.column_names.index("target"), "target", strange)
    run, made_from, model = load_run(small_run)
    with pytest.raises(DataError, match="from another world"):
        answer_subsets(model, made_from, run.vocabulary, tables, CPU)


def test_the_model_of_the_docs_works(
    repository: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (repository / "docs" / "own-model.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    Path("adding.py").write_text(
        re.findall(r"```python\n(.*?)```", page, re.S)[0], encoding="utf-8"
    )
    commands = [
        one.split()[1:] for one in re.findall(r"```sh\n(.*?)```", page, re.S)[0].splitlines()
    ]
    assert [one[0] for one in commands] == [
        "generate",
        "train",
        "train",
        "evaluate",
        "evaluate",
        "score",
    ]
    places: dict[str, object] = {"stories": data, "2-3": 3}
    printed = ""
    for command in commands[1:]:
        device = () if command[0] == "score" else ("--device", "cpu")
        printed = run(*(places.get(word, word) for word in command), *device)
    assert re.search("questions.*adding.*gnn", printed)
    assert "(McNemar)" in printed
    Path("adding.py").unlink()  # the run has its own copy
    found = told("evaluate", "adding", data, "--trust", "--device", "cpu")
    assert found["tested"]["M3"]["accuracy"] > 90


@pytest.mark.gpu
@pytest.mark.parametrize("name", ["lstm", "gnn", "gnn+literal", "gnn-attention", "composer"])
def test_a_gpu_answers_as_the_cpu_does(name: str, world: World) -> None:
    table = stories_of("sound", 4, 200, distractors=4)
    vocabulary = learn_vocabulary([table], world)
    made_from = blueprint(name)
    stories = encode(table, vocabulary)
    cuda = torch.device("cuda")
    models = []
    for device in (CPU, cuda):
        torch.manual_seed(0)
        models.append(made_from.make(vocabulary).to(device))
    batch = fixed(stories)
    there = type(batch)(
        stories.to(cuda),
        batch.index.to(cuda),
        batch.generator,
        {k: v.to(cuda) for k, v in batch.vectors.items()},
    )
    with torch.inference_mode(), torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
        torch.testing.assert_close(models[0](batch), models[1](there).cpu(), atol=1e-4, rtol=1e-4)


@pytest.mark.gpu
@pytest.mark.parametrize("name", ["lstm", "gnn-attention", "composer", "composer+windows"])
def test_recorded_steps_train_as_plain_ones(name: str, world: World) -> None:
    table = stories_of("sound", 3, 250, distractors=2)
    vocabulary = learn_vocabulary([table], world)
    stories = blueprint(name).encode(table, vocabulary)

    def losses(record: bool) -> list[float]:
        torch.manual_seed(0)
        model, config = blueprint(name).make(vocabulary), TrainConfig(name, (3,))
        model.recorded = record
        training, found = Trainer(model, stories, config, torch.device("cuda")), []
        for epoch in range(3):
            for _ in training.steps(epoch):
                pass
            found.append(training.epoch_result()[0])
        return found

    assert losses(True) == pytest.approx(losses(False), rel=1e-3)


@pytest.mark.gpu
def test_a_checkpoint_from_a_gpu(few: Path, tmp_path: Path) -> None:
    run = run_training(TrainJob(few, tmp_path / "run", configs()[0], CPU))
    every = load_checkpoint(tmp_path / "run").tensors | {
        "best.odd": torch.arange(7, dtype=torch.int16).view(7, 1)
    }
    Checkpoint(run, {name: tensor.cuda() for name, tensor in every.items()}).save(
        tmp_path / "other"
    )
    found = load_checkpoint(tmp_path / "other").tensors
    assert found.keys() == every.keys()
    for name, tensor in every.items():
        assert found[name].dtype == tensor.dtype
        assert torch.equal(found[name], tensor)


EVERY = (
    "lstm",
    "gnn",
    "gnn-attention",
    "composer",
    "composer+spliced",
    "composer+windows",
    "epignn",
    "algebra",
)


@pytest.mark.parametrize(("name", "preset"), [("order", "mixed"), ("time", "strict"), ("regions", "strict"),
                                              ("directions", "mixed")])  # fmt: skip
def test_training_and_answering(name, preset, tmp_path):
    data, settings = tmp_path / "data", {"k": (2, 3), "epochs": 1, "device": "cpu"}
    made = {"train": 40, "test": 6, "distractors": 1, "routes": (1, 2)}
    clutrr.generate(out=data, world=name, preset=preset, k=(2, 3), **made)
    for model in EVERY:
        clutrr.train(data, tmp_path / model, model=model, **settings)
        parts = clutrr.evaluate(tmp_path / model, data, device="cpu")
        assert [(part.subset, part.n) for part in parts] == [("M2", 6), ("M3", 6)]
    for model in ("composer", "algebra"):
        assert run("info", tmp_path / model)
    with pytest.raises(ConfigError, match="needs an encoder; give encoder="):
        clutrr.train(data, tmp_path / "pairs", model="pairs", **settings)
