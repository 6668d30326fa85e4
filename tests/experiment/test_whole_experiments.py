"""Experiments of every shape that a file can say, tiny, from nothing to the records."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import clutrr
from clutrr import read
from clutrr._data import open_dataset
from clutrr._generate import Config
from clutrr._generate.folder import Job, generate_folder
from clutrr._io.executors import SerialExecutor
from tiny import tiny_encoder

pytest.importorskip("torch", reason="needs the extra `models`")

SMALL = "train: 24, test: 12, distractors: 0"
COMMON = "models: [gnn]\nepochs: 1\nbatch: 12\n"
POOLED = f"""\
data: [{{preset: sound, {SMALL}}}, {{preset: described, {SMALL}}}]
train: [1-2]
test: {{preset: sound, k: "2,4", test: 12, distractors: 0}}
seeds: 1-1
{COMMON}"""
FOLDER = f"data: given\ntrain: [2-3]\n{COMMON}"
PAIRS = f"data: given\ntrain: [2]\nencoder: encoder\n{COMMON}".replace("[gnn]", "[pairs]")
STYLES = f"""\
data: {{{SMALL}}}
train: [2]
test: {{k: 2-3}}
styles: {{plain: {{}}, prose: {{style: prose}}}}
{COMMON}"""


@pytest.fixture
def reproduce(run, tmp_path, monkeypatch):
    """Run an experiment in this process, and return what the command prints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("clutrr._train.cells.ProcessExecutor", lambda at_once: SerialExecutor())

    def command(matrix: str) -> dict:
        (tmp_path / "matrix.yaml").write_text(matrix)
        code, printed, errors = run(
            "reproduce", "out", "--matrix", "matrix.yaml", "--device", "cpu", "--json"
        )
        assert code == 0, errors
        return json.loads(printed)

    return command


@pytest.fixture
def given(tmp_path):
    generate_folder(
        Job(tmp_path / "given", Config(k=(2, 3), train=24, test=12, distractors=0, seed=3))
    )
    return tmp_path


def test_several_data_sets(reproduce, tmp_path):
    content = reproduce(POOLED)
    assert content["missing"] == []
    assert [(c["train"], c["test"], c["rows"]) for c in content["cells"]] == [
        ("M1-2", test, 12) for test in ("M2", "M4")
    ]
    assert [(pair["train"], pair["test"]) for pair in content["lookups"]] == [
        (cell["train"], cell["test"]) for cell in content["cells"]
    ]
    assert all(pair["label known"] > 0 for pair in content["lookups"])
    trained = {
        path.parent.name: json.loads(path.read_text())["data"]["stories"]
        for path in (tmp_path / "out/cells").glob("*/result.json")
    }
    assert trained == {"gnn-M1-2-seed1": 96}  # 24 of each length and preset
    assert sorted(path.name for path in (tmp_path / "out/data").iterdir()) == ["described", "sound"]
    assert not list((tmp_path / "out/data").glob("*/data/*/test*"))


def test_a_folder_of_ones_own(reproduce, given):
    content = reproduce(FOLDER)
    cells = [(cell["train"], cell["test"], cell["rows"]) for cell in content["cells"]]
    assert cells == [("M2-3", "M2", 12), ("M2-3", "M3", 12)]
    assert not (given / "out/data").exists()


@pytest.mark.slow
def test_a_model_that_reads_with_an_encoder(reproduce, given):
    """`pairs` through the whole experiment: each cell trained and tested."""
    pytest.importorskip("transformers")
    texts = [puzzle.story for puzzle in open_dataset(given / "given").puzzles()]
    tiny_encoder(given / "encoder", texts)
    content = reproduce(PAIRS)
    assert content["missing"] == []
    cells = [
        (cell["model"], cell["train"], cell["test"], cell["rows"]) for cell in content["cells"]
    ]
    assert sorted(cells) == [("pairs", "M2", test, 12) for test in ("M2", "M3")]
    again = reproduce(PAIRS)  # everything is there: nothing is trained twice
    assert again["cells"] == content["cells"]


def test_styles(reproduce, tmp_path):
    """Each style is trained on and tested on; what is trained on the first is tested on all."""
    result = reproduce(STYLES)
    assert {(cell["train"], cell["test"]) for cell in result["cells"]} == {
        *(("plain M2", test) for test in ("plain M2", "plain M3", "prose M2", "prose M3")),
        *(("prose M2", test) for test in ("prose M2", "prose M3")),
    }
    assert {(cell["rows"], cell["seeds"]) for cell in result["cells"]} == {(12, 1)}
    out = tmp_path / "out"
    assert sorted(path.name for path in (out / "cells").iterdir()) == [
        "gnn-plain-M2-seed0",
        "gnn-prose-M2-seed0",
    ]
    told = {style: read(out / "test" / style) for style in ("plain", "prose")}
    assert told["plain"][0].story != told["prose"][0].story
    assert [(p.query, p.facts) for p in told["plain"]] == [
        (p.query, p.facts) for p in told["prose"]
    ]


def test_cells_keep_their_answers(reproduce, tmp_path):
    """Scored again by anybody, they are the results, by subset; with a probability for each."""
    reproduce(STYLES)
    cells = tmp_path / "out/cells"
    files = sorted(f"{path.parent.name}/{path.name}" for path in cells.glob("*/*.parquet"))
    assert files == [
        "gnn-plain-M2-seed0/predictions-plain.parquet",
        "gnn-plain-M2-seed0/predictions-prose.parquet",
        "gnn-prose-M2-seed0/predictions-prose.parquet",
    ]
    for name in files:
        style = Path(name).stem.removeprefix("predictions-")
        scored = clutrr.score(tmp_path / "out/test" / style, cells / name)
        result = json.loads((cells / name).with_name("result.json").read_text())
        for subset, score in scored.tested.items():
            recorded = result["tested"][f"{style} {subset}"]
            assert (score.right, score.rows) == (recorded["right"], recorded["rows"])
        shares = pq.read_table(cells / name)["probability"].to_pylist()
        assert all(0 < share <= 1 for share in shares)


def test_a_cell_that_was_killed_before_its_result_answers_again(reproduce, tmp_path):
    reproduce(COMMON + f"data: {{k: 2, {SMALL}}}")
    (cell,) = (tmp_path / "out/cells").iterdir()
    before = pq.read_table(cell / "predictions.parquet")
    result = json.loads((cell / "result.json").read_text())
    (cell / "result.json").unlink()
    reproduce(COMMON + f"data: {{k: 2, {SMALL}}}")
    assert pq.read_table(cell / "predictions.parquet").equals(before)
    assert json.loads((cell / "result.json").read_text())["tested"] == result["tested"]


def test_python_writes_what_the_command_writes(run, given, tmp_path):
    clutrr.train(given / "given", tmp_path / "run", model="gnn", k=2, epochs=1, device="cpu")
    code, _, errors = run("evaluate", tmp_path / "run", given / "given", "--device", "cpu")
    assert code == 0, errors
    of_command = pq.read_table(tmp_path / "run/predictions.parquet")
    (tmp_path / "run/predictions.parquet").unlink()
    found = clutrr.evaluate(tmp_path / "run", given / "given", device="cpu")
    assert found.file == tmp_path / "run/predictions.parquet"
    assert pq.read_table(found.file).equals(of_command)
    found = clutrr.evaluate(
        tmp_path / "run", given / "given", device="cpu", to=tmp_path / "mine.parquet"
    )
    assert pq.read_table(tmp_path / "mine.parquet").equals(of_command)
    with pytest.raises(clutrr.ClutrrError, match=r"answers are written as \.parquet"):
        clutrr.evaluate(tmp_path / "run", given / "given", device="cpu", to=tmp_path / "mine.csv")
