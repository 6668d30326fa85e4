"""Answers to the questions of a data set, read from files and scored.

A file of answers is what `clutrr evaluate` or `clutrr ask` writes, or anybody's CSV or JSON lines of id and
answer.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from clutrr.config import FORMS
from clutrr.data import Dataset
from clutrr.data.part import UNSPLIT, Part
from clutrr.data.source import DataFile, Place, check_columns, json_lines
from clutrr.errors import DataError, plain
from clutrr.files import Where, open_file, parse_json
from clutrr.measure import natural
from clutrr.puzzle import CANNOT_BE_TOLD
from clutrr.scoring.answers import WHICH, AnswerReader, QuestionForm
from clutrr.scoring.result import Result, Score
from clutrr.scoring.steps import Reasoning, StepJudge, count_steps
from clutrr.table import from_table
from clutrr.version import VERSION

PREDICTIONS = "predictions.parquet"  # in the folder of a run
RESULT_ENTRY = "clutrr result"  # of the file's metadata: the result that the answers belong to
COLUMNS = ("subset", "id", "target", "prediction", "probability")
_FIELDS = frozenset({"id", "answer"})
ALL = "all"  # every split
_REFUSAL = re.compile(
    r"\W*(?:I(?:.m| am)(?: very)? sorry|sorry|I (?:cannot|can.t|will not|won.t) |as an AI)", re.IGNORECASE
)
_REPLY = frozenset({"id", "subset", "sample", "reply", "ask", "relations", "target"})  # of `clutrr ask`


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

    @property
    def cut(self) -> bool:
        """Whether the reply ended before its time."""
        return self.finish == "length"

    @property
    def unread(self) -> str:
        """Why it was not read, if it was not: truncated, refused, or simply unread."""
        refused = self.finish in ("refusal", "content_filter") or _REFUSAL.match(self.text)
        return "truncated" if self.cut else "refused" if refused else "unread"


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

    def read(self, subset: str, question: "Question", reader: AnswerReader) -> list["ReadAnswer"]:
        """Return the answers to a question; those to another story are refused."""
        key = self.key(subset, question.id)
        answers = []
        for given in () if key is None else self.answers[key]:
            if given.target not in (None, question.target):
                raise DataError(
                    f"{self.path}: the target of {question.id!r} is {given.target!r} there and "
                    f"{question.target!r} in the data: these are answers to other stories"
                )
            found = reader.read(given.text, given.asked.of(question.query), cut=given.cut)
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
    if not file.stat().st_size:
        raise DataError(f"{file}: contains no answers")
    source = DataFile(file, file.name)
    answers: dict[Key, dict[int, Answer]] = {}
    for place, key, sample, answer in _of_run(source) if source.parquet else _of_text(source):
        samples = answers.setdefault(key, {})
        if sample in samples:
            raise source.error(f"the id {key[1]!r} appears twice", place)
        samples[sample] = answer
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


_Read = tuple[Place, Key, int, Answer]  # with the number of the sample


def _of_run(source: DataFile) -> Iterator[_Read]:
    number = 0
    check_columns(source, source.parquet_schema().names, frozenset(COLUMNS), None)
    for batch in source.batches(4096, COLUMNS):
        for row in batch.to_pylist():
            number += 1
            place = f"row {number}"
            texts = [row[name] for name in ("subset", "id", "target", "prediction")]
            if not all(isinstance(text, str) for text in texts):
                raise source.error("subset, id, target and prediction must be text", place)
            probability = row["probability"]
            if probability is not None and not (isinstance(probability, float) and 0 <= probability < 1.01):
                raise source.error("probability must be a number from 0 to 1", place)
            subset, name, target, prediction = texts
            yield place, (subset, name), 0, Answer(prediction, probability, target)


def _of_text(source: DataFile) -> Iterator[_Read]:
    first = next((text for _, text in source.lines() if text.strip()), "")
    if not first.lstrip().startswith("{"):
        return _of_csv(source)
    return _of_ask(source) if '"reply"' in first else _of_json(source)


def _of_ask(source: DataFile) -> Iterator[_Read]:
    for line, record, _ in json_lines(source, needed=_REPLY, growing=True):
        texts = [record[name] for name in ("subset", "id", "target", "reply", "ask")]
        if not all(isinstance(text, str) for text in texts) or not isinstance(record["sample"], int):
            raise source.error("subset, id, target, reply and ask must be text, sample a number", line)
        subset, name, target, reply, ask = texts
        relations = record["relations"]
        if ask not in FORMS or not isinstance(relations, list) or (ask != "which" and not relations):
            raise source.error(f"ask, relations: {ask!r} is not a question of `clutrr prompts`", line)
        asked = QuestionForm(ask, tuple(map(str, relations)))
        said = record.get("messages") or []
        given = Answer(
            reply,
            None,
            target,
            asked,
            record.get("answer"),
            str(record.get("finish") or ""),
            str(record.get("reasoning") or ""),
            "\n\n".join(str(message.get("content")) for message in said if isinstance(message, dict)),
        )
        yield line, (subset, name), record["sample"], given


def _of_json(source: DataFile) -> Iterator[_Read]:
    for line, record, _ in json_lines(source, needed=_FIELDS):
        if not isinstance(record["id"], str) or not isinstance(record["answer"], str | None):
            raise source.error("id and answer must be text", line)
        yield line, ("", record["id"]), 0, Answer(record["answer"] or "")


def _of_csv(source: DataFile) -> Iterator[_Read]:
    rows = source.cells()
    at, header = next(rows, (1, []))
    check_columns(source, header, _FIELDS, at)
    for line, row in rows:
        if len(row) != len(header):
            raise source.error(f"{len(row)} cells where the header has {len(header)}", line)
        cells = dict(zip(header, row, strict=True))
        yield line, ("", cells["id"]), 0, Answer(cells["answer"])


# Scoring


class Question(NamedTuple):
    """A question of the data: the columns that scoring needs."""

    id: str
    k: int
    query: list[str]
    target: str
    possible: list[str] | None


class ReadAnswer(NamedTuple):
    """An answer, what was read in it, if anything was, and the right answer to its question."""

    given: Answer
    found: str | None
    key: str

    @property
    def right(self) -> bool:
        return self.found == self.key


class AnsweredQuestion(NamedTuple):
    """A question and the answers to it; reasoning: that of each, where it was judged."""

    question: Question
    answers: Sequence[ReadAnswer]
    reasoning: Sequence[Reasoning] = ()

    @property
    def right(self) -> Fraction:
        """The share of the answers that is right."""
        return Fraction(sum(one.right for one in self.answers), len(self.answers) or 1)

    @property
    def unread(self) -> list[Answer]:
        return [one.given for one in self.answers if one.found is None]


def questions_of(part: Part) -> Iterator[Question]:
    """Yield the questions of a part of a data set."""
    return map(Question, *(part.table[name].to_pylist() for name in Question._fields))


def score(data: Dataset, predictions: Predictions, split: str | None = None, steps: bool = False) -> Result:
    """Score every question of a split; an answer to a question that the data does not have is an error.

    - split: train, test, or all of them; by default test, or all if the data has no such split
    - steps: whether to judge the reasoning of replies too
    """
    split, chosen, not_asked = answered(data, predictions, split, steps)
    several = len({name for _, name in chosen}) > 1
    every = [one for found in chosen.values() for one in found]
    read = [answer for one in every for answer in one.answers]
    details: dict[str, Any] = {}
    abstained = sum(one.found == CANNOT_BE_TOLD != one.key for one in read)
    certain = sum(one.key == CANNOT_BE_TOLD and one.found not in (None, one.key) for one in read)
    if abstained or certain:
        details["cannot_be_told"] = {"false_abstention": abstained, "false_certainty": certain}
    reasons = Counter(given.unread for one in every for given in one.unread)
    if known := {why: reasons[why] for why in ("truncated", "refused") if reasons[why]}:
        details["not_read"] = known
    if steps:
        judged = ((one, zip(one.answers, one.reasoning, strict=True)) for one in every)
        details["steps"] = count_steps(
            [(q.question.k, a.right, why) for q, both in judged for a, why in both]
        )
    lengths = sorted({one.question.k for one in every})
    return Result(
        name_of(predictions.path),
        {f"{subset} {name}" if several else subset: _score(one) for (subset, name), one in chosen.items()},
        {k: _score([one for one in every if one.question.k == k]) for k in lengths},
        tuple((one.question.id, given.text) for one in every for given in one.unread),
        questions={
            "data": str(data.path),
            "split": split,
            "world": data.world.name,
            **({} if data.assume is None else {"assume": str(data.assume)}),
            **({"not_asked": not_asked} if not_asked else {}),
        },
        versions={"clutrr": VERSION},
        details=details,
    )


def answered(
    data: Dataset, predictions: Predictions, split: str | None = None, steps: bool = False
) -> tuple[str, dict[Key, list[AnsweredQuestion]], int]:
    """Return the split, its questions by subset and split with the answers, and how many were left out."""
    found: dict[Key, list[AnsweredQuestion]] = {}  # by subset and split
    reader, asked = AnswerReader(data.world), set[Key]()
    judge = StepJudge(data.world, data.assume) if steps else None
    left_out = Counter[Key]()
    for part in data.parts():
        place = part.subset, part.split or UNSPLIT
        here = found.setdefault(place, [])
        for row, question in enumerate(questions_of(part)):
            key = predictions.key(part.subset, question.id) or (part.subset, question.id)
            if key in asked:
                raise DataError(f"{part.where}: the id {question.id!r} appears twice in the data")
            asked.add(key)
            if predictions.some and key not in predictions.answers:
                left_out[place] += 1
                continue
            answers = predictions.read(part.subset, question, reader)
            reasoning = []
            if judge is not None and answers:
                puzzle = next(from_table(part.table.slice(row, 1)))
                replies = [f"{one.given.reasoning}\n\n{one.given.text}".strip() for one in answers]
                reasoning = [judge.judge(reply, puzzle) for reply in replies]
            here.append(AnsweredQuestion(question, answers, reasoning))
    for key in predictions.answers:
        if key not in asked:
            raise DataError(f"{predictions.path}: the id {key[1]!r} is not in {data.path}")
    there = {name for (_, name), some in found.items() if some}
    split = split or ("test" if "test" in there else ALL)
    chosen = {  # questions without a split belong to any
        place: found[place]
        for place in sorted(found, key=lambda place: (natural(place[0]), place[1]))
        if found[place] and (split == ALL or place[1] in (split, UNSPLIT))
    }
    if not chosen:
        splits = ", ".join(sorted({name for _, name in found}))
        where = "" if split == ALL else f" in split {split!r}, only in {splits}"
        raise DataError(f"{data.path}: no question{where}")
    return split, chosen, sum(left for (_, name), left in left_out.items() if split in (ALL, name))


def _score(counted: Sequence[AnsweredQuestion]) -> Score:
    right = sum((one.right for one in counted), Fraction())
    return Score(
        len(counted),
        right.numerator if right.denominator == 1 else float(right),
        sum(len(one.unread) for one in counted),
        sum(not one.answers for one in counted),
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


def pair(data: Dataset, first: Predictions, second: Predictions, split: str | None = None) -> Paired:
    """Compare two models on the questions that both have answered, put to both in the same form.

    Of several samples, most count.
    """
    known: list[dict[tuple[str, str, QuestionForm], bool]] = []
    for given in (first, second):
        right = {}
        for (subset, _), found in answered(data, given, split)[1].items():
            for one in found:
                if one.answers:
                    asked = one.answers[0].given.asked
                    right[subset, one.question.id, asked] = one.right > Fraction(1, 2)
        known.append(right)
    each_way: dict[tuple[bool, bool], list[str]] = {}
    for question in known[0].keys() & known[1].keys():
        each_way.setdefault((known[0][question], known[1][question]), []).append(question[1])
    both, neither = (len(each_way.get((same, same), ())) for same in (True, False))
    differ = (tuple(sorted(each_way.get((one, not one), ()), key=natural)) for one in (True, False))
    return Paired(both, neither, *differ)
