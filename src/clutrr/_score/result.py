"""A result: what was asked, what was answered, by which model, from which data, by which command.

A training that was tested, an evaluation, anybody's answers and a language model's replies end in this form.
As JSON:

    {"model": "gnn", "train": "M3", "seed": 0, "device": "NVIDIA H200", "data": {"sha256": CHECKSUM, ...},
     "config": {...}, "epochs": [{"loss": 0.1, "accuracy": 98.2, ...}, ...], "seconds": 13.7,
     "command": "clutrr reproduce OUT --matrix experiments/sound.yaml", "versions": {"clutrr": "0.3.0", "torch": "2.11.0"},
     "tested": {"M4": {"rows": 1000, "right": 861, "sha256": CHECKSUM}}}

Whatever is not known is left out: answers of a language model have no training. The results of an experiment
lie in the folders of its trainings (`result.json`), and together in its `table.json`; the result of an
evaluation is part of its file of answers.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from clutrr._display import Shown
from clutrr._io.locations import Location
from clutrr._io.records import load_json
from clutrr._measure import wilson

# In the folder of a run: its weights; what it is, and its result in an experiment, which takes the place of the former.
CHECKPOINT = "checkpoint.safetensors"
RECORD, RESULT = "record.json", "result.json"
_DETAILS = (
    *("cannot_be_told", "not_read", "steps"),
    *("samples", "by_answer", "by_pattern", "replies", "tokens", "calibration"),
)
# Whether a question was answered right: by subset, id, and how the question was put.
Outcomes = Mapping[tuple[str, str, Any], bool]


@dataclass(frozen=True)
class Score:
    """Answers to some questions, counted.

    - right: a question with several samples counts by the share of them that is right
    - unread: answers in which no single relation was found; they count as wrong
    - missing: questions without an answer; they count as wrong
    - sha256: the checksum of the stories, if it is known
    """

    rows: int
    right: float
    unread: int = 0
    missing: int = 0
    sha256: str = field(default="", compare=False)

    @property
    def accuracy(self) -> float:
        """In percent."""
        return 100 * self.right / self.rows

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the accuracy, in percent."""
        return wilson(self.right, self.rows)

    @property
    def text(self) -> str:
        """The accuracy with its interval."""
        low, high = self.interval
        return f"{self.accuracy:.1f} ({low:.1f} to {high:.1f})"

    def to_json(self) -> dict[str, Any]:
        """Return the counts, and the figures that follow from them."""
        return {
            **self.counts(),
            "accuracy": self.accuracy,
            "interval": self.interval,
            "unread": self.unread,
            "missing": self.missing,
            **({"sha256": self.sha256} if self.sha256 else {}),
        }

    def counts(self) -> dict[str, Any]:
        return {"rows": self.rows, "right": self.right}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Score":
        """Return the counts of a file; anything else raises LookupError, TypeError or ValueError."""
        rows, right = int(content["rows"]), content["right"]
        if isinstance(right, bool) or not 0 <= right <= rows or not rows:
            raise ValueError("its counts do not add up")
        unread, missing = (int(content.get(name, 0)) for name in ("unread", "missing"))
        return cls(rows, right, unread, missing, str(content.get("sha256", "")))


@dataclass(frozen=True)
class Training:
    """How a model was trained.

    - on: the name of the training set, such as M1-3
    - data: the checksum of its stories (sha256), and how many they are
    - epochs: loss, accuracy in percent, seconds of each
    - seconds: of the training and its tests
    """

    on: str
    seed: int
    device: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    epochs: tuple[Mapping[str, Any], ...] = ()
    seconds: float = 0.0

    @property
    def sha256(self) -> str:
        """The checksum of the stories; empty if it is not known."""
        return str(self.data.get("sha256", ""))


@dataclass(frozen=True, repr=False)
class Result(Shown):
    """What a model answered, counted by subset, and how that came about.

    - model: its name, or that of the file of its answers
    - tested: by subset; if several splits were scored, by subset and split
    - lengths: the same answers by the number of facts of a route, where that was counted
    - unread: id and answer of each that was not read
    - questions: the data that was asked about: its path, split, world and assumption
    - command: as it was typed
    - learnt: what a composer believes (see `experiment.learnt`)
    - details: `steps` (see `steps.count_steps`); `cannot_be_told`, how such answers went wrong; `not_read`,
      how many of these answers were truncated or refused; and those of `figures.figures`
    - file: where the answers are
    - outcomes: which questions were answered right, if the answers were scored here; no file has them
    """

    model: str
    tested: Mapping[str, Score]
    lengths: Mapping[int, Score] = field(default_factory=dict)
    unread: tuple[tuple[str, str], ...] = ()
    training: Training | None = None
    questions: Mapping[str, Any] = field(default_factory=dict)
    command: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    learnt: Mapping[str, Any] | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    file: str = ""
    outcomes: Outcomes = field(default_factory=dict, compare=False)

    @property
    def total(self) -> Score:
        """All answers together."""
        names = ("rows", "right", "unread", "missing")
        return Score(*(sum(getattr(one, name) for one in self.tested.values()) for name in names))

    @property
    def caption(self) -> str:
        return f"{self.model}: answers"

    def rows(self) -> Iterator[list[str]]:
        yield ["subset", "questions", "right", "accuracy %", "95 % interval", "not read", "missing"]
        for name, one in (*self.tested.items(), ("all", self.total)):
            counts = f"{one.rows:,}", f"{round(one.right, 2):,}"
            between = " to ".join(f"{bound:.1f}" for bound in one.interval)
            yield [name, *counts, f"{one.accuracy:.1f}", between, str(one.unread), str(one.missing)]

    @property
    def key(self) -> tuple[str, str, int]:
        """The model, its training set and its seed."""
        trained = self.training
        return (self.model, trained.on, trained.seed) if trained else (self.model, "", 0)

    @property
    def name(self) -> str:
        """The name of its training, or of the model if there is none."""
        return self.model if self.training is None else training_name(*self.key)

    def to_json(self, brief: bool = False) -> dict[str, Any]:
        """Return all of it; or, brief, one line of an experiment's file: what was counted, and by whom."""
        trained = self.training
        known: dict[str, Any] = {"model": self.model}
        if trained is not None:
            known |= {"train": trained.on, "seed": trained.seed, "device": trained.device}
        known |= {"versions": dict(sorted(self.versions.items())), "command": self.command}
        if brief:
            return {
                **_given(known),
                "tested": {name: one.counts() for name, one in self.tested.items()},
            }
        if trained is not None:
            known |= {"data": trained.data, "config": trained.config}
            known |= {"epochs": list(trained.epochs), "seconds": trained.seconds}
        known |= {
            "questions": self.questions,
            "tested": {name: one.to_json() for name, one in self.tested.items()},
            "by_k": {str(k): one.to_json() for k, one in self.lengths.items()},
            "learnt": self.learnt,
            "file": self.file,
            **self.details,
        }
        unread = [{"id": number, "answer": answer} for number, answer in self.unread]
        return {**_given(known), **self.total.to_json(), "unread_answers": unread}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Result":
        """Return the result that a file holds; anything else raises LookupError, TypeError or ValueError."""
        return cls(
            model_name(_text(content["model"])),
            {_text(name): Score.from_json(one) for name, one in content["tested"].items()},
            {int(k): Score.from_json(one) for k, one in content.get("by_k", {}).items()},
            tuple(
                (str(one["id"]), str(one["answer"])) for one in content.get("unread_answers", ())
            ),
            training=_training(content) if "train" in content else None,
            questions=dict(content.get("questions", {})),
            command=_text(content.get("command", "")),
            versions={name: str(version) for name, version in content.get("versions", {}).items()},
            learnt=content.get("learnt"),
            details={name: dict(content[name]) for name in _DETAILS if name in content},
            file=_text(content.get("file", "")),
        )


def load_result(folder: Location) -> Result | None:
    """Return the result of a training that an experiment tested; None if there is none, or a damaged one."""
    try:
        return Result.from_json(load_json(folder / RESULT))
    except (LookupError, TypeError, ValueError, AttributeError):
        return None


def model_name(model: str) -> str:
    """Return the name of a model as it is shown: a user's own without the folder of its file."""
    file, mark, name = model.rpartition(".py:")
    return f"{PurePath(file).name}.py:{name}" if mark else model


def training_name(model: str, train: str, seed: int) -> str:
    """Return the name of a training, and of its folder in an experiment."""
    return f"{model_name(model).replace('/', '-').replace(':', '-')}-{train.replace(' ', '-')}-seed{seed}"


def _training(content: Mapping[str, Any]) -> Training:
    name, seed = _text(content["train"]), content["seed"]
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError("seed is a whole number")
    seconds = float(content.get("seconds", 0.0))
    epochs = tuple(
        {**epoch, "accuracy": float(epoch["accuracy"])} for epoch in content.get("epochs", ())
    )
    if not all(
        math.isfinite(value) for value in (seconds, *(epoch["accuracy"] for epoch in epochs))
    ):
        raise ValueError("its seconds or accuracies are no figures")
    return Training(
        name,
        seed,
        _text(content.get("device", "")),
        dict(content.get("data", {})),
        dict(content.get("config", {})),
        epochs,
        seconds,
    )


def _given(known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same without what is not known."""
    return {name: value for name, value in known.items() if value not in ("", {}, [], None)}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("model, train, device, command and sha256 are texts")
    return value
