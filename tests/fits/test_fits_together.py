"""Every command and every function on data in a world of its own, and on data that carries none."""

import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import clutrr
from clutrr.cli import app
from clutrr.data import open_dataset
from german import WORDS, write_german

LABELS = [word for pair in WORDS.values() for word in pair]
pytest.importorskip("torch", reason="torch is not installed (extra: models)")


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, (arguments, result.output, result.exception)
    return result.stdout


def told(*arguments: object) -> dict:
    return json.loads(run(*arguments, "--json"))


def findings(data: Path, *options: object) -> Counter[str]:
    """How often the audit finds what."""
    counts: Counter[str] = Counter()
    for splits in told("audit", data, *options)["subsets"].values():
        for group in splits.values():
            (shares,) = group["soundness"].values()
            counts.update({finding: round(share * group["rows"] / 100) for finding, share in shares.items()})
    return counts


@pytest.fixture(scope="module")
def german(tmp_path_factory) -> Path:
    """A data set in German, of which only the data set is left: its world's own folder is gone."""
    folder = tmp_path_factory.mktemp("german")
    world = write_german(folder / "deutsch")
    sizes = ["--k", "2,3", "--train", 80, "--test", 40, "--distractors", 2]
    run("generate", folder / "data", "--world", world, *sizes)
    shutil.rmtree(world)
    return folder / "data"


@pytest.fixture(scope="module")
def trained(german, tmp_path_factory) -> Path:
    where = tmp_path_factory.mktemp("run") / "run"
    run("train", german, where, "--model", "gnn", "--k", 2, "--epochs", 2, "--device", "cpu")
    return where


def test_info_audit_and_solve(german):
    about = told("info", german)
    assert (about["world"], about["assume"]) == ("world deutsch (the data's own)", "tree")
    assert set(about["labels"]) <= set(LABELS)
    assert "language:\n- de\n" in (german / "README.md").read_text()  # its card
    puzzle = next(open_dataset(german).puzzles())
    assert puzzle.target in clutrr.solve(puzzle.story, puzzle.query, german / "world").answers
    found = told("audit", german)
    assert found["world"] == "world deutsch (the data's own)"
    groups = [group for splits in found["subsets"].values() for group in splits.values()]
    assert all(group["text"]["agrees"] == 100 for group in groups)
    assert all(group["soundness"]["tree"]["proved"] == 100 for group in groups)
    assert findings(german)["proved"] == 240
    assert clutrr.audit(german).verdicts == found["verdicts"]


def test_text_that_says_something_else_proves_nothing(german, tmp_path):
    """Every relation word overwritten: the facts column alone no longer vouches for a row."""
    run("convert", german, tmp_path / "cousins", "--to", "jsonl")
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
    assert clutrr.audit(tmp_path / "cousins").verdicts


def test_a_model_its_predictions_and_their_score_agree(german, trained, tmp_path):
    record = json.loads((trained / "record.json").read_text())
    assert record["vocabulary"]["relations"] == LABELS
    given = told("evaluate", trained, german)
    for answers in (trained, trained / "predictions.parquet"):
        scored = told("score", german, answers, "--split", "test")
        for subset, accuracy in given["accuracy"].items():
            assert scored["tested"][subset]["accuracy"] == pytest.approx(accuracy, abs=1e-3)
    gold = {puzzle.id: puzzle.target for puzzle in clutrr.read(german) if "test" in puzzle.id}
    assert clutrr.score(german, gold, split="test").total.accuracy == 100
    in_python = clutrr.evaluate(trained, german, device="cpu")
    assert {part.subset: round(part.accuracy, 4) for part in in_python} == given["accuracy"]


def test_one_file_is_told_in_the_world_around_it_or_named(german, tmp_path):
    assert findings(next(german.glob("data/M2/test-*")))["proved"] == 40
    run("convert", german, tmp_path / "one.csv")
    result = CliRunner().invoke(app, ["audit", str(tmp_path / "one.csv")])
    assert "--world" in str(result.exception)
    named = ("--world", german / "world", "--assume", "tree")
    assert findings(tmp_path / "one.csv", *named)["proved"] == 240


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl", "v1.0"])
def test_there_and_back(german, tmp_path, form):
    """A converted folder carries the world too, so it is read without its being named."""
    run("convert", german, tmp_path / "there", "--to", form)
    there = open_dataset(tmp_path / "there")
    assert (there.world.digest, there.world.name) == (open_dataset(german).world.digest, "deutsch")
    assert findings(tmp_path / "there")["proved"] == 240
    run("convert", tmp_path / "there", tmp_path / "back", "--to", "parquet")
    stories = [
        sorted(puzzle.story for puzzle in clutrr.read(folder)) for folder in (german, tmp_path / "back")
    ]
    assert stories[0] == stories[1]


def test_explore(german, trained, tmp_path):
    run("evaluate", trained, german)
    about = told("explore", german, "--run", trained, "--out", tmp_path / "page.html", "--limit", 20)
    assert about["stories"] == 20


def test_learn_its_wording(german, tmp_path):
    learnt = told("learn-world", german, tmp_path / "learnt")
    assert set(learnt["templates"]) <= set(LABELS)
    sizes = ("--k", 2, "--train", 10, "--test", 5, "--distractors", 1)
    run("generate", tmp_path / "more", "--world", tmp_path / "learnt", *sizes)
    assert findings(tmp_path / "more")["proved"] == 15


def test_an_old_folder_is_read(tmp_path):
    """Without world, assumption, or the later columns."""
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
    assert (data.world.name, data.origin, data.assume) == ("kinship", "named by the data", "tree")
    assert [puzzle.roles for puzzle in data.puzzles()] == [puzzle.roles for puzzle in new]
    assert findings(tmp_path / "old")["proved"] == 40
