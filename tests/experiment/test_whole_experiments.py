"""Experiments of every shape that a file can say, tiny, from nothing to the records."""

import json

import pytest

from clutrr.api import read
from clutrr.data import open_dataset
from clutrr.generator import Config
from clutrr.generator.folder import Job, generate_folder
from clutrr.workers import Here
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
    monkeypatch.setattr("clutrr.experiment.cells.Processes", lambda at_once: Here())

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
    generate_folder(Job(tmp_path / "given", Config(k=(2, 3), train=24, test=12, distractors=0, seed=3)))
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
    cells = [(cell["model"], cell["train"], cell["test"], cell["rows"]) for cell in content["cells"]]
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
    assert [(p.query, p.facts) for p in told["plain"]] == [(p.query, p.facts) for p in told["prose"]]
