"""Where the people of a chain can be placed in the tree of couples, one step at a time.

A chain is a sequence of facts x0 -> x1 -> ... -> xk about distinct people, each fact one of a few ways (see
`steps`). Whoever a fact passes through without naming may be somebody named elsewhere, or somebody else, so
there are several placements. All that can still matter of one is the route from x0 to the present person,
the spine, and the ancestors of the partners on it: a couple may have any number of children, so a step
down that leaves the spine can always lead to a new child.

What a step can do depends only on the last couple of the spine and on what is known ahead. `Spines` follows
many spines that end in the same couple at once; `PlacementSets` follows one after the other, and takes sets
of them for the states of an automaton.

Whoever is named has a mark, a number from 1 up. x0 has 1; the caller chooses the others: 1 as well, one
for each gender, or one for each person.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clutrr.theory.kinship.steps import Role, Step, Steps

NAMELESS, NAMED = 0, 1  # marks: of somebody whom no fact names yet, and of x0
_UNKNOWN, BEYOND = -1, -2  # numbers instead of those of sets
_MANY, _FAR = 4, 4  # limits of what entails: placements; couples on a spine (at least)

Ints = npt.NDArray[np.integer]
Bools = npt.NDArray[np.bool_]

# A partner off the spine: their mark, and the partners of the couple they are a child of.
# A partner of whom nothing is known is None, and so is a couple with two such partners.
Partner = tuple[int, "Partners | None"] | None
Partners = tuple[Partner, ...]
_UNMARRIED: Partners = (None,)
_UNKNOWN_PARENTS: Partners = (None, None)


@dataclass(frozen=True, eq=False, slots=True)
class Passed:
    """A couple on the spine, and the person by whom the spine leaves it.

    start, end: the roles of the person before and of the person after; step: from one to the other.
    partners: the couple's partners off the spine, in canonical order. mark: of the person after.
    """

    start: Role
    partners: Partners
    end: Role
    mark: int
    step: Step


class Spine:
    """Spines that end in the same passage, of whatever rest.

    passage: for x0 alone, its partners are those of x0's couple that is not ahead. rests: none for x0 alone;
    a dict where there may be many.
    """

    __slots__ = ("passage", "rests")

    def __init__(self, passage: Passed, rests: "Collection[Spine]") -> None:
        self.passage = passage
        self.rests = rests


class State(NamedTuple):
    """A placement spelt out: the spine from x0 to the present person, and the partners known at its two ends.

    ahead: those of the present person's couple that is not on the spine.
    origin: those of x0's couple that is not on the spine. Where the spine is empty, and x0 the
    present person, `ahead` is their couple of birth and `origin` their marriage.
    """

    spine: tuple[Passed, ...]
    ahead: Partners
    origin: Partners

    @property
    def steps(self) -> Steps:
        return tuple(passage.step for passage in self.spine)


# What a move does with the last passage of a spine: adds one after it; replaces it by the same couple, left
# by another person; removes it, so that the present person is the one before.
_ADD, _CHANGE, _BACK = range(3)
_Move = tuple[int, Passed, Partners]  # what; the new last passage (BACK: the one removed); what is then ahead


def _mark_of(partner: Partner) -> int:
    return partner[0] if partner is not None else NAMELESS


class Spines:
    """Follows spines step by step, and remembers what steps lead to."""

    def __init__(self) -> None:
        self._passages: dict[tuple[Role, Partners, Role, int], Passed] = {}
        self._moves: dict[tuple[Passed | None, Partners, Step, int], tuple[_Move, ...]] = {}
        self._alone: dict[Partners, Spine] = {}

    def __len__(self) -> int:
        return len(self._moves)

    def start(self) -> tuple[Spine, Partners]:
        """Return x0, of whom nothing is known, and what is known ahead."""
        return self._x0(_UNMARRIED), _UNKNOWN_PARENTS

    def after(
        self, spine: Spine, ahead: Partners, step: Step, mark: int
    ) -> Iterator[tuple[Passed, Partners, Collection[Spine]]]:
        """Yield where a step leads, to a person who gets the mark if not yet named.

        That is the last passage, what is known ahead, and the rests of the spines: none for x0 alone.
        """
        last = spine.passage
        if not spine.rests:  # from x0
            origin = last.partners
            if step.start is Role.PARTNER:
                ahead, origin = origin, ahead
            alone = (self._x0(origin),)
            for _, passage, then in self._moves_of(None, ahead, step, mark):
                yield passage, then, alone
            return
        for what, passage, then in self._moves_of(last, ahead, step, mark):
            if what == _ADD:
                yield passage, then, (spine,)
            elif what == _CHANGE:
                yield passage, then, spine.rests
            else:
                for rest in spine.rests:
                    before = rest.passage
                    if mark and not before.mark:
                        named = self._passage(before.start, before.partners, before.end, mark)
                        yield named, then, rest.rests
                    elif mark:
                        continue
                    elif rest.rests:
                        yield before, then, rest.rests
                    elif last.start is Role.PARTNER:  # x0 again
                        yield self._x0(then).passage, before.partners, ()
                    else:
                        yield before, then, ()

    def spouse(self, passage: Passed, ahead: Partners, rest: Spine) -> int:
        """Return the mark of the present person's spouse; the person is not x0."""
        if passage.end is Role.CHILD:
            return _mark_of(ahead[0])
        return rest.passage.mark if passage.start is Role.PARTNER else _mark_of(passage.partners[0])

    def ways(self, spine: Spine, most: int) -> Iterator[Steps | None]:
        """Yield the ways of the spines; None for those that have more than this many couples."""
        if not spine.rests:
            yield ()
        elif not most:
            yield None
        else:
            for rest in spine.rests:
                for steps in self.ways(rest, most - 1):
                    yield None if steps is None else (*steps, spine.passage.step)

    def states(self, spine: Spine, ahead: Partners) -> Iterator[State]:
        """Yield the spines spelt out."""
        if not spine.rests:
            yield State((), ahead, spine.passage.partners)
        for rest in spine.rests:
            for passages, _, origin in self.states(rest, ahead):
                yield State((*passages, spine.passage), ahead, origin)

    def _x0(self, origin: Partners) -> Spine:
        """Return the spine of x0 alone. origin: what is known of the couple that is not ahead."""
        found = self._alone.get(origin)
        if found is None:
            nowhere = Passed(Role.CHILD, origin, Role.CHILD, NAMED, Step.SIBLING)
            found = self._alone[origin] = Spine(nowhere, ())
        return found

    def _passage(self, start: Role, partners: Partners, end: Role, mark: int) -> Passed:
        """Return the passage: always the same object, so that looking things up by it is fast."""
        key = start, partners, end, mark
        found = self._passages.get(key)
        if found is None:
            found = self._passages[key] = Passed(*key, Step.between(start, end))
        return found

    def _moves_of(self, last: Passed | None, ahead: Partners, step: Step, mark: int) -> tuple[_Move, ...]:
        key = last, ahead, step, mark
        found = self._moves.get(key)
        if found is None:
            found = self._moves[key] = tuple(self._find_moves(last, ahead, step, mark))
        return found

    def _find_moves(self, last: Passed | None, ahead: Partners, step: Step, mark: int) -> Iterator[_Move]:
        """Yield what a step makes of a spine that ends in this passage; None for x0 alone.

        Whether the person before has been named yet is left to the caller.
        """
        if last is None or step.start is not last.end:  # on, into the couple ahead
            for partners, end, had, then in _members(ahead, ahead, step.end, mark):
                yield _ADD, self._passage(step.start, partners, end, had), then
            return
        # Back through the couple by which the spine reached the present person, who is still remembered if
        # a partner in it, and forgotten if a child.
        known = last.partners
        if last.end is Role.PARTNER:
            known = tuple(sorted((*known, _partner(last.mark, ahead)), key=repr))
        for partners, end, had, then in _members(last.partners, known, step.end, mark):
            yield _CHANGE, self._passage(last.start, partners, end, had), then
        # Or to the person before, who may be x0 or somebody a fact passed through.
        if last.start is step.end:
            yield _BACK, last, known


def _members(
    others: Partners, partners: Partners, role: Role, mark: int
) -> Iterator[tuple[Partners, Role, int, Partners]]:
    """Yield whom a step can lead to in a couple: the partners then left, role, mark, and what is known ahead.

    others: the partners whom it can lead to. partners: all that are known. A child is always a new one.
    """
    if role is Role.CHILD:
        yield partners, role, mark, _UNMARRIED
        return
    for chosen in dict.fromkeys(others):
        had = _mark_of(chosen)
        if not (mark and had):
            left = list(partners)
            left.remove(chosen)
            parents = chosen[1] if chosen is not None else None
            yield tuple(left), role, had or mark, parents or _UNKNOWN_PARENTS


def _partner(mark: int, parents: Partners) -> Partner:
    """Return the partner with these parents (none if they are unknown)."""
    known = any(parent is not None for parent in parents)
    return (mark, parents if known else None) if mark or known else None


_After = tuple[Passed, Partners, Collection[Spine]]  # the last passage, what is known ahead, and the rests


class Placement(NamedTuple):
    """A single spine, and what is known ahead."""

    spine: Spine
    ahead: Partners


def kinds_by_way(ways: Sequence[Sequence[Steps]]) -> dict[Steps | None, int]:
    """Return the kind that each way means. ways: of each kind."""
    return {steps: kind for kind, of_kind in enumerate(ways) for steps in of_kind}


class PlacementSets:
    """Placements and sets of them, numbered as they are found: all placements of a chain, fact by fact.

    ways: of each kind. The first set is where every chain starts.
    sets: of each, the numbers of its placements. limits: the most placements of a set, and the most couples
    of a spine; what exceeds them, or has no placements, is `BEYOND`.
    """

    def __init__(
        self, spines: Spines, ways: Sequence[Sequence[Steps]], limits: tuple[int, int] | None = None
    ) -> None:
        self._spines = spines
        self._ways = ways
        self._kinds = kinds_by_way(ways)
        self._limits = limits
        self._most = max(limits[1] if limits else 0, *(len(way) for of_kind in ways for way in of_kind))
        self._single: dict[tuple[Passed, Collection[Spine]], Spine] = {}
        self._placements: list[Placement] = []
        self._ways_of: dict[Spine, Steps | None] = {}  # the way from the first person to the last, if short
        self._numbers: dict[Placement, int] = {}
        self._onward: dict[tuple[int, int, int], tuple[tuple[int, int], ...]] = {}
        self._after = np.full((64, len(ways)), _UNKNOWN)  # of each set, by kind of fact
        self._placements.append(Placement(*spines.start()))
        self.sets = [frozenset([0])]
        self._set_numbers = {self.sets[0]: 0} | ({frozenset(): BEYOND} if limits else {})
        self._ends: dict[int, frozenset[int | None]] = {}

    def __len__(self) -> int:
        return len(self.sets) + len(self._placements) + len(self._onward)

    # Placements by number

    def label(self, one: int) -> int | None:
        """Return the kind that the last person is to the first; None for something else."""
        return self._kinds.get(self._way(self._placements[one].spine))

    def state(self, one: int) -> State:
        """Return a placement spelt out."""
        (state,) = self._spines.states(*self._placements[one])
        return state

    def onward(self, one: int, kind: int, mark: int) -> tuple[tuple[int, int], ...]:
        """Return where a fact can lead, to somebody with this mark: their spouse's mark, and placements."""
        key = one, kind, mark
        found = self._onward.get(key)
        if found is None:
            led = self._led(one, kind, mark)
            found = self._onward[key] = tuple([(spouse, self._number(*after)) for spouse, after in led])
        return found

    def reached(self, one: int, kind: int, mark: int) -> set[tuple[int, int | None]]:
        """Return the same with what the last person then is to the first: see `label`."""
        found = set()
        for spouse, (passage, _, (rest,)) in self._led(one, kind, mark):
            found.add((spouse, self._kinds.get(self._longer(rest, passage.step))))
        return found

    def _led(self, one: int, kind: int, mark: int) -> Iterator[tuple[int, _After]]:
        for steps in self._ways[kind]:
            between = [self._placements[one]]
            for step in steps[:-1]:
                after = [after for before in between for after in self._spines.after(*before, step, NAMELESS)]
                between = [Placement(self._spine(passage, rests), ahead) for passage, ahead, rests in after]
            for before in between:
                for passage, ahead, rests in self._spines.after(*before, steps[-1], mark):
                    (rest,) = rests
                    yield self._spines.spouse(passage, ahead, rest), (passage, ahead, rests)

    def _spine(self, passage: Passed, rests: Collection[Spine]) -> Spine:
        found = self._single.get((passage, rests))
        if found is None:
            found = self._single[passage, rests] = Spine(passage, rests)
        return found

    def _number(self, passage: Passed, ahead: Partners, rests: Collection[Spine]) -> int:
        placement = Placement(self._spine(passage, rests), ahead)
        found = self._numbers.setdefault(placement, len(self._placements))
        if found == len(self._placements):
            self._placements.append(placement)
        return found

    def _way(self, spine: Spine) -> Steps | None:
        """Return the way from the first person to the last; None if it is longer than any kind's."""
        if not spine.rests:
            return ()
        if spine not in self._ways_of:
            (rest,) = spine.rests
            self._ways_of[spine] = self._longer(rest, spine.passage.step)
        return self._ways_of[spine]

    def _longer(self, spine: Spine, step: Step) -> Steps | None:
        way = self._way(spine)
        return None if way is None or len(way) == self._most else (*way, step)

    # Sets of them

    def after(self, number: int, kind: int) -> int:
        """Return the set that a fact leads to."""
        found = int(self._after[number, kind])
        if found == _UNKNOWN:
            found = self._after[number, kind] = self._set_number(self._placed(number, kind))
        return found

    def _placed(self, number: int, kind: int) -> frozenset[int]:
        """Return all placements that a fact leads to from a set of them; none if these exceed the limits."""
        many, far = self._limits or (None, None)
        placed: set[int] = set()
        for one in self.sets[number]:
            for _, after in self.onward(one, kind, NAMED):
                way = self._way(self._placements[after].spine)
                if far is not None and (way is None or len(way) > far):
                    return frozenset()
                placed.add(after)
            if many is not None and len(placed) > many:
                return frozenset()
        return frozenset(placed)

    def _set_number(self, placed: frozenset[int]) -> int:
        found = self._set_numbers.setdefault(placed, len(self.sets))
        if found == len(self.sets):
            self.sets.append(placed)
            if len(self.sets) > len(self._after):
                self._after = np.pad(self._after, ((0, len(self._after)), (0, 0)), constant_values=_UNKNOWN)
        return found

    def ends(self, number: int) -> frozenset[int | None]:
        """Return what the last person can be to the first; None stands for anything but a kind."""
        found = self._ends.get(number)
        if found is None:
            found = self._ends[number] = frozenset(map(self.label, self.sets[number]))
        return found

    def read(self, numbers: Ints, kinds: Ints) -> Ints:
        """Return the sets that facts lead to, from many sets at once."""
        each = self._after.shape[1]
        facts = numbers * each + kinds
        used = np.flatnonzero(np.bincount(facts))
        for fact in used[self._after.reshape(-1)[used] == _UNKNOWN].tolist():
            self.after(*divmod(fact, each))
        after: Ints = self._after.reshape(-1)[facts]
        return after


class EntailedPatterns:
    """The patterns that entail their answer, as the words of an automaton. ways: of each kind.

    Its states are sets of placements; a chain entails its answer if all of them end in one kind. Two limits
    make it finite: nobody on the path is ever further than `far` steps from the first person, and there are
    never more than four placements at once. Whatever it contains is entailed; what it leaves out is rare in
    short chains (kinship: 4 of 1338 patterns of 6 facts), and in long ones strays far from the start.
    """

    def __init__(self, ways: Sequence[Sequence[Steps]]) -> None:
        self._ways = ways
        self.far = max(_FAR, 1 + max(len(steps) for of_kind in ways for steps in of_kind))

    def count(self, edges: int) -> list[int]:
        """Return how many patterns of this many facts entail each kind."""
        after, ends = self.automaton
        counts = (ends[:, None] == np.arange(len(self._ways))).astype(np.float64)
        for _ in range(edges):  # by state: how many lead from it to where the kind is entailed
            counts = counts[after].sum(axis=1)
        return [int(count) for count in counts[0]]

    @cached_property
    def automaton(self) -> tuple[Ints, Ints]:
        """Its states: by kind, the state that a fact leads to; and the kind that each entails, or -1.

        The first state is where every chain starts; the last is none, and leads nowhere.
        """
        after, ends = self._explore()
        useful = ends >= 0
        while not np.array_equal(useful, wider := useful | useful[after].any(axis=1)):
            useful = wider
        number = np.full(len(after), useful.sum())
        number[useful] = np.arange(useful.sum())
        nowhere = np.full((1, after.shape[1]), useful.sum())
        return np.concatenate([number[after[useful]], nowhere]), np.append(ends[useful], -1)

    def _explore(self) -> tuple[Ints, Ints]:
        """Return the states within the limits; the last state is whatever lies beyond, and leads nowhere."""
        sets = PlacementSets(Spines(), self._ways, (_MANY, self.far))
        rows: list[list[int]] = []
        while len(rows) < len(sets.sets):
            number = len(rows)
            rows.append([sets.after(number, kind) for kind in range(len(self._ways))])
        table = np.array([*rows, [BEYOND] * len(self._ways)])
        table[table == BEYOND] = len(rows)
        ends = (sets.ends(number) for number in range(len(rows)))
        entailed = (next(iter(one)) if len(one) == 1 else None for one in ends)
        return table, np.array([*(-1 if kind is None else kind for kind in entailed), -1])
