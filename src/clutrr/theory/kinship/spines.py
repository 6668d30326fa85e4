"""Where the people of a chain can be placed in the tree of couples, one step at a time.

A chain is a sequence of facts x0 -> x1 -> ... -> xk about distinct people, each fact one of a few ways (see
`steps`). Whoever a fact passes through without naming may be somebody named elsewhere, or somebody else, so
there are several placements. All that can still matter of one is the route from x0 to the present person,
the spine, and the ancestors of the partners on it: a couple may have any number of children, so a step
down that leaves the spine can always lead to a new child.

`advance` defines what a step makes of a placement. It depends only on the last couple of the spine and on
what is known ahead: both are numbered, and `Moves` remembers what steps lead to. `Spines` are stacks of such
couples; many with the same last couple are stored as one couple on many rests.

Whoever is named has a mark, a number from 1 up. x0 has 1; the caller chooses the others: 1 as well, one
for each gender, or one for each person.
"""

from collections.abc import Collection, Iterable, Iterator
from enum import IntEnum
from typing import NamedTuple

from clutrr.theory.kinship.steps import Role, Step, Steps

NAMELESS, NAMED = 0, 1  # marks: of somebody whom no fact names yet, and of x0

# A partner off the spine: their mark, and the couple they are a child of.
# A partner of whom nothing is known is None, and so is a couple with two such partners.
Partner = tuple[int, "Couple | None"] | None
Couple = tuple[Partner, Partner]


class Node(NamedTuple):
    """A couple on the spine, and the person by whom the spine leaves it.

    start, end: the roles of the person before and of the person after.
    partners: the couple's partners off the spine, in canonical order.
    mark: of the person after.
    """

    start: Role
    partners: tuple[Partner, ...]
    end: Role
    mark: int


class State(NamedTuple):
    """The spine from x0 to the present person, and the partners known at its two ends.

    ahead: those of the present person's couple that is not on the spine.
    origin: those of x0's couple that is not on the spine. Where the spine is empty, and x0 the
    present person, `ahead` is their couple of birth and `origin` their marriage.
    """

    spine: tuple[Node, ...]
    ahead: tuple[Partner, ...]
    origin: tuple[Partner, ...]

    @property
    def steps(self) -> Steps:
        return tuple(Step.between(node.start, node.end) for node in self.spine)


def _order(partner: Partner) -> str:
    return repr(partner)


def _couple(partners: Iterable[Partner]) -> tuple[Partner, ...]:
    return tuple(sorted(partners, key=_order))


def _partner(mark: int, parents: tuple[Partner, ...]) -> Partner:
    """Return the partner with these parents (none if they are unknown)."""
    known = any(parent is not None for parent in parents)
    if not mark and not known:
        return None
    return mark, (parents if known else None)  # type: ignore[return-value]


def mark_of(partner: Partner) -> int:
    return partner[0] if partner is not None else NAMELESS


def _parents(partner: Partner) -> tuple[Partner, ...]:
    return (partner and partner[1]) or (None, None)


UNMARRIED: tuple[Partner, ...] = (None,)


def _onto_partners(
    spine: tuple[Node, ...],
    start: Role,
    partners: tuple[Partner, ...],
    origin: tuple[Partner, ...],
    mark: int,
) -> Iterator[State]:
    """Step to a partner off the spine. mark: the new mark of a person not yet named, if it ends there."""
    for choice in set(partners):
        had = mark_of(choice)
        if mark and had:
            continue
        rest = list(partners)
        rest.remove(choice)
        node = Node(start, tuple(rest), Role.PARTNER, had or mark)
        yield State((*spine, node), _parents(choice), origin)


def _onto_child(
    spine: tuple[Node, ...],
    start: Role,
    partners: tuple[Partner, ...],
    origin: tuple[Partner, ...],
    mark: int,
) -> State:
    """Step to a child of their own."""
    return State((*spine, Node(start, partners, Role.CHILD, mark)), UNMARRIED, origin)


def advance(state: State, step: Step, mark: int) -> Iterator[State]:
    """Yield what one step leads to. mark: the new mark of a person not yet named, if a fact ends there."""
    spine, ahead, origin = state
    if not spine:  # at x0: `ahead` is the couple of birth, `origin` the marriage
        if step.start is Role.PARTNER:
            ahead, origin = origin, ahead
    elif step.start is spine[-1].end:
        yield from _turn_back(state, step, mark)
        return
    if step.end is Role.CHILD:
        yield _onto_child(spine, step.start, ahead, origin, mark)
    else:
        yield from _onto_partners(spine, step.start, ahead, origin, mark)


def _turn_back(state: State, step: Step, mark: int) -> Iterator[State]:
    """Yield where a step leads through the couple by which the spine reached the present person."""
    spine, ahead, origin = state
    *before, node = spine
    kept = tuple(before)
    partners = node.partners
    # Leave the present person: a partner is still remembered, a child is forgotten.
    all_partners = partners
    if node.end is Role.PARTNER:
        all_partners = _couple((*partners, _partner(node.mark, ahead)))
    if step.end is Role.CHILD:
        yield _onto_child(kept, node.start, all_partners, origin, mark)
    else:  # the spouse, never the present person again
        for next_state in _onto_partners(kept, node.start, partners, origin, mark):
            *_, new = next_state.spine
            left = new.partners
            if node.end is Role.PARTNER:
                left = _couple((*left, _partner(node.mark, ahead)))
            yield State((*kept, new._replace(partners=left)), next_state.ahead, origin)
    # Or arrive at the person before, who may be x0 or somebody a fact passed through.
    if node.start is not step.end:
        return
    had = kept[-1].mark if kept else NAMED
    if mark and had:
        return
    if kept:
        kept = (*kept[:-1], kept[-1]._replace(mark=had or mark))
        yield State(kept, all_partners, origin)
    elif node.start is Role.CHILD:
        yield State((), all_partners, origin)
    else:
        yield State((), origin, all_partners)


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
