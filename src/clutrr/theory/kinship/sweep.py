"""Whether there is a tree with a set of facts, found by placing one person after another.

Folding tries the cases one by one; around a long cycle there are exponentially many, though most differ only
in what no later fact can depend on. A sweep follows all cases at once, forgets what cannot matter any more,
and merges cases that have become the same. A case is a piece of the tree of couples that holds the active
people: those with some facts placed and others not yet. What may be forgotten:
docs/notes/2026-11-17-kinship-arguments.md.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from clutrr.theory.kinship.folding import Work
from clutrr.theory.kinship.question import IdLink, Kinds, Question, joined
from clutrr.theory.kinship.steps import Role, Steps

UNNAMED, NAMED = -1, -2  # tags of people who are not active
EITHER = 2  # a gender that is not known
WEIGHT = 5  # placing somebody takes as long as looking at this many people in a folding

Tree = tuple[Any, ...]  # nested: see `Piece.encode`


class _Task(NamedTuple):
    """A fact to place: from an active person by one of the ways to another, who is new or active.

    retired: those who are not active after it. apart: how far two active people may then be apart.
    """

    start: int
    ways: tuple[Steps, ...]
    end: int
    new: bool
    retired: tuple[int, ...]
    apart: dict[tuple[int, int], int]


class Piece:
    """A piece of the tree of couples: for each person their couples, gender and tag."""

    def __init__(self) -> None:
        self.birth: list[int] = []
        self.marriage: list[int] = []
        self.gender: list[int] = []
        self.tag: list[int] = []
        self.couples = 0

    def copy(self) -> "Piece":
        twin = object.__new__(Piece)
        twin.birth = self.birth.copy()
        twin.marriage = self.marriage.copy()
        twin.gender = self.gender.copy()
        twin.tag = self.tag.copy()
        twin.couples = self.couples
        return twin

    def add(self, couple: int | None, role: Role, gender: int = EITHER, tag: int = UNNAMED) -> int:
        """Add somebody in this role of a couple (a new couple if None), and in another new couple."""
        if couple is None:
            couple = self._new_couple()
        other = self._new_couple()
        self.birth.append(couple if role is Role.CHILD else other)
        self.marriage.append(other if role is Role.CHILD else couple)
        self.gender.append(gender)
        self.tag.append(tag)
        return len(self.tag) - 1

    def fill(self, couple: int, members: Tree) -> None:
        """Add the members of a couple, and all beyond them: see `encode`."""
        for role, people in zip((Role.PARTNER, Role.CHILD), members, strict=True):
            for tag, gender, inside in people:
                person = self.add(couple, role, gender, tag)
                self.fill(self.birth[person] if role is Role.PARTNER else self.marriage[person], inside)

    def leave(self, person: int, role: Role) -> None:
        """Take somebody out of the couple in which they have this role, into a new one."""
        (self.birth if role is Role.CHILD else self.marriage)[person] = self._new_couple()

    def _new_couple(self) -> int:
        self.couples += 1
        return self.couples - 1

    def walk(self, route: list[int], steps: Steps, last: int) -> Iterator[tuple["Piece", int]]:
        """Yield all ways to walk on by steps from the last person of a route to `last` (-1: to anybody)."""
        if not steps:
            if last in (-1, route[-1]):
                yield self, route[-1]
            return
        step, rest = steps[0], steps[1:]
        couple = self.birth[route[-1]] if step.start is Role.CHILD else self.marriage[route[-1]]
        side = self.birth if step.end is Role.CHILD else self.marriage
        there = [person for person, at in enumerate(side) if at == couple]
        for person in there:
            if person not in route:
                yield from self.walk([*route, person], rest, last)
        if step.end is Role.CHILD or len(there) < 2:
            twin = self.copy()
            known = [self.gender[person] for person in there] if step.end is Role.PARTNER else []
            gender = 1 - known[0] if known and known[0] != EITHER else EITHER
            yield from twin.walk([*route, twin.add(couple, step.end, gender)], rest, last)

    def set_gender(self, person: int, gender: int) -> bool:
        """Set the gender of a person, and so of their spouse. Return whether that is possible."""
        if gender == EITHER or self.gender[person] == gender:
            return True
        if self.gender[person] != EITHER:
            return False
        self.gender[person] = gender
        return all(
            self.set_gender(other, 1 - gender)
            for other, couple in enumerate(self.marriage)
            if couple == self.marriage[person] and other != person
        )

    def before(self, start: int) -> dict[int, int]:
        """Return for each person, the nearest first, the one before them on the way from `start`."""
        near: dict[int, list[int]] = {}
        for person, couples in enumerate(zip(self.birth, self.marriage, strict=True)):
            for couple in couples:
                near.setdefault(couple, []).append(person)
        came = {start: start}
        queue = [start]
        for person in queue:
            for couple in (self.birth[person], self.marriage[person]):
                for other in near[couple]:
                    if other not in came:
                        came[other] = person
                        queue.append(other)
        return came

    def distances(self, start: int) -> dict[int, int]:
        """Return how many steps there are from a person to each of the others."""
        far = {start: 0}
        for person, came in self.before(start).items():
            far.setdefault(person, far[came] + 1)
        return far

    def encode(self, root: int) -> Tree:
        """Return what can still matter, in a canonical form: the same for pieces that are alike."""
        return (self.tag[root], self.gender[root], *self.sides(root))

    def sides(self, root: int) -> tuple[Tree, Tree]:
        """Return the members of a person's couples, of birth and of marriage, and all beyond them."""
        members: dict[int, tuple[list[int], list[int]]] = {}
        for person, (birth, marriage) in enumerate(zip(self.birth, self.marriage, strict=True)):
            members.setdefault(marriage, ([], []))[0].append(person)
            members.setdefault(birth, ([], []))[1].append(person)

        def of_person(person: int, came: int) -> tuple[Tree, bool]:
            other = self.marriage[person] if came == self.birth[person] else self.birth[person]
            inside, active = of_couple(other, person)
            return (self.tag[person], self.gender[person], inside), active or self.tag[person] >= 0

        def of_couple(couple: int, came: int) -> tuple[Tree, bool]:
            partners: list[Tree] = []
            children: list[Tree] = []
            any_active = False
            for side, people in zip((partners, children), members[couple], strict=True):
                for person in people:
                    if person != came:
                        tree, active = of_person(person, couple)
                        known = side is partners and (tree[0] != UNNAMED or tree[2] != ((), ()))
                        if active or known:
                            side.append(tree)
                        any_active |= active
            return (tuple(sorted(partners)), tuple(sorted(children))), any_active

        return of_couple(self.birth[root], root)[0], of_couple(self.marriage[root], root)[0]


def decode(tree: Tree) -> Piece:
    """Return a piece from its canonical form; person 0 is its root."""
    piece = Piece()
    tag, gender, birth, marriage = tree
    root = piece.add(None, Role.CHILD, gender, tag)
    piece.fill(piece.birth[root], birth)
    piece.fill(piece.marriage[root], marriage)
    return piece


def possible(question: Question, kinds: Kinds, work: Work) -> bool:
    """Return whether there is a tree with the facts."""
    genders = [EITHER if gender is None else gender for gender in question.genders]
    return all(_possible(links, genders, kinds, work) for links in joined(question.links))


def _possible(links: list[IdLink], genders: list[int], kinds: Kinds, work: Work) -> bool:
    start = links[0][0]
    cases: set[Tree] = {(start, genders[start], ((), ()), ((), ()))}
    for task in _tasks(links, kinds):
        cases = {after for case in cases for after in _place(decode(case), task, genders[task.end], work)}
    return bool(cases)


def _place(piece: Piece, task: _Task, gender: int, work: Work) -> Iterator[Tree]:
    """Yield the cases that one case becomes when a fact is placed."""
    start = piece.tag.index(task.start)
    goal = -1 if task.new else piece.tag.index(task.end)
    for steps in task.ways:
        for twin, person in piece.walk([start], steps, goal):
            work.spend(WEIGHT * len(twin.tag))
            if task.new:
                if twin.tag[person] != UNNAMED:
                    continue
                twin = twin.copy()
                twin.tag[person] = task.end
                if not twin.set_gender(person, gender):
                    continue
            yield from _kept(twin, task, work)


def _kept(piece: Piece, task: _Task, work: Work) -> Iterator[Tree]:
    tags = [NAMED if tag in task.retired else tag for tag in piece.tag]
    active = {tag: person for person, tag in enumerate(tags) if tag >= 0}
    far: dict[int, dict[int, int]] = {}
    for one, other in task.apart:
        if one not in far:
            work.spend(len(tags))
            far[one] = piece.distances(active[one])
        if far[one][active[other]] > task.apart[one, other]:
            return
    if not active:
        yield ()
        return
    twin = piece.copy()
    twin.tag = tags
    yield twin.encode(active[min(active)])


def _tasks(links: list[IdLink], kinds: Kinds) -> Iterator[_Task]:
    """Yield the facts in an order in which each is about somebody active; those between two such first."""
    left = list(links)
    placed = [left[0][0]]
    while left:
        link = min(left, key=lambda link: _rank(link, placed))
        left.remove(link)
        head, kind, tail = link
        start, ways, end = head, kinds.ways[kind], tail
        if head not in placed:
            start, ways, end = tail, kinds.back[kind], head
        new = end not in placed
        if new:
            placed.append(end)
        needed = {person for one, _, other in left for person in (one, other)}
        retired = tuple(person for person in (start, end) if person not in needed)
        active = [person for person in placed if person in needed]
        yield _Task(start, ways, end, new, retired, _reach(left, active, kinds))


def _rank(link: IdLink, placed: list[int]) -> tuple[int, int]:
    """Rank a link: both people placed; else the person placed last; else neither."""
    at = [placed.index(person) for person in (link[0], link[2]) if person in placed]
    return 2 - len(at), -max(at, default=0)


def _reach(links: list[IdLink], active: list[int], kinds: Kinds) -> dict[tuple[int, int], int]:
    """Return how many steps apart two active people can be, if facts yet to be placed join them."""
    near: dict[int, list[tuple[int, int]]] = {}
    for head, kind, tail in links:
        near.setdefault(head, []).append((tail, kinds.reach[kind]))
        near.setdefault(tail, []).append((head, kinds.reach[kind]))
    found: dict[tuple[int, int], int] = {}
    for start in active:
        far = {start: 0}
        queue = [start]
        while queue:
            person = min(queue, key=far.__getitem__)
            queue.remove(person)
            for other, reach in near.get(person, ()):
                if other not in far or far[other] > far[person] + reach:
                    far[other] = far[person] + reach
                    queue.append(other)
        found |= {(start, other): far[other] for other in active if start < other and other in far}
    return found
