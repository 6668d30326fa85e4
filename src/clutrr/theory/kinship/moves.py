"""What one step can do to the end of a spine, worked out once and numbered (see `placing`).

A step changes the last couple of a spine, adds one after it, or removes it; the couples before it do not
matter. So what a step can do depends on the last couple and on what is known ahead, and
there are not many of those: both are numbered, and so are the moves from one to the other.
"""

from enum import IntEnum
from typing import NamedTuple

from clutrr.theory.kinship.placing import NAMELESS, UNMARRIED, Node, Partner, State, advance, mark_of
from clutrr.theory.kinship.steps import Role, Step


class What(IntEnum):
    """What a move does with the last couple of a spine."""

    ADD = 0  # one after it
    CHANGE = 1  # replace it: the same couple, left by another person
    BACK = 2  # remove it: the present person is then the one before


_BACK = int(What.BACK)


class Move(NamedTuple):
    """what; the new last couple (none for BACK) and what is then known ahead, by number."""

    what: int
    node: int
    ahead: int


_UNDER = Node(Role.CHILD, (None, None), Role.CHILD, NAMELESS)
BELOW, AHEAD = -1, -2  # where the present person's spouse is, if not in the last couple


class Moves:
    """The couples that spines can end in, what can be known ahead of them, and the moves between."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.links: list[Step] = []  # of each couple, the step from the person before to the person after
        self.marks: list[int] = []  # the mark of the person after
        self.married: list[bool] = []  # whether that person is a partner in it
        self.from_partner: list[bool] = []  # whether the person before is
        # Of each couple, the mark of that person's spouse, or where to look for it.
        self.spouses: list[int] = []
        self.aheads: list[tuple[Partner, ...]] = []
        self.ahead_spouses: list[int] = []
        self._node_numbers: dict[Node, int] = {}
        self._ahead_numbers: dict[tuple[Partner, ...], int] = {}
        self._moves: dict[tuple[int, int, int, int], tuple[Move, ...]] = {}
        self._marked: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self._moves)

    def node(self, node: Node) -> int:
        """Return the number of a couple."""
        number = self._node_numbers.setdefault(node, len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(node)
            self.links.append(Step.between(node.start, node.end))
            self.marks.append(node.mark)
            self.married.append(node.end is Role.PARTNER)
            self.from_partner.append(node.start is Role.PARTNER)
            if node.end is Role.CHILD:
                spouse = AHEAD
            else:
                spouse = BELOW if node.start is Role.PARTNER else mark_of(node.partners[0])
            self.spouses.append(spouse)
        return number

    def ahead(self, partners: tuple[Partner, ...]) -> int:
        """Return the number of what is known of a couple ahead."""
        number = self._ahead_numbers.setdefault(partners, len(self.aheads))
        if number == len(self.aheads):
            self.aheads.append(partners)
            self.ahead_spouses.append(mark_of(partners[0]))
        return number

    def marked(self, node: int, mark: int) -> int:
        """Return the couple, with this mark for the person after."""
        key = node, mark
        number = self._marked.get(key)
        if number is None:
            number = self._marked[key] = self.node(self.nodes[node]._replace(mark=mark))
        return number

    def of(self, node: int, ahead: int, step: Step, mark: int) -> tuple[Move, ...]:
        """Return the moves of a step. mark: of the person it ends at, if that is somebody not yet named.

        The caller checks whether the person before has been named yet.
        """
        key = node, ahead, step.number, mark
        moves = self._moves.get(key)
        if moves is None:
            state = State((_UNDER, self.nodes[node]), self.aheads[ahead], UNMARRIED)
            after = {self._move(new) for new in advance(state, step, mark)}
            moves = self._moves[key] = tuple(sorted(after))
        return moves

    def leaving(self, ahead: int, step: Step, mark: int) -> tuple[Move, ...]:
        """Return the moves of a step from x0, through a couple of which this is known."""
        key = -1, ahead, step.number, mark
        moves = self._moves.get(key)
        if moves is None:
            known = self.aheads[ahead]
            birth, marriage = ((None, None), known) if step.start is Role.PARTNER else (known, UNMARRIED)
            after = advance(State((), birth, marriage), step, mark)
            moves = tuple(
                sorted(Move(int(What.ADD), self.node(new.spine[-1]), self.ahead(new.ahead)) for new in after)
            )
            self._moves[key] = moves
        return moves

    def _move(self, after: State) -> Move:
        what = 3 - len(after.spine)  # see `What`
        node = -1 if what == _BACK else self.node(after.spine[-1])
        return Move(what, node, self.ahead(after.ahead))
