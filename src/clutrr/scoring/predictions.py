"""Files of answers: what `clutrr evaluate` or `clutrr ask` writes, or anybody's CSV or JSON lines of id and
answer."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from clutrr.config import FORMS
from clutrr.data.source import DataFile, Place, check_columns, json_lines
from clutrr.errors import DataError, plain
from clutrr.files import Where
from clutrr.scoring.answers import WHICH, QuestionForm
from clutrr.scoring.result import Result

PREDICTIONS = "predictions.parquet"  # in the folder of a run
READINGS = "readings.jsonl"  # there too: what a model that reads pairs of people read
RESULT_ENTRY = "clutrr result"  # of the file's metadata: the result that the answers belong to
COLUMNS = ("subset", "id", "target", "prediction", "probability")
_FIELDS = frozenset({"id", "answer"})
_REPLY = frozenset({"id", "subset", "sample", "reply", "ask", "relations", "target"})  # of `clutrr ask`


@dataclass(frozen=True)
class Answer:
    """What was answered, and how surely; and, if the file says so, the target and how it was asked."""

    text: str
    probability: float | None = None
    target: str | None = None
    asked: QuestionForm = WHICH


Key = tuple[str, str]  # subset and id; "" where the file names no subset


@dataclass(frozen=True)
class Predictions:
    """The answers of a file, by subset and id: one, or several samples of a model."""

    path: Where
    answers: Mapping[Key, tuple[Answer, ...]]

    def key(self, subset: str, number: str) -> Key | None:
        """The key of the answer to a question, if there is one."""
        return next((key for key in ((subset, number), ("", number)) if key in self.answers), None)


def named(paths: Sequence[Where]) -> dict[str, Where]:
    """Files of answers, and runs, each by its own name; by its whole path where two have the same."""
    names = [name_of(path) for path in paths]
    return {
        name if name and names.count(name) == 1 else plain(str(path)): path
        for name, path in zip(names, paths, strict=True)
    }


def name_of(path: Where) -> str:
    """The name of a run or of a file of answers."""
    if path.name == PREDICTIONS:
        return plain(path.parent.name)
    return plain(path.name if path.is_dir() else path.stem)


def read_predictions(path: Where) -> Predictions:
    """The answers in a file, or in the folder of a run."""
    file = path / PREDICTIONS if path.is_dir() else path
    if not file.is_file():
        hint = " (`clutrr evaluate` writes them)" if path.is_dir() else ""
        raise DataError(f"{file}: holds no answers{hint}")
    source = DataFile(file, file.name)
    answers: dict[Key, dict[int, Answer]] = {}
    for place, key, sample, answer in _of_run(source) if source.parquet else _of_text(source):
        samples = answers.setdefault(key, {})
        if sample in samples:
            raise source.error(f"the id {key[1]!r} appears twice", place)
        samples[sample] = answer
    if not answers:
        raise DataError(f"{file}: contains no answers")
    return Predictions(file, {key: tuple(samples.values()) for key, samples in answers.items()})


def read_result(path: Where) -> Result | None:
    """The result that a file of answers carries, as `clutrr evaluate` writes it; None for other files."""
    if path.suffix != ".parquet":
        return None
    try:
        with path.open("rb") as file:
            about = pq.read_schema(file).metadata or {}
        return Result.from_json(json.loads(about[RESULT_ENTRY.encode()]))
    except (OSError, pa.ArrowException, LookupError, TypeError, ValueError, AttributeError):
        return None


_Read = tuple[Place, Key, int, Answer]  # with the number of the sample


def _of_run(source: DataFile) -> Iterator[_Read]:
    number = 0
    for batch in source.batches(frozenset(COLUMNS), 4096):
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
    for line, record in json_lines(source, _REPLY, growing=True):
        texts = [record[name] for name in ("subset", "id", "target", "reply", "ask")]
        if not all(isinstance(text, str) for text in texts) or not isinstance(record["sample"], int):
            raise source.error("subset, id, target, reply and ask must be text, sample a number", line)
        subset, name, target, reply, ask = texts
        relations = record["relations"]
        if ask not in FORMS or not isinstance(relations, list) or (ask != "which" and not relations):
            raise source.error(f"ask, relations: {ask!r} is not a question of `clutrr prompts`", line)
        asked = QuestionForm(ask, tuple(map(str, relations)))
        yield line, (subset, name), record["sample"], Answer(reply, None, target, asked)


def _of_json(source: DataFile) -> Iterator[_Read]:
    for line, record in json_lines(source, _FIELDS):
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
