"""What a trained model answers, and how often it is right."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
import torch

from clutrr.errors import DataError, OutputError
from clutrr.experiment.config import seed_of
from clutrr.experiment.loop import answer
from clutrr.experiment.source import Tables
from clutrr.files import is_there, whole, writing
from clutrr.measure import wilson
from clutrr.models import Blueprint, Encoded, Model, Vocabulary
from clutrr.storage import Where

_COLUMNS = ["subset", "id", "target", "prediction", "probability"]  # of a file of predictions


@dataclass(frozen=True)
class Answers:
    """The answers to the stories of one subset.

    predicted: relations by number. probability: the model's, for its answer. unknown_words: tokens
    that the training stories did not have. unknown_targets: stories whose answer the model cannot
    give; they count as wrong.
    """

    subset: str
    table: pa.Table
    relations: tuple[str, ...]
    predicted: npt.NDArray[np.int64]
    probability: npt.NDArray[np.float32]
    unknown_words: int
    unknown_targets: int

    @property
    def n(self) -> int:
        return len(self.predicted)

    @property
    def answers(self) -> list[str]:
        return [self.relations[i] for i in self.predicted]

    @property
    def right(self) -> int:
        return sum(a == b for a, b in zip(self.answers, self.table["target"].to_pylist(), strict=True))

    @property
    def accuracy(self) -> float:
        return 100 * self.right / self.n

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.right, self.n)

    def confusion(self) -> dict[str, dict[str, int]]:
        """How often each target was given each answer."""
        counts: dict[str, dict[str, int]] = {}
        for target, given in zip(self.table["target"].to_pylist(), self.answers, strict=True):
            row = counts.setdefault(target, {})
            row[given] = row.get(given, 0) + 1
        return {target: dict(sorted(row.items())) for target, row in sorted(counts.items())}


def evaluate(
    model: Model,
    made_from: Blueprint,
    vocabulary: Vocabulary,
    tables: Tables,
    device: torch.device,
    seed: int = 0,
) -> list[Answers]:
    """Answer the stories of each subset. seed: of the entities' random vectors."""
    stories = encode_tests(made_from, vocabulary, tables)
    return answers_of(model, vocabulary, tables, stories, device, seed)


def encode_tests(made_from: Blueprint, vocabulary: Vocabulary, tables: Tables) -> dict[str, Encoded]:
    """The stories of each subset, encoded for a model of this recipe and vocabulary."""
    check_known(vocabulary, tables)
    return {subset: made_from.encode(table, vocabulary) for subset, table in tables.items() if table.num_rows}


def check_known(vocabulary: Vocabulary, tables: Tables) -> None:
    """Refuse data in which the model can answer nothing."""
    known = set(vocabulary.relations)
    if not any(known.intersection(table["target"].unique().to_pylist()) for table in tables.values()):
        raise DataError("the model knows none of the data's relations: the data is from another world")


def answers_of(
    model: Model,
    vocabulary: Vocabulary,
    tables: Tables,
    stories: Mapping[str, Encoded],
    device: torch.device,
    seed: int = 0,
) -> list[Answers]:
    """Return the answers to encoded stories."""
    model = model.to(device)
    found = []
    for subset, encoded in stories.items():
        generator = torch.Generator(device).manual_seed(seed_of(seed, "answer"))
        shares = answer(model, encoded.to(device), generator)
        probability, predicted = (part.cpu().numpy() for part in shares.max(-1))
        found.append(
            Answers(
                subset,
                tables[subset],
                vocabulary.relations,
                predicted,
                probability,
                encoded.unknown_words,
                encoded.unknown_targets,
            )
        )
    return found


def write_predictions(answers: list[Answers], path: Where) -> None:
    """One row per story: subset, id, target, prediction, probability."""
    table = pa.concat_tables(
        pa.table(
            {
                "subset": [part.subset] * part.n,
                "id": part.table["id"],
                "target": part.table["target"],
                "prediction": part.answers,
                "probability": part.probability,
            }
        ).select(_COLUMNS)
        for part in answers
    )
    check_predictions(path)
    with writing(path), whole(path) as making:
        pq.write_table(table, making)


def check_predictions(path: Where) -> None:
    """Refuse to overwrite anything but a file of predictions."""
    if not is_there(path):
        return
    try:
        with path.open("rb") as file:
            ours = set(pq.read_schema(file).names) == set(_COLUMNS)
    except (OSError, pa.ArrowException):
        ours = False
    if not ours:
        raise OutputError(f"{path} already exists and is not a file of predictions: choose another name")
