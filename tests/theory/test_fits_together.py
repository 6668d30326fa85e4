"""Every command and every function on data in a world of its own, and on data that carries none."""

import json
import re
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import clutrr
from clutrr import load_world
from clutrr._data import open_dataset
from commands import findings, run, told

LABELS = list(load_world(Path(__file__).parents[2] / "examples/spanish").relations)
ABOUT = {  # name of the world, assumption, labels, rows
    "spanish": ("spanish", "tree", LABELS, 240),
    "rows": ("bench", "row", ["left of", "right of"], 360),
}
pytest.importorskip("torch", reason="torch is not installed (extra: models)")


@pytest.fixture
def about(request):
    return ABOUT[request.node.callspec.params["data"]]


def test_info_audit_and_solve(data, about):
    name, assume, labels, rows = about
    said = told("info", data)
    assert (said["world"], said["assume"]) == (f"world {name} (the data's own)", assume)
    assert set(said["labels"]) <= set(labels)
    puzzle = next(open_dataset(data).puzzles())
    assert puzzle.target in clutrr.solve(puzzle.story, puzzle.query, data / "world").answers
    found = told("audit", data)
    assert found["world"] == f"world {name} (the data's own)"
    groups = [group for splits in found["subsets"].values() for group in splits.values()]
    assert all(group["text"]["agrees"] == 100 for group in groups)
    assert findings(data)["proved"] == rows
    assert clutrr.audit(data).verdicts == found["verdicts"]


def test_a_model_its_predictions_and_their_score_agree(data, about, trained, tmp_path):
    record = json.loads((trained / "record.json").read_text())
    assert record["vocabulary"]["relations"] == about[2]
    given = told("evaluate", trained, data)
    for answers in (trained, trained / "predictions.parquet"):
        scored = told("score", data, answers, "--split", "test")
        for subset, one in given["tested"].items():
            assert scored["tested"][subset]["accuracy"] == pytest.approx(one["accuracy"], abs=1e-3)
    gold = {puzzle.id: puzzle.target for puzzle in clutrr.read(data) if "test" in puzzle.id}
    assert clutrr.score(data, gold, split="test").total.accuracy == 100
    in_python = clutrr.evaluate(trained, data, device="cpu")
    assert {part.subset: part.accuracy for part in in_python} == {
        name: one["accuracy"] for name, one in given["tested"].items()
    }
    shown = told("explore", data, "--run", trained, "--out", tmp_path / "page.html", "--limit", 20)
    assert shown["stories"] == 20
    assert "gnn" in run("info", trained)


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_there_and_back(data, about, tmp_path, form):
    """A converted folder carries the world too, so it is read without its being named."""
    run("convert", data, tmp_path / "there", "--to", form)
    there = open_dataset(tmp_path / "there")
    assert (there.world.digest, there.world.name) == (open_dataset(data).world.digest, about[0])
    assert clutrr.read(tmp_path / "there") == clutrr.read(data)


def test_learn_its_wording(data, about, tmp_path):
    learnt = told("learn-world", data, tmp_path / "learnt")
    assert set(learnt["templates"]) <= set(about[2])
    sizes = ("--k", 2, "--train", 10, "--test", 5, "--distractors", 1)
    run("generate", tmp_path / "more", "--world", tmp_path / "learnt", *sizes)
    assert findings(tmp_path / "more")["proved"] == 15


def test_text_that_says_something_else_proves_nothing(spanish, tmp_path):
    """Every relation word overwritten: the facts column alone no longer vouches for a row."""
    run("convert", spanish, tmp_path / "cousins", "--to", "jsonl")
    words = re.compile(rf"\b({'|'.join(LABELS)})\b")
    for file in (tmp_path / "cousins").rglob("*.jsonl"):
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        for row in rows:
            row["story"] = words.sub("cousin", row["story"])
            row["sentences"] = []
        file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    found = findings(tmp_path / "cousins")
    assert (found["proved"], found["unread"]) == (0, 240)
    assert findings(tmp_path / "cousins", "--facts")["proved"] == 240


def test_one_file_is_told_in_the_world_around_it_or_named(spanish, tmp_path):
    assert "language:\n- es\n" in (spanish / "README.md").read_text()  # its card
    assert findings(next(spanish.glob("data/M2/test-*")))["proved"] == 40
    run("convert", spanish, tmp_path / "one.csv")
    assert "kinship-es" in told("audit", tmp_path / "one.csv")["world"]  # which has its labels
    named = ("--world", spanish / "world", "--assume", "tree")
    assert findings(tmp_path / "one.csv", *named)["proved"] == 240


def test_a_folder_without_world_and_assumption_is_read(tmp_path):
    """Without optional columns, too."""
    run("generate", tmp_path / "old", "--k", 2, "--train", 30, "--test", 10)
    shutil.rmtree(tmp_path / "old/world")
    manifest = json.loads((tmp_path / "old/manifest.json").read_text())
    del manifest["assume"]
    (tmp_path / "old/manifest.json").write_text(json.dumps(manifest))
    new = clutrr.read(tmp_path / "old")
    for name in ("folder", "one.parquet", "one.csv", "one.jsonl"):  # written from Python
        assert clutrr.write(new, tmp_path / name) == 40
        assert sorted(clutrr.read(tmp_path / name), key=repr) == sorted(new, key=repr)
    for file in (tmp_path / "old/data").rglob("*.parquet"):
        table = pq.read_table(file)
        pq.write_table(table.drop_columns(["roles", "sentences", "possible", "outside"]), file)
    data = open_dataset(tmp_path / "old")
    assert (data.world.name, data.origin, data.assume) == ("kinship", "named by the data", None)
    assert [puzzle.roles for puzzle in data.puzzles()] == [puzzle.roles for puzzle in new]
    assert findings(tmp_path / "old", "--assume", "tree")["proved"] == 40
