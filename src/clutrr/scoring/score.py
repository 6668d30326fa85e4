"""Anybody's answers to the questions of a data set, scored by subset."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from clutrr.data import Dataset
from clutrr.data.part import UNSPLIT
from clutrr.errors import DataError
from clutrr.measure import natural
from clutrr.scoring.answers import AnswerReader
from clutrr.scoring.predictions import Answer, Key, Predictions, name_of
from clutrr.scoring.result import Result, Score
from clutrr.version import VERSION

ALL = "all"  # every split


def score(
    data: Dataset,
    predictions: Predictions,
    split: str | None = None,
    tick: Callable[[int], None] = lambda rows: None,
    *,
    among: Collection[Key] | None = None,
) -> Result:
    """Score every question of a split; an answer to a question that the data does not have is an error.

    - split: train, test, or all of them; by default test, or all if the data has no such split
    - among: only these questions, by subset and id
    """
    tallies: dict[tuple[str, str], dict[int, _Tally]] = {}  # by subset and split, then by length
    reader = AnswerReader(data.world)
    asked: set[Key] = set()
    for part in data.parts():
        lengths = tallies.setdefault((part.subset, part.split or UNSPLIT), {})
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
            lengths.setdefault(k, _Tally()).add(number, reader, given, target, possible)
        tick(len(part.table))
    for key in predictions.answers:
        if key not in asked:
            raise DataError(f"{predictions.path}: the id {key[1]!r} is not in {data.path}")
    wanted = split or (
        "test" if any(there == "test" and found for (_, there), found in tallies.items()) else ALL
    )
    chosen = _chosen(tallies, wanted, str(data.path))
    several = len({there for _, there in chosen}) > 1
    by_length: dict[int, list[_Tally]] = {}
    for found in chosen.values():
        for k, tally in found.items():
            by_length.setdefault(k, []).append(tally)
    return Result(
        name_of(predictions.path),
        {
            f"{subset} {there}" if several else subset: _together(found.values())
            for (subset, there), found in chosen.items()
        },
        {k: _together(by_length[k]) for k in sorted(by_length)},
        tuple(one for part in chosen.values() for tally in part.values() for one in tally.not_read),
        questions={
            "data": str(data.path),
            "split": wanted,
            "world": data.world.name,
            **({} if data.assume is None else {"assume": str(data.assume)}),
        },
        versions={"clutrr": VERSION},
    )


_ByLength = Mapping[int, "_Tally"]


def _chosen(
    tallies: Mapping[tuple[str, str], _ByLength], wanted: str, path: str
) -> dict[tuple[str, str], _ByLength]:
    """The subsets and splits that are scored, in order. Questions without a split belong to any."""
    found = {
        key: tallies[key]
        for key in sorted(tallies, key=lambda key: (natural(key[0]), key[1]))
        if tallies[key] and (wanted == ALL or key[1] in (wanted, UNSPLIT))
    }
    if not found:
        there = sorted({there for _, there in tallies})
        where = "" if wanted == ALL else f" in split {wanted!r}, only in {', '.join(there)}"
        raise DataError(f"{path}: no question{where}")
    return found


def _check(predictions: Predictions, number: str, target: str, given: Sequence[Answer]) -> None:
    for answer in given:
        if answer.target not in (None, target):
            raise DataError(
                f"{predictions.path}: the target of {number!r} is {answer.target!r} there and {target!r} "
                "in the data: these are answers to other stories"
            )


@dataclass
class _Tally:
    """Counts over some questions."""

    rows: int = 0
    missing: int = 0
    right: Fraction = Fraction()
    not_read: list[tuple[str, str]] = field(default_factory=list)

    def add(
        self,
        number: str,
        reader: AnswerReader,
        given: Sequence[Answer],
        target: str,
        possible: Sequence[str] | None,
    ) -> None:
        """Count the answers to one question: it is right by the share of them that is."""
        answers = [(one, reader.read(one.text, one.asked)) for one in given]
        right = sum(answer == one.asked.right(target, possible) for one, answer in answers)
        self.rows += 1
        self.missing += not given
        self.right += Fraction(right, len(given) or 1)
        self.not_read += [(number, one.text) for one, answer in answers if answer is None]


def _together(tallies: Iterable[_Tally]) -> Score:
    every = list(tallies)
    right = sum((one.right for one in every), Fraction())
    return Score(
        sum(one.rows for one in every),
        right.numerator if right.denominator == 1 else float(right),
        sum(len(one.not_read) for one in every),
        sum(one.missing for one in every),
    )
