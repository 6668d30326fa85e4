"""Scoring answers."""

import json
import math
from pathlib import Path

import pytest

import sample_files
from clutrr.data import open_dataset
from clutrr.errors import DataError
from clutrr.scoring import Score, read_predictions, score


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two questions: one: nephew, in 1.2; two: son, in 3.2."""
    path = tmp_path / "data.csv"
    path.write_text(sample_files.V1)
    return path


def test_scores_by_subset(data: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers.csv"
    answers.write_text("id,model,answer\none,m,Carl is the nephew of Ann.\ntwo,m,son or brother\n")
    result = score(open_dataset(data), read_predictions(answers), "all")
    assert result.tested == {"1.2 train": Score(1, 1), "3.2 test": Score(1, 0, unread=1)}
    assert result.lengths == {2: Score(2, 1, unread=1)}
    assert result.unread == (("two", "son or brother"),)
    assert result.total.accuracy == 50
    test = score(open_dataset(data), read_predictions(answers))  # by default
    assert (test.tested, test.questions["split"]) == ({"3.2": Score(1, 0, unread=1)}, "test")
    assert (test.model, test.questions["data"]) == ("answers", str(data))


def test_missing_answers_are_wrong(data: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({"id": "two", "answer": "SON"}) + "\n")
    total = score(open_dataset(data), read_predictions(answers), "all").total
    assert (total.right, total.missing, total.rows) == (1, 1, 2)


def test_wilson_interval() -> None:
    """Against the roots of (p - x)^2 = z^2 x (1 - x) / n, of which it is made."""
    for right, rows in ((0, 10), (5, 10), (10, 10), (437, 500)):
        low, high = Score(rows, right).interval
        p, z = right / rows, 1.959964
        for bound in (low / 100, high / 100):
            assert math.isclose((p - bound) ** 2, z**2 * bound * (1 - bound) / rows, abs_tol=1e-12)
        assert low <= 100 * p <= high


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,answer\none,a\none,b\n", "line 3: the id 'one' appears twice"),
        ("id,answer\nnine,a\n", "the id 'nine' is not in"),
        ("name,answer\none,a\n", "line 1: no column 'id'"),
        ('{"id": 1, "answer": "son"}\n', "line 1: id and answer must be text"),
        ('{"id": "one"}\n', "line 1: no field 'answer'"),
        ("id,answer\none\n", "line 2: 1 cells"),
    ],
)
def test_bad_predictions(data: Path, tmp_path: Path, text: str, message: str) -> None:
    answers = tmp_path / "answers"
    answers.write_text(text)
    with pytest.raises(DataError, match=message):
        score(open_dataset(data), read_predictions(answers))


def test_no_predictions(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no answers"):
        read_predictions(tmp_path / "none")
