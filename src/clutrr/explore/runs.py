"""The answers of models: a run's predictions, or anybody's answers as `clutrr score` takes them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clutrr.data.source import Source
from clutrr.errors import DataError
from clutrr.scoring.score import AnswerReader, read_predictions

_PREDICTIONS = "predictions.parquet"
_COLUMNS = frozenset({"subset", "id", "target", "prediction", "probability"})


@dataclass(frozen=True)
class Answer:
    """What a model answered, how sure it was, and what was asked for, where the file tells."""

    prediction: str
    probability: float | None = None
    target: str | None = None


@dataclass(frozen=True)
class Run:
    """A model's answers. answers: by subset and id, or by "" and id where the file names no subset."""

    name: str
    path: Path
    answers: Mapping[tuple[str, str], Answer]

    def answer(self, subset: str, number: str) -> Answer | None:
        return self.answers.get((subset, number)) or self.answers.get(("", number))


def load_run(path: Path) -> Run:
    """The answers in the folder of a run, or in a file."""
    file = path / _PREDICTIONS if path.is_dir() else path
    if not file.is_file():
        raise DataError(f"{file}: no answers here (`clutrr evaluate` writes them)")
    source = Source(file, file.name)
    answers = _predictions(source) if source.parquet else _anybodys(file)
    if not answers:
        raise DataError(f"{file}: holds no answer")
    return Run(_name(path), file, answers)


def _predictions(source: Source) -> dict[tuple[str, str], Answer]:
    answers: dict[tuple[str, str], Answer] = {}
    for batch in source.batches(_COLUMNS, 4096):
        for row in batch.to_pylist():
            texts = [row[name] for name in ("subset", "id", "target", "prediction")]
            if not all(isinstance(text, str) for text in texts):
                raise source.error("subset, id, target and prediction must be text")
            subset, number, target, prediction = texts
            probability = row["probability"]
            if probability is not None and not isinstance(probability, float):
                raise source.error("probability must be a number")
            answers[subset, number] = Answer(prediction, probability, target)
    return answers


def _anybodys(file: Path) -> dict[tuple[str, str], Answer]:
    reader = AnswerReader()
    return {("", n): Answer(reader.read(text) or text) for n, text in read_predictions(file).items()}


def _name(path: Path) -> str:
    """The folder's or file's name, and what was trained on what where a record tells."""
    name = path.resolve().name if path.is_dir() else path.stem
    try:
        record: Any = json.loads((path / "record.json").read_text(encoding="utf-8"))
        config = record["config"]
        lengths = ", ".join(f"M{int(k)}" for k in config["k"])
        called = name if config["model"] in name else f"{name} ({config['model']})"
        return f"{called}, trained on {lengths}"
    except (OSError, ValueError, KeyError, TypeError):
        return name
