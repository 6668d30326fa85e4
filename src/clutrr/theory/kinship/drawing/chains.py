"""What the two ends of a chain can be to each other, over whole worlds that are trees.

`Chains` follows every way in which the people of a chain can be placed (see `placements`), and finds by which
ways the last person can be reached from the first. The answer is exact at any length.

Genders: two people with the same mark above 1 cannot be partners. So people marked by their stated
gender are placed only where spouses are of opposite sex; people with a mark of their own are placed
anywhere, and each placement tells who has become whose partner (see `undetermined`).

If a marriage may link families that are already linked, more is possible (see `closes`). Place the chain in a
tree, add the relation between its two ends, with new people on the way, and merge what must be the same: of
three partners in a couple, two are one person, who comes from one couple. The result is possible if nobody is
their own ancestor or marries a relative. Why one cycle is enough:
experiments/notes/2026-11-17-kinship-arguments.md.
"""

import functools
import operator
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np

from clutrr.theory.kinship.drawing.placements import (
    NAMED,
    NAMELESS,
    SHORT,
    Bools,
    Ints,
    Partners,
    Placements,
    Places,
    State,
    pair_of,
    states,
)
from clutrr.theory.kinship.steps import Role, Step, Steps, inverse

_REMEMBERED = 300_000  # ends, placements and answers
_Pattern = tuple[int, ...]
_Answers = list[tuple[int, int]]


class Chains:
    """Chains over a set of relation kinds, each given by its ways; a kind is an index."""

    def __init__(self, kinds: Sequence[Sequence[Steps]]) -> None:
        self._kinds = kinds
        self._start()

    def _start(self) -> None:
        """Start afresh, once too much is remembered."""
        self._placements = Placements(self._kinds)
        self._placed = functools.cache(self._place)
        self._paired = functools.cache(self._place_paired)
        self._answers = functools.cache(self._find_answers)

    def _follow(
        self, pattern: Sequence[int], genders: Sequence[int] | None, most: int | None = None
    ) -> Places:
        self._make_room()
        if genders is None and len(pattern) <= SHORT:
            return self._placed(tuple(pattern))
        return self._placements.follow(pattern, genders, most)

    def _make_room(self) -> None:
        known = self._paired.cache_info().currsize + self._answers.cache_info().currsize
        if known + len(self._placements) > _REMEMBERED:
            self._start()

    def ends(
        self, pattern: Sequence[int], genders: Sequence[int] | None = None
    ) -> frozenset[int | None]:
        """Return the kinds that the last person can be to the first; None stands for anything else.

        genders: of the people after the first, where they are stated; 0 or 1.
        """
        return self._placements.ends(self._follow(pattern, genders))

    def kinds(self, pattern: Sequence[int], genders: Sequence[int] | None = None) -> set[int]:
        """Return the kinds that the last person can be to the first."""
        return {kind for kind in self.ends(pattern, genders) if kind is not None}

    def linked(
        self, pattern: Sequence[int], kinds: Iterable[int], genders: Sequence[int] | None = None
    ) -> Iterator[int]:
        """Yield which of these kinds the last person can be to the first under `open`."""
        left = list(kinds)
        for state in states(self._follow(pattern, genders)):
            for kind in left.copy():
                if any(closes(state, steps) for steps in self._kinds[kind]):
                    left.remove(kind)
                    yield kind
            if not left:
                return

    def linked_otherwise(
        self, pattern: Sequence[int], genders: Sequence[int] | None = None
    ) -> bool:
        """Return whether the last person can be another kind to the first under `open` than in trees."""
        others = set(range(len(self._kinds))) - self.ends(pattern, genders)
        return next(self.linked(pattern, others, genders), None) is not None

    def judge(
        self, patterns: Ints, genders: Ints, asked: Bools, open_: bool
    ) -> tuple[Bools, Bools]:
        """Return (chains, kinds): which kinds the last person can be to the first; and where something else.

        patterns: one per row. genders: of the people after the first. asked: for which chains to find the
        kinds. open_: under `open`, not in trees; whether something else is possible does not depend on it.
        """
        each, size = len(self._kinds), patterns.shape[1]
        found = np.zeros((len(patterns), each + 1), bool)
        if size > SHORT:
            chains = zip(patterns.tolist(), genders.tolist(), asked.tolist(), strict=True)
            for row, (pattern, stated, wanted) in enumerate(chains):
                found[row, self._answers_given(pattern, stated, wanted, open_)] = True
            return found[:, :each], found[:, each]
        opened = asked & open_
        self._make_room()
        # Chains of the same kinds are placed once; then genders rule some answers out.
        number = patterns @ (each ** np.arange(size)) * 2 + opened
        _, firsts, which = np.unique(number, return_index=True, return_inverse=True)
        short = zip(map(tuple, patterns[firsts].tolist()), opened[firsts].tolist(), strict=True)
        answers = [self._answers(*chain) for chain in short]
        sizes = np.array([len(of) for of in answers], np.int64)
        ends, pairs = np.array([one for of in answers for one in of], np.int64).reshape(-1, 2).T
        taken = sizes[which]
        rows = np.repeat(np.arange(len(patterns)), taken)
        place = np.repeat((np.cumsum(sizes) - sizes)[which] - np.cumsum(taken) + taken, taken)
        place += np.arange(len(rows))
        fits = pairs[place] & _of_one_gender(genders)[rows] == 0
        found[rows[fits], ends[place[fits]]] = True
        return found[:, :each], found[:, each]

    def _answers_given(
        self, pattern: list[int], genders: list[int], asked: bool, open_: bool
    ) -> list[int]:
        """Return the kinds that the last person can be to the first; one number more is for anything else."""
        nothing = len(self._kinds)
        if not asked and None in self._placements.ends(self._follow(pattern, genders, most=1)):
            return [nothing]  # one placement has shown it
        ends = self.ends(pattern, genders)
        found = [nothing if kind is None else kind for kind in ends]
        others = [kind for kind in range(nothing) if kind not in ends]
        return [*found, *self.linked(pattern, others, genders)] if asked and open_ else found

    def _find_answers(self, pattern: _Pattern, open_: bool) -> _Answers:
        """Return the same for any genders, of a short chain: each with pairs who must differ in theirs."""
        found = {
            (len(self._kinds) if end is None else end, top.pairs)
            for top, rests in self._paired(pattern).items()
            for end in self._placements.ends({top: rests})
        }
        if open_:
            every = _in_all(found)
            found |= set(self._closed(pattern, {end for end, pairs in found if pairs == every}))
        return list(found)

    def _closed(self, pattern: _Pattern, known: Collection[int]) -> Iterator[tuple[int, int]]:
        """Yield which other kinds than those known are possible under `open`, each with pairs of partners."""
        for top, rests in self._paired(pattern).items():
            for state in states({top: rests}):
                for kind, ways in enumerate(self._kinds):
                    if kind not in known:
                        closed = (
                            more for steps in ways for more in couples_if_closed(state, steps)
                        )
                        yield from ((kind, top.pairs | more) for more in closed)

    def _place(self, pattern: _Pattern) -> Places:
        """Return the placements of a short chain."""
        if not pattern:
            return self._placements.start
        return self._placements.onward(self._placed(pattern[:-1]), pattern[-1], NAMED)

    def _place_paired(self, pattern: _Pattern) -> Places:
        """Return the placements of a chain of whose people each has a mark, with the pairs of partners."""
        if not pattern:
            return self._placements.start
        mark = NAMED + len(pattern)
        return self._placements.onward(self._paired(pattern[:-1]), pattern[-1], mark, paired=True)

    def undetermined(self, pattern: Sequence[int], open_: bool) -> bool:
        """Return whether several kinds are possible, whatever the genders are."""
        self._make_room()
        answers, nothing = self._answers(tuple(pattern), False), len(self._kinds)
        every = _in_all(answers)
        kinds = {end for end, pairs in answers if pairs == every and end != nothing}
        if open_ and len(kinds) < 2:
            for kind, pairs in self._closed(tuple(pattern), kinds):
                if pairs == every:
                    kinds.add(kind)
                    if len(kinds) > 1:
                        break
        return len(kinds) > 1

    @cached_property
    def double(self) -> bool:
        """Whether two people can be two kinds to each other at once under `open`."""
        every = range(len(self._kinds))
        return any(next(self.linked([a], set(every) - {a}), None) is not None for a in every)


def _of_one_gender(genders: Ints) -> Ints:
    """Return, for each chain, the bits of all pairs of one gender. genders: of the people after the first."""
    found = np.zeros(len(genders), np.int64)
    for one, other in combinations(range(genders.shape[1]), 2):
        same = genders[:, one] == genders[:, other]
        found |= same * np.int64(pair_of(NAMED + 1 + one, NAMED + 1 + other))
    return found


def _in_all(answers: Iterable[tuple[int, int]]) -> int:
    """Return the pairs that all of them have."""
    return functools.reduce(operator.and_, (pairs for _, pairs in answers), -1)


def closes(state: State, steps: Steps) -> bool:
    """Return whether the steps can also lead from x0 to the last person of a chain placed like this."""
    return next(couples_if_closed(state, steps), None) is not None


def couples_if_closed(state: State, steps: Steps) -> Iterator[int]:
    """Yield the pairs of partners, as bits, for each way in which the steps can also lead there."""
    if _marriages(state.steps, steps) >= 2:
        world = _World()
        world.lay(steps, world.place(state))
        for members in world.settled():
            yield functools.reduce(operator.or_, (pair_of(a, b) for a, b in members), 0)


@functools.lru_cache(maxsize=10_000)
def _marriages(spine: Steps, steps: Steps) -> int:
    """Return how many times the cycle leads into a couple from two sides, before people are merged."""
    around = [*spine, *inverse(steps)]
    while len(around) > 1:  # join neighbours that pass through one couple
        seam = next((i for i in range(len(around)) if around[i - 1].end is around[i].start), None)
        if seam is None:
            break
        around[seam] = Step.between(around[seam - 1].start, around[seam].end)
        del around[seam - 1]
    return around.count(Step.SPOUSE)


class _World:
    """People and couples by number; those that were merged have one number, found by `_find`.

    marks, couples: of each person, the couples by role. apart: pairs who cannot be one person.
    """

    def __init__(self) -> None:
        self.marks: list[int] = []
        self.person: list[int] = []
        self.couple: list[int] = []
        self.couples: dict[Role, list[int]] = {Role.CHILD: [], Role.PARTNER: []}
        self.apart: set[tuple[int, int]] = set()

    def copy(self) -> "_World":
        twin = _World()
        twin.marks, twin.person, twin.couple = self.marks[:], self.person[:], self.couple[:]
        twin.couples, twin.apart = self.couples, self.apart
        return twin

    def add(self, mark: int, role: Role = Role.CHILD, couple: int | None = None) -> int:
        """Add somebody, in this role of a couple and in new couples."""
        for other, couples in self.couples.items():
            if other is not role or couple is None:
                self.couple.append(len(self.couple))
                couples.append(len(self.couple) - 1)
            else:
                couples.append(couple)
        self.marks.append(mark)
        self.person.append(len(self.person))
        return len(self.person) - 1

    def place(self, state: State) -> int:
        """Add the people of a state, x0 first, and return the number of the last."""
        person = self.add(NAMED)
        self._add_partners(
            self.couples[_OTHER[state.spine[0].start]][person], state.origin, [person]
        )
        for passage in state.spine:
            couple = self.couples[passage.start][person]
            after = self.add(passage.mark, passage.end, couple)
            self._add_partners(couple, passage.partners, [person, after])
            person = after
        self._add_partners(self.couples[_OTHER[state.spine[-1].end]][person], state.ahead, [person])
        return person

    def _add_partners(self, couple: int, partners: Partners, members: list[int]) -> None:
        """Add the known partners of a couple and their ancestors. members: who else is in it."""
        for mark, parents in filter(None, partners):
            person = self.add(mark, Role.PARTNER, couple)
            members.append(person)
            self._add_partners(self.couples[Role.CHILD][person], parents or (), [person])
        self.apart.update(combinations(members, 2))

    def lay(self, steps: Steps, last: int) -> None:
        """Lay the steps from x0 to the last person."""
        person = 0
        for step in steps[:-1]:
            after = self.add(NAMELESS, step.end, self.couples[step.start][person])
            self.apart.add((person, after))
            person = after
        step = steps[-1]
        self.apart.add((person, last))
        self._merge(self.couple, self.couples[step.start][person], self.couples[step.end][last])

    def _merge(self, parts: list[int], a: int, b: int) -> None:
        parts[_find(parts, b)] = _find(parts, a)

    def _merge_people(self, a: int, b: int) -> bool:
        """Merge two people, and their couples. Return whether that is possible."""
        if self.marks[a] and self.marks[b]:
            return False
        self._merge(self.person, a, b)
        self.marks[a] = self.marks[a] or self.marks[b]
        if any(_find(self.person, c) == _find(self.person, d) for c, d in self.apart):
            return False
        for couples in self.couples.values():
            self._merge(self.couple, couples[a], couples[b])
        return True

    def settled(self) -> Iterator[list[list[int]]]:
        """Yield, for each way to merge people such that every couple has at most two partners, the marks of
        the partners of every couple that has two."""
        partners: dict[int, list[int]] = {}
        for person, part in enumerate(self.person):
            if person == part:
                couple = _find(self.couple, self.couples[Role.PARTNER][person])
                partners.setdefault(couple, []).append(person)
        for members in partners.values():
            if len(members) > 2:
                for a, b in combinations(members, 2):
                    tried = self.copy()
                    if tried._merge_people(a, b):
                        yield from tried.settled()
                return
        marks = [
            [self.marks[a] for a in members] for members in partners.values() if len(members) == 2
        ]
        if not any(a == b > NAMED for a, b in marks) and self._is_sound(partners):
            yield marks

    def _is_sound(self, partners: Mapping[int, list[int]]) -> bool:
        """Return whether nobody is their own ancestor, and nobody marries a relative."""
        births = self.couples[Role.CHILD]
        above = {  # of each couple, the couples that its partners come from
            couple: [_find(self.couple, births[person]) for person in members]
            for couple, members in partners.items()
        }
        for couple, parents in above.items():
            kin = [_with_ancestors(above, birth) for birth in parents]
            if any(couple in couples for couples in kin) or (len(kin) == 2 and kin[0] & kin[1]):
                return False
        return True


_OTHER = {Role.CHILD: Role.PARTNER, Role.PARTNER: Role.CHILD}


def _find(parts: list[int], number: int) -> int:
    while parts[number] != number:
        number = parts[number]
    return number


def _with_ancestors(above: Mapping[int, list[int]], couple: int) -> set[int]:
    """Return the couple, and all above it."""
    found, todo = {couple}, [couple]
    for one in todo:
        new = [birth for birth in above.get(one, ()) if birth not in found]
        found.update(new)
        todo += new
    return found
