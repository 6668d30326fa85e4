"""Anybody's answers to the questions of a data set, scored by subset."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from clutrr.data import Dataset
from clutrr.data.info import NO_SPLIT
from clutrr.errors import DataError
from clutrr.measure import natural, wilson
from clutrr.scoring.answers import AnswerReader
from clutrr.scoring.predictions import Key, Predictions

_COUNTED = ("rows", "right", "unread", "missing")


@dataclass(frozen=True)
class Score:
    """How many of the questions of a subset and split were answered right.

    unread: answers in which no single relation was found; missing: questions without an answer.
    Both count as wrong.
    """

    subset: str
    split: str
    rows: int
    right: int
    unread: int
    missing: int

    @property
    def accuracy(self) -> float:
        """In percent."""
        return 100 * self.right / self.rows

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the accuracy, in percent."""
        return wilson(self.right, self.rows)


@dataclass(frozen=True)
class Scores:
    """Subset by subset. unread: the id and answer of each that was not read."""

    subsets: tuple[Score, ...]
    unread: tuple[tuple[str, str], ...]

    @property
    def total(self) -> Score:
        sums = [sum(getattr(one, name) for one in self.subsets) for name in _COUNTED]
        return Score("all", "", *sums)


def score(
    data: Dataset,
    predictions: Predictions,
    split: str | None = None,
    tick: Callable[[int], None] = lambda rows: None,
) -> Scores:
    """Score every question of the data, or of one split; an answer to no question of it is an error."""
    used: set[Key] = set()
    counts: dict[tuple[str, str], Counter[str]] = {}
    unread: list[tuple[str, str]] = []
    reader = AnswerReader(data.world)
    there: set[str] = set()
    asked: set[Key] = set()
    for part in data.parts():
        there.add(part.split or NO_SPLIT)
        counted = split is None or (part.split or split) == split
        count = counts.setdefault((part.subset, part.split or NO_SPLIT), Counter()) if counted else Counter()
        ids, targets = part.table["id"].to_pylist(), part.table["target"].to_pylist()
        for number, target in zip(ids, targets, strict=True):
            key = predictions.key(part.subset, number)
            question = key or (part.subset, number)
            if question in asked:
                raise DataError(f"{part.where}: the id {number!r} stands twice in the data")
            asked.add(question)
            count["rows"] += 1
            if key is None:
                count["missing"] += 1
                continue
            used.add(key)
            given = predictions.answers[key]
            if given.target not in (None, target):
                raise DataError(
                    f"{predictions.path}: the target of {number!r} is {given.target!r} there and {target!r} "
                    "in the data: these are answers to other stories"
                )
            answer = reader.read(given.text)
            count["right"] += answer == target
            if answer is None:
                count["unread"] += 1
                if counted:
                    unread.append((number, given.text))
        tick(len(part.table))
    for key in predictions.answers:
        if key not in used:
            raise DataError(f"{predictions.path}: the id {key[1]!r} is not in {data.path}")
    if not counts:
        wanted = "" if split is None else f" in split {split!r}, only in {', '.join(sorted(there))}"
        raise DataError(f"{data.path}: no question{wanted}")
    scores = tuple(
        Score(*key, *(counts[key][name] for name in _COUNTED))
        for key in sorted(counts, key=lambda key: (natural(key[0]), key[1]))
    )
    return Scores(scores, tuple(unread))
