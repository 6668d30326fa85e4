"""The answers of models: a run's predictions, or anybody's answers as `clutrr score` takes them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clutrr.errors import DataError
from clutrr.scoring import Answer, Predictions, read_predictions


@dataclass(frozen=True)
class Run:
    """A model's answers, by the name it has on the page."""

    name: str
    predictions: Predictions

    @property
    def path(self) -> Path:
        return self.predictions.path

    def answer(self, subset: str, number: str) -> Answer | None:
        """The answer to a question; the first one, where there are several samples."""
        key = self.predictions.key(subset, number)
        return None if key is None else self.predictions.answers[key][0]


def load_run(path: Path) -> Run:
    """The answers in the folder of a run, or in a file."""
    predictions = read_predictions(path)
    if any(given[0].asked.ask == "yes-no" for given in predictions.answers.values()):
        raise DataError(f"{path}: answers to yes-no questions, which name no relation to show")
    return Run(_name(path), predictions)


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
