"""Answers to the questions of a data set, read from files and scored.

A file of answers is what `clutrr evaluate` or `clutrr ask` writes, or anybody's CSV or JSON lines of id and
answer.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from clutrr.config import FORMS
from clutrr.data import Dataset
from clutrr.data.part import UNSPLIT, Part
from clutrr.data.source import DataFile, Place, json_lines, records
from clutrr.errors import DataError, plain
from clutrr.files import Where, open_file, parse_json
from clutrr.measure import natural
from clutrr.puzzle import CANNOT_BE_TOLD, Puzzle
from clutrr.scoring.answers import WHICH, AnswerReader, QuestionForm
from clutrr.scoring.result import Result, Score
from clutrr.scoring.steps import Reasoning, StepJudge, count_steps
from clutrr.table import from_table
from clutrr.version import VERSION

PREDICTIONS = "predictions.parquet"  # in the folder of a run
RESULT_ENTRY = "clutrr result"  # of the file's metadata: the result that the answers belong to
COLUMNS = ("subset", "id", "target", "prediction", "probability")
# What a row must have: texts, and other values. Of anybody's file, of a prompt with its reply, of a run.
_TEXTS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "answer": (("id", "answer"), ()),
    "reply": (("subset", "id", "target", "reply", "ask"), ("relations",)),
    "prediction": (("subset", "id", "target", "prediction"), ("probability",)),
}
ALL = "all"  # every split
_TOLD = ("story", "question", "abstract", "sentences", "scene")  # columns that only steps are judged by
_REFUSAL = re.compile(
    r"\W*(?:I(?:.m| am)(?: very)? sorry|sorry|I (?:cannot|can.t|will not|won.t) |as an AI)", re.IGNORECASE
)


@dataclass(frozen=True)
class Answer:
    """What was answered, and how surely.

    target, asked, right: of the question, how it was put, and the right answer, if the file says so.
    finish: why a reply ended, as the service says. reasoning, prompt: what came before it, if that was kept.
    """

    text: str
    probability: float | None = None
    target: str | None = None
    asked: QuestionForm = WHICH
    right: str | None = None
    finish: str = ""
    reasoning: str = ""
    prompt: str = ""


Key = tuple[str, str]  # subset and id; "" where the file names no subset


@dataclass(frozen=True)
class Predictions:
    """The answers of a file, by subset and id: one, or several samples of a model.

    some: whether they need not be to all questions, as in files of `clutrr ask`.
    """

    path: Where
    answers: Mapping[Key, tuple[Answer, ...]]
    some: bool = False

    def key(self, subset: str, number: str) -> Key | None:
        """Return the key of the answer to a question, if there is one."""
        return next((key for key in ((subset, number), ("", number)) if key in self.answers), None)

    def answers_any(self, part: Part) -> bool:
        """Return whether any question of a part is answered, or all should be."""
        return not self.some or any(self.key(part.subset, one) for one in part.table["id"].to_pylist())

    def read(self, subset: str, question: Puzzle, reader: AnswerReader) -> list["ReadAnswer"]:
        """Return the answers to a question; those to another story are refused."""
        key = self.key(subset, question.id)
        answers = []
        for given in () if key is None else self.answers[key]:
            if given.target not in (None, question.target):
                raise DataError(
                    f"{self.path}: the target of {question.id!r} is {given.target!r} there and "
                    f"{question.target!r} in the data: these are answers to other stories"
                )
            cut = given.finish == "length"
            asked = replace(given.asked, query=question.query)
            found = reader.read(given.text, asked, cut=cut)
            right = given.right or given.asked.right(question.target, question.possible)
            answers.append(ReadAnswer(given, found, right))
        return answers


def named(paths: Sequence[Where]) -> dict[str, Where]:
    """Return files of answers, and runs, each by its own name; by its whole path where two have the same."""
    names = [name_of(path) for path in paths]
    return {
        name if name and names.count(name) == 1 else plain(str(path)): path
        for name, path in zip(names, paths, strict=True)
    }


def name_of(path: Where) -> str:
    """Return the name of a run or of a file of answers."""
    if path.name == PREDICTIONS:
        return plain(path.parent.name)
    return plain(path.name if path.is_dir() else path.stem)


def read_predictions(path: Where) -> Predictions:
    """Return the answers in a file, or in the folder of a run."""
    file = path / PREDICTIONS if path.is_dir() else path
    if not file.is_file():
        why = "holds no answers (`clutrr evaluate` writes them)" if path.is_dir() else "no such file"
        raise DataError(f"{file}: {why}")
    source = DataFile(file, file.name)
    answers: dict[Key, dict[int, Answer]] = {}
    for place, row in _rows(source):
        try:
            key, sample, answer = _read_row(row)
            if sample in answers.setdefault(key, {}):
                raise ValueError(f"the id {key[1]!r} appears twice")
        except ValueError as error:
            raise source.error(str(error), place) from None
        answers[key][sample] = answer
    if not answers:
        raise DataError(f"{file}: contains no answers")
    found = {key: tuple(samples.values()) for key, samples in answers.items()}
    asked = not source.parquet and any(answer.target for given in found.values() for answer in given)
    return Predictions(file, found, some=asked)


def read_result(path: Where) -> Result | None:
    """Return the result that a file of `clutrr evaluate` carries; None for other files."""
    if path.suffix != ".parquet":
        return None
    try:
        with open_file(path) as file:
            about = pq.read_schema(file).metadata or {}
        return Result.from_json(parse_json(about[RESULT_ENTRY.encode()]))
    except (OSError, pa.ArrowException, LookupError, TypeError, ValueError, AttributeError):
        return None


def _rows(source: DataFile) -> Iterator[tuple[Place, dict[str, Any]]]:
    first = "" if source.parquet else next((text for _, text in source.lines() if text.strip()), "")
    growing = '"reply"' in first  # `ask` may still be writing to it
    found = json_lines(source, growing=True) if growing else records(source)
    return ((place, row) for place, row, _ in found)


def _read_row(row: Mapping[str, Any]) -> tuple[Key, int, Answer]:
    """Return the answer in a row, with its key and the number of the sample; or raise ValueError."""
    said = next((name for name in ("reply", "answer", "prediction") if name in row), "answer")
    said = "reply" if "prompt_version" in row else said  # the answer in a line of prompts is the right one
    texts, others = _TEXTS[said]
    if missing := [name for name in (*texts, *others) if name not in row]:
        raise ValueError(f"no column {', '.join(map(repr, missing))}")
    if not all(isinstance(row[name], str) for name in texts if name != "answer" or row[name] is not None):
        raise ValueError(f"{', '.join(texts)} must be text")
    if said != "reply":  # what else there is says nothing of the question
        row = {name: row[name] for name in (*texts, *others)}
    probability, sample = row.get("probability"), row.get("sample", 0)
    ask, relations = row.get("ask", "which"), row.get("relations", [])
    if probability is not None and not (isinstance(probability, float) and 0 <= probability < 1.01):
        raise ValueError("probability must be a number from 0 to 1")
    if ask not in FORMS or not isinstance(relations, list) or (ask != "which" and not relations):
        raise ValueError(f"ask, relations: {ask!r} is not a question of `clutrr prompts`")
    if not isinstance(sample, int):
        raise ValueError("sample must be a number")
    messages = [one.get("content") for one in row.get("messages") or [] if isinstance(one, dict)]
    answer = Answer(
        row[said] or "",
        probability,
        row.get("target"),
        QuestionForm(ask, tuple(map(str, relations))),
        row.get("answer") if said == "reply" else None,
        str(row.get("finish") or ""),
        str(row.get("reasoning") or ""),
        "\n\n".join(map(str, messages)),
    )
    return (row.get("subset", ""), row["id"]), sample, answer


# Scoring


class ReadAnswer(NamedTuple):
    """An answer, what was read in it, if anything, the right one, and its reasoning, where that is judged."""

    given: Answer
    found: str | None
    key: str
    reasoning: Reasoning | None = None

    @property
    def right(self) -> bool:
        return self.found == self.key

    @property
    def state(self) -> str:
        """What became of the question: right, wrong, or why nothing was read: truncated, refused, unread."""
        if self.found is not None or self.given.probability is not None:  # of a trained model: another world
            return "right" if self.right else "wrong"
        refused = self.given.finish in ("refusal", "content_filter") or _REFUSAL.match(self.given.text)
        return "truncated" if self.given.finish == "length" else "refused" if refused else "unread"


class AnsweredQuestion(NamedTuple):
    """A question and the answers to it."""

    question: Puzzle
    answers: Sequence[ReadAnswer]

    @property
    def right(self) -> Fraction:
        """The share of the answers that is right."""
        return Fraction(sum(one.right for one in self.answers), len(self.answers) or 1)

    @property
    def unread(self) -> list[ReadAnswer]:
        return [one for one in self.answers if one.found is None]


Outcomes = Mapping[tuple[str, str, QuestionForm], bool]  # by subset, id, and how the question was put


@dataclass(frozen=True)
class Answered:
    """The questions of a split with a model's answers, by subset and split. about: what was asked."""

    model: str
    about: Mapping[str, Any]
    questions: Mapping[Key, Sequence[AnsweredQuestion]]

    def result(self) -> Result:
        """Return the answers counted."""
        several = len({split for _, split in self.questions}) > 1
        every = [one for some in self.questions.values() for one in some]
        read = [(one.question.k, answer) for one in every for answer in one.answers]
        details: dict[str, Any] = {}
        abstained = sum(one.found == CANNOT_BE_TOLD != one.key for _, one in read)
        certain = sum(one.key == CANNOT_BE_TOLD and one.found not in (None, one.key) for _, one in read)
        if abstained or certain:
            details["cannot_be_told"] = {"false_abstention": abstained, "false_certainty": certain}
        reasons = Counter(answer.state for _, answer in read)
        if known := {why: reasons[why] for why in ("truncated", "refused") if reasons[why]}:
            details["not_read"] = known
        if judged := [(k, one.right, one.reasoning) for k, one in read if one.reasoning is not None]:
            details["steps"] = count_steps(judged)
        lengths = sorted({one.question.k for one in every})
        return Result(
            self.model,
            {f"{key[0]} {key[1]}" if several else key[0]: _score(one) for key, one in self.questions.items()},
            {k: _score([one for one in every if one.question.k == k]) for k in lengths},
            tuple((one.question.id, answer.given.text) for one in every for answer in one.unread),
            questions=self.about,
            versions={"clutrr": VERSION},
            details=details,
        )

    def outcomes(self) -> Outcomes:
        """Return which questions are answered right: of several samples, most count."""
        return {
            (subset, one.question.id, one.answers[0].given.asked): one.right > Fraction(1, 2)
            for (subset, _), some in self.questions.items()
            for one in some
            if one.answers
        }


def questions_of(part: Part, whole: bool = False) -> Iterator[Puzzle]:
    """Yield the questions of a part of a data set. whole: with their stories."""
    return from_table(part.table if whole else part.table.drop_columns(_TOLD))


def score(data: Dataset, predictions: Predictions, split: str | None = None, steps: bool = False) -> Result:
    """Score every question of a split: see `answered`."""
    return answered(data, predictions, split, steps).result()


def answered(
    data: Dataset, predictions: Predictions, split: str | None = None, steps: bool = False
) -> Answered:
    """Return the questions of a split with their answers; an answer to any other question is an error.

    - split: train, test, or all of them; by default test, or all if the data has no such split
    - steps: whether to judge the reasoning of replies too
    """
    there = {part.split or UNSPLIT for part in data.parts() if predictions.answers_any(part)}
    split = split or ("test" if "test" in there else ALL)
    found: dict[Key, list[AnsweredQuestion]] = {}  # by subset and split
    reader, asked, elsewhere = AnswerReader(data.world), set[Key](), set[Key]()
    judge = StepJudge(data.world, data.assume) if steps else None
    left_out = 0
    for part in data.parts():
        # Questions without a split belong to any.
        wanted = split == ALL or part.split in (split, None)
        for question in questions_of(part, steps):
            key = predictions.key(part.subset, question.id) or (part.subset, question.id)
            if not wanted:
                elsewhere.add(key)
                continue
            if key in asked:
                raise DataError(f"{part.where}: the id {question.id!r} appears twice in the data")
            asked.add(key)
            if predictions.some and key not in predictions.answers:
                left_out += 1
                continue
            answers = predictions.read(part.subset, question, reader)
            if judge is not None and answers:
                replies = [f"{one.given.reasoning}\n\n{one.given.text}".strip() for one in answers]
                answers = [
                    one._replace(reasoning=judge.judge(reply, question))
                    for one, reply in zip(answers, replies, strict=True)
                ]
            place = part.subset, part.split or UNSPLIT
            found.setdefault(place, []).append(AnsweredQuestion(question, answers))
    for key in predictions.answers:
        if key not in asked and key not in elsewhere:
            raise DataError(f"{predictions.path}: the id {key[1]!r} is not in {data.path}")
    if not found:
        where = "" if split == ALL else f" in split {split!r}, only in {', '.join(sorted(there))}"
        raise DataError(f"{data.path}: no question{where}")
    chosen = {place: found[place] for place in sorted(found, key=lambda place: (natural(place[0]), place[1]))}
    about: dict[str, Any] = {"data": str(data.path), "split": split, "world": data.world.name}
    if data.assume is not None:
        about["assume"] = data.assume
    if left_out:
        about["not_asked"] = left_out
    return Answered(name_of(predictions.path), about, chosen)


def _score(questions: Sequence[AnsweredQuestion]) -> Score:
    right = sum((one.right for one in questions), Fraction())
    return Score(
        len(questions),
        right.numerator if right.denominator == 1 else float(right),
        sum(len(one.unread) for one in questions),
        sum(not one.answers for one in questions),
    )


class Paired(NamedTuple):
    """Two models on the same questions. first, second: the ids that only one of them answers right."""

    both: int
    neither: int
    first: tuple[str, ...]
    second: tuple[str, ...]

    @property
    def p(self) -> float:
        """McNemar's exact test: how likely so uneven a split of the questions that differ is by chance."""
        few, differ = min(len(self.first), len(self.second)), len(self.first) + len(self.second)
        tail: int = sum(math.comb(differ, number) for number in range(few + 1))
        return min(1.0, float(Fraction(2 * tail, 2**differ)))


def pair(one: Outcomes, other: Outcomes) -> Paired:
    """Compare two models on the questions that both have answered, put to both in the same form."""
    each_way: dict[tuple[bool, bool], list[str]] = {}
    for question in one.keys() & other.keys():
        each_way.setdefault((one[question], other[question]), []).append(question[1])
    both, neither = (len(each_way.get((same, same), ())) for same in (True, False))
    differ = (tuple(sorted(each_way.get((won, not won), ()), key=natural)) for won in (True, False))
    return Paired(both, neither, *differ)
