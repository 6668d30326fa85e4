"""Answers scored: every question of a split beside what a model answered, counted in a result."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from clutrr._data import Dataset
from clutrr._data.frozen import checksums, joined_checksum, recognised
from clutrr._data.part import UNSPLIT, Part
from clutrr._measure import natural
from clutrr._puzzle import CANNOT_BE_TOLD, Puzzle
from clutrr._score.figures import AnsweredQuestion, figures
from clutrr._score.predictions import Key, Predictions, ReadAnswer, name_of
from clutrr._score.replies import AnswerReader
from clutrr._score.result import Outcomes, Result, Score
from clutrr._score.steps import StepJudge, count_steps
from clutrr._table import from_table
from clutrr._version import VERSION
from clutrr.errors import DataError

ALL = "all"  # every split
# Columns that only steps are judged by.
_OF_STORIES = ("story", "question", "abstract", "sentences", "scene")


Answered = Mapping[Key, Sequence[AnsweredQuestion]]  # by subset and split


def questions_of(part: Part, whole: bool = False) -> Iterator[Puzzle]:
    """Yield the questions of a part of a data set. whole: with their stories."""
    return from_table(part.table if whole else part.table.drop_columns(_OF_STORIES))


def score_predictions(
    data: Dataset, predictions: Predictions, split: str | None = None, steps: bool = False
) -> Result:
    """Score the answers to every question of a split; an answer to any other question is an error.

    - split: train, test, or all of them; by default test, or all if the data has no such split
    - steps: whether to judge the reasoning of replies too
    """
    there = {part.split or UNSPLIT for part in data.parts() if predictions.answers_any(part)}
    split = split or ("test" if "test" in there else ALL)
    found, not_asked = _answered(data, predictions, split, steps)
    if not found:
        where = "" if split == ALL else f" in split {split!r}, only in {', '.join(sorted(there))}"
        raise DataError(f"no question{where}", place=data.path)
    about: dict[str, Any] = {"data": str(data.path), "split": split, "world": data.world.name}
    if data.assume is not None:
        about["assume"] = data.assume
    if not_asked:
        about["not_asked"] = not_asked
    if predictions.selected:
        about["select"] = predictions.selected
    given = (one for answers in predictions.answers.values() for one in answers)
    if versions := sorted({one.prompt_version for one in given} - {""}):
        about["prompt_version"] = ", ".join(versions)
    sums = checksums(part for part in data.parts() if split == ALL or part.split in (split, None))
    about["checksum"] = joined_checksum(sums)
    if frozen := recognised(sums):
        about["set"] = frozen
    return _counted(name_of(predictions.path), about, found)


def _answered(
    data: Dataset, predictions: Predictions, split: str, steps: bool
) -> tuple[Answered, int]:
    """Return the questions of a split with their answers, and how many were not asked."""
    reader = AnswerReader(data.world)
    judge = StepJudge(data.world, data.assume) if steps else None
    found: dict[Key, list[AnsweredQuestion]] = {}
    asked, elsewhere = set[Key](), set[Key]()
    not_asked = 0
    for part in data.parts():
        # Questions without a split belong to any.
        wanted = split == ALL or part.split in (split, None)
        for question in questions_of(part, steps):
            key = predictions.key(part.subset, question.id) or (part.subset, question.id)
            if not wanted:
                elsewhere.add(key)
                continue
            if key in asked:
                raise DataError(
                    f"the id {question.id!r} appears twice in the data", place=part.where
                )
            asked.add(key)
            if predictions.some and key not in predictions.answers:
                not_asked += 1
                continue
            answers = predictions.read(part.subset, question, reader)
            if judge is not None:
                answers = [_with_reasoning(one, question, judge) for one in answers]
            place = part.subset, part.split or UNSPLIT
            found.setdefault(place, []).append(AnsweredQuestion(question, answers))
    for key in predictions.answers:
        if key not in asked and key not in elsewhere:
            raise DataError(f"the id {key[1]!r} is not in {data.path}", place=predictions.path)
    in_order = sorted(found, key=lambda place: (natural(place[0]), place[1]))
    return {place: found[place] for place in in_order}, not_asked


def _with_reasoning(answer: ReadAnswer, question: Puzzle, judge: StepJudge) -> ReadAnswer:
    reply = f"{answer.given.reasoning}\n\n{answer.given.text}".strip()
    return answer._replace(reasoning=judge.judge(reply, question))


def _counted(model: str, about: Mapping[str, Any], found: Answered) -> Result:
    """Return the answers of a model as a result. about: what was asked."""
    several = len({split for _, split in found}) > 1
    every = [one for questions in found.values() for one in questions]
    lengths = sorted({one.question.k for one in every})
    return Result(
        model,
        {
            f"{subset} {split}" if several else subset: _score(questions)
            for (subset, split), questions in found.items()
        },
        {k: _score([one for one in every if one.question.k == k]) for k in lengths},
        tuple((one.question.id, answer.given.text) for one in every for answer in one.unread),
        questions=about,
        versions={"clutrr": VERSION},
        details=_details(every),
        outcomes=_outcomes(found),
    )


def _details(questions: Sequence[AnsweredQuestion]) -> dict[str, Any]:
    """Return what is known of the answers beside how many are right: see `Result.details`."""
    read = [(one.question.k, answer) for one in questions for answer in one.answers]
    details: dict[str, Any] = {}
    abstained = sum(one.found == CANNOT_BE_TOLD != one.key for _, one in read)
    certain = sum(one.key == CANNOT_BE_TOLD and one.found not in (None, one.key) for _, one in read)
    if abstained or certain:
        details["cannot_be_told"] = {"false_abstention": abstained, "false_certainty": certain}
    states = Counter(answer.state for _, answer in read)
    if not_read := {why: states[why] for why in ("truncated", "refused") if states[why]}:
        details["not_read"] = not_read
    judged = [(k, one.right, one.reasoning) for k, one in read if one.reasoning is not None]
    if judged:
        details["steps"] = count_steps(judged)
    return details | figures(questions)


def _outcomes(found: Answered) -> Outcomes:
    """Return which questions are answered right: of several samples, most count."""
    return {
        (subset, one.question.id, one.answers[0].given.asked): one.right > Fraction(1, 2)
        for (subset, _), questions in found.items()
        for one in questions
        if one.answers
    }


def _score(questions: Sequence[AnsweredQuestion]) -> Score:
    right = sum((one.right for one in questions), Fraction())
    return Score(
        len(questions),
        right.numerator if right.denominator == 1 else float(right),
        sum(len(one.unread) for one in questions),
        sum(not one.answers for one in questions),
    )
