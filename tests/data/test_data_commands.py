"""The commands info, convert and score."""

import json
from pathlib import Path

import sample_files


def test_info(run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(sample_files.V1)
    about = json.loads(run("info", tmp_path / "a.csv", "--json")[1])
    assert about["format"] == "v1.0"
    assert about["rows"] == 2
    assert about["subsets"] == {"1.2": {"train": 1, "test": 0}, "3.2": {"train": 0, "test": 1}}
    assert about["labels"] == {"nephew": 1, "son": 1}
    text = run("info", tmp_path / "a.csv")[1]
    assert "What is Carl to Ann? nephew" in text
    assert len(text.splitlines()) < 40
    assert run("info", tmp_path / "none")[0] == 2


def test_convert(run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(sample_files.V1)
    told = json.loads(run("convert", tmp_path / "a.csv", tmp_path / "b.jsonl", "--json")[1])
    assert (told["format"], told["rows"]) == ("jsonl", 2)
    assert "the split is lost for 2 puzzles" in told["losses"]
    assert "2 puzzles" in run("convert", tmp_path / "b.jsonl", tmp_path / "c")[1]


def test_score(run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(sample_files.V1)
    (tmp_path / "answers.csv").write_text("id,answer\none,nephew\ntwo,who knows\n")
    wish = ["score", tmp_path / "a.csv", tmp_path / "answers.csv"]
    told = json.loads(run(*wish, "--split", "all", "--json")[1])
    assert told["accuracy"] == 50
    assert told["tested"]["1.2 train"]["right"] == 1
    assert told["unread_answers"] == [{"id": "two", "answer": "who knows"}]
    assert "two: who knows" in run(*wish)[1]
