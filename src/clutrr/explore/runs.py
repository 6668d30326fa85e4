"""The answers of models: a run's predictions, or anybody's answers as `clutrr score` takes them.

A run of the model `pairs` may hold what it read as well (`clutrr evaluate --readings`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from clutrr.data.source import DataFile, json_lines
from clutrr.errors import DataError
from clutrr.files import Where, load_json, read_json
from clutrr.scoring import READINGS, Answer, Predictions, read_predictions
from clutrr.scoring.result import RECORD, RESULT

_READING = frozenset({"subset", "id", "read", "way", "steps"})  # the fields of a line


@dataclass(frozen=True)
class Read:
    """What a model read in a story.

    believed: head, relation, tail, the relation back, how likely the relation is, and how likely a fact is
    stated. way: entities. steps: three entities, what each is to the one before, and what the third is to the
    first.
    """

    believed: tuple[tuple[str, str, str, str, float, float], ...]
    way: tuple[str, ...]
    steps: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Run:
    """A model's answers, by the name it has on the page. readings: what it read, by subset and id."""

    name: str
    predictions: Predictions
    readings: Mapping[tuple[str, str], "Read"] = field(default_factory=dict)

    @property
    def path(self) -> Where:
        return self.predictions.path

    def answer(self, subset: str, number: str) -> Answer | None:
        """Return the answer to a question; the first one if there are several samples."""
        key = self.predictions.key(subset, number)
        return None if key is None else self.predictions.answers[key][0]


def load_run(path: Where) -> Run:
    """Return the answers in the folder of a run, or in a file."""
    predictions = read_predictions(path)
    if any(given[0].asked.form == "yes-no" for given in predictions.answers.values()):
        raise DataError(f"{path}: holds answers to yes-no questions, which name no relation to show")
    file = path / READINGS
    return Run(_name(path), predictions, dict(_readings(file)) if file.is_file() else {})


def _readings(file: Where) -> Iterator[tuple[tuple[str, str], Read]]:
    for number, row in json_lines(DataFile(file, file.name), _READING):
        try:
            believed = [
                (str(head), str(relation), str(tail), str(back), float(share), float(stated))
                for head, relation, tail, back, share, stated, _ in row["read"]
            ]
            steps = [(a, b, c, x, y, z) for a, b, c, x, y, z in row["steps"]]
            key = (str(row["subset"]), str(row["id"]))
            yield key, Read(tuple(believed), tuple(map(str, row["way"])), tuple(steps))
        except (ValueError, KeyError, TypeError, OverflowError):
            raise DataError(f"{file}, line {number}: not what `clutrr evaluate --readings` writes") from None


def _name(path: Where) -> str:
    """Return the folder's or file's name, and which model was trained on what, if a record says so."""
    name = path.resolve().name if path.is_dir() else path.stem
    try:
        record: Any = load_json(path / RESULT) or read_json(path / RECORD)
        config = record["config"]
        lengths = ", ".join(f"M{int(k)}" for k in config["k"])
        called = name if config["model"] in name else f"{name} ({config['model']})"
        return f"{called}, trained on {lengths}"
    except (OSError, ValueError, KeyError, TypeError):
        return name
