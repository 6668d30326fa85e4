"""What a trained model answers, and how often it is right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from torch import Tensor

from clutrr.errors import DataError, OutputError
from clutrr.experiment.config import seed_of
from clutrr.experiment.loop import answer, answer_all
from clutrr.experiment.source import Tables
from clutrr.experiment.streams import own_stream
from clutrr.files import is_there, whole, writing
from clutrr.measure import wilson
from clutrr.models import AnyModel, AnyRecipe, Passages, Stories, Vocabulary
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
    model: AnyModel,
    made_from: AnyRecipe,
    vocabulary: Vocabulary,
    tables: Tables,
    device: torch.device,
    seed: int = 0,
) -> list[Answers]:
    """Answer the stories of each subset. seed: of the entities' random vectors."""
    stories = encode_tests(made_from, vocabulary, tables)
    return answers_of(model, vocabulary, tables, stories, device, seed)


def encode_tests(
    made_from: AnyRecipe, vocabulary: Vocabulary, tables: Tables
) -> dict[str, Stories | Passages]:
    """The stories of each subset, encoded for a model of this recipe and vocabulary."""
    check_known(vocabulary, tables)
    return {subset: made_from.encode(table, vocabulary) for subset, table in tables.items() if table.num_rows}


def check_known(vocabulary: Vocabulary, tables: Tables) -> None:
    """Refuse data in which the model can answer nothing."""
    known = set(vocabulary.relations)
    if not any(known.intersection(table["target"].unique().to_pylist()) for table in tables.values()):
        raise DataError("the model knows none of the data's relations: the data is from another world")


def answers_of(
    model: AnyModel,
    vocabulary: Vocabulary,
    tables: Tables,
    stories: Mapping[str, Stories | Passages],
    device: torch.device,
    seed: int = 0,
) -> list[Answers]:
    """The answers to encoded stories."""
    return answers_of_all([model], vocabulary, tables, stories, device, seed)[0]


def answers_of_all(
    models: Sequence[AnyModel],
    vocabulary: Vocabulary,
    tables: Tables,
    stories: Mapping[str, Stories | Passages],
    device: torch.device,
    seed: int = 0,
) -> list[list[Answers]]:
    """The answers of each of several models of one recipe."""
    found: list[list[Answers]] = [[] for _ in models]
    with torch.cuda.stream(own_stream(models[0], device) if device.type == "cuda" else None):
        models = [model.to(device) for model in models]
        for subset, encoded in stories.items():
            shares = _shares(models, encoded.to(device), device, seed_of(seed, "answer"))
            probability, predicted = (part.cpu().numpy() for part in shares.max(-1))
            for number, answers in enumerate(found):
                answers.append(
                    Answers(
                        subset,
                        tables[subset],
                        vocabulary.relations,
                        predicted[number],
                        probability[number],
                        encoded.unknown_words,
                        encoded.unknown_targets,
                    )
                )
    return found


def _shares(
    models: Sequence[AnyModel], stories: Stories | Passages, device: torch.device, seed: int
) -> Tensor:  # [models, N, relations]
    generators = [torch.Generator(device).manual_seed(seed) for _ in models]
    if len(models) > 1 and isinstance(stories, Stories):
        return answer_all(models, stories, generators)
    each = zip(models, generators, strict=True)
    return torch.stack([answer(model, stories, generator) for model, generator in each])


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
