"""Answers to the questions of a data set, read from files and scored.

A file of answers is what `clutrr evaluate` or `clutrr ask` writes, or anybody's CSV or JSON lines of id and
answer.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from clutrr._config import FORMS
from clutrr._data.part import Part
from clutrr._data.source import DataFile, RowPlace, json_lines, records
from clutrr._data.yes_no import asked_relations
from clutrr._io.files import open_file
from clutrr._io.locations import Location
from clutrr._io.records import parse_json
from clutrr._puzzle import Puzzle
from clutrr._score.replies import WHICH, AnswerReader, QuestionForm
from clutrr._score.result import Result
from clutrr._score.steps import Reasoning
from clutrr.errors import DataError, plain

PREDICTIONS = "predictions.parquet"  # in the folder of a run
# In an experiment with several styles, a file for each style that a run was tested on.
_OF_A_RUN = re.compile(r"predictions(-[\w-]+)?\.parquet")
RESULT_ENTRY = "clutrr result"  # of the file's metadata: the result that the answers belong to
COLUMNS = ("subset", "id", "target", "prediction", "probability")
# What a row must have: texts, and other values. Of anybody's file, of a prompt with its reply, of a run.
_TEXTS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "answer": (("id", "answer"), ()),
    "reply": (("subset", "id", "target", "reply", "ask"), ("relations",)),
    "prediction": (("subset", "id", "target", "prediction"), ("probability",)),
}


@dataclass(frozen=True)
class Answer:
    """What was answered, and how surely.

    tokens, model: read and written, as the service counted, and who wrote.
    prompt_version: of the words in which the question was put, if the file says so.
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
    prompt_version: str = ""
    tokens: tuple[int, int] | tuple[()] = ()
    model: str = ""


Key = tuple[str, str]  # subset and id; "" where the file names no subset


@dataclass(frozen=True)
class Predictions:
    """The answers of a file, by subset and id: one, or several samples of a model.

    some: whether they need not be to all questions, as in files of `clutrr ask`.
    selected: how one of several samples was chosen; "" where none was.
    """

    path: Location
    answers: Mapping[Key, tuple[Answer, ...]]
    some: bool = False
    selected: str = ""

    def key(self, subset: str, number: str) -> Key | None:
        """Return the key of the answer to a question, if there is one."""
        return next((key for key in ((subset, number), ("", number)) if key in self.answers), None)

    def answers_any(self, part: Part) -> bool:
        """Return whether any question of a part is answered, or all should be."""
        return not self.some or any(
            self.key(part.subset, one) for one in part.table["id"].to_pylist()
        )

    def read(self, subset: str, question: Puzzle, reader: AnswerReader) -> list["ReadAnswer"]:
        """Return the answers to a question; those to another story are refused."""
        key = self.key(subset, question.id)
        answers = []
        for given in () if key is None else self.answers[key]:
            if given.target not in (None, question.target):
                raise DataError(
                    f"the target of {question.id!r} is {given.target!r} there and "
                    f"{question.target!r} in the data: these are answers to other stories",
                    place=self.path,
                )
            cut = given.finish == "length"
            asked = replace(given.asked, query=question.query)
            if confirmed := asked_relations(question):
                asked = QuestionForm("yes-no", confirmed, question.query)
            found = reader.read(given.text, asked, cut=cut)
            right = given.right or given.asked.right(question.target, question.possible)
            right = question.target if confirmed else right
            answers.append(ReadAnswer(given, found.value, right, refused=found.refused))
        return answers


def named(paths: Sequence[Location]) -> dict[str, Location]:
    """Return files of answers, and runs, each by its own name; by its whole path where two have the same."""
    names = [name_of(path) for path in paths]
    return {
        name if name and names.count(name) == 1 else plain(str(path)): path
        for name, path in zip(names, paths, strict=True)
    }


def predictions_file(style: str = "") -> str:
    """Return the name of a run's file of answers. style: that of the stories, if there are several."""
    return f"predictions-{style}.parquet" if style else PREDICTIONS


def name_of(path: Location) -> str:
    """Return the name of a run or of a file of answers."""
    if found := _OF_A_RUN.fullmatch(path.name):
        return plain(path.parent.name) + (found[1] or "")
    return plain(path.name if path.is_dir() else path.stem)


def read_predictions(path: Location) -> Predictions:
    """Return the answers in a file, or in the folder of a run."""
    file = path / PREDICTIONS if path.is_dir() else path
    if not file.is_file():
        why = (
            "holds no answers (`clutrr evaluate` writes them)" if path.is_dir() else "no such file"
        )
        raise DataError(why, place=file)
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
        raise DataError("contains no answers", place=file)
    found = {key: tuple(samples.values()) for key, samples in answers.items()}
    asked = not source.parquet and any(
        answer.target for given in found.values() for answer in given
    )
    return Predictions(file, found, some=asked)


def read_result(path: Location) -> Result | None:
    """Return the result that a file of `clutrr evaluate` carries; None for other files."""
    if path.suffix != ".parquet":
        return None
    try:
        with open_file(path) as file:
            about = pq.read_schema(file).metadata or {}
        return Result.from_json(parse_json(about[RESULT_ENTRY.encode()]))
    except (OSError, pa.ArrowException, LookupError, TypeError, ValueError, AttributeError):
        return None


def _rows(source: DataFile) -> Iterator[tuple[RowPlace, dict[str, Any]]]:
    first = "" if source.parquet else next((text for _, text in source.lines() if text.strip()), "")
    growing = '"reply"' in first  # `ask` may still be writing to it
    found = json_lines(source, growing=True) if growing else records(source)
    return ((place, row) for place, row, _ in found)


def _read_row(row: Mapping[str, Any]) -> tuple[Key, int, Answer]:
    """Return the answer in a row, with its key and the number of the sample; or raise ValueError."""
    said = next((name for name in ("reply", "answer", "prediction") if name in row), "answer")
    said = (
        "reply" if "prompt_version" in row else said
    )  # the answer in a line of prompts is the right one
    texts, others = _TEXTS[said]
    if missing := [name for name in (*texts, *others) if name not in row]:
        raise ValueError(f"no column {', '.join(map(repr, missing))}")
    if not all(
        isinstance(row[name], str) for name in texts if name != "answer" or row[name] is not None
    ):
        raise ValueError(f"{', '.join(texts)} must be text")
    if said != "reply":  # what else there is says nothing of the question
        further = ("probability", "sample") if said == "answer" else ()
        row = {name: row[name] for name in (*texts, *others, *further) if name in row}
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
        str(row.get("prompt_version") or ""),
        _tokens(row),
        str(row.get("model") or ""),
    )
    return (row.get("subset", ""), row["id"]), sample, answer


def _tokens(row: Mapping[str, Any]) -> tuple[int, int] | tuple[()]:
    """Return the tokens read and written for a reply, if the row has both."""
    read, written = row.get("prompt_tokens"), row.get("reply_tokens")
    return (read, written) if isinstance(read, int) and isinstance(written, int) else ()


class ReadAnswer(NamedTuple):
    """An answer as it was read.

    - given: the answer as the file has it
    - found: what was read in it, if anything
    - key: the right answer
    - reasoning: what came before it, where that is judged
    - refused: whether it says that it will not answer
    """

    given: Answer
    found: str | None
    key: str
    reasoning: Reasoning | None = None
    refused: bool = False

    @property
    def right(self) -> bool:
        return self.found == self.key

    @property
    def state(self) -> str:
        """What became of the question: right, wrong, or why nothing was read: truncated, refused, unread."""
        of_trained_model = self.given.probability is not None  # then it is a label, of any world
        if self.found is not None or of_trained_model:
            return "right" if self.right else "wrong"
        refused = self.refused or self.given.finish in ("refusal", "content_filter")
        return "truncated" if self.given.finish == "length" else "refused" if refused else "unread"
