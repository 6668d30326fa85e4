"""Spines, and what a step makes of them (see `placing` and `moves`).

A spine is a stack of couples. Many spines with the same last couple are stored as one couple on many rests;
a single spine is the same with one rest each.
"""

from collections.abc import Collection, Iterator

from clutrr.theory.kinship.moves import AHEAD, BELOW, Moves, What
from clutrr.theory.kinship.placing import NAMED, UNMARRIED, Node, Partner
from clutrr.theory.kinship.steps import Role, Step, Steps

_ADD, _CHANGE = int(What.ADD), int(What.CHANGE)


class Spine:
    """Spines that end in the same couple, of whatever rest.

    node: the couple, or the number of what is known of x0's other couple, below zero, for x0 alone.
    height: the length of the shortest of the spines. rests: a dict where there may be many.
    """

    __slots__ = ("height", "node", "rests")

    def __init__(self, node: int, height: int, rests: "Collection[Spine]") -> None:
        self.node = node
        self.height = height
        self.rests = rests


# Where a step leads: the last couple, what is known ahead, the least height and the rests of the spines.
Reached = tuple[int, int, int, Collection[Spine]]


class Spines:
    """Follows spines step by step."""

    def __init__(self) -> None:
        self.moves = Moves()
        self._bottoms: dict[int, Spine] = {}

    def bottom(self, node: int) -> Spine:
        """Return the spine of x0 alone. node: below zero."""
        found = self._bottoms.get(node)
        if found is None:
            found = self._bottoms[node] = Spine(node, 0, ())
        return found

    def start(self) -> tuple[Spine, int]:
        """Return x0, of whom nothing is known, and what is known ahead."""
        return self.bottom(~self.moves.ahead(UNMARRIED)), self.moves.ahead((None, None))

    def after(self, spine: Spine, ahead: int, step: Step, mark: int) -> Iterator[Reached]:
        """Yield where a step leads, to a person who gets the mark if not yet named."""
        moves, node = self.moves, spine.node
        if node < 0:  # from x0
            origin = ~node
            if step.start is Role.PARTNER:
                ahead, origin = origin, ahead
            bottom = (self.bottom(~origin),)
            for _, new, then in moves.leaving(ahead, step, mark):
                yield new, then, 1, bottom
            return
        for what, new, then in moves.of(node, ahead, step, mark):
            if what == _ADD:
                yield new, then, spine.height + 1, (spine,)
            elif what == _CHANGE:
                yield new, then, spine.height, spine.rests
            else:
                for rest in spine.rests:
                    before = rest.node
                    if before < 0:  # x0 again, if without a name
                        if not mark:
                            ends = (then, ~before) if moves.from_partner[node] else (~before, then)
                            yield ~ends[0], ends[1], 0, ()
                    elif not mark:
                        yield before, then, rest.height, rest.rests
                    elif not moves.marks[before]:
                        yield moves.marked(before, mark), then, rest.height, rest.rests

    def spouse(self, node: int, ahead: int, rest: Spine) -> int:
        """Return the mark of the present person's spouse; the person is not x0."""
        spouse = self.moves.spouses[node]
        if spouse == AHEAD:
            return self.moves.ahead_spouses[ahead]
        if spouse == BELOW:
            return self.moves.marks[rest.node] if rest.node >= 0 else NAMED
        return spouse

    def ways(self, spine: Spine, most: int) -> Iterator[Steps]:
        """Yield the ways of the spines that have at most this many couples."""
        if spine.node < 0:
            yield ()
        elif most > 0 and spine.height <= most:
            link = self.moves.links[spine.node]
            for rest in spine.rests:
                for steps in self.ways(rest, most - 1):
                    yield *steps, link

    def couples(self, spine: Spine) -> Iterator[tuple[tuple[Node, ...], tuple[Partner, ...]]]:
        """Yield the couples of the spines, each with what is known of x0's other couple."""
        if spine.node < 0:
            yield (), self.moves.aheads[~spine.node]
        for rest in spine.rests:
            for couples, origin in self.couples(rest):
                yield (*couples, self.moves.nodes[spine.node]), origin
