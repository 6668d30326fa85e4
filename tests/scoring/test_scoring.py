"""Scoring answers."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

import clutrr
import sample_files
from clutrr._data import open_dataset
from clutrr._puzzle import CANNOT_BE_TOLD
from clutrr._report.comparison import compare
from clutrr._score.predictions import read_predictions
from clutrr._score.replies import QuestionForm
from clutrr._score.result import Score
from clutrr._score.scoring import score_predictions
from clutrr.errors import DataError


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two questions: one: nephew, in 1.2; two: son, in 3.2."""
    path = tmp_path / "data.csv"
    path.write_text(sample_files.V1)
    return path


def test_scores_by_subset(data: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers.csv"
    answers.write_text("id,model,answer\none,m,Carl is the nephew of Ann.\ntwo,m,son or brother\n")
    result = score_predictions(open_dataset(data), read_predictions(answers), "all")
    assert result.tested == {"1.2 train": Score(1, 1), "3.2 test": Score(1, 0, unread=1)}
    assert result.lengths == {2: Score(2, 1, unread=1)}
    assert result.unread == (("two", "son or brother"),)
    assert result.total.accuracy == 50
    test = score_predictions(open_dataset(data), read_predictions(answers))  # by default
    assert (test.tested, test.questions["split"]) == ({"3.2": Score(1, 0, unread=1)}, "test")
    assert (test.model, test.questions["data"]) == ("answers", str(data))


def test_train_and_test_may_have_the_same_ids(tmp_path: Path) -> None:
    for split, target in (("train", "daughter"), ("test", "son")):
        row = f'1,"Ann is Bob\'s mother. Eve is Ann\'s {target}.","Ann, Eve",{target}\n'
        (tmp_path / f"{split}.csv").write_text(f"id,story,query,target\n{row}")
    answers = tmp_path.with_suffix(".csv")
    answers.write_text("id,answer\n1,son\n")
    data, given = open_dataset(tmp_path), read_predictions(answers)
    assert [
        score_predictions(data, given, split).total.right for split in (None, "test", "train")
    ] == [1, 1, 0]
    with pytest.raises(DataError, match="'1' appears twice in the data"):
        score_predictions(data, given, "all")


def test_missing_answers_are_wrong(data: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({"id": "two", "answer": "SON"}) + "\n")
    total = score_predictions(open_dataset(data), read_predictions(answers), "all").total
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
        ("name,answer\none,a\n", "line 2: no column 'id'"),
        ('{"id": 1, "answer": "son"}\n', "line 1: id, answer must be text"),
        ('{"id": "one"}\n', "line 1: no column 'answer'"),
        ("id,answer\none\n", "line 2: 1 cells"),
    ],
)
def test_bad_predictions(data: Path, tmp_path: Path, text: str, message: str) -> None:
    answers = tmp_path / "answers"
    answers.write_text(text)
    with pytest.raises(DataError, match=message):
        score_predictions(open_dataset(data), read_predictions(answers))


def test_no_predictions(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        read_predictions(tmp_path / "none")
    (tmp_path / "empty").touch()
    with pytest.raises(DataError, match="contains no answers"):
        read_predictions(tmp_path / "empty")


@pytest.fixture
def answered(tmp_path: Path):
    """Data whose questions have several answers or one, and a way to make a file of answers to them."""
    puzzles = clutrr.generate(preset="mixed", k=3, size=40, distractors=0)
    clutrr.write(puzzles, tmp_path / "mixed")
    opened = open_dataset(tmp_path / "mixed")

    def write(name: str, answers: list[str]):
        lines = [{"id": one.id, "answer": said} for one, said in zip(puzzles, answers, strict=True)]
        (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
        return read_predictions(tmp_path / name)

    return opened, puzzles, write


def test_cannot_be_told_broken_down(answered) -> None:
    opened, puzzles, write = answered
    open_ones = sum(one.target == CANNOT_BE_TOLD for one in puzzles)
    told = score_predictions(opened, write("told", ["son"] * 40)).details["cannot_be_told"]
    assert told == {"false_abstention": 0, "false_certainty": open_ones}
    never = score_predictions(opened, write("never", [CANNOT_BE_TOLD] * 40)).details[
        "cannot_be_told"
    ]
    assert never == {"false_abstention": 40 - open_ones, "false_certainty": 0}
    assert (
        "cannot_be_told"
        not in score_predictions(opened, write("right", [one.target for one in puzzles])).details
    )


def test_steps_of_replies(answered) -> None:
    opened, puzzles, write = answered
    proofs = [clutrr.solve(one.story, one.query).proof for one in puzzles]
    replies = [f"{proof}\nAnswer: {one.target}" for proof, one in zip(proofs, puzzles, strict=True)]
    labels = opened.world.relations
    for number, one in enumerate(puzzles[:4]):
        other = next(label for label in labels if label != one.target)
        said = opened.world.say(one.query[0], other, one.query[1])
        replies[number] = f"{said}.\nAnswer: {one.target}"
    replies[4:6] = [f"Answer: {one.target}" for one in puzzles[4:6]]
    found = score_predictions(opened, write("replies", replies), steps=True)
    assert found.total.right == 40
    figures = found.details["steps"]["by_k"]["3"]
    assert (figures["replies"], figures["with_claims"], figures["right"]) == (40, 38, 40)
    hedged = sum(one.target == CANNOT_BE_TOLD for one in puzzles[6:])  # they assert nothing
    assert figures["right_by_right_steps"] == 34 - hedged
    assert figures["right_by_wrong_steps"] == 4
    assert figures["first_wrong"] == 1
    assert found.details["steps"]["all"] == figures  # there is no other k
    assert sum(found.details["steps"]["breaks"].values()) == 4
    given = write("apart", replies)
    apart = {  # as a service gives reasoning apart from the answer
        key: (replace(one, text=f"Answer: {one.text.split('Answer: ')[1]}", reasoning=one.text),)
        for key, (one,) in given.answers.items()
    }
    assert (
        score_predictions(opened, replace(given, answers=apart), steps=True).details["steps"]
        == found.details["steps"]
    )


def test_why_answers_were_not_read(answered) -> None:
    opened, _, write = answered
    said = (
        ["I'm sorry, but I can't help."] * 3
        + ["an uncle or a nephew"] * 2
        + ["Ann is her"] * 4
        + ["son"] * 31
    )
    given = write("replies", said)
    cut = {
        key: (replace(one, finish="length" * (one.text == "Ann is her")),)
        for key, (one,) in given.answers.items()
    }
    found = score_predictions(opened, replace(given, answers=cut))
    assert found.total.unread == 9
    assert found.details["not_read"] == {"truncated": 4, "refused": 3}
    assert "not_read" not in score_predictions(opened, write("read", ["son"] * 40)).details


def test_two_models_on_the_same_questions(answered) -> None:
    """Against the binomial distribution, worked out by hand for 10 of 11."""
    opened, puzzles, write = answered
    right = [one.target for one in puzzles]
    one = write("one", [*right[:30], *(["none"] * 10)])
    other = write("other", [*right[:20], *(["none"] * 19), right[39]])
    form = QuestionForm("yes-no", ("son",))
    asked = {key: (replace(given[0], asked=form),) for key, given in one.answers.items()}
    otherwise = replace(one, path=Path("otherwise"), answers=asked)
    pairs = compare(opened, [one, other, otherwise]).pairs
    found = pairs["one", "other"]
    assert (found.both, found.neither) == (20, 9)
    assert (len(found.first), found.second) == (10, (puzzles[39].id,))
    assert math.isclose(found.p, 2 * 12 / 2**11)
    assert found._replace(first=(), second=()).p == 1
    assert pairs["one", "otherwise"] == (0, 0, (), ())  # not the same questions
    several = clutrr.score(puzzles, [one.path, {puzzles[0].id: right[0]}])
    assert [result.model for result in several.results] == ["one", "answers-2"]
    assert "one" in str(several)
