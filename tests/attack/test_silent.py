"""Nothing is silent: what changed is another thing, what is not finished is said to be so."""

import json
import shutil
from importlib import resources
from pathlib import Path

import pytest
import yaml

from clutrr import load_world
from clutrr._data import open_dataset
from clutrr._generate import Config
from clutrr._generate.folder import Job, generate_folder
from clutrr._io.locks import locked
from clutrr._train.config import TrainConfig
from clutrr._train.job import TrainJob, run_training
from clutrr._train.matrix import MATRIX, Generated, Matrix, find_matrix
from clutrr._train.reproduce import INPUTS, _claim
from clutrr._train.run import CHECKPOINT, RECORD, load_checkpoint, load_run
from clutrr.errors import ConfigError, DataError, OutputError, WorldError
from commands import refused, told

torch = pytest.importorskip("torch")
OWN = "from clutrr.models import blueprint\nm = blueprint({!r})\n"


@pytest.fixture
def job(data, tmp_path):
    def made(model: str = "gnn", epochs: int = 1, **settings) -> TrainJob:
        more = {"force": settings.pop("force", False)}
        config = TrainConfig(model, (2,), epochs=epochs, **settings)
        return TrainJob(data, tmp_path / "run", config, torch.device("cpu"), **more)

    return made


def test_a_model_file_is_known_by_its_content(job, tmp_path):
    file = tmp_path / "own.py"
    file.write_text(OWN.format("gnn"))
    first = run_training(job(f"{file}:m"))
    copy = tmp_path / "run/model.py"
    file.write_text(OWN.format("gnn+literal"))
    with pytest.raises(OutputError, match="another model file"):
        run_training(job(f"{file}:m"))
    assert copy.read_text() == OWN.format("gnn")  # the weights' own program is still there
    (tmp_path / "moved.py").write_text(OWN.format("gnn"))
    assert run_training(job(f"{tmp_path / 'moved.py'}:m")).epochs == first.epochs


def test_a_program_in_a_run_is_run_only_if_trusted(job, data, tmp_path):
    mark = tmp_path / "was-run"
    file = tmp_path / "own.py"
    file.write_text(OWN.format("gnn"))
    run_training(job(f"{file}:m"))
    copy = tmp_path / "run/model.py"
    harmful = f"{copy.read_text()}open({str(mark)!r}, 'w')\n"
    with pytest.raises(ConfigError, match="add trust=True"):
        load_run(tmp_path / "run")
    assert "add --trust" in refused("evaluate", tmp_path / "run", data)
    load_run(tmp_path / "run", trust=True)
    copy.write_text(harmful)
    with pytest.raises(DataError, match="changed since the training"):
        load_run(tmp_path / "run", trust=True)
    assert not mark.exists()


def test_two_trainings_in_one_folder(job, tmp_path):
    with (
        locked(tmp_path / "run/.lock"),
        pytest.raises(OutputError, match="another process is at work"),
    ):
        run_training(job(seed=1))
    run_training(job())
    with pytest.raises(OutputError, match="another config"):
        run_training(job(seed=1))
    run_training(job(seed=1, force=True))
    assert load_checkpoint(tmp_path / "run").run.config.seed == 1


def test_a_training_takes_no_folder_of_somebody_else(job, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run/model.py").write_text("mine")
    for force in (False, True):
        with pytest.raises(OutputError, match="something other than a training"):
            run_training(job(force=force))
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["model.py"]


def test_a_lost_record_is_written_again(job, tmp_path):
    run_training(job())
    record = (tmp_path / "run" / RECORD).read_bytes()
    (tmp_path / "run" / RECORD).unlink()
    run_training(job())
    assert (tmp_path / "run" / RECORD).read_bytes() == record


def test_damaged_weights_are_not_tested(job, tmp_path):
    run_training(job())
    path = tmp_path / "run" / CHECKPOINT
    whole = path.read_bytes()
    for at in (len(whole) - 5, len(whole) // 2, 3, 40, 200):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x40]) + whole[at + 1 :])
        with pytest.raises(DataError, match=r"damaged|not a whole checkpoint"):
            load_run(tmp_path / "run")
    path.write_bytes(whole)
    checkpoint = load_checkpoint(tmp_path / "run")
    next(iter(checkpoint.part("model.").values())).fill_(float("nan"))
    checkpoint.save(tmp_path / "run")
    with pytest.raises(DataError, match="not numbers"):
        load_run(tmp_path / "run")


def test_an_unfinished_training_is_said_to_be_so(run, job, data, tmp_path):
    def stop(training, done, total) -> None:
        if len(training.epochs) == 2:
            raise KeyboardInterrupt

    import clutrr._train.loop as module

    before, module._SAVE_EVERY = module._SAVE_EVERY, 0.0
    try:
        with pytest.raises(KeyboardInterrupt):
            run_training(job(epochs=60), stop)
    finally:
        module._SAVE_EVERY = before
    code, out, _ = run("evaluate", tmp_path / "run", data)
    assert code == 0
    assert "2 of 60 epochs" in out
    found = told("evaluate", tmp_path / "run", data)
    assert (len(found["epochs"]), found["finished"]) == (2, False)


def test_predictions_are_written_over_predictions_only(run, job, data, tmp_path):
    run_training(job())
    file = tmp_path / "run" / "predictions.parquet"
    file.write_text("mine")
    assert "is not a file of predictions" in refused("evaluate", tmp_path / "run", data)
    assert file.read_text() == "mine"
    file.unlink()
    for _ in range(2):
        assert run("evaluate", tmp_path / "run", data)[0] == 0


def test_an_experiment_is_known_by_what_its_files_hold(data, tmp_path):
    given = shutil.copytree(data, tmp_path / "given")
    out = tmp_path / "out"
    out.mkdir()
    (out / f".{MATRIX}.abcdefgh.making").mkdir()  # left by a killed run
    own = tmp_path / "own.py"
    own.write_text(OWN.format("gnn"))
    generated = Generated(Config("described", (2,), test=0))
    matrix = Matrix((generated,), ((2,),), str(given), models=(f"{own}:m",), wording=str(given))
    _claim(matrix, out)
    assert (out / INPUTS).is_file()
    _claim(matrix, out)
    own.write_text(OWN.format("lstm"))
    with pytest.raises(OutputError, match=r"another content of .*own\.py"):
        _claim(matrix, out)
    own.write_text(OWN.format("gnn"))
    generate_folder(
        Job(given, Config("described", (2,), 30, 10, seed=1, distractors=0), force=True)
    )
    with pytest.raises(OutputError, match=r"another content of .*given"):
        _claim(matrix, out)


@pytest.fixture
def mine(tmp_path) -> Path:
    with resources.as_file(resources.files("clutrr._lexicon") / "worlds" / "kinship") as source:
        return shutil.copytree(source, tmp_path / "mine")


def test_a_world_whose_sentences_cannot_be_read_back(mine, tmp_path):
    path = mine / "templates.yaml"
    templates = yaml.safe_load(path.read_text())
    templates["son"][1] = templates["daughter"][0]
    path.write_text(yaml.safe_dump(templates))
    err = refused("generate", tmp_path / "out", "--world", mine, "--k", "2")
    assert "templates.yaml: son: " in err
    assert "cannot be read back" in err


def test_a_world_by_two_names(mine, monkeypatch):
    mine.rename(mine.with_name("kinship"))
    monkeypatch.chdir(mine.parent)
    with pytest.raises(WorldError, match=r"write ./kinship for the folder, or builtin:kinship"):
        load_world("kinship")
    assert load_world("./kinship").digest == load_world("builtin:kinship").digest


def test_a_matrix_by_two_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quick").write_text("data: {k: 2}\n")
    err = refused("reproduce", "out", "--matrix", "quick")
    assert "write ./quick for the file, or builtin:quick for ours" in err
    assert find_matrix("./quick") != find_matrix("builtin:quick")
    assert not (tmp_path / "out").exists()


def test_links_and_unfinished_folders_are_not_passed_over(data, tmp_path):
    out = shutil.copytree(data, tmp_path / "out")
    (out / "data/M3").symlink_to(data / "data/M2")
    with pytest.raises(DataError, match="data/M3: a link to another folder"):
        open_dataset(out)
    (out / "data/M3").unlink()
    (out / "more.partial/done").mkdir(parents=True)
    (out / "more.partial/done/M2.json").touch()
    with pytest.raises(DataError, match=r"more\.partial: not finished"):
        open_dataset(out)
    shutil.copytree(data, tmp_path / "x.partial")
    with pytest.raises(DataError, match=r"x\.partial: not finished"):
        open_dataset(tmp_path / "x.partial")


@pytest.mark.parametrize(
    "story",
    ["He is Bob's son.", "Bob is Ann's zorb sister.", "Ann is the mother of whoever Bob is."],
)
def test_a_sentence_that_is_not_understood_is_said(run, story):
    more = " ".join(
        [
            "Bob is Carl's son. Ann is Carl's daughter.",
            *(f"P{i}x is Ann's zorb sister." for i in range(9)),
        ]
    )
    code, out, _ = run("solve", "--story", f"{story} {more}", "--query", "Carl", "Ann", "--json")
    assert code == 0
    assert json.loads(out)["unread"][0].startswith(story)  # and then why
    _, out, _ = run("solve", "--story", f"{story} {more}", "--query", "Carl", "Ann")
    assert out.count("Not understood: ") == 6  # they do not bury the answer
    err = refused("solve", "--story", f"{story} Bob is Carl's son.", "--query", "Carl", "Ann")
    assert f"not read: {story}" in err
