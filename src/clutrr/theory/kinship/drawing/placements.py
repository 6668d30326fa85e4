"""Where the people of a chain can be placed in the tree of couples, one step at a time.

A chain is a sequence of facts x0 -> x1 -> ... -> xk about distinct people, each fact one of a few ways (see
`steps`). Whoever a fact passes through without naming may be somebody named elsewhere, or somebody else, so
there are several placements. All that can still matter of one is the route from x0 to the present person,
the spine, and the ancestors of the partners on it: a couple may have any number of children, so a step
down that leaves the spine can always lead to a new child.

What a step can do depends only on the last couple of the spine and on what is known ahead. So all spines
that end alike are followed together: a spine is a stack, and many stacks with the same top are stored as one
top on many rests. The work is polynomial in the length of a chain.

Whoever is named has a mark, a number from 1 up. x0 has 1; the caller chooses the others: 1 as well, one
for each gender, or one for each person.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clutrr.theory.kinship.steps import Role, Step, Steps

NAMELESS, NAMED = 0, 1  # marks: of somebody whom no fact names yet, and of x0
_MANY, _FAR = 4, 4  # limits of what entails: placements; couples on a spine (at least)
SHORT = 6  # facts of chains whose pairs of partners are kept

Ints = npt.NDArray[np.integer]
Bools = npt.NDArray[np.bool_]

# A partner off the spine: their mark, and the partners of the couple they are a child of.
# A partner of whom nothing is known is None, and so is a couple with two such partners.
Partner = tuple[int, "Partners | None"] | None
Partners = tuple[Partner, ...]
_UNMARRIED: Partners = (None,)
_UNKNOWN_PARENTS: Partners = (None, None)


@dataclass(eq=False, slots=True)
class Passed:
    """A couple on the spine, and the person by whom the spine leaves it.

    start, end: the roles of the person before and of the person after; step: from one to the other.
    partners: the couple's partners off the spine, in canonical order. mark: of the person after.
    """

    start: Role
    partners: Partners
    end: Role
    mark: int
    step: Step = field(init=False)

    def __post_init__(self) -> None:
        self.step = Step.between(self.start, self.end)


@dataclass(eq=False, slots=True)
class Spine:
    """Spines that end in the same passage, of whatever rest.

    passage: for x0 alone, its partners are those of x0's couple that is not ahead. rests: none for x0 alone.
    """

    passage: Passed
    rests: "frozenset[Spine]"


@dataclass(eq=False, slots=True)
class Top:
    """How placements end: in this passage, with these partners known ahead, off the spine.

    pairs: who have become partners, as bits, where that is asked for. moves: what steps lead to, if known.
    """

    passage: Passed
    ahead: Partners
    pairs: int
    moves: "dict[tuple[Step, int], tuple[_Move, ...]]" = field(default_factory=dict)


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


Places = dict[Top, set[Spine]]  # all placements of a chain: by their ends, the rests of the spines
# What a move does with the last passage of a spine: adds one after it; replaces it by the same couple, left
# by another person; removes it, so that the present person is the one before.
_ADD, _CHANGE, _BACK = range(3)
# What; the new end (BACK: what is then ahead, of the old one); the rest (ADD, from x0).
_Move = tuple[int, Top, Spine | None]


def pair_of(one: int, other: int) -> int:
    """Return a bit for two people of a short chain, by their marks; 0 if one of them is not known."""
    low, high = sorted((one, other))
    return 1 << ((high - 1) * SHORT + low) if low > NAMED else 0


class Placements:
    """All placements of chains, fact by fact. ways: of each kind. start: of a chain without facts."""

    def __init__(self, ways: Sequence[Sequence[Steps]]) -> None:
        self._ways = ways
        self._kinds: dict[Steps | None, int] = {
            way: kind for kind, some in enumerate(ways) for way in some
        }
        self._longest = max(len(way) for some in ways for way in some)
        # There is one object of each kind, so that looking things up by it is fast.
        self._passage, self._x0 = cache(Passed), cache(_x0)
        self._spine, self._top = cache(Spine), cache(Top)
        start = self._top(self._x0(_UNMARRIED).passage, _UNKNOWN_PARENTS, 0)
        self.start: Places = {start: set()}

    def __len__(self) -> int:
        """Return how much is remembered."""
        return self._top.cache_info().currsize + self._spine.cache_info().currsize

    # What the last person can be to the first

    def ends(self, places: Places) -> frozenset[int | None]:
        """Return the kinds; None stands for anything else."""
        return frozenset(
            self._kinds.get(way)
            for top, rests in places.items()
            for way in _ways(top.passage, rests, self._longest)
        )

    def strays(self, places: Places) -> bool:
        """Return whether there are too many placements, or one with too many couples on its spine."""
        far = max(_FAR, 1 + self._longest)
        ways = [way for top, rests in places.items() for way in _ways(top.passage, rests, far)]
        return len(ways) > _MANY or None in ways

    # From fact to fact

    def follow(
        self, pattern: Sequence[int], genders: Sequence[int] | None = None, most: int | None = None
    ) -> Places:
        """Return all placements of a chain, or some: those of the first ends of each part of it.

        genders: of the people after the first, where they are stated. most: so many ends.
        """
        places = self.start
        for i, kind in enumerate(pattern):
            places = self.onward(places, kind, NAMED if genders is None else NAMED + 1 + genders[i])
            if most and len(places) > most:
                places = dict(islice(places.items(), most))
        return places

    def onward(self, places: Places, kind: int, mark: int, paired: bool = False) -> Places:
        """Return where a fact leads, to somebody with this mark. paired: whether to keep the pairs."""
        found: Places = {}
        for steps in self._ways[kind]:
            after = places
            for step in steps[:-1]:
                after = self._step(after, step, NAMELESS)
            after = self._step(after, steps[-1], mark)
            ends = after.items() if mark == NAMED else self._married(after, mark, paired)
            for top, rests in ends:
                found.setdefault(top, set()).update(rests)
        return found

    def _married(
        self, places: Places, mark: int, paired: bool
    ) -> Iterator[tuple[Top, Iterable[Spine]]]:
        """Leave out where the spouse of the last person has the same mark; keep the pairs if asked to."""
        for top, rests in places.items():
            passage, by_spouse = top.passage, {}  # type: Passed, dict[int, Iterable[Spine]]
            if passage.step is Step.SPOUSE:
                marks = {rest.passage.mark for rest in rests}
                by_spouse = {
                    one: [rest for rest in rests if rest.passage.mark == one] for one in marks
                }
            else:
                partners = top.ahead if passage.end is Role.CHILD else passage.partners
                by_spouse = {_mark_of(partners[0]): rests}
            for spouse, some in by_spouse.items():
                if paired and spouse > NAMED:
                    yield self._top(passage, top.ahead, top.pairs | pair_of(spouse, mark)), some
                elif spouse != mark:
                    yield top, some

    def _step(self, places: Places, step: Step, mark: int) -> Places:
        """Return where a step leads, to a person who gets the mark if not yet named."""
        after: Places = {}
        for top, rests in places.items():
            moves = top.moves.get((step, mark))
            if moves is None:
                found = (
                    self._moves(top, step, mark) if rests else self._moves_of_x0(top, step, mark)
                )
                moves = top.moves[step, mark] = tuple(found)
            for what, to, rest in moves:
                if what == _ADD:
                    after.setdefault(to, set()).add(
                        rest or self._spine(top.passage, frozenset(rests))
                    )
                elif what == _CHANGE:
                    after.setdefault(to, set()).update(rests)
                else:
                    for before in rests:
                        if not (mark and before.passage.mark):
                            back = self._back(before, to.ahead, top, mark)
                            after.setdefault(back, set()).update(before.rests)
        return after

    def _back(self, before: Spine, ahead: Partners, left: Top, mark: int) -> Top:
        """Return the end after a step back from another to the person before, who gets the mark."""
        passage = before.passage
        if mark:
            passage = self._passage(passage.start, passage.partners, passage.end, mark)
        elif not before.rests and left.passage.start is Role.PARTNER:  # x0 again
            passage, ahead = self._x0(ahead).passage, passage.partners
        return self._top(passage, ahead, left.pairs)

    def _moves_of_x0(self, top: Top, step: Step, mark: int) -> Iterator[_Move]:
        """Yield what a step makes of x0 alone."""
        ahead, origin = top.ahead, top.passage.partners
        if step.start is Role.PARTNER:
            ahead, origin = origin, ahead
        for partners, had, then in _members(ahead, ahead, step.end, mark):
            passage = self._passage(step.start, partners, step.end, had)
            yield _ADD, self._top(passage, then, top.pairs), self._x0(origin)

    def _moves(self, top: Top, step: Step, mark: int) -> Iterator[_Move]:
        """Yield what a step makes of a spine that ends like this.

        Whether the person before has been named yet is left to the caller.
        """
        last, ahead = top.passage, top.ahead
        if step.start is not last.end:  # on, into the couple ahead
            for partners, had, then in _members(ahead, ahead, step.end, mark):
                passage = self._passage(step.start, partners, step.end, had)
                yield _ADD, self._top(passage, then, top.pairs), None
            return
        # Back through the couple by which the spine reached the present person, who is still remembered if
        # a partner in it, and forgotten if a child.
        known = last.partners
        if last.end is Role.PARTNER:
            known = tuple(sorted((*known, _partner(last.mark, ahead)), key=repr))
        for partners, had, then in _members(last.partners, known, step.end, mark):
            passage = self._passage(last.start, partners, step.end, had)
            yield _CHANGE, self._top(passage, then, top.pairs), None
        # Or to the person before, who may be x0 or somebody a fact passed through.
        if last.start is step.end:
            yield _BACK, self._top(last, known, top.pairs), None


def _x0(origin: Partners) -> Spine:
    """Return the spine of x0 alone. origin: what is known of the couple that is not ahead."""
    return Spine(Passed(Role.CHILD, origin, Role.CHILD, NAMED), frozenset())


def _key(places: Places) -> frozenset[tuple[Top, frozenset[Spine]]]:
    return frozenset((top, frozenset(rests)) for top, rests in places.items())


def _ways(passage: Passed, rests: Iterable[Spine], most: int) -> Iterator[Steps | None]:
    """Yield the ways of spines; None for those that have more than this many couples."""
    if not rests:
        yield ()
    elif not most:
        yield None
    else:
        for rest in rests:
            for steps in _ways(rest.passage, rest.rests, most - 1):
                yield None if steps is None else (*steps, passage.step)


def states(places: Places) -> Iterator[State]:
    """Yield the placements spelt out."""
    for top, rests in places.items():
        for passages, origin in _spelt(top.passage, rests):
            yield State(passages, top.ahead, origin)


def _spelt(
    passage: Passed, rests: Iterable[Spine]
) -> Iterator[tuple[tuple[Passed, ...], Partners]]:
    """Yield the passages of each spine, and the partners known at x0."""
    if not rests:
        yield (), passage.partners
    for rest in rests:
        for passages, origin in _spelt(rest.passage, rest.rests):
            yield (*passages, passage), origin


def _mark_of(partner: Partner) -> int:
    return partner[0] if partner is not None else NAMELESS


def _members(
    others: Partners, partners: Partners, role: Role, mark: int
) -> Iterator[tuple[Partners, int, Partners]]:
    """Yield whom a step can lead to in a couple: the partners then left, mark, and what is known ahead.

    others: the partners whom it can lead to. partners: all that are known. A child is always a new one.
    """
    if role is Role.CHILD:
        yield partners, mark, _UNMARRIED
        return
    for chosen in dict.fromkeys(others):
        had = _mark_of(chosen)
        if not (mark and had):
            left = list(partners)
            left.remove(chosen)
            parents = chosen[1] if chosen is not None else None
            yield tuple(left), had or mark, parents or _UNKNOWN_PARENTS


def _partner(mark: int, parents: Partners) -> Partner:
    """Return the partner with these parents (none if they are unknown)."""
    known = any(parent is not None for parent in parents)
    return (mark, parents if known else None) if mark or known else None


class EntailedPatterns:
    """The patterns that entail their answer, as the words of an automaton. ways: of each kind.

    Its states are sets of placements; a chain entails its answer if all of them end in one kind. Two limits
    make it finite: nobody on the path is ever further than a few steps from the first person, and there are
    never more than four placements at once. Whatever it contains is entailed; what it leaves out is rare in
    short chains (kinship: 4 of 1338 patterns of 6 facts), and in long ones strays far from the start.
    """

    def __init__(self, ways: Sequence[Sequence[Steps]]) -> None:
        self._ways = ways

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
        kinds = range(len(self._ways))
        found = Placements(self._ways)
        sets, numbers = [found.start], {_key(found.start): 0, _key({}): -1}
        rows: list[list[int]] = []
        for places in sets:  # which grow on the way
            rows.append([])
            for kind in kinds:
                after = found.onward(places, kind, NAMED)
                key = _key({} if found.strays(after) else after)
                rows[-1].append(numbers.setdefault(key, len(sets)))
                if rows[-1][-1] == len(sets):
                    sets.append(after)
        onward = np.array([*rows, [-1] * len(kinds)])
        onward[onward < 0] = len(rows)
        entailed = (set(ends) if len(ends) == 1 else {None} for ends in map(found.ends, sets))
        ends = np.array([-1 if kind is None else kind for (kind,) in entailed] + [-1])
        useful = ends >= 0
        while not np.array_equal(useful, wider := useful | useful[onward].any(axis=1)):
            useful = wider
        number_of = np.full(len(onward), useful.sum())
        number_of[useful] = np.arange(useful.sum())
        nowhere = np.full((1, len(kinds)), useful.sum())
        return np.concatenate([number_of[onward[useful]], nowhere]), np.append(ends[useful], -1)
