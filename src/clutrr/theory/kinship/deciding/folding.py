"""The families that agree with a set of facts, found by folding a graph of couples.

A couple is a node. A person is an edge, from the couple they are a child of to the couple they are a partner
in. A fact is a chain of people, of whom the middle ones have no name, each sharing a couple with the next.
The families that agree with the facts are the ways to fold this graph such that the laws hold:

- two people who are folded together are the same person: their two couples are the same as well;
- people with different names, and any two of the people along a fact, cannot be folded together;
- a couple has at most two partners, a man and a woman: of three, two are one person;
- nobody is their own ancestor; partners in one couple who share an ancestor are one person;
- under `tree` only: around a cycle, two neighbours are one person somewhere;
- nobody stands where a ban forbids it: a route by one of its ways is folded, or leads to somebody whom it
  does not forbid.

`Folding.worlds` tries everything that is left open. Why what stays unfolded can be completed to a family:
experiments/notes/2026-11-17-kinship-arguments.md.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

from clutrr.theory.kinship.steps import Role, Step, Steps

Link = tuple[int, tuple[Steps, ...], int]  # person, ways to get to the other, other person
Way = tuple[Steps, int | None]  # and the gender of the person at its end, None for either
Pair = tuple[int, int]
Couples = Mapping[int, tuple[list[int], list[int]]]  # by couple, its children and its partners
_GENDERS = (0, 1)


class Choice(NamedTuple):
    """One of these ways leads from a person to another one."""

    head: int
    ways: tuple[Way, ...]
    tail: int

    @property
    def people(self) -> tuple[int, ...]:
        return self.head, self.tail


class Ban(NamedTuple):
    """Nobody is related to a person in one of these ways, with a few exceptions.

    Args:
        head: the person.
        ways: what is forbidden; each for people of one gender, or of either.
        only: the one person who is forbidden to be so related; None if it is everybody.
        but: the people who may be so related.
    """

    head: int
    ways: tuple[Way, ...]
    only: int | None = None
    but: tuple[int, ...] = ()

    @property
    def people(self) -> tuple[int, ...]:
        return (self.head, *self.but) if self.only is None else (self.head, self.only)


class _Unwanted(NamedTuple):
    """A route that a ban forbids. One of the pairs must be folded, or the person at its end is of the other gender.

    end: that person, where the gender is open and the ban is about one gender only; else None.
    """

    pairs: list[Pair]
    end: int | None
    gender: int | None  # that the ban is about

    @property
    def choices(self) -> int:
        return len(self.pairs) + (self.end is not None)


class ContradictionError(Exception):
    """The facts cannot all hold."""


class UndecidedError(Exception):
    """The work allowed for a question is used up, and it is not decided."""


class Work:
    """Counts the work spent on one question, so that none goes on without end."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.done = 0

    def spend(self, amount: int) -> None:
        self.done += amount
        if self.done > self.limit:
            raise UndecidedError


class Folding:
    """A graph of couples and people that is being folded.

    People are numbered; the first `named` of them have names, all different. If people or
    couples have been found to be one, the lowest number stands for all of them. apart: for each person, a
    bit for each of those who are certainly somebody else. partners: by couple. pending: facts
    that can be meant in several ways, of which none is chosen yet. bans: of which all must be kept.
    complete: whether those count, too, whom everybody has, named or not: two parents, who are spouses.
    """

    def __init__(
        self,
        genders: Sequence[int | None],
        links: Iterable[Link],
        tree: bool,
        bans: tuple[Ban, ...] = (),
        complete: bool = True,
    ) -> None:
        self.tree = tree
        self.bans = bans
        self.complete = complete
        self.named = len(genders)
        self.person: list[int] = []
        self.couple: list[int] = []
        self.birth: list[int] = []
        self.marriage: list[int] = []
        self.gender: list[int | None] = []
        self.apart: list[int] = []
        self.partners: list[tuple[int, ...]] = []
        self.pending: list[Choice] = []
        self._changed: list[int] = []  # couples to look at again
        self._checked = False  # whether ancestors have been compared since the last change
        everybody = (1 << self.named) - 1
        for person, gender in enumerate(genders):
            self._add(gender)
            self.apart[person] = everybody ^ (1 << person)
        for link in links:
            self.add(link)

    def _add(self, gender: int | None = None) -> int:
        number = len(self.person)
        self.person.append(number)
        self.gender.append(gender)
        self.apart.append(0)
        self.birth.append(len(self.couple))
        self.marriage.append(len(self.couple) + 1)
        self.couple += [len(self.couple), len(self.couple) + 1]
        self.partners += [(), (number,)]
        return number

    def add(self, link: Link) -> None:
        """One more fact."""
        start, ways, end = link
        if len(ways) > 1:
            self.pending.append(Choice(start, tuple((steps, None) for steps in ways), end))
            return
        (steps,) = ways
        people = [self.find(start), *(self._add() for _ in steps[1:]), self.find(end)]
        for one, other in combinations(people, 2):
            self.keep_apart(one, other)
        for step, (one, other) in zip(steps, pairwise(people), strict=True):
            self._join(self._of(one, step.start), self._of(other, step.end))

    def choose(self, choice: Choice) -> None:
        """One more fact, of which it is open which way it is meant."""
        start, ways, end = choice
        if len(ways) > 1:
            self.pending.append(choice)
            return
        ((steps, gender),) = ways
        self.set_gender(self.find(end), gender)
        self.add((start, (steps,), end))

    def copy(self) -> "Folding":
        twin = object.__new__(Folding)
        twin.tree = self.tree
        twin.bans = self.bans
        twin.complete = self.complete
        twin.named = self.named
        twin.person = self.person.copy()
        twin.couple = self.couple.copy()
        twin.birth = self.birth.copy()
        twin.marriage = self.marriage.copy()
        twin.gender = self.gender.copy()
        twin.apart = self.apart.copy()
        twin.partners = self.partners.copy()
        twin.pending = self.pending.copy()
        twin._changed = self._changed.copy()
        twin._checked = self._checked
        return twin

    # The people and couples as they stand

    def _of(self, person: int, role: Role) -> int:
        return self.birth[person] if role is Role.CHILD else self.marriage[person]

    def find(self, person: int) -> int:
        people = self.person
        while people[person] != person:
            people[person] = person = people[people[person]]
        return person

    def at(self, couple: int) -> int:
        couples = self.couple
        while couples[couple] != couple:
            couples[couple] = couple = couples[couples[couple]]
        return couple

    def people(self) -> Iterator[tuple[int, int, int]]:
        """Yield everybody, with the couples of their birth and marriage."""
        for person, first in enumerate(self.person):
            if person == first:
                yield person, self.at(self.birth[person]), self.at(self.marriage[person])

    def differ(self, one: int, other: int) -> bool:
        """Return whether the two cannot be the same person."""
        if self.apart[one] >> other & 1:
            return True
        gender = self.gender[one]
        return gender is not None and self.gender[other] == 1 - gender

    # Folding

    def fold(self, one: int, other: int) -> None:
        """Take two people for the same person."""
        one, other = self.find(one), self.find(other)
        if one == other:
            return
        if one > other:
            one, other = other, one
        if self.apart[one] >> other & 1:
            raise ContradictionError
        self.set_gender(one, self.gender[other])
        self.person[other] = one
        rest = self.apart[other]
        self.apart[one] |= rest
        while rest:
            lowest = rest & -rest
            self.apart[lowest.bit_length() - 1] |= 1 << one
            rest ^= lowest
        self._join(self.birth[one], self.birth[other])
        self._join(self.marriage[one], self.marriage[other])

    def keep_apart(self, one: int, other: int) -> None:
        """Take two people for different ones."""
        one, other = self.find(one), self.find(other)
        if one == other:
            raise ContradictionError
        self.apart[one] |= 1 << other
        self.apart[other] |= 1 << one
        self._changed.append(self.marriage[one])

    def set_gender(self, person: int, gender: int | None) -> None:
        known = self.gender[person]
        if gender is None or known == gender:
            return
        if known is not None:
            raise ContradictionError
        self.gender[person] = gender
        self._changed.append(self.marriage[person])

    def _join(self, one: int, other: int) -> None:
        one, other = self.at(one), self.at(other)
        self._checked = False
        if one == other:
            return
        if one > other:
            one, other = other, one
        self.couple[other] = one
        if self.partners[other]:
            self.partners[one] += self.partners[other]
            self._changed.append(one)

    def settle(self, work: Work) -> None:
        """Fold what must be folded."""
        while True:
            while self._changed:
                self._settle_partners(self.at(self._changed.pop()))
            if self._checked:
                return
            self._checked = True
            work.spend(len(self.person))
            for one, other in self._relatives():
                self.fold(one, other)

    def _settle_partners(self, couple: int) -> None:
        """Partners of one gender are one person, and so are all who differ from the same partner."""
        crowd = self.partners[couple]
        if len(crowd) < 2:
            return
        crowd = self.partners[couple] = tuple(dict.fromkeys(map(self.find, crowd)))
        for one in crowd:
            gender = self.gender[one]
            spouse = -1
            for other in crowd:
                if other == one:
                    continue
                if gender is not None and self.gender[other] == gender:
                    self.fold(one, other)
                    self._changed.append(couple)
                    return
                if not self.differ(one, other):
                    continue
                if spouse >= 0:
                    self.fold(spouse, other)
                    self._changed.append(couple)
                    return
                spouse = other
            if spouse >= 0 and gender is not None:
                self.set_gender(spouse, 1 - gender)

    def _relatives(self) -> list[Pair]:
        """Partners in one couple who share an ancestor. Raises if somebody is their own."""
        above: dict[int, int] = {}  # couple: a bit for each couple of its ancestors, and its own
        for couple, root in enumerate(self.couple):
            if couple == root and couple not in above:
                self._climb(couple, above)
        found = []
        for couple, root in enumerate(self.couple):
            if couple == root and len(self.partners[couple]) > 1:
                for one, other in combinations(
                    dict.fromkeys(map(self.find, self.partners[couple])), 2
                ):
                    if above[self.at(self.birth[one])] & above[self.at(self.birth[other])]:
                        found.append((one, other))
        return found

    def _climb(self, couple: int, above: dict[int, int]) -> None:
        below: set[int] = set()
        stack = [couple]
        while stack:
            couple = stack[-1]
            if couple in above:
                stack.pop()
                continue
            births = [self.at(self.birth[self.find(person)]) for person in self.partners[couple]]
            missing = [birth for birth in births if birth not in above]
            if missing:
                if couple in below or couple in missing:
                    raise ContradictionError  # somebody is their own ancestor
                below.add(couple)
                stack += missing
                continue
            above[couple] = 1 << couple
            for birth in births:
                above[couple] |= above[birth]
            stack.pop()

    # What is still open

    def worlds(self, work: Work, avoid: Iterable[Ban] = ()) -> Iterator["Folding"]:
        """Yield the ways to fold the graph such that the laws hold, each folded no more than it must be.

        avoid: bans beside its own.
        """
        bans = (*self.bans, *avoid)
        stack = [self]
        while stack:
            folding = stack.pop()
            try:
                folding.settle(work)
                unwanted = folding._unwanted(bans, work) if bans else None
                pairs: list[Pair] = []
                if unwanted is None and not folding.pending:
                    pairs = folding._crowd() or (folding._cycle(work) if self.tree else [])
            except ContradictionError:
                continue
            if unwanted is not None:
                stack += folding._mended(unwanted)
            elif folding.pending:
                stack += folding._meanings()
            elif pairs:
                stack += folding._foldings(pairs)
            elif folding.bans and folding._add_missing():
                stack.append(folding)
            else:
                yield folding

    def _meanings(self) -> Iterator["Folding"]:
        """Yield a copy for each meaning of the next ambiguous fact, the first meaning last."""
        start, ways, end = self.pending.pop()
        for way in reversed(ways):
            branch = self.copy()
            try:
                branch.choose(Choice(start, (way,), end))
            except ContradictionError:
                continue
            yield branch

    def _mended(self, unwanted: _Unwanted) -> list["Folding"]:
        """Return a copy for each way to do away with a route that is forbidden."""
        pairs, end, gender = unwanted
        if end is None or gender is None:
            return self._foldings(pairs)
        other = self.copy() if pairs else self
        other.set_gender(end, 1 - gender)
        if not pairs:
            return [other]
        self.set_gender(end, gender)
        return [*self._foldings(pairs), other]

    def _foldings(self, pairs: Sequence[Pair]) -> list["Folding"]:
        """Return a copy for each pair, of which at least one must be folded; no world is found twice."""
        branches = []
        rest = self
        for i, (one, other) in enumerate(pairs):
            last = i == len(pairs) - 1
            branch = rest if last else rest.copy()
            try:
                branch.fold(one, other)
                branches.append(branch)
            except ContradictionError:
                pass
            if not last:
                rest.keep_apart(one, other)
        return branches[::-1]

    def _crowd(self) -> list[Pair]:
        """Three partners of one couple, as pairs; the smallest choice that there is."""
        best: list[Pair] = []
        for couple, root in enumerate(self.couple):
            if couple != root or len(self.partners[couple]) < 3:
                continue
            crowd = list(dict.fromkeys(map(self.find, self.partners[couple])))
            if len(crowd) < 3:
                continue
            # Two who differ come first: everybody else is one of them.
            known = next((pair for pair in combinations(crowd, 2) if self.differ(*pair)), None)
            if known:
                third = next(person for person in crowd if person not in known)
                return [(known[0], third), (known[1], third)]
            best = best or list(combinations(crowd[:3], 2))
        return best

    def _cycle(self, work: Work) -> list[Pair]:
        """Return the pairs of neighbours on a cycle that could be one person; none if there is no cycle."""
        cycle = self.circle()
        if not cycle:
            return []
        work.spend(4 * len(self.person))
        pairs = [
            (one, other)
            for one, other in pairwise([*cycle, cycle[0]])
            if self._same_end(one, other) and not self.differ(one, other)
        ]
        if not pairs:
            raise ContradictionError
        return pairs

    def circle(self) -> list[int]:
        """Return the people around the shortest cycle that a search through the couples finds, if any."""
        reached: dict[
            int, tuple[int, int, int]
        ] = {}  # couple: (couple before, person between, depth)
        edges: dict[int, list[tuple[int, int]]] = {}
        for person, birth, marriage in self.people():
            edges.setdefault(birth, []).append((person, marriage))
            edges.setdefault(marriage, []).append((person, birth))
        best: list[int] = []
        for root in edges:
            if root in reached:
                continue
            reached[root] = (-1, -1, 0)
            queue = [root]
            for couple in queue:
                for person, other in edges[couple]:
                    if person == reached[couple][1]:
                        continue
                    if other not in reached:
                        reached[other] = (couple, person, reached[couple][2] + 1)
                        queue.append(other)
                        continue
                    cycle = _around(reached, couple, other, person)
                    if not best or len(cycle) < len(best):
                        best = cycle
        return best

    def _same_end(self, one: int, other: int) -> bool:
        return any(
            self.at(side[one]) == self.at(side[other]) for side in (self.birth, self.marriage)
        )

    def _unwanted(self, bans: Sequence[Ban], work: Work) -> _Unwanted | None:
        """Return a route that a ban forbids, the one with the fewest choices; None if there is none.

        If a world folds such a route further, it still leads from one person to the other, unless two people
        on it become one. Under `tree` these are then neighbours, since a route that never turns back cannot
        be folded otherwise. Or else its end is somebody whom the ban excepts, or of the other gender.
        """
        best: _Unwanted | None = None
        members = self.couples()
        for ban in bans:
            work.spend(len(self.person))
            for route, gender in self._forbidden(ban, members):
                end = route[-1]
                pairs = [
                    (one, other)
                    for one, other in (pairwise(route) if self.tree else combinations(route, 2))
                    if not self.differ(one, other) and (not self.tree or self._same_end(one, other))
                ]
                pairs += [(end, known) for known in ban.but if not self.differ(end, known)]
                open_end = end if gender is not None and self.gender[end] is None else None
                found = _Unwanted(pairs, open_end, gender)
                if not found.choices:
                    raise ContradictionError
                if best is None or found.choices < best.choices:
                    best = found
        return best

    def couples(self) -> dict[int, tuple[list[int], list[int]]]:
        """For each couple its children and its partners."""
        members: dict[int, tuple[list[int], list[int]]] = {}
        for person, birth, marriage in self.people():
            members.setdefault(birth, ([], []))[0].append(person)
            members.setdefault(marriage, ([], []))[1].append(person)
        return members

    def _forbidden(self, ban: Ban, members: Couples) -> Iterator[tuple[list[int], int | None]]:
        """Yield the routes that a ban forbids, as people who are all different, and the gender it is about."""
        only = ban.only
        for steps, gender in ban.ways:
            routes = [[ban.head]]
            for i, step in enumerate(steps):
                last = i == len(steps) - 1
                couple_of = self.birth if step.start is Role.CHILD else self.marriage
                side = step.end is Role.PARTNER
                routes = [
                    [*route, person]
                    for route in routes
                    for person in members[self.at(couple_of[route[-1]])][side]
                    if person not in route and (only is None or (person == only) == last)
                ]
            for route in routes:
                end = route[-1]
                if end not in ban.but and (gender is None or self.gender[end] in (None, gender)):
                    yield route, gender

    def _add_missing(self) -> bool:
        """Add those whom a ban may forbid although nothing names them; return whether there were any.

        Everybody has two parents, and who has children has a spouse. Somebody new is related to others only
        through those children: beyond them, a way can lead on to their parents alone.
        """
        if not self.complete:
            return False
        before = len(self.person)
        for ban in self.bans:
            if ban.only is not None:
                continue
            for steps, _ in ban.ways:
                people = [ban.head]
                for i, step in enumerate(steps):
                    if all(later is Step.PARENT for later in steps[i + 1 :]):
                        self._add_partners(people, step)
                    members = self.couples()
                    people = [
                        other
                        for person in people
                        for other in members[self.at(self._of(person, step.start))][
                            step.end is Role.PARTNER
                        ]
                        if other != person
                    ]
        return len(self.person) > before

    def _add_partners(self, people: Sequence[int], step: Step) -> None:
        """Add the parents whom these people lack, or the spouses of those who have children."""
        if step not in (Step.PARENT, Step.SPOUSE):
            return
        for person in dict.fromkeys(people):
            children, partners = self.couples()[couple := self.at(self._of(person, step.start))]
            if not children or len(partners) > 1:
                continue
            genders = _GENDERS if not partners else (None,)
            for gender in genders:
                new = self._add(gender)
                self._join(self.marriage[new], couple)
                for one in partners:
                    self.keep_apart(new, one)


def _around(
    reached: dict[int, tuple[int, int, int]], one: int, other: int, closing: int
) -> list[int]:
    """Return the people around the cycle that the closing person completes."""
    left: list[int] = []
    right: list[int] = []
    while one != other:
        if reached[one][2] >= reached[other][2]:
            left.append(reached[one][1])
            one = reached[one][0]
        else:
            right.append(reached[other][1])
            other = reached[other][0]
    return [*reversed(left), closing, *right]
