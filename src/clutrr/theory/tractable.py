"""Sets of kinds for which simple methods are exact.

Two classes of sets matter to a network of entities, each with what is known of a pair as a set of kinds:

    convex       composition distributes over intersection: an entity all of whose pairs are convex can be
                 eliminated, and nothing is lost (Li, Long, Liu and Duckham, "On redundant topological
                 constraints", 2015)
    tractable    closure decides: if no pair is left empty, some scene has the whole network

Everything else is split into tractable sets. Where kinds compare points on lines, a set is *preconvex* if what
it lacks of its convex hull is of lower dimension. These are all sets of the point algebra, the 868 of ORD-Horn
for intervals (Nebel and Buerckert, 1995; Ligozat, 1996), and 141 for directions (Ligozat, 1998).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from clutrr.theory.algebra import RelationAlgebra, bits


@dataclass(frozen=True, eq=False)
class SetClasses:
    """The convex and the tractable sets of a theory. Sets are numbers, see `algebra`."""

    convex: Collection[int]
    tractable: Collection[int]

    @classmethod
    def arising(cls, algebra: RelationAlgebra) -> "SetClasses":
        """Return, for both, the sets that arise from single kinds by composition, converse and intersection.

        Of any algebra these are as good as its single kinds are.
        """
        found = {1 << kind for kind in range(algebra.size)} | {algebra.every}
        waiting = list(found)
        while waiting:
            one = waiting.pop()
            new = {algebra.turn(one)}
            for other in tuple(found):
                new |= {one & other, algebra.compose(one, other), algebra.compose(other, one)}
            new -= found | {0}
            found |= new
            waiting += new
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
