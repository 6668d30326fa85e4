"""What the two ends of a chain can be to each other, over whole worlds that are trees.

`Chains` follows every way in which the people of a chain can sit (see `placing`), and says by which
ways the last person can be reached from the first. The answer is exact at any length.

What a step can do depends only on the end of a spine (see `moves`). So to find which kinds are
possible, all spines with the same end are followed together: a spine is a stack, and many stacks with
the same top are stored as one top on many rests. A spine is dropped as soon as it is certain that the
facts to come cannot lead back from it to a kind of the label set. The work is polynomial in the length.

Genders: two people with the same mark above 1 cannot be partners. So people marked by their stated
gender sit only where spouses are of opposite sex; people with a mark of their own sit anywhere, and
each way of sitting tells who has become whose partner (see `cases`).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat

from clutrr.world.assumptions import Assumption
from clutrr.world.closing import closes, couples_if_closed
from clutrr.world.moves import AHEAD, BELOW, Moves, What
from clutrr.world.placing import NAMED, NAMELESS, UNMARRIED, Node, Partner, State
from clutrr.world.sittings import Sitting, Sittings
from clutrr.world.steps import Role, Step, Steps, rise

_REMEMBERED = 300_000  # moves and spines
_SHORT = 6  # facts at the beginning of a chain that are remembered, since many chains start alike
_LAST = 2  # facts that are not its beginning
Pairs = frozenset[tuple[int, int]]
_NOBODY: Pairs = frozenset()
_Sat = frozenset[tuple[Sitting, Pairs]]


@dataclass(frozen=True)
class Cases:
    """What the ends of a chain can be to each other, and what genders have to say about it.

    kinds: for each kind that is possible, and None for none of them, the ways in which it is: each a
    set of pairs of people (numbers along the chain) who would have to be of opposite sex.
    """

    kinds: Mapping[int | None, tuple[Pairs, ...]]

    def given(self, genders: Sequence[int]) -> tuple[frozenset[int], bool]:
        """The kinds that are possible with these genders, and whether something else is.

        genders: of x0 to xk; that of x0 does not matter.
        """
        left = {
            kind
            for kind, ways in self.kinds.items()
            if any(all(genders[a] != genders[b] for a, b in way) for way in ways)
        }
        return frozenset(kind for kind in left if kind is not None), None in left

    @property
    def free(self) -> bool:
        """Whether no gender matters."""
        return all(map(self.settled, self.kinds))

    @property
    def people(self) -> frozenset[int]:
        """Whose genders matter."""
        return frozenset(
            person for ways in self.kinds.values() for way in ways for pair in way for person in pair
        )

    def settled(self, kind: int | None) -> bool:
        """Whether the kind (None: something else) is possible whatever the genders are, or never."""
        return kind not in self.kinds or _NOBODY in self.kinds[kind]


class _Top:
    """Spines that end in the same couple, of whatever rest.

    node: the couple, or the number of what is known of x0's other couple, below zero, for x0 alone.
    height: the length of the shortest of the spines.
    """

    __slots__ = ("height", "node", "rests")

    def __init__(self, node: int, height: int, rests: "dict[_Top, None]") -> None:
        self.node = node
        self.height = height
        self.rests = rests


_Limit = tuple[int, int]  # the longest spine of use, by the role in which it ends: child, partner
_NEVER = 10**9
_ADD, _CHANGE = int(What.ADD), int(What.CHANGE)
_Reached = tuple[int, int, int, Collection[_Top]]  # couple, what is known ahead, height, rests
_Tops = dict[tuple[int, int], _Top]  # by couple, and what is known ahead


class Chains:
    """Chains over a set of relation kinds, each given by its ways; a kind is an index."""

    def __init__(self, kinds: Sequence[Sequence[Steps]]) -> None:
        self._kinds = kinds
        self.labels: Mapping[Steps, int] = {steps: kind for kind, ways in enumerate(kinds) for steps in ways}
        self._longest = max(map(len, self.labels))
        self._rises = [rise(ways[0]) for ways in kinds]
        self._growth = [(_growth(ways, Role.CHILD), _growth(ways, Role.PARTNER)) for ways in kinds]
        self._marries = [all(steps == (Step.SPOUSE,) for steps in ways) for ways in kinds]
        self._start()

    def _start(self) -> None:
        """Start afresh, once too much is remembered."""
        self._moves = Moves()
        self._sittings = Sittings(self._moves)
        self._begins: dict[tuple[int, ...], _Tops] = {}
        self._sitting: dict[tuple[int, ...], _Sat] = {}  # of short chains, since many start alike
        self._next: dict[tuple[Sitting, int, int], tuple[tuple[int, Sitting], ...]] = {}  # likewise

    def _make_room(self) -> None:
        known: tuple[Sized, ...] = self._moves, self._sittings, self._sitting, self._begins, self._next
        if sum(map(len, known)) > _REMEMBERED:
            self._start()

    def alone(self, pattern: Sequence[int]) -> bool:
        """Whether one kind at most leads to the generation in which the chain ends."""
        return self._rises.count(sum(self._rises[kind] for kind in pattern)) < 2

    def ways(self, pattern: Sequence[int]) -> frozenset[Steps]:
        """The ways by which the last person can be reached from the first: all of them."""
        return frozenset(state.steps for state in self.states(pattern))

    def kinds(self, pattern: Sequence[int], genders: Sequence[int] | None = None) -> frozenset[int]:
        """The kinds that the last person can be to the first.

        genders: of the people after the first, where they are stated; 0 or 1.
        """
        tops = self._follow(pattern, genders, self._limits(pattern))
        ways = {steps for top in tops.values() for steps in self._ways(top, self._longest)}
        return frozenset(self.labels[steps] for steps in ways if steps in self.labels)

    def linked(
        self, pattern: Sequence[int], kinds: Iterable[int], genders: Sequence[int] | None = None
    ) -> Iterator[int]:
        """Which of these kinds the last person can be to the first under `open`."""
        states: list[State] = []
        more = self.states(pattern, genders)
        for kind in kinds:
            if any(closes(state, steps) for state in _kept(states, more) for steps in self._kinds[kind]):
                yield kind

    def states(self, pattern: Sequence[int], genders: Sequence[int] | None = None) -> Iterator[State]:
        """Every way in which the chain can sit."""
        for (_, ahead), top in self._follow(pattern, genders, None).items():
            for spine, origin in self._spines(top):
                yield State(spine, self._moves.aheads[ahead], origin)

    def _follow(
        self, pattern: Sequence[int], genders: Sequence[int] | None, limits: Sequence[_Limit] | None
    ) -> _Tops:
        self._make_room()
        short = genders is None and len(pattern) <= _SHORT
        start = max(0, len(pattern) - _LAST) if short else 0
        tops = self._begun(tuple(pattern[:start]))
        for i, kind in enumerate(pattern[start:], start):
            mark = NAMED if genders is None else NAMED + 1 + genders[i]
            tops = self._reached(tops, kind, mark, limits[i] if limits else None)
        return tops

    def _begun(self, pattern: tuple[int, ...]) -> _Tops:
        """Where the first facts of chains lead, for all chains that start so."""
        known = self._begins.get(pattern)
        if known is None:
            if pattern:
                known = self._reached(self._begun(pattern[:-1]), pattern[-1], NAMED, None)
            else:
                origin = self._moves.ahead(UNMARRIED)
                known = {(~origin, self._moves.ahead((None, None))): _Top(~origin, 0, {})}
            self._begins[pattern] = known
        return known

    def _reached(self, tops: _Tops, kind: int, mark: int, limit: _Limit | None) -> _Tops:
        """Where a fact leads from there, to somebody with this mark."""
        after: _Tops = {}
        for steps in self._kinds[kind]:
            between = tops
            for step in steps[:-1]:
                reached: _Tops = {}
                self._step(between, step, NAMELESS, reached, None)
                between = reached
            self._step(between, steps[-1], mark, after, limit)
        return after

    def _step(self, tops: _Tops, step: Step, mark: int, after: _Tops, limit: _Limit | None) -> None:
        """Add to `after` where a step leads."""
        moves = self._moves
        marks, of = moves.marks, moves.of
        found: list[_Reached] = []
        for (node, ahead), top in tops.items():
            if node < 0:
                found += self._leave(top, ahead, step, mark)
                continue
            for what, new, then in of(node, ahead, step, mark):
                if what == _ADD:
                    found.append((new, then, top.height + 1, (top,)))
                elif what == _CHANGE:
                    found.append((new, then, top.height, top.rests))
                else:
                    for rest in top.rests:
                        before = rest.node
                        if before < 0:
                            if not mark:
                                self._return(after, rest, then, moves.from_partner[node])
                        elif not mark:
                            found.append((before, then, rest.height, rest.rests))
                        elif not marks[before]:
                            found.append((moves.marked(before, mark), then, rest.height, rest.rests))
        if mark > NAMED:
            found = [reached for reached in map(self._suited, found, repeat(mark)) if reached is not None]
        married = moves.married
        as_child, as_partner = limit or (_NEVER, _NEVER)
        for node, ahead, height, rests in found:
            if height > (as_partner if married[node] else as_child):
                continue
            known = after.get((node, ahead))
            if known is None:
                after[node, ahead] = _Top(node, height, dict.fromkeys(rests))
            else:
                known.rests.update(dict.fromkeys(rests))
                if height < known.height:
                    known.height = height

    def _suited(self, reached: _Reached, mark: int) -> _Reached | None:
        """The same, without the spines in which the new person's spouse has the same mark."""
        node, ahead, height, rests = reached
        moves = self._moves
        spouse = moves.spouses[node]
        if spouse == BELOW:
            others = [rest for rest in rests if rest.node < 0 or moves.marks[rest.node] != mark]
            return (node, ahead, height, others) if others else None
        return None if (moves.ahead_spouses[ahead] if spouse == AHEAD else spouse) == mark else reached

    def _leave(self, top: _Top, ahead: int, step: Step, mark: int) -> Iterator[_Reached]:
        """A step from x0."""
        moves = self._moves
        origin = ~top.node
        if step.start is Role.PARTNER:
            ahead, origin = origin, ahead
        bottom = top if origin == ~top.node else _Top(~origin, 0, {})
        for _, new, then in moves.leaving(ahead, step, mark):
            yield new, then, 1, (bottom,)

    def _return(self, after: _Tops, bottom: _Top, ahead: int, from_partner: bool) -> None:
        """Back at x0, without naming them again."""
        origin = ~bottom.node
        if from_partner:
            ahead, origin = origin, ahead
        after.setdefault((~origin, ahead), _Top(~origin, 0, {}))

    def _limits(self, pattern: Sequence[int]) -> list[_Limit]:
        """After each fact: how long a spine may be to be of use."""
        limit = self._longest, self._longest
        limits = [limit]
        for kind in reversed(pattern[1:]):
            child, partner = limit
            as_child, as_partner = self._growth[kind]
            limit = (
                max(child - as_child[0], partner - as_child[1]),
                max(child - as_partner[0], partner - as_partner[1]),
            )
            limits.append(limit)
        return limits[::-1]

    def _ways(self, top: _Top, most: int) -> Iterator[Steps]:
        """The ways of the spines with this top that have at most this many couples."""
        if top.node < 0:
            yield ()
        elif most > 0 and top.height <= most:
            node = self._moves.nodes[top.node]
            step = Step.between(node.start, node.end)
            for rest in top.rests:
                for steps in self._ways(rest, most - 1):
                    yield *steps, step

    def _spines(self, top: _Top) -> Iterator[tuple[tuple[Node, ...], tuple[Partner, ...]]]:
        """The spines with this top, each with what is known of x0's other couple."""
        if top.node < 0:
            yield (), self._moves.aheads[~top.node]
        for rest in top.rests:
            for spine, origin in self._spines(rest):
                yield (*spine, self._moves.nodes[top.node]), origin

    def outside(self, pattern: Sequence[int], genders: Sequence[int] | None = None) -> bool:
        """Whether the last person can be something to the first that no kind is."""
        self._make_room()
        marks = [NAMED] * len(pattern) if genders is None else [NAMED + 1 + gender for gender in genders]
        todo = [(0, self._sittings.start())]
        met = set(todo)
        while todo:  # depth first: what is looked for is mostly there
            done, sitting = todo.pop()
            if done == len(pattern):
                if self._label(sitting) is None:
                    return True
                continue
            for _, after in self._after(sitting, pattern[done], marks[done]):
                if (done + 1, after) not in met:
                    met.add((done + 1, after))
                    todo.append((done + 1, after))
        return False

    def outside_freely(self, pattern: Sequence[int]) -> bool:
        """Whether the last person can be something that no kind is, whatever the genders are.

        It stops at the first way to sit in which only facts that say so make people partners. If it finds
        none, `cases` may still find one.
        """
        self._make_room()
        ways = [iter([(NAMED, self._sittings.start())])]
        while ways:  # depth first
            step = next(ways[-1], None)
            if step is None:
                ways.pop()
                continue
            spouse, sitting = step
            done = len(ways) - 1
            if spouse > NAMED and not self._marries[pattern[done - 1]]:
                continue
            if done < len(pattern):
                ways.append(iter(self._known_after(sitting, pattern[done], NAMED + 1 + done)))
            elif self._label(sitting) is None:
                return True
        return False

    def _after(self, sitting: Sitting, kind: int, mark: int) -> Iterator[tuple[int, Sitting]]:
        for steps in self._kinds[kind]:
            yield from self._sittings.after(sitting, steps, mark)

    def _known_after(self, sitting: Sitting, kind: int, mark: int) -> tuple[tuple[int, Sitting], ...]:
        """The same, remembered: for chains of which many start alike."""
        key = sitting, kind, mark
        known = self._next.get(key)
        if known is None:
            known = self._next[key] = tuple(self._after(sitting, kind, mark))
        return known

    def _label(self, sitting: Sitting) -> int | None:
        steps = self._sittings.steps(sitting, self._longest)
        return None if steps is None else self.labels.get(steps)

    def cases(self, pattern: Sequence[int], assume: Assumption = Assumption.TREE) -> Cases:
        """What genders change about a chain. For short chains: it looks at every way to sit by itself."""
        self._make_room()
        sittings = self._sat(tuple(pattern))
        found: dict[int | None, set[Pairs]] = {}
        for sitting, pairs in sittings:
            found.setdefault(self._label(sitting), set()).add(pairs)
        if assume is Assumption.OPEN:
            self._add_links(found, sittings)
        every = _in_all(sittings)
        return Cases({kind: _least({pairs - every for pairs in ways}) for kind, ways in found.items()})

    def untold(self, pattern: Sequence[int], assume: Assumption) -> bool:
        """Whether several kinds are possible, whatever the genders are."""
        self._make_room()
        sittings = self._sat(tuple(pattern))
        every = _in_all(sittings)
        free = [sitting for sitting, pairs in sittings if pairs == every]
        kinds = {self._label(sitting) for sitting in free} - {None}
        if len(kinds) > 1 or assume is Assumption.TREE:
            return len(kinds) > 1
        for state in map(self._sittings.state, free):
            for kind, ways in enumerate(self._kinds):
                if kind not in kinds and any(self._closes_freely(state, steps, every) for steps in ways):
                    kinds.add(kind)
                    if len(kinds) > 1:
                        return True
        return False

    def _closes_freely(self, state: State, steps: Steps, every: Pairs) -> bool:
        pairs = ({(a - 1, b - 1) for a, b in couples} for couples in couples_if_closed(state, steps))
        return any(couples <= every for couples in pairs)

    def _sat(self, pattern: tuple[int, ...]) -> _Sat:
        """The ways in which a chain can sit, each with the pairs who are partners by it."""
        known = self._sitting.get(pattern)
        if known is None:
            if pattern:
                person = len(pattern)
                known = frozenset(
                    (after, pairs | {(spouse - 1, person)} if spouse > NAMED else pairs)
                    for sitting, pairs in self._sat(pattern[:-1])
                    for spouse, after in self._known_after(sitting, pattern[-1], NAMED + person)
                )
            else:
                known = frozenset([(self._sittings.start(), _NOBODY)])
            self._sitting[pattern] = known
        return known

    def _add_links(
        self, found: dict[int | None, set[Pairs]], sittings: Iterable[tuple[Sitting, Pairs]]
    ) -> None:
        """What is possible under `open` besides."""
        for sitting, pairs in sittings:
            state = self._sittings.state(sitting)
            for kind, ways in enumerate(self._kinds):
                if pairs in found.get(kind, ()):
                    continue
                for steps in ways:
                    for couples in couples_if_closed(state, steps):
                        more = frozenset((a - 1, b - 1) for a, b in couples)
                        found.setdefault(kind, set()).add(pairs | more)

    @cached_property
    def double(self) -> bool:
        """Whether two people can be two kinds to each other at once under `open`."""
        every = range(len(self._kinds))
        return any(next(self.linked([a], set(every) - {a}), None) is not None for a in every)


def _kept(states: list[State], more: Iterator[State]) -> Iterator[State]:
    """The states found already, then those still to come, which are added to them."""
    yield from states
    for state in more:
        states.append(state)
        yield state


def _growth(ways: Sequence[Steps], role: Role) -> tuple[int, int]:
    """The least by which a fact lengthens a spine that ends in this role, by the role in which it then ends
    (child, partner).

    A step from the role in which the spine ends turns back, and may take a couple off; any other adds one.
    """
    least = {Role.CHILD: _NEVER, Role.PARTNER: _NEVER}
    for steps in ways:
        ends = {role: 0}
        for step in steps:
            after: dict[Role, int] = {}
            for end, grown in ends.items():
                longer = [(step.end, grown + 1)]
                if step.start is end:
                    other = Role.CHILD if step.end is Role.PARTNER else Role.PARTNER
                    longer = [(step.end, grown), (other, grown - 1)]
                for new, by in longer:
                    after[new] = min(by, after.get(new, by))
            ends = after
        for end, grown in ends.items():
            least[end] = min(least[end], grown)
    return least[Role.CHILD], least[Role.PARTNER]


def _in_all(sittings: _Sat) -> Pairs:
    """The pairs who are partners in every way to sit: by the facts themselves."""
    return frozenset.intersection(*(pairs for _, pairs in sittings)) if sittings else _NOBODY


def _least(ways: Collection[Pairs]) -> tuple[Pairs, ...]:
    """Those that do not require more than another one does."""
    if _NOBODY in ways:
        return (_NOBODY,)
    least = [way for way in ways if not any(other < way for other in ways)]
    return tuple(sorted(least, key=sorted))
