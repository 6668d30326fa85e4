"""The commands info, convert, learn-world and score."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sample_files
from clutrr.cli import app
from clutrr.errors import DataError


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0
    return result.stdout


def test_info(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(sample_files.V1)
    about = json.loads(run("info", tmp_path / "a.csv", "--json"))
    assert about["format"] == "v1.0"
    assert about["rows"] == 2
    assert about["subsets"] == {"1.2": {"train": 1, "test": 0}, "3.2": {"train": 0, "test": 1}}
    assert about["labels"] == {"nephew": 1, "son": 1}
    text = run("info", tmp_path / "a.csv")
    assert "What is Carl to Ann? nephew" in text
    assert len(text.splitlines()) < 40
    with pytest.raises(DataError):
        run("info", tmp_path / "none")


def test_convert(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(sample_files.V1)
    told = json.loads(run("convert", tmp_path / "a.csv", tmp_path / "b.jsonl", "--json"))
    assert (told["format"], told["rows"]) == ("jsonl", 2)
    assert "the split is lost for 2 puzzles" in told["losses"]
    assert "2 puzzles" in run("convert", tmp_path / "b.jsonl", tmp_path / "c")


def test_learn_world(tmp_path: Path) -> None:
    run("generate", tmp_path / "data", "--k", "3", "--train", "400", "--test", "0")
    told = json.loads(run("learn-world", tmp_path / "data", tmp_path / "world", "--json"))
    assert told["left_out"] == []
    assert set(told["templates"]["son"]) >= {"{a} is the parent of a son, {b}."}
    run(
        "generate",
        tmp_path / "more",
        "--k",
        "3",
        "--train",
        "10",
        "--test",
        "0",
        "--world",
        tmp_path / "world",
    )
    assert "Not turned into templates: 0" in run("learn-world", tmp_path / "more", tmp_path / "other")


def test_score(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(sample_files.V1)
    (tmp_path / "answers.csv").write_text("id,answer\none,nephew\ntwo,who knows\n")
    told = json.loads(run("score", tmp_path / "a.csv", tmp_path / "answers.csv", "--split", "all", "--json"))
    assert told["accuracy"] == 50
    assert told["tested"]["1.2 train"]["right"] == 1
    assert told["unread_answers"] == [{"id": "two", "answer": "who knows"}]
    assert "two: who knows" in run("score", tmp_path / "a.csv", tmp_path / "answers.csv")


@pytest.mark.process
def test_bad_input_is_one_line_and_exit_2(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("story,summary\nx,y\n")
    result = subprocess.run(
        [
            sys.executable,
            "-c",
            "from clutrr.cli import main; main()",
            "info",
            str(tmp_path / "a.csv"),
            "--json",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert "a.csv, line 2: the summary 'y' states 0 facts" in result.stderr
