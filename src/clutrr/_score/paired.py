"""Two models on the same questions: on which of them they differ, and how likely that is by chance."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from clutrr._measure import natural
from clutrr._score.result import Outcomes


class Paired(NamedTuple):
    """Two models on the questions that both have answered.

    - both, neither: how many both answer right, and how many neither does
    - first, second: the ids that only one of them answers right
    """

    both: int
    neither: int
    first: tuple[str, ...]
    second: tuple[str, ...]

    @property
    def questions(self) -> int:
        """How many both have answered."""
        return self.both + self.neither + len(self.first) + len(self.second)

    @property
    def p(self) -> float:
        """McNemar's exact test: how likely so uneven a split of the questions that differ is by chance."""
        few = min(len(self.first), len(self.second))
        differ = len(self.first) + len(self.second)
        tail = sum(math.comb(differ, number) for number in range(few + 1))
        return min(1.0, float(Fraction(2 * tail, 2**differ)))

    def to_json(self) -> dict[str, Any]:
        return {**self._asdict(), "p": self.p}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Paired":
        """Return what a file holds; anything else raises LookupError, TypeError or ValueError."""
        first, second = (tuple(map(str, content[name])) for name in ("first", "second"))
        return cls(int(content["both"]), int(content["neither"]), first, second)


def holm(values: Sequence[float]) -> list[float]:
    """Return p values corrected for their number (Holm 1979): none rejects more than its share.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    corrected, least = [0.0] * len(values), 0.0
    for rank, number in enumerate(order):
        least = max(least, min(1.0, values[number] * (len(values) - rank)))
        corrected[number] = least
    return corrected


def pair(one: Outcomes, other: Outcomes) -> Paired:
    """Compare two models on the questions that both have answered, put to both in the same form."""
    ids: dict[tuple[bool, bool], list[str]] = {}
    for question in one.keys() & other.keys():
        ids.setdefault((one[question], other[question]), []).append(question[1])
    return Paired(
        len(ids.get((True, True), ())),
        len(ids.get((False, False), ())),
        tuple(sorted(ids.get((True, False), ()), key=natural)),
        tuple(sorted(ids.get((False, True), ()), key=natural)),
    )
