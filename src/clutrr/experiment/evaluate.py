"""What a trained model answers, and how often it is right."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
import torch

from clutrr.errors import DataError
from clutrr.experiment.config import seed_of, subset_name
from clutrr.experiment.loop import answer
from clutrr.experiment.run import Run, versions
from clutrr.files import Where, atomic_write, check_kind, writing
from clutrr.models import Blueprint, Model, Vocabulary
from clutrr.scoring.predictions import COLUMNS, RESULT_ENTRY
from clutrr.scoring.result import Result, Score, Trained, model_name
from clutrr.shown import Shown

Tables = Mapping[str, pa.Table]  # by subset


def digest(table: pa.Table) -> str:
    """Return a checksum of the part of the stories that a model sees."""
    found = hashlib.sha256()
    for row in zip(*(table[name].to_pylist() for name in ("story", "query", "target")), strict=True):
        found.update(repr(row).encode())
    return found.hexdigest()


@dataclass(frozen=True)
class Answers:
    """The answers to the stories of one subset.

    probability: the model's, for its answer. unknown_words: tokens that the training stories did not have.
    """

    subset: str
    table: pa.Table
    answers: list[str]
    probability: npt.NDArray[np.float32]
    unknown_words: int

    @property
    def n(self) -> int:
        return len(self.answers)

    @cached_property
    def confusion(self) -> Counter[tuple[str, str]]:
        """How often each target was given each answer."""
        return Counter(zip(self.table["target"].to_pylist(), self.answers, strict=True))

    @cached_property
    def score(self) -> Score:
        """The answers counted."""
        right = sum(times for (target, given), times in self.confusion.items() if given == target)
        return Score(self.n, right, sha256=digest(self.table))

    @property
    def accuracy(self) -> float:
        """In percent."""
        return self.score.accuracy


class Evaluation(Shown, Sequence[Answers]):
    """The answers of a trained model to several subsets, and the result."""

    def __init__(self, answers: Sequence[Answers], run: Run, result: Result) -> None:
        self._answers, self.run, self.result = answers, run, result

    def __len__(self) -> int:
        return len(self._answers)

    def __getitem__(self, at: Any) -> Any:
        return self._answers[at]

    @property
    def caption(self) -> str:
        return self.result.caption

    def rows(self) -> Iterator[list[str]]:
        yield from self.result.rows()


def evaluate(
    model: Model, made_from: Blueprint, vocabulary: Vocabulary, tables: Tables, device: torch.device
) -> list[Answers]:
    """Answer the stories of each subset; data in which the model can answer nothing is refused."""
    known = set(vocabulary.relations)
    if not any(known.intersection(table["target"].unique().to_pylist()) for table in tables.values()):
        raise DataError("the model and the data share no relation: the data is from another world")
    model, found = model.to(device), []
    for subset, table in tables.items():
        if not table.num_rows:
            continue
        encoded = made_from.encode(table, vocabulary)
        generator = torch.Generator(device).manual_seed(seed_of(0, "answer"))
        shares = answer(model, encoded.to(device), generator)  # [N, relations]
        probability, predicted = (part.cpu().numpy() for part in shares.max(-1))
        answers = [vocabulary.relations[number] for number in predicted.tolist()]
        found.append(Answers(subset, table, answers, probability, encoded.unknown_words))
    return found


def result_of(
    run: Run, answers: Sequence[Answers], device: str, seconds: float = 0.0, train: str | None = None
) -> Result:
    """What a training and its answers amount to. seconds: of both together. train: the name of the training
    set, if it is not that of its lengths."""
    config = run.config
    trained = Trained(
        train or subset_name(config.k),
        config.seed,
        device,
        run.data,
        config.to_json(),
        tuple(asdict(epoch) for epoch in run.epochs),
        round(seconds, 2),
    )
    return Result(
        model_name(config.model),
        {part.subset: part.score for part in answers},
        training=trained,
        versions=versions(),
    )


def write_answers(answers: Sequence[Answers], result: Result, path: Where) -> None:
    """Write a row a story (subset, id, target, prediction, probability), and the result with them."""
    table = pa.concat_tables(
        pa.table(
            {
                "subset": [part.subset] * part.n,
                "id": part.table["id"],
                "target": part.table["target"],
                "prediction": part.answers,
                "probability": part.probability,
            }
        ).select(COLUMNS)
        for part in answers
    )
    check_answers(path)
    about = {RESULT_ENTRY: json.dumps(result.to_json())}
    with writing(path), atomic_write(path) as making:
        pq.write_table(table.replace_schema_metadata(about), making)


def check_answers(path: Where) -> None:
    """Refuse to overwrite anything but a file of answers."""
    check_kind(path, "file of predictions", lambda file: set(pq.read_schema(file).names) == set(COLUMNS))
