"""Experiments of every shape that a file can say, tiny, from nothing to the records."""

import json
import os
import subprocess
import sys

import pytest

from clutrr.api import read
from clutrr.data import open_dataset
from clutrr.generator import Config
from clutrr.generator.folder import Job, generate_folder
from tiny import tiny_encoder

pytestmark = pytest.mark.process

SMALL = "train: 24, test: 12, distractors: 0"
POOLED = f"""\
data: [{{preset: sound, {SMALL}}}, {{preset: described, {SMALL}}}]
train: [2, 1-2]
test: [{{preset: sound, k: "2,4", test: 12, distractors: 0}}, {{folder: given, k: 3}}]
models: [gnn]
seeds: 1-1
epochs: 1
batch: 12
"""
FOLDER = """\
data: given
train: [2-3]
test: 3
models: [gnn]
epochs: 1
batch: 12
"""
PAIRS = """\
data: given
train: [2]
models: [pairs]
encoder: encoder
epochs: 1
batch: 12
"""
STYLES = f"""\
data: {{{SMALL}}}
train: [2]
test: 2-3
styles: {{plain: {{}}, prose: {{style: prose}}}}
models: [gnn]
epochs: 1
batch: 12
"""


def reproduce(folder, matrix: str) -> dict:
    (folder / "matrix.yaml").write_text(matrix)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "clutrr",
            "reproduce",
            "out",
            "--matrix",
            "matrix.yaml",
            "--device",
            "cpu",
            "--json",
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def given(tmp_path):
    generate_folder(Job(tmp_path / "given", Config(k=(2, 3), train=24, test=12, distractors=0, seed=3)))
    return tmp_path


def test_several_data_sets_and_tests(given):
    content = reproduce(given, POOLED)
    assert content["missing"] == []
    assert [(c["train"], c["test"], c["rows"]) for c in content["cells"]] == [
        (train, test, 12) for train in ("M2", "M1-2") for test in ("given M3", "sound M2", "sound M4")
    ]
    assert [(pair["train"], pair["test"]) for pair in content["lookups"]] == [
        (cell["train"], cell["test"]) for cell in content["cells"]
    ]
    assert all(pair["label known"] > 0 for pair in content["lookups"])
    trained = {
        path.parent.name: json.loads(path.read_text())["data"]["stories"]
        for path in (given / "out/cells").glob("*/result.json")
    }
    assert trained == {"gnn-M2-seed1": 48, "gnn-M1-2-seed1": 96}  # 24 of each length and preset
    assert not list((given / "out/data").glob("*/data/*/test*"))


def test_a_folder_of_ones_own(given):
    content = reproduce(given, FOLDER)
    (cell,) = content["cells"]
    assert (cell["train"], cell["test"], cell["rows"]) == ("M2-3", "M3", 12)
    assert content["reduced"] == ["epochs: 1 instead of 60"]
    assert not (given / "out/data").exists()


@pytest.mark.slow
def test_a_model_that_reads_with_an_encoder(given):
    """`pairs` through the whole experiment: each cell trained and tested."""
    pytest.importorskip("transformers")
    texts = [puzzle.story for puzzle in open_dataset(given / "given").puzzles()]
    tiny_encoder(given / "encoder", texts)
    content = reproduce(given, PAIRS)
    assert content["missing"] == []
    cells = [(cell["model"], cell["train"], cell["test"], cell["rows"]) for cell in content["cells"]]
    assert sorted(cells) == [("pairs", "M2", test, 12) for test in ("M2", "M3")]
    again = reproduce(given, PAIRS)  # everything is there: nothing is trained twice
    assert again["cells"] == content["cells"]


def test_styles(tmp_path):
    """Each style is trained on and tested on; what is trained on the first is tested on all."""
    result = reproduce(tmp_path, STYLES)
    assert {(cell["train"], cell["test"]) for cell in result["cells"]} == {
        ("plain M2", "plain M2"),
        ("plain M2", "plain M3"),
        ("plain M2", "prose M2"),
        ("plain M2", "prose M3"),
        ("prose M2", "prose M2"),
        ("prose M2", "prose M3"),
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
