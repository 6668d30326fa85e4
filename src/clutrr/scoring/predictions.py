"""Files of answers: what `clutrr evaluate` writes, or anybody's CSV or JSON lines of id and answer."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from clutrr.data.own import json_lines
from clutrr.data.source import Place, Source, check_columns
from clutrr.errors import DataError

PREDICTIONS = "predictions.parquet"  # in the folder of a run
COLUMNS = ("subset", "id", "target", "prediction", "probability")
_FIELDS = frozenset({"id", "answer"})


@dataclass(frozen=True)
class Answer:
    """What was answered, how sure the model was, and what was asked for, where the file tells."""

    text: str
    probability: float | None = None
    target: str | None = None


Key = tuple[str, str]  # subset and id; "" where the file names no subset


@dataclass(frozen=True)
class Predictions:
    """The answers of a file, by subset and id."""

    path: Path
    answers: Mapping[Key, Answer]

    def key(self, subset: str, number: str) -> Key | None:
        """Where the answer to a question is, if there is one."""
        return next((key for key in ((subset, number), ("", number)) if key in self.answers), None)


def read_predictions(path: Path) -> Predictions:
    """The answers in a file, or in the folder of a run."""
    file = path / PREDICTIONS if path.is_dir() else path
    if not file.is_file():
        hint = " (`clutrr evaluate` writes them)" if path.is_dir() else ""
        raise DataError(f"{file}: no answers here{hint}")
    source = Source(file, file.name)
    answers: dict[Key, Answer] = {}
    for place, key, answer in _of_run(source) if source.parquet else _anybodys(source):
        if key in answers:
            raise source.error(f"the id {key[1]!r} stands twice", place)
        answers[key] = answer
    if not answers:
        raise DataError(f"{file}: holds no answer")
    return Predictions(file, answers)


def _of_run(source: Source) -> Iterator[tuple[Place, Key, Answer]]:
    number = 0
    for batch in source.batches(frozenset(COLUMNS), 4096):
        for row in batch.to_pylist():
            number += 1
            place = f"row {number}"
            texts = [row[name] for name in ("subset", "id", "target", "prediction")]
            if not all(isinstance(text, str) for text in texts):
                raise source.error("subset, id, target and prediction must be text", place)
            probability = row["probability"]
            if probability is not None and not isinstance(probability, float):
                raise source.error("probability must be a number", place)
            subset, name, target, prediction = texts
            yield place, (subset, name), Answer(prediction, probability, target)


def _anybodys(source: Source) -> Iterator[tuple[Place, Key, Answer]]:
    first = next((text for _, text in source.lines() if text.strip()), "")
    if first.lstrip().startswith("{"):
        for line, record in json_lines(source, _FIELDS):
            if not isinstance(record["id"], str) or not isinstance(record["answer"], str | None):
                raise source.error("id and answer must be text", line)
            yield line, ("", record["id"]), Answer(record["answer"] or "")
        return
    rows = source.cells()
    at, header = next(rows, (1, []))
    check_columns(source, header, _FIELDS, at)
    for line, row in rows:
        if len(row) != len(header):
            raise source.error(f"{len(row)} cells where the header has {len(header)}", line)
        cells = dict(zip(header, row, strict=True))
        yield line, ("", cells["id"]), Answer(cells["answer"])
