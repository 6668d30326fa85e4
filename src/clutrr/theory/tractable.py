"""Sets of kinds for which simple methods are exact.

Two classes of sets matter to a network of entities, each with what is known of a pair as a set of kinds:

    convex       composition distributes over intersection: an entity all of whose pairs are convex can be
                 eliminated, and nothing is lost (Li, Long, Liu and Duckham, "On redundant topological
                 constraints", 2015)
    tractable    closure decides: if no pair is left empty, some scene has the whole network

Everything else is split into tractable sets. A theory has convex sets only if composition distributes over
intersection for all sets that arise from its kinds; if it does not, as for boxes in boxes, closure leaves too
much possible, and pairs are split into single kinds.

Where kinds compare points on lines, a set is *preconvex* if what
it lacks of its convex hull is of lower dimension. These are all sets of the point algebra, the 868 of ORD-Horn
for intervals (Nebel and Buerckert, 1995; Ligozat, 1996), and 141 for directions (Ligozat, 1998).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from clutrr.theory.algebra import RelationAlgebra, bits

_MOST_SETS = 700  # that may arise, for composition to be looked at


@dataclass(frozen=True, eq=False)
class SetClasses:
    """The convex and the tractable sets of a theory. Sets are numbers, see `algebra`."""

    convex: Collection[int]
    tractable: Collection[int]

    @classmethod
    def arising(cls, algebra: RelationAlgebra) -> "SetClasses":
        """Return, for both, the sets that arise from single kinds by composition, converse and intersection.

        Of any algebra these are as good as its single kinds are, if composition distributes over their
        intersections, and three kinds compose in one way. If not, or if they are too many to tell, single kinds
        alone are tractable.
        """
        alone = cls(frozenset(), frozenset(1 << kind for kind in range(algebra.size)))
        if not algebra.associative:
            return alone
        found = {1 << kind for kind in range(algebra.size)} | {algebra.every}
        waiting = list(found)
        while waiting and len(found) <= _MOST_SETS:
            one = waiting.pop()
            new = {algebra.turn(one)}
            for other in tuple(found):
                new |= {one & other, algebra.compose(one, other), algebra.compose(other, one)}
            new -= found | {0}
            found |= new
            waiting += new
        if len(found) > _MOST_SETS or not distributes(algebra, sorted(found)):
            return alone
        return cls(frozenset(found), frozenset(found))

    @classmethod
    def of_signs(cls, kinds: Sequence[str], signs: Mapping[str, Sequence[int]]) -> "SetClasses":
        """Return the convex and the preconvex sets, where kinds compare points on lines.

        Args:
            kinds: in the order of the label set.
            signs: of each kind, how points of the second entity lie to points of the first: -1, 0 or 1.
        """
        points = [tuple(signs[kind]) for kind in kinds]
        dimension = [-one.count(0) for one in points]  # below that of all
        convex, preconvex = set(), set()
        for number in range(1, 1 << len(kinds)):
            held = [points[kind] for kind in bits(number)]
            spans = [(min(line), max(line)) for line in zip(*held, strict=True)]
            hull = [
                kind
                for kind, point in enumerate(points)
                if all(low <= at <= high for at, (low, high) in zip(point, spans, strict=True))
            ]
            lacking = [dimension[kind] for kind in hull if not number >> kind & 1]
            if not lacking:
                convex.add(number)
            if max(lacking, default=-99) < max(dimension[kind] for kind in bits(number)):
                preconvex.add(number)
        return cls(frozenset(convex), frozenset(preconvex))

    @cache  # noqa: B019 (classes are kept)
    def split(self, kinds: int) -> tuple[int, ...]:
        """Return a set as a few tractable ones that have nothing in common."""
        return _cut(kinds, self.tractable)

    @cache  # noqa: B019 (classes are kept)
    def split_convex(self, kinds: int) -> tuple[int, ...]:
        """Return a set as a few convex ones that have nothing in common."""
        return _cut(kinds, self.convex)


def _cut(kinds: int, pieces: Collection[int]) -> tuple[int, ...]:
    """Cut a set into pieces, the largest that fits first."""
    found = []
    while kinds:
        fitting = (one for one in pieces if not one & ~kinds)
        found.append(max(fitting, key=lambda one: (one.bit_count(), one)))
        kinds &= ~found[-1]
    return tuple(found)


def distributes(algebra: RelationAlgebra, sets: Sequence[int]) -> bool:
    """Return whether composition distributes over the intersections of these sets that are not empty.

    sets: in ascending order, closed under composition and intersection.
    """
    masks = np.array(sets, np.int64)
    composed = _compositions(algebra, masks)
    common = masks[:, None] & masks
    there = common > 0
    place = np.searchsorted(masks, common)
    place[~there] = 0
    for through in composed:
        both = through[:, None] & through
        if (through[place] != both)[there].any():
            return False
    return True


def _compositions(algebra: RelationAlgebra, masks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the composition of each two sets: (sets, sets)."""
    holds = (masks[:, None] >> np.arange(algebra.size) & 1).astype(bool)  # (sets, kinds)
    to_kind = np.zeros((len(masks), algebra.size), np.int64)
    for kind, row in enumerate(algebra.table):
        to_kind[holds[:, kind]] |= row
    found = np.zeros((len(masks), len(masks)), np.int64)
    for kind in range(algebra.size):
        found |= np.where(holds[:, kind], to_kind[:, kind, None], 0)
    return found


def next_by_signs(signs: Mapping[str, Sequence[int]]) -> dict[str, list[str]]:
    """Return the kinds that each kind can change into at once, where kinds compare points on lines.

    One point of one thing moves, and one comparison changes by one: before, level, behind. These are Freksa's
    conceptual neighbours ("Temporal reasoning based on semi-intervals", 1992), if one end moves at a time.

    Args:
        signs: as in `SetClasses.of_signs`.
    """
    return {
        kind: [other for other, there in signs.items() if _steps_apart(here, there) == 1]
        for kind, here in signs.items()
    }


def _steps_apart(here: Sequence[int], there: Sequence[int]) -> int:
    return sum(abs(one - other) for one, other in zip(here, there, strict=True))
