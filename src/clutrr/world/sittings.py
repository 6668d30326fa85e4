"""The ways in which a chain can sit, one by one: a spine and what is known ahead of it.

Spines are numbered in the order in which they are found: each is its last couple and the number of the rest.
"""

from collections.abc import Iterator
from typing import NamedTuple

from clutrr.world.moves import AHEAD, BELOW, Moves, What
from clutrr.world.placing import NAMED, NAMELESS, UNMARRIED, Node, State
from clutrr.world.steps import Role, Step, Steps

_ADD, _CHANGE = int(What.ADD), int(What.CHANGE)


class Sitting(NamedTuple):
    """A spine, and what is known ahead; both by number."""

    spine: int
    ahead: int


class Sittings:
    """Follows one way to sit after another."""

    def __init__(self, moves: Moves) -> None:
        self._table = moves
        # Of each spine: the couple it ends in (below zero, for x0 alone: the number of what is known of
        # their other couple), the rest, the length.
        self._node: list[int] = []
        self._rest: list[int] = []
        self._height: list[int] = []
        self._number: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self._node)

    def start(self) -> Sitting:
        """x0, of whom nothing is known."""
        return Sitting(self._spine(-1, ~self._table.ahead(UNMARRIED)), self._table.ahead((None, None)))

    def after(self, sitting: Sitting, steps: Steps, mark: int) -> Iterator[tuple[int, Sitting]]:
        """Where steps can lead, to a person who gets the mark, and the mark of that person's spouse."""
        between = [sitting]
        for step in steps[:-1]:
            between = [after for before in between for after in self._step(before, step, NAMELESS)]
        for before in between:
            for after in self._step(before, steps[-1], mark):
                spouse = self._spouse(after)
                if not spouse == mark > NAMED:
                    yield spouse, after

    def height(self, sitting: Sitting) -> int:
        """How many couples the spine has."""
        return self._height[sitting.spine]

    def steps(self, sitting: Sitting, longest: int) -> Steps | None:
        """The steps of the spine; None if it is longer than `longest` couples."""
        spine = sitting.spine
        if self._height[spine] > longest:
            return None
        links: list[Step] = []
        while (node := self._node[spine]) >= 0:
            links.append(self._table.links[node])
            spine = self._rest[spine]
        return tuple(reversed(links))

    def state(self, sitting: Sitting) -> State:
        """The same, spelt out."""
        spine = sitting.spine
        couples: list[Node] = []
        while (node := self._node[spine]) >= 0:
            couples.append(self._table.nodes[node])
            spine = self._rest[spine]
        origin = self._table.aheads[~self._node[spine]]
        return State(tuple(reversed(couples)), self._table.aheads[sitting.ahead], origin)

    def _step(self, sitting: Sitting, step: Step, mark: int) -> Iterator[Sitting]:
        spine, ahead = sitting
        node, rest = self._node[spine], self._rest[spine]
        if node < 0:
            yield from self._leave(~node, ahead, step, mark)
            return
        for what, new, then in self._table.of(node, ahead, step, mark):
            if what == _ADD:
                yield Sitting(self._spine(spine, new), then)
            elif what == _CHANGE:
                yield Sitting(self._spine(rest, new), then)
            elif (before := self._node[rest]) < 0:
                if not mark:
                    origin = ~before
                    if self._table.from_partner[node]:
                        origin, then = then, origin
                    yield Sitting(self._spine(-1, ~origin), then)
            elif not mark:
                yield Sitting(rest, then)
            elif not self._table.marks[before]:
                yield Sitting(self._spine(self._rest[rest], self._table.marked(before, mark)), then)

    def _leave(self, origin: int, ahead: int, step: Step, mark: int) -> Iterator[Sitting]:
        """A step from x0."""
        if step.start is Role.PARTNER:
            ahead, origin = origin, ahead
        bottom = self._spine(-1, ~origin)
        for _, new, then in self._table.leaving(ahead, step, mark):
            yield Sitting(self._spine(bottom, new), then)

    def _spine(self, rest: int, node: int) -> int:
        key = rest, node
        number = self._number.get(key)
        if number is None:
            number = self._number[key] = len(self._node)
            self._node.append(node)
            self._rest.append(rest)
            self._height.append(self._height[rest] + 1 if rest >= 0 else 0)
        return number

    def _spouse(self, sitting: Sitting) -> int:
        """The mark of the present person's spouse; they are not x0."""
        spine, ahead = sitting
        spouse = self._table.spouses[self._node[spine]]
        if spouse == AHEAD:
            return self._table.ahead_spouses[ahead]
        if spouse == BELOW:
            before = self._node[self._rest[spine]]
            return self._table.marks[before] if before >= 0 else NAMED
        return spouse
