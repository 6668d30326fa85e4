"""What the two ends of a chain can be to each other, over whole worlds that are trees.

`Chains` follows every way in which the people of a chain can be placed (see `spines`), and finds by which
ways the last person can be reached from the first. The answer is exact at any length.

What a step can do depends only on the end of a spine. So to find which kinds are
possible, all spines with the same end are followed together: a spine is a stack, and many stacks with
the same top are stored as one top on many rests. A spine is dropped as soon as it is certain that the
facts to come cannot lead back from it to a kind of the label set. The work is polynomial in the length.

Genders: two people with the same mark above 1 cannot be partners. So people marked by their stated
gender are placed only where spouses are of opposite sex; people with a mark of their own are placed
anywhere, and each placement tells who has become whose partner (see `undetermined`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from functools import cached_property
from typing import cast

import numpy as np

from clutrr.theory.kinship.closing import closes, couples_if_closed
from clutrr.theory.kinship.placements import (
    Bools,
    Ints,
    PatternReader,
    Placement,
    Placements,
    PlacementSets,
    Test,
    fact_numbers,
)
from clutrr.theory.kinship.spines import NAMED, NAMELESS, Spine, Spines, State
from clutrr.theory.kinship.steps import Role, Step, Steps, rise

_REMEMBERED = 300_000  # moves and spines
SHORT = 6  # facts of chains whose placements are remembered, since many chains start alike
Pairs = frozenset[tuple[int, int]]
_NOBODY: Pairs = frozenset()
_Placed = frozenset[tuple[Placement, Pairs]]


_Limit = tuple[int, int]  # the longest spine of use, by the role in which it ends: child, partner
_NEVER = 10**9
_Tops = dict[tuple[int, int], Spine]  # by couple, and what is known ahead


class Chains:
    """Chains over a set of relation kinds, each given by its ways; a kind is an index."""

    def __init__(self, kinds: Sequence[Sequence[Steps]]) -> None:
        self._kinds = kinds
        self.labels: Mapping[Steps, int] = {steps: kind for kind, ways in enumerate(kinds) for steps in ways}
        self._longest = max(map(len, self.labels))
        self._rises = [rise(ways[0]) for ways in kinds]
        self._growth = [(_growth(ways, Role.CHILD), _growth(ways, Role.PARTNER)) for ways in kinds]
        self._start()

    def _start(self) -> None:
        """Start afresh, once too much is remembered."""
        self._spines = Spines()
        self._placements = Placements(self._spines, self._kinds)
        self._sets = PlacementSets(self._placements, len(self._kinds))
        # Of short chains, since many start alike:
        self._placed_with: dict[tuple[int, ...], _Placed] = {}
        self._closed: dict[tuple[int, int], bool] = {}
        self._next: dict[tuple[Placement, int, int], tuple[tuple[int, Placement], ...]] = {}

    def _make_room(self) -> None:
        known: tuple[Sized, ...] = (
            self._spines.moves,
            self._placements,
            self._sets,
            self._placed_with,
            self._next,
            self._closed,
        )
        if sum(map(len, known)) > _REMEMBERED:
            self._start()

    def alone(self, pattern: Sequence[int]) -> bool:
        """Return whether one kind at most leads to the generation in which the chain ends."""
        return self._rises.count(sum(self._rises[kind] for kind in pattern)) < 2

    def ways(self, pattern: Sequence[int]) -> frozenset[Steps]:
        """Return the ways by which the last person can be reached from the first: all of them."""
        return frozenset(state.steps for state in self.states(pattern))

    def kinds(self, pattern: Sequence[int], genders: Sequence[int] | None = None) -> frozenset[int]:
        """Return the kinds that the last person can be to the first.

        genders: of the people after the first, where they are stated; 0 or 1.
        """
        if genders is None and len(pattern) <= SHORT:
            return frozenset(kind for kind in self.ends(pattern) if kind is not None)
        tops = self._follow(pattern, genders, self._limits(pattern))
        ways = {steps for top in tops.values() for steps in self._spines.ways(top, self._longest)}
        return frozenset(self.labels[steps] for steps in ways if steps in self.labels)

    def ends(self, pattern: Sequence[int]) -> frozenset[int | None]:
        """Return the kinds that the last person can be to the first; None stands for anything else.

        It takes one placement after the other, so it is for short chains, or those with few placements.
        """
        self._make_room()
        number = 0
        for fact in fact_numbers(np.array(pattern, int)).tolist():
            number = self._sets.after(number, fact)
        return self._sets.ends(number)

    def judge(self, patterns: Ints, genders: Ints, open_: bool) -> Bools:
        """Return (chains, kinds): which kinds the last person can be to the first.

        patterns: one per row. genders: of the people after the first. open_: under `open`, not in trees.
        """
        found = np.zeros((len(patterns), len(self._kinds)), bool)
        if patterns.shape[1] > SHORT:
            for row, pattern, stated in zip(found, patterns.tolist(), genders.tolist(), strict=True):
                kinds = self.kinds(pattern, stated)
                others = set(range(len(self._kinds))) - kinds if open_ else ()
                row[[*kinds, *self.linked(pattern, others, stated)]] = True
            return found
        numbers, which = self._read(patterns, genders)
        for row, number in zip(found, numbers, strict=False):
            ends = self._sets.ends(number)
            row[[end for end in ends if end is not None]] = True
            for kind in np.flatnonzero(~row) if open_ else ():
                row[kind] = any(self._closes(one, int(kind)) for one in self._sets.sets[number])
        return found[which]

    def judge_outside(self, patterns: Ints, genders: Ints) -> Bools:
        """Return whether the last person can be something to the first that no kind is; see `judge`.

        It does not depend on the assumption.
        """
        if patterns.shape[1] > SHORT:
            rows = zip(patterns.tolist(), genders.tolist(), strict=True)
            return np.array([self.outside(*row) for row in rows], bool)
        numbers, which = self._read(patterns, genders)
        return np.array([None in self._sets.ends(number) for number in numbers], bool)[which]

    def _read(self, patterns: Ints, genders: Ints) -> tuple[list[int], Ints]:
        """Return the sets of placements of short chains, each once; and which of them each chain has."""
        self._make_room()
        numbers: Ints = np.zeros(len(patterns), np.int64)
        for kinds, stated in zip(patterns.T, genders.T, strict=True):
            numbers = self._sets.read(numbers, fact_numbers(kinds, stated))
        unique, which = np.unique(numbers, return_inverse=True)
        return unique.tolist(), which

    def _closes(self, placement: int, kind: int) -> bool:
        """Return whether the last person, placed like this, can be that kind to the first under `open`."""
        known = self._closed.get((placement, kind))
        if known is None:
            state = self._placements.state(self._sets.placements[placement])
            known = self._closed[placement, kind] = any(closes(state, steps) for steps in self._kinds[kind])
        return known

    def reader(self, test: Test) -> PatternReader:
        """Return what tells which of many short patterns have ends that pass a test."""
        self._make_room()
        return PatternReader(self._sets, test)

    def linked(
        self, pattern: Sequence[int], kinds: Iterable[int], genders: Sequence[int] | None = None
    ) -> Iterator[int]:
        """Yield which of these kinds the last person can be to the first under `open`."""
        states: list[State] = []
        more = self.states(pattern, genders)
        for kind in kinds:
            if any(closes(state, steps) for state in _kept(states, more) for steps in self._kinds[kind]):
                yield kind

    def states(self, pattern: Sequence[int], genders: Sequence[int] | None = None) -> Iterator[State]:
        """Return every placement of the chain."""
        for (_, ahead), top in self._follow(pattern, genders, None).items():
            for couples, origin in self._spines.couples(top):
                yield State(couples, self._spines.moves.aheads[ahead], origin)

    def _follow(
        self, pattern: Sequence[int], genders: Sequence[int] | None, limits: Sequence[_Limit] | None
    ) -> _Tops:
        self._make_room()
        bottom, ahead = self._spines.start()
        tops: _Tops = {(bottom.node, ahead): bottom}
        for i, kind in enumerate(pattern):
            mark = NAMED if genders is None else NAMED + 1 + genders[i]
            tops = self._reached(tops, kind, mark, limits[i] if limits else None)
        return tops

    def _reached(self, tops: _Tops, kind: int, mark: int, limit: _Limit | None) -> _Tops:
        """Return where a fact leads from there, to somebody with this mark."""
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
        spines = self._spines
        married = spines.moves.married
        as_child, as_partner = limit or (_NEVER, _NEVER)
        for (_, known_ahead), top in tops.items():
            for node, ahead, height, rests in spines.after(top, known_ahead, step, mark):
                if node < 0:
                    after[node, ahead] = spines.bottom(node)
                    continue
                if height > (as_partner if married[node] else as_child):
                    continue
                if mark > NAMED:  # leave out spines in which the new person's spouse has the same mark
                    rests = [rest for rest in rests if spines.spouse(node, ahead, rest) != mark]
                    if not rests:
                        continue
                known = after.get((node, ahead))
                if known is None:
                    after[node, ahead] = Spine(node, height, dict.fromkeys(rests))
                else:
                    cast("dict[Spine, None]", known.rests).update(dict.fromkeys(rests))
                    known.height = min(known.height, height)

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

    def outside(self, pattern: Sequence[int], genders: Sequence[int] | None = None) -> bool:
        """Return whether the last person can be something to the first that no kind is."""
        self._make_room()
        marks = [NAMED] * len(pattern) if genders is None else [NAMED + 1 + gender for gender in genders]
        todo = [(0, self._placements.start())]
        met = set(todo)
        while todo:  # depth first: what is looked for is mostly there
            done, placement = todo.pop()
            if done == len(pattern):
                if self._placements.label(placement) is None:
                    return True
                continue
            for _, after in self._placements.after(placement, pattern[done], marks[done]):
                if (done + 1, after) not in met:
                    met.add((done + 1, after))
                    todo.append((done + 1, after))
        return False

    def _known_after(self, placement: Placement, kind: int, mark: int) -> tuple[tuple[int, Placement], ...]:
        """Return where a fact can lead, remembered: for chains of which many start alike."""
        key = placement, kind, mark
        known = self._next.get(key)
        if known is None:
            known = self._next[key] = tuple(self._placements.after(placement, kind, mark))
        return known

    def undetermined(self, pattern: Sequence[int], open_: bool) -> bool:
        """Return whether several kinds are possible, whatever the genders are."""
        self._make_room()
        placements = self._placed(tuple(pattern))
        every = _in_all(placements)
        free = [placement for placement, pairs in placements if pairs == every]
        kinds = {self._placements.label(placement) for placement in free} - {None}
        if len(kinds) > 1 or not open_:
            return len(kinds) > 1
        for state in map(self._placements.state, free):
            for kind, ways in enumerate(self._kinds):
                if kind not in kinds and any(self._closes_freely(state, steps, every) for steps in ways):
                    kinds.add(kind)
                    if len(kinds) > 1:
                        return True
        return False

    def _closes_freely(self, state: State, steps: Steps, every: Pairs) -> bool:
        pairs = ({(a - 1, b - 1) for a, b in couples} for couples in couples_if_closed(state, steps))
        return any(couples <= every for couples in pairs)

    def _placed(self, pattern: tuple[int, ...]) -> _Placed:
        """Return the placements of a chain, each with the pairs who are partners by it."""
        known = self._placed_with.get(pattern)
        if known is None:
            if pattern:
                person = len(pattern)
                known = frozenset(
                    (after, pairs | {(spouse - 1, person)} if spouse > NAMED else pairs)
                    for placement, pairs in self._placed(pattern[:-1])
                    for spouse, after in self._known_after(placement, pattern[-1], NAMED + person)
                )
            else:
                known = frozenset([(self._placements.start(), _NOBODY)])
            self._placed_with[pattern] = known
        return known

    @cached_property
    def double(self) -> bool:
        """Whether two people can be two kinds to each other at once under `open`."""
        every = range(len(self._kinds))
        return any(next(self.linked([a], set(every) - {a}), None) is not None for a in every)


def _kept(states: list[State], more: Iterator[State]) -> Iterator[State]:
    """Yield the states found already, then those still to come, which are added to them."""
    yield from states
    for state in more:
        states.append(state)
        yield state


def _growth(ways: Sequence[Steps], role: Role) -> tuple[int, int]:
    """Return the least by which a fact lengthens a spine that ends in this role, by the role in which it then
    ends (child, partner).

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


def _in_all(placements: _Placed) -> Pairs:
    """Return the pairs who are partners in every placement: by the facts themselves."""
    return frozenset.intersection(*(pairs for _, pairs in placements)) if placements else _NOBODY
