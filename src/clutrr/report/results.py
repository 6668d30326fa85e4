"""The records of an experiment: what each training answered, and what is known about the whole so far."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from clutrr import paper
from clutrr.experiment.matrix import Cell, Matrix
from clutrr.experiment.matrix_file import find_matrix
from clutrr.measure import natural
from clutrr.report.beliefs import Learnt
from clutrr.report.grid import Pair
from clutrr.storage import Where

Key = tuple[str, str, int]  # model, training set, seed


@dataclass(frozen=True)
class Tested:
    """Right answers and questions of a subset, in all and by pattern. stories: their checksum, if known."""

    right: int
    n: int
    patterns: Mapping[str, tuple[int, int]]
    stories: str = field(default="", compare=False)

    @property
    def accuracy(self) -> float:
        return 100 * self.right / self.n


@dataclass(frozen=True)
class Record:
    """A finished training. curve: accuracy on the training stories after each epoch, in percent.

    learnt: what it believes, if it is a composer.
    """

    name: str
    model: str
    train: str
    seed: int
    device: str
    versions: Mapping[str, str]
    stories: str  # checksum of those trained on
    curve: tuple[float, ...]
    seconds: float
    tested: Mapping[str, Tested]
    learnt: Learnt | None

    @property
    def key(self) -> Key:
        return self.model, self.train, self.seed


@dataclass(frozen=True)
class Results:
    """An experiment and what is known about it so far. lookups: by the pair of subsets, by name. inputs:
    checksums of the files that it is made from, by name."""

    folders: tuple[Where, ...]
    matrix: Matrix
    records: Mapping[Key, Record]
    lookups: Mapping[Pair, Mapping[str, float]]
    verdicts: tuple[str, ...]
    inputs: Mapping[str, Any]

    @property
    def models(self) -> tuple[str, ...]:
        return self.matrix.models

    @property
    def seeds(self) -> int:
        return len(self.matrix.seeds)

    @property
    def trained_on(self) -> tuple[str, ...]:
        return self.matrix.trained_on

    @property
    def tested_on(self) -> tuple[str, ...]:
        """The subsets of the experiment, and further ones that given files have."""
        found = {subset for record in self.records.values() for subset in record.tested}
        return tuple(sorted(found | set(self.matrix.tested_on), key=natural)) or self.trained_on

    @property
    def own(self) -> frozenset[Pair]:
        """The training sets with the subsets whose length they have."""
        return frozenset(
            (trained.name, subset) for trained in self.matrix.training_sets for subset in trained.own
        )

    @property
    def comparable(self) -> bool:
        """Whether the paper has figures for stories of this kind."""
        return self.matrix.presets == {paper.PRESET}

    @property
    def wanted(self) -> int:
        """How many trainings there will be."""
        return len(list(self.matrix.cells()))

    @property
    def missing(self) -> list[Cell]:
        return [cell for cell in self.matrix.cells() if key_of(cell) not in self.records]

    @property
    def reduced(self) -> list[str]:
        """What is smaller than in the experiment at the paper's sizes, in words."""
        return self.matrix.smaller_than(find_matrix("builtin:full"))

    def of(self, model: str, train: str) -> list[Record]:
        """The trainings of a model on a subset, by seed."""
        return [self.records[key] for key in sorted(self.records) if key[:2] == (model, train)]

    def composers(self) -> Iterator[tuple[Record, Learnt]]:
        """For each composer and training set, the training with the first seed, with what it believes."""
        for model in self.models:
            for train in self.trained_on:
                believing = [(record, record.learnt) for record in self.of(model, train) if record.learnt]
                yield from believing[:1]

    def tests(self, model: str, train: str, test: str) -> list[Tested]:
        return [record.tested[test] for record in self.of(model, train) if test in record.tested]


def key_of(cell: Cell) -> Key:
    return cell.model, cell.train, cell.seed
