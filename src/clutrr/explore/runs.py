"""The answers of models: a run's predictions, or anybody's answers as `clutrr score` takes them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
        key = self.predictions.key(subset, number)
        return None if key is None else self.predictions.answers[key]


def load_run(path: Path) -> Run:
    """The answers in the folder of a run, or in a file."""
    return Run(_name(path), read_predictions(path))


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
