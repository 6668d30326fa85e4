"""Which worlds agree with a set of facts, found by folding a graph of couples into a tree.

A couple is a node. A person is an edge, from the couple they are a child of to the couple they are
a partner in. A fact is a chain of people, of whom the middle ones have no name, each sharing a
couple with the next; so the facts make a graph, and the worlds that agree with them are the ways to
fold that graph into a tree (see `clutrr.world.steps` for why it is one):

- two people who are folded together are the same person: their two couples are the same as well;
- people with different names, and neighbours within a fact, cannot be folded together;
- a couple has two partners at most, a man and a woman: of three, two are one person;
- around a cycle, two neighbours are one person somewhere, else it would not fold into a tree.

`Folding.solutions` tries all of it, in such an order that each solution is found once. A solution
is folded no more than it must be: every world that agrees with the facts folds one of them further.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise

from clutrr.world.steps import Role, Step, Word

Link = tuple[int, Word, int]  # person, how to get to the other, other person


class ContradictionError(Exception):
    """The facts cannot all hold."""


class Folding:
    """A graph of couples and people that is being folded.

    People are numbered; the first `named` of them have names, all different. Where people or
    couples have been found to be one, the lower number stands for all.
    """

    def __init__(self, named: int, genders: Sequence[int | None], links: Iterable[Link]) -> None:
        self.named = named
        self.person: list[int] = []
        self.couple: list[int] = []
        self.birth: list[int] = []
        self.marriage: list[int] = []
        self.gender: list[int | None] = []
        self.apart: set[tuple[int, int]] = set()  # people who are not one, lower number first
        for gender in genders:
            self._add(gender)
        for start, word, end in links:
            self._link(start, word, end)

    def _add(self, gender: int | None = None) -> int:
        number = len(self.person)
        self.person.append(number)
        self.gender.append(gender)
        self.birth.append(len(self.couple))
        self.marriage.append(len(self.couple) + 1)
        self.couple += [len(self.couple), len(self.couple) + 1]
        return number

    def _link(self, start: int, word: Word, end: int) -> None:
        people = [start, *(self._add() for _ in word[1:]), end]
        for step, (one, other) in zip(word, pairwise(people), strict=True):
            self.apart.add((min(one, other), max(one, other)))
            self._join(self._of(one, step.start), self._of(other, step.end))

    def copy(self) -> "Folding":
        twin = object.__new__(Folding)
        twin.named = self.named
        twin.person = self.person.copy()
        twin.couple = self.couple.copy()
        twin.birth = self.birth.copy()
        twin.marriage = self.marriage.copy()
        twin.gender = self.gender.copy()
        twin.apart = self.apart.copy()
        return twin

    # The people and couples as they stand

    def _of(self, person: int, role: Role) -> int:
        return self.birth[person] if role is Role.CHILD else self.marriage[person]

    def find(self, person: int) -> int:
        while self.person[person] != person:
            person = self.person[person]
        return person

    def at(self, couple: int) -> int:
        while self.couple[couple] != couple:
            couple = self.couple[couple]
        return couple

    def people(self) -> Iterator[tuple[int, int, int]]:
        """Everybody, with the couples of their birth and marriage."""
        for person, first in enumerate(self.person):
            if person == first:
                yield person, self.at(self.birth[person]), self.at(self.marriage[person])

    def _join(self, one: int, other: int) -> None:
        one, other = self.at(one), self.at(other)
        self.couple[max(one, other)] = min(one, other)

    # Folding

    def fold(self, one: int, other: int) -> None:
        """Take two people for the same person."""
        one, other = sorted((self.find(one), self.find(other)))
        if one == other:
            return
        if other < self.named or (one, other) in self.apart:
            raise ContradictionError
        for p, q in [pair for pair in self.apart if other in pair]:
            rest = q if p == other else p
            self.apart.add((min(one, rest), max(one, rest)))
        self._set_gender(one, self.gender[other])
        self.person[other] = one
        self._join(self.birth[one], self.birth[other])
        self._join(self.marriage[one], self.marriage[other])

    def _set_gender(self, person: int, gender: int | None) -> None:
        if gender is not None:
            if self.gender[person] not in (None, gender):
                raise ContradictionError
            self.gender[person] = gender

    def _settle(self) -> list[tuple[int, int]]:
        """Fold what must be folded; then the next choice: pairs of which one at least must be."""
        while True:
            partners: dict[int, list[int]] = {}
            ends: dict[tuple[int, int], int] = {}
            folded = False
            for person, birth, marriage in self.people():
                if birth == marriage:
                    raise ContradictionError
                if (marriage, birth) in ends:
                    raise ContradictionError
                twin = ends.setdefault((birth, marriage), person)
                if twin != person:
                    self.fold(twin, person)
                    folded = True
                    break
                partners.setdefault(marriage, []).append(person)
            if folded or self._settle_partners(partners):
                continue
            crowds = [crowd for crowd in partners.values() if len(crowd) > 2]
            if crowds:
                return list(combinations(min(crowds, key=len)[:3], 2))
            return self._cycle()

    def _settle_partners(self, partners: dict[int, list[int]]) -> bool:
        """Two partners of one gender are one person; of two partners, each tells the other's gender."""
        changed = False
        for crowd in partners.values():
            for one, other in combinations(crowd, 2):
                if self.gender[one] is not None and self.gender[one] == self.gender[other]:
                    self.fold(one, other)
                    return True
            if len(crowd) == 2 and self._differ(*crowd):
                for one, other in (crowd, crowd[::-1]):
                    gender = self.gender[one]
                    if gender is not None and self.gender[other] is None:
                        self.gender[other] = 1 - gender
                        changed = True
        return changed

    def _differ(self, one: int, other: int) -> bool:
        """Whether the two cannot be the same person."""
        pair = min(one, other), max(one, other)
        return pair[1] < self.named or pair in self.apart

    def _cycle(self) -> list[tuple[int, int]]:
        """The pairs of neighbours on a cycle that could be one person; nothing where there is no cycle."""
        reached: dict[int, tuple[int, int, int]] = {}  # couple: (couple before, person between, depth)
        edges: dict[int, list[tuple[int, int]]] = {}
        for person, birth, marriage in self.people():
            edges.setdefault(birth, []).append((person, marriage))
            edges.setdefault(marriage, []).append((person, birth))
        best: list[int] | None = None
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
                    if best is None or len(cycle) < len(best):
                        best = cycle
        if best is None:
            return []
        pairs = [
            (min(one, other), max(one, other))
            for one, other in pairwise([*best, best[0]])
            if self._same_end(one, other) and not self._differ(one, other)
        ]
        if not pairs:
            raise ContradictionError
        return pairs

    def _same_end(self, one: int, other: int) -> bool:
        return self.at(self.birth[one]) == self.at(self.birth[other]) or self.at(
            self.marriage[one]
        ) == self.at(self.marriage[other])

    def solutions(self) -> Iterator["Folding"]:
        """The ways to fold the graph into a tree, each folded no more than it must be."""
        try:
            pairs = self._settle()
        except ContradictionError:
            return
        if not pairs:
            yield self
            return
        rest = self.copy()
        for one, other in pairs:
            branch = rest.copy()
            try:
                branch.fold(one, other)
            except ContradictionError:
                continue
            yield from branch.solutions()
            rest.apart.add((one, other))

    # Reading a folded graph

    def route(self, start: int, end: int) -> list[int] | None:
        """The people on the way from one to another in a solution, both included; None if apart."""
        start, end = self.find(start), self.find(end)
        couples: dict[int, list[int]] = {}
        at: dict[int, tuple[int, int]] = {}
        for person, birth, marriage in self.people():
            at[person] = birth, marriage
            couples.setdefault(birth, []).append(person)
            couples.setdefault(marriage, []).append(person)
        before = {start: start}
        queue = [start]
        for person in queue:
            if person == end:
                break
            for couple in at[person]:
                for other in couples[couple]:
                    if other not in before:
                        before[other] = person
                        queue.append(other)
        if end not in before:
            return None
        way = [end]
        while way[-1] != start:
            way.append(before[way[-1]])
        return way[::-1]

    def word(self, start: int, end: int) -> Word | None:
        """The word that leads from one person to another in a solution; None if they are apart."""
        way = self.route(start, end)
        if way is None:
            return None
        return tuple(self._step(one, other) for one, other in pairwise(way))

    def further(self, start: int, end: int) -> Iterator["Folding"]:
        """The solutions in which two neighbours on the way between two people are one person."""
        for one, other in pairwise(self.route(start, end) or ()):
            if self._same_end(one, other) and not self._differ(one, other):
                branch = self.copy()
                branch.fold(one, other)
                yield from branch.solutions()

    def _step(self, one: int, other: int) -> Step:
        for step in Step:
            if self.at(self._of(one, step.start)) == self.at(self._of(other, step.end)):
                return step
        raise AssertionError("neighbours share a couple")


def _around(reached: dict[int, tuple[int, int, int]], one: int, other: int, closing: int) -> list[int]:
    """The people around the cycle that the closing person completes."""
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
