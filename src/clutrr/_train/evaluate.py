"""What a trained model answers, and how often it is right."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
import torch

from clutrr._arguments import LocationLike, public
from clutrr._data.frozen import checksums_of, recognised
from clutrr._data.given import DataLike, WorldLike, open_data
from clutrr._display import Shown
from clutrr._io.executors import print_notice
from clutrr._io.files import atomic_write, writing
from clutrr._io.locations import Location, parse_location
from clutrr._io.manifests import check_file_kind
from clutrr._score.predictions import COLUMNS, PREDICTIONS, RESULT_ENTRY
from clutrr._score.result import Result, Score, Training, model_name
from clutrr._train.config import choose_device, seed_of, subset_name
from clutrr._train.loaded import confusion_rows, frame_of, pattern_rows
from clutrr._train.loop import answer, one_thread
from clutrr._train.run import Run, load_run, naming_own_model, versions
from clutrr.errors import ConfigError, DataError
from clutrr.models import Blueprint, Model, Vocabulary

Tables = Mapping[str, pa.Table]  # by subset


def digest(table: pa.Table) -> str:
    """Return a checksum of the part of the stories that a model sees."""
    found = hashlib.sha256()
    for row in zip(
        *(table[name].to_pylist() for name in ("story", "query", "target")), strict=True
    ):
        found.update(repr(row).encode())
    return found.hexdigest()


@dataclass(frozen=True)
class SubsetAnswers:
    """The answers of a trained model to the stories of one subset.

    - answers: a relation for each story
    - probability: what the model gives it
    - relations, shares: what it gives each of all answers: (stories, relations)
    - unknown_words: how many of the words read the training stories did not have
    """

    subset: str
    table: pa.Table
    answers: list[str]
    probability: npt.NDArray[np.float32]
    unknown_words: int
    relations: tuple[str, ...] = ()
    shares: npt.NDArray[np.float32] | None = None

    def to_rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row a story: id, subset, pattern, k, target, answer, probability, right, probabilities."""
        columns = [self.table[name].to_pylist() for name in ("id", "pattern", "k", "target")]
        shares = [None] * self.n if self.shares is None else self.shares.tolist()
        told = zip(*columns, self.answers, self.probability.tolist(), shares, strict=True)
        for id_, pattern, k, target, given, probability, each in told:
            yield {
                "id": id_,
                "subset": self.subset,
                "pattern": "-".join(pattern or ()),
                "k": k,
                "target": target,
                "answer": given,
                "probability": probability,
                "right": given == target,
                "probabilities": each and dict(zip(self.relations, each, strict=True)),
            }

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


class Evaluation(Shown, Sequence[SubsetAnswers]):
    """The answers of a trained model to several subsets, with their result, as they are in a file."""

    def __init__(
        self, answers: Sequence[SubsetAnswers], run: Run, result: Result, file: Location
    ) -> None:
        self._answers = answers
        self.run = run
        self.result = result
        self.file = file

    def __len__(self) -> int:
        return len(self._answers)

    def __getitem__(self, at: Any) -> Any:
        return self._answers[at]

    @property
    def caption(self) -> str:
        return self.result.caption

    def rows(self) -> Iterator[list[str]]:
        yield from self.result.rows()

    @property
    def confusion(self) -> Counter[tuple[str, str]]:
        """How often each target was given each answer, over all subsets."""
        return sum((part.confusion for part in self._answers), Counter())

    @property
    def unknown_words(self) -> int:
        """How many of the words read the training stories did not have."""
        return sum(part.unknown_words for part in self._answers)

    @property
    def unknown_targets(self) -> int:
        """How many stories have a target that the model cannot answer."""
        known = set(self.run.vocabulary.relations)
        return sum(times for (target, _), times in self.confusion.items() if target not in known)

    def to_pandas(self, what: str = "answers") -> Any:
        """Return a frame of pandas.

        - what: "answers", a row a story, with the probabilities of all answers; "confusion", how often each
          target was given each answer; "patterns", how often each pattern was answered wrongly
        """
        if what == "confusion":
            return frame_of(confusion_rows(self.confusion))
        rows = [row for part in self._answers for row in part.to_rows()]
        if what == "patterns":
            return frame_of(pattern_rows(rows))
        if what != "answers":
            raise ConfigError(
                "is not one of answers, confusion, patterns", setting="what", value=what
            )
        return frame_of(rows)

    def to_json(self) -> dict[str, Any]:
        """Return the result, and what was answered to each target by subset."""
        confusion: dict[str, dict[str, dict[str, int]]] = {}
        for part in self._answers:
            by_target = confusion.setdefault(part.subset, {})
            for (target, given), times in sorted(part.confusion.items()):
                by_target.setdefault(target, {})[given] = times
        return {
            **self.result.to_json(),
            "finished": self.run.finished,
            "confusion": confusion,
            "unknown": {"words": self.unknown_words, "targets": self.unknown_targets},
            "predictions": str(self.file),
        }


@public
def evaluate(
    run: LocationLike,
    data: DataLike,
    *,
    model: Any = None,
    split: str = "test",
    device: str = "auto",
    world: WorldLike | None = None,
    skip_bad: bool = False,
    trust: bool = False,
    to: LocationLike | None = None,
    command: str = "",
) -> Evaluation:
    """Return what a trained model answers, by subset: `accuracy` in percent, `score.interval`, `answers`.

    Every answer is written, with the result, to a Parquet file that `score`, `report` and `explore` read.

    - run: the folder of the training
    - model: what it was trained with, if that was an object
    - split: the one to test on, where the data has splits
    - device: auto, cpu or cuda; on the CPU it works in one thread
    - skip_bad: whether to leave out rows and files that cannot be read, and name them
    - trust: whether to run the program in the run's folder, if the model is not one of ours
    - to: the file for the answers, if that is not `predictions.parquet` in the folder of the run
    - command: to be recorded

    >>> from clutrr import generate
    >>> [(part.subset, part.n) for part in evaluate("run", generate(k=2, size=20), split="train")]
    [('M2', 20)]
    """
    folder, on = parse_location(run), choose_device(device)
    opened = open_data(data, world, skip_bad=skip_bad)
    file = folder / PREDICTIONS if to is None else parse_location(to)
    if file.suffix != ".parquet":
        raise ConfigError("answers are written as .parquet", setting="to", value=str(file))
    check_answers(file)
    trained, made_from, ready = load_run(folder, trust=trust, model=model)
    tables = opened.to_learn(split)
    opened.notes.tell(print_notice)
    with naming_own_model(trained.config.model), one_thread():
        answers = answer_subsets(ready, made_from, trained.vocabulary, tables, on)
    about = {"data": str(opened.path), "split": split, "world": opened.world.name}
    if frozen := recognised(checksums_of(tables)):
        about["set"] = frozen
    result = replace(result_of(trained, answers, trained.device), questions=about, command=command)
    write_answers(answers, result, file)
    return Evaluation(answers, trained, result, file)


def answer_subsets(
    model: Model, made_from: Blueprint, vocabulary: Vocabulary, tables: Tables, device: torch.device
) -> list[SubsetAnswers]:
    """Answer the stories of each subset; data in which the model can answer nothing is refused."""
    known = set(vocabulary.relations)
    if not any(
        known.intersection(table["target"].unique().to_pylist()) for table in tables.values()
    ):
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
        each = shares.cpu().numpy()
        found.append(
            SubsetAnswers(
                *(subset, table, answers, probability, encoded.unknown_words),
                *(vocabulary.relations, each),
            )
        )
    return found


def result_of(
    run: Run,
    answers: Sequence[SubsetAnswers],
    device: str,
    seconds: float = 0.0,
    train: str | None = None,
) -> Result:
    """What a training and its answers amount to. seconds: of both together. train: the name of the training
    set, if it is not that of its lengths."""
    config = run.config
    trained = Training(
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


def write_answers(answers: Sequence[SubsetAnswers], result: Result, path: Location) -> None:
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


def check_answers(path: Location) -> None:
    """Refuse to overwrite anything but a file of answers."""
    check_file_kind(
        path, "file of predictions", lambda file: set(pq.read_schema(file).names) == set(COLUMNS)
    )
