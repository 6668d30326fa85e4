"""The experiment as data: which models, trained on which subsets, tested on which, with which seeds.

A matrix is a small YAML file that one can read and edit. A cell is one training of it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import yaml

from clutrr.errors import ConfigError, short
from clutrr.experiment.config import TrainConfig, reads_with_encoder
from clutrr.generator import Config
from clutrr.yamls import read_yaml


@dataclass(frozen=True)
class Cell:
    """One training, and where its record lies."""

    model: str
    k: int
    seed: int

    @property
    def name(self) -> str:
        model = self.model.replace("/", "-").replace(":", "-")
        return f"{model}-M{self.k}-seed{self.seed}"


@dataclass(frozen=True)
class Matrix:
    """The data to make, the models to train on each subset of it, and how long.

    data: a folder of files whose wording to learn, to train on stories in it and to test on the
    files themselves; none to test on generated stories. encoder: what the model `pairs` reads with.
    profile: a word for the report.
    """

    profile: str = "full"
    preset: str = "published"
    k: tuple[int, ...] = (3, 4, 5, 6)
    models: tuple[str, ...] = ("lstm", "gnn", "gnn-attention")
    seeds: int = 1
    train: int = 4000
    test: int = 1000
    distractors: int = 8
    epochs: int = 60
    batch: int = 100
    learning_rate: float = 0.001
    data: str | None = None
    encoder: str = ""

    def __post_init__(self) -> None:
        if self.seeds < 1:
            raise ConfigError(f"seeds: {self.seeds} is below 1")
        if not self.models:
            raise ConfigError("models: none is named")
        if len(set(self.models)) < len(self.models):
            raise ConfigError("models: one is named twice")
        self.config()
        for cell in self.cells():
            self.training(cell)

    def cells(self) -> Iterator[Cell]:
        for seed in range(self.seeds):
            for model in self.models:
                for k in self.k:
                    yield Cell(model, k, seed)

    def config(self) -> Config:
        """The stories to generate."""
        return Config(
            preset=self.preset, k=self.k, train=self.train, test=self.test, distractors=self.distractors
        )

    def training(self, cell: Cell) -> TrainConfig:
        return TrainConfig(
            cell.model,
            (cell.k,),
            cell.seed,
            epochs=self.epochs,
            batch=self.batch,
            learning_rate=self.learning_rate,
            encoder=self.encoder if reads_with_encoder(cell.model) else "",
        )

    @property
    def reduced(self) -> list[str]:
        """What is smaller than in the paper, in words."""
        full = Matrix()
        changes = {
            "training stories a subset": (self.train, full.train),
            "test stories a subset": (self.test, full.test),
            "distractors a person": (self.distractors, full.distractors),
            "epochs": (self.epochs, full.epochs),
        }
        return [
            f"{here} {what} instead of {there}" for what, (here, there) in changes.items() if here < there
        ]

    def to_yaml(self) -> str:
        content = {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}
        return yaml.safe_dump(content, sort_keys=False, default_flow_style=None)

    @classmethod
    def load(cls, path: Path) -> "Matrix":
        return cls.from_dict(read_yaml(path, ConfigError), str(path))

    @classmethod
    def from_dict(cls, content: Any, where: str) -> "Matrix":
        known = {field.name: field for field in fields(cls)}
        if not isinstance(content, Mapping):
            raise ConfigError(f"{where}: expected a mapping of {', '.join(known)}")
        for key, value in content.items():
            if key not in known:
                raise ConfigError(f"{where}: no setting {short(key)}; there are {', '.join(known)}")
            default = known[key].default
            wanted = (
                (str, type(None))
                if default is None
                else (list, tuple)
                if isinstance(default, tuple)
                else (type(default),)
            )
            if not isinstance(value, wanted) or isinstance(value, bool):
                raise ConfigError(f"{where}: {key}: {short(value)} is not a {wanted[0].__name__}")
            if isinstance(default, tuple) and isinstance(value, list | tuple):
                kind = type(default[0])
                for item in value:
                    if not isinstance(item, kind) or isinstance(item, bool):
                        raise ConfigError(f"{where}: {key}: {short(item)} is not a {kind.__name__}")
        settings: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in content.items()}
        return cls(**settings)


# What `clutrr reproduce` runs on a laptop without being told otherwise: minutes on two cores.
QUICK = Matrix(profile="quick", train=1000, test=250, distractors=1, epochs=25, batch=25)
FULL = Matrix()
