"""Anybody's answers to the questions of a data set, scored by subset."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from clutrr.data import Dataset
from clutrr.data.info import NO_SPLIT
from clutrr.errors import DataError
from clutrr.measure import natural, wilson
from clutrr.scoring.answers import AnswerReader
from clutrr.scoring.predictions import Answer, Key, Predictions

_COUNTED = ("rows", "right", "unread", "missing")


@dataclass(frozen=True)
class Score:
    """How many of the questions of a subset and split were answered right.

    right: a question with several samples counts by the share of them that is right. unread: answers in which
    no single relation was found; missing: questions without an answer. Both count as wrong.
    """

    subset: str
    split: str
    rows: int
    right: float
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

    @property
    def text(self) -> str:
        """The accuracy with its interval."""
        low, high = self.interval
        return f"{self.accuracy:.1f} ({low:.1f} to {high:.1f})"

    def to_json(self) -> dict[str, Any]:
        """The figures, without the names of subset and split."""
        return {
            "rows": self.rows,
            "right": self.right,
            "accuracy": self.accuracy,
            "interval": self.interval,
            "unread": self.unread,
            "missing": self.missing,
        }


@dataclass(frozen=True)
class Scores:
    """Subset by subset, and by the length of the chain. unread: the id and answer of each not read."""

    subsets: tuple[Score, ...]
    unread: tuple[tuple[str, str], ...]
    lengths: Mapping[int, Score]

    @property
    def total(self) -> Score:
        sums = [sum(getattr(one, name) for one in self.subsets) for name in _COUNTED]
        return Score("all", "", *sums)


def score(
    data: Dataset,
    predictions: Predictions,
    split: str | None = None,
    tick: Callable[[int], None] = lambda rows: None,
    *,
    among: Collection[Key] | None = None,
) -> Scores:
    """Score every question of the data, or of one split; an answer to any other question is an error.

    among: only these questions, by subset and id.
    """
    tallies: dict[tuple[str, str], _Tally] = {}
    lengths: dict[int, _Tally] = {}
    reader = AnswerReader(data.world)
    there: set[str] = set()
    asked: set[Key] = set()
    for part in data.parts():
        there.add(part.split or NO_SPLIT)
        counted = split is None or (part.split or split) == split
        here = part.subset, part.split or NO_SPLIT
        tally = tallies.setdefault(here, _Tally()) if counted else _Tally()
        columns = (part.table[name].to_pylist() for name in ("id", "target", "possible", "k"))
        for number, target, possible, k in zip(*columns, strict=True):
            key = predictions.key(part.subset, number)
            question = key or (part.subset, number)
            if question in asked:
                raise DataError(f"{part.where}: the id {number!r} appears twice in the data")
            asked.add(question)
            if among is not None and question not in among:
                continue
            given = () if key is None else predictions.answers[key]
            _check(predictions, number, target, given)
            marked = _mark(number, reader, given, target, possible)
            tally.add(marked)
            if counted:
                lengths.setdefault(k, _Tally()).add(marked)
        tick(len(part.table))
    for key in predictions.answers:
        if key not in asked:
            raise DataError(f"{predictions.path}: the id {key[1]!r} is not in {data.path}")
    if not any(tally.rows for tally in tallies.values()):
        wanted = "" if split is None else f" in split {split!r}, only in {', '.join(sorted(there))}"
        raise DataError(f"{data.path}: no question{wanted}")
    chosen = sorted((k for k in tallies if tallies[k].rows), key=lambda key: (natural(key[0]), key[1]))
    scores = tuple(tallies[key].score(*key) for key in chosen)
    return Scores(
        scores,
        tuple(one for tally in tallies.values() for one in tally.not_read),
        {k: lengths[k].score(f"{k} facts" if k > 1 else "1 fact", "") for k in sorted(lengths)},
    )


def _check(predictions: Predictions, number: str, target: str, given: Sequence[Answer]) -> None:
    for answer in given:
        if answer.target not in (None, target):
            raise DataError(
                f"{predictions.path}: the target of {number!r} is {answer.target!r} there and {target!r} "
                "in the data: these are answers to other stories"
            )


@dataclass(frozen=True)
class _Marked:
    """What the answers to one question amount to. right: the share of them that is right."""

    right: Fraction
    missing: bool
    not_read: tuple[tuple[str, str], ...]


def _mark(
    number: str, reader: AnswerReader, given: Sequence[Answer], target: str, possible: Sequence[str] | None
) -> _Marked:
    right, not_read = 0, []
    for one in given:
        answer = reader.read(one.text, one.asked)
        right += answer == one.asked.right(target, possible)
        if answer is None:
            not_read.append((number, one.text))
    return _Marked(Fraction(right, len(given) or 1), not given, tuple(not_read))


@dataclass
class _Tally:
    """Counts over some questions."""

    rows: int = 0
    missing: int = 0
    right: Fraction = Fraction()
    not_read: list[tuple[str, str]] = field(default_factory=list)

    def add(self, marked: _Marked) -> None:
        self.rows += 1
        self.missing += marked.missing
        self.right += marked.right
        self.not_read += marked.not_read

    def score(self, subset: str, split: str) -> Score:
        right = self.right.numerator if self.right.denominator == 1 else float(self.right)
        return Score(subset, split, self.rows, right, len(self.not_read), self.missing)
