"""What the two ends of a chain can be to each other, over whole worlds that are trees.

`Chains` follows every way in which the people of a chain can be placed (see `placements`), and finds by which
ways the last person can be reached from the first. The answer is exact at any length.

What a step can do depends only on the end of a spine. So in long chains all spines with the same end are
followed together: a spine is a stack, and many stacks with the same top are stored as one top on many rests.
The work is polynomial in the length. Of short chains many start alike: their placements are remembered.

Genders: two people with the same mark above 1 cannot be partners. So people marked by their stated
gender are placed only where spouses are of opposite sex; people with a mark of their own are placed
anywhere, and each placement tells who has become whose partner (see `undetermined`).

If a marriage may link families that are already linked, more is possible (see `closes`). Place the chain in a
tree, add the relation between its two ends, with new people on the way, and merge what must be the same: of
three partners in a couple, two are one person, who comes from one couple. The result is possible if nobody is
their own ancestor or marries a relative. Why one cycle is enough:
docs/notes/2026-11-17-kinship-arguments.md.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from functools import cached_property
from itertools import combinations
from typing import NamedTuple, cast

import numpy as np

from clutrr.theory.kinship.placements import (
    NAMED,
    NAMELESS,
    Bools,
    Ints,
    Partners,
    Passage,
    PatternReader,
    PlacementSets,
    Spine,
    Spines,
    State,
    Test,
    fact_numbers,
)
from clutrr.theory.kinship.steps import Role, Step, Steps, inverse, rise

_REMEMBERED = 300_000  # moves and placements
SHORT = 6  # facts of chains whose placements are remembered
Pairs = frozenset[tuple[int, int]]
_Placed = frozenset[tuple[int, Pairs]]
_Tops = dict[tuple[Passage, Partners], Spine]  # by last passage, and what is known ahead


class Chains:
    """Chains over a set of relation kinds, each given by its ways; a kind is an index."""

    def __init__(self, kinds: Sequence[Sequence[Steps]]) -> None:
        self._kinds = kinds
        self.labels: Mapping[Steps | None, int] = {
            steps: kind for kind, of in enumerate(kinds) for steps in of
        }
        self._longest = max(len(steps) for of_kind in kinds for steps in of_kind)
        self._rises = [rise(ways[0]) for ways in kinds]
        self._start()

    def _start(self) -> None:
        """Start afresh, once too much is remembered."""
        self._spines = Spines()
        self._sets = PlacementSets(self._spines, self._kinds)
        self._placed_with: dict[tuple[int, ...], _Placed] = {}
        self._closed: dict[tuple[int, int], bool] = {}

    def _make_room(self) -> None:
        known: tuple[Sized, ...] = self._spines, self._sets, self._placed_with, self._closed
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
            return self.ends(pattern) - {None}
        ways = self._short_ways(self._follow(pattern, genders))
        return frozenset(self.labels[steps] for steps in ways if steps in self.labels)

    def outside(self, pattern: Sequence[int], genders: Sequence[int] | None = None) -> bool:
        """Return whether the last person can be something to the first that no kind is."""
        return any(steps not in self.labels for steps in self._short_ways(self._follow(pattern, genders)))

    def ends(self, pattern: Sequence[int]) -> frozenset[int | None]:
        """Return the kinds that the last person can be to the first; None stands for anything else.

        It takes one placement after the other, so it is for short chains, or those with few placements.
        """
        self._make_room()
        number = 0
        for fact in fact_numbers(np.array(pattern, int)).tolist():
            number = self._sets.after(number, fact)
        return self._sets.ends(number)

    def judge(self, patterns: Ints, genders: Ints, linked: Bools) -> tuple[Bools, Bools]:
        """Return (chains, kinds): which kinds the last person can be to the first; and where something else.

        patterns: one per row. genders: of the people after the first. linked: which chains to judge under
        `open`, and not in trees; whether something else is possible does not depend on it.
        """
        short = patterns.shape[1] <= SHORT
        numbers = self._read(patterns, genders) if short else np.arange(len(patterns))
        # Short chains with the same placements are judged once.
        _, firsts, which = np.unique(numbers * 2 + linked, return_index=True, return_inverse=True)
        found = np.zeros((len(firsts), len(self._kinds)), bool)
        outside = np.zeros(len(firsts), bool)
        for row, first in enumerate(firsts.tolist()):
            pattern, stated, number = patterns[first].tolist(), genders[first].tolist(), int(numbers[first])
            if short:
                ends = self._sets.ends(number)
            else:
                ends = frozenset(map(self.labels.get, self._short_ways(self._follow(pattern, stated))))
            outside[row] = None in ends
            found[row, [end for end in ends if end is not None]] = True
            if linked[first]:
                others = np.flatnonzero(~found[row]).tolist()
                if short:
                    more = [kind for kind in others if self._any_closes(number, kind)]
                else:
                    more = list(self.linked(pattern, others, stated))
                found[row, more] = True
        return found[which], outside[which]

    def _read(self, patterns: Ints, genders: Ints) -> Ints:
        """Return the numbers of the sets of placements of short chains."""
        self._make_room()
        numbers: Ints = np.zeros(len(patterns), np.int64)
        for kinds, stated in zip(patterns.T, genders.T, strict=True):
            numbers = self._sets.read(numbers, fact_numbers(kinds, stated))
        return numbers

    def _any_closes(self, number: int, kind: int) -> bool:
        """Return whether the last person can be that kind under `open`, in a set of placements."""
        for key in ((placement, kind) for placement in self._sets.sets[number]):
            if key not in self._closed:
                state = self._sets.state(key[0])
                self._closed[key] = any(closes(state, steps) for steps in self._kinds[kind])
            if self._closed[key]:
                return True
        return False

    def reader(self, test: Test) -> PatternReader:
        """Return what tells which of many short patterns have ends that pass a test."""
        self._make_room()
        return PatternReader(self._sets, test)

    def linked(
        self, pattern: Sequence[int], kinds: Iterable[int], genders: Sequence[int] | None = None
    ) -> Iterator[int]:
        """Yield which of these kinds the last person can be to the first under `open`."""
        left = list(kinds)
        for state in self.states(pattern, genders):
            for kind in left.copy():
                if any(closes(state, steps) for steps in self._kinds[kind]):
                    left.remove(kind)
                    yield kind
            if not left:
                return

    def states(self, pattern: Sequence[int], genders: Sequence[int] | None = None) -> Iterator[State]:
        """Yield every placement of the chain."""
        for (_, ahead), top in self._follow(pattern, genders).items():
            yield from self._spines.states(top, ahead)

    def _short_ways(self, tops: _Tops) -> Iterator[Steps | None]:
        """Yield the ways of these spines that may be those of a kind; None for longer ones."""
        for top in tops.values():
            yield from self._spines.ways(top, self._longest)

    def _follow(self, pattern: Sequence[int], genders: Sequence[int] | None) -> _Tops:
        """Return the spines of all placements."""
        self._make_room()
        spine, ahead = self._spines.start()
        tops: _Tops = {(spine.passage, ahead): spine}
        for i, kind in enumerate(pattern):
            mark = NAMED if genders is None else NAMED + 1 + genders[i]
            after: _Tops = {}
            for steps in self._kinds[kind]:
                between = tops
                for step in steps[:-1]:
                    reached: _Tops = {}
                    self._step(between, step, NAMELESS, reached)
                    between = reached
                self._step(between, steps[-1], mark, after)
            tops = after
        return tops

    def _step(self, tops: _Tops, step: Step, mark: int, after: _Tops) -> None:
        """Add to `after` where a step leads."""
        spines = self._spines
        for (_, known_ahead), top in tops.items():
            for passage, ahead, rests in spines.after(top, known_ahead, step, mark):
                if mark > NAMED:  # leave out spines in which the new person's spouse has the same mark
                    if passage.step is Step.SPOUSE:
                        rests = [rest for rest in rests if rest.passage.mark != mark]
                    elif spines.spouse(passage, ahead, top) == mark:
                        continue
                    if not rests:
                        continue
                known = after.get((passage, ahead))
                if known is None:
                    after[passage, ahead] = Spine(passage, dict.fromkeys(rests))
                else:
                    cast("dict[Spine, None]", known.rests).update(dict.fromkeys(rests))

    def undetermined(self, pattern: Sequence[int], open_: bool) -> bool:
        """Return whether several kinds are possible, whatever the genders are."""
        self._make_room()
        placements = self._placed(tuple(pattern))
        # The pairs who are partners in every placement, by the facts themselves.
        every = frozenset.intersection(*(pairs for _, pairs in placements)) if placements else frozenset()
        free = [placement for placement, pairs in placements if pairs == every]
        kinds = {self._sets.label(placement) for placement in free} - {None}
        if len(kinds) > 1 or not open_:
            return len(kinds) > 1
        for state in map(self._sets.state, free):
            for kind, ways in enumerate(self._kinds):
                if kind not in kinds and any(_closes_freely(state, steps, every) for steps in ways):
                    kinds.add(kind)
                    if len(kinds) > 1:
                        return True
        return False

    def _placed(self, pattern: tuple[int, ...]) -> _Placed:
        """Return the placements of a chain, each with the pairs who are partners by it."""
        known = self._placed_with.get(pattern)
        if known is None:
            if pattern:
                person = len(pattern)
                known = frozenset(
                    (after, pairs | {(spouse - 1, person)} if spouse > NAMED else pairs)
                    for placement, pairs in self._placed(pattern[:-1])
                    for spouse, after in self._sets.onward(placement, pattern[-1], NAMED + person)
                )
            else:
                known = frozenset((placement, frozenset()) for placement in self._sets.sets[0])
            self._placed_with[pattern] = known
        return known

    @cached_property
    def double(self) -> bool:
        """Whether two people can be two kinds to each other at once under `open`."""
        every = range(len(self._kinds))
        return any(next(self.linked([a], set(every) - {a}), None) is not None for a in every)


def _closes_freely(state: State, steps: Steps, every: Pairs) -> bool:
    """Return whether the steps can also lead there without more pairs of partners than these."""
    pairs = ({(a - 1, b - 1) for a, b in couples} for couples in couples_if_closed(state, steps))
    return any(couples <= every for couples in pairs)


class _World(NamedTuple):
    """People and couples by number; those that were merged have one number, found by `_find`.

    marks, birth, marriage: of each person (couples: -1 where not known).
    apart: pairs of people who cannot be one person, since both are in the same couple.
    """

    marks: list[int]
    birth: list[int]
    marriage: list[int]
    person: list[int]
    couple: list[int]
    apart: set[tuple[int, int]]

    def copy(self) -> "_World":
        marks, birth, marriage, person, couple, apart = self
        return _World(marks[:], birth[:], marriage[:], person[:], couple[:], apart)


def closes(state: State, steps: Steps) -> bool:
    """Return whether the steps can also lead from x0 to the last person of a chain placed like this."""
    return next(couples_if_closed(state, steps), None) is not None


def couples_if_closed(state: State, steps: Steps) -> Iterator[frozenset[tuple[int, int]]]:
    """Yield the pairs of marks of partners, for each way in which the steps can also lead there."""
    if _marriages(state.steps, steps) >= 2:
        world, last = _build(state)
        _lay(world, steps, last)
        for members in _settle(world):
            pairs = (sorted(pair) for pair in members if min(pair) > NAMED)
            yield frozenset((a, b) for a, b in pairs)


def _marriages(spine: Steps, steps: Steps) -> int:
    """Return how many times the cycle leads into a couple from two sides, before people are merged."""
    around = [*spine, *inverse(steps)]
    while len(around) > 1:  # join neighbours that pass through one couple
        seam = next((i for i in range(len(around)) if around[i - 1].end is around[i].start), None)
        if seam is None:
            break
        around[seam] = Step((around[seam - 1].start, around[seam].end))
        del around[seam - 1]
    return around.count(Step.SPOUSE)


def _new_person(world: _World, mark: int) -> int:
    world.marks.append(mark)
    world.birth.append(-1)
    world.marriage.append(-1)
    world.person.append(len(world.person))
    return len(world.person) - 1


def _new_couple(world: _World) -> int:
    world.couple.append(len(world.couple))
    return len(world.couple) - 1


def _couple_of(world: _World, person: int, role: Role) -> int:
    couples = world.birth if role is Role.CHILD else world.marriage
    if couples[person] < 0:
        couples[person] = _new_couple(world)
    return couples[person]


def _join(world: _World, person: int, role: Role, couple: int) -> None:
    (world.birth if role is Role.CHILD else world.marriage)[person] = couple


def _add_partners(world: _World, couple: int, partners: Partners, there: list[int]) -> None:
    """The known partners of a couple and their ancestors; `there`: who else is in it."""
    members = list(there)
    for partner in partners:
        if partner is None:
            continue
        mark, parents = partner
        person = _new_person(world, mark)
        _join(world, person, Role.PARTNER, couple)
        members.append(person)
        if parents is not None:
            above = _couple_of(world, person, Role.CHILD)
            _add_partners(world, above, parents, [person])
    world.apart.update(combinations(members, 2))


def _build(state: State) -> tuple[_World, int]:
    """Return the people of a state, x0 first, and the number of the last."""
    world = _World([], [], [], [], [], set())
    person = _new_person(world, NAMED)
    first, *_ = state.spine
    _other_couple(world, person, first.start, state.origin)
    for node in state.spine:
        couple = _couple_of(world, person, node.start)
        after = _new_person(world, node.mark)
        _join(world, after, node.end, couple)
        _add_partners(world, couple, node.partners, [person, after])
        person = after
    _other_couple(world, person, state.spine[-1].end, state.ahead)
    return world, person


def _other_couple(world: _World, person: int, role: Role, partners: Partners) -> None:
    """What is known of the couple that a person has another role in."""
    if any(partner is not None for partner in partners):
        other = Role.PARTNER if role is Role.CHILD else Role.CHILD
        _add_partners(world, _couple_of(world, person, other), partners, [person])


def _lay(world: _World, steps: Steps, last: int) -> None:
    """Lay the steps from x0 to the last person."""
    person = 0
    for step in steps[:-1]:
        after = _new_person(world, NAMELESS)
        _join(world, after, step.end, _couple_of(world, person, step.start))
        world.apart.add((person, after))
        person = after
    step = steps[-1]
    world.apart.add((person, last))
    _put_couples(world, _couple_of(world, person, step.start), _couple_of(world, last, step.end))


def _find(parts: list[int], number: int) -> int:
    while parts[number] != number:
        number = parts[number]
    return number


def _put_couples(world: _World, a: int, b: int) -> None:
    world.couple[_find(world.couple, b)] = _find(world.couple, a)


def _put_people(world: _World, a: int, b: int) -> bool:
    """Merge two people, and the couples they come from and are partners in."""
    a, b = _find(world.person, a), _find(world.person, b)
    if world.marks[a] and world.marks[b]:
        return False
    world.person[b] = a
    world.marks[a] = world.marks[a] or world.marks[b]
    if any(_find(world.person, c) == _find(world.person, d) for c, d in world.apart):
        return False
    for couples in (world.birth, world.marriage):
        if couples[a] < 0:
            couples[a] = couples[b]
        elif couples[b] >= 0:
            _put_couples(world, couples[a], couples[b])
    return True


def _settle(world: _World) -> Iterator[list[list[int]]]:
    """Yield, for each way to merge people such that every couple has at most two partners, the marks of the
    partners of every couple that has two."""
    partners: dict[int, list[int]] = {}
    for person, part in enumerate(world.person):
        if person == part and world.marriage[person] >= 0:
            partners.setdefault(_find(world.couple, world.marriage[person]), []).append(person)
    for members in partners.values():
        if len(members) > 2:
            for a, b in combinations(members, 2):
                tried = world.copy()
                if _put_people(tried, a, b):
                    yield from _settle(tried)
            return
    marks = [[world.marks[a] for a in members] for members in partners.values() if len(members) == 2]
    if not any(a == b > NAMED for a, b in marks) and _sound(world, partners):
        yield marks


def _sound(world: _World, partners: dict[int, list[int]]) -> bool:
    """Return whether nobody is their own ancestor, and nobody marries a relative."""
    parents: dict[int, list[int]] = {}  # of each couple, the couples that its partners come from
    for couple, members in partners.items():
        births = [world.birth[person] for person in members]
        parents[couple] = [_find(world.couple, birth) for birth in births if birth >= 0]
    for couple, above in parents.items():
        kin = [set(_ancestors(parents, birth)) for birth in above]
        if any(couple in ancestors for ancestors in kin):
            return False
        if len(kin) == 2 and kin[0] & kin[1]:
            return False
    return True


def _ancestors(parents: dict[int, list[int]], couple: int) -> Iterator[int]:
    """Yield the couple, and all above it."""
    seen, todo = {couple}, [couple]
    while todo:
        at = todo.pop()
        yield at
        for above in parents.get(at, ()):
            if above not in seen:
                seen.add(above)
                todo.append(above)
