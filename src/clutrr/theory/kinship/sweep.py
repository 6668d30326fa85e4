"""Facts with very many cases, in trees: following all cases at once, by placing one person after another.

Folding tries the cases one by one; around a long cycle there are exponentially many, though most differ only
in what no later fact can depend on. A sweep follows all cases at once, forgets what cannot matter any more,
and merges cases that have become the same. A case is a piece of the tree of couples that holds the active
people: those with some facts placed and others not yet. `possible` tells whether there is a tree at all.

A sweep of facts in a row has two active people: person 0, and the one placed last. The couples between them
form a spine. `answer_row` cuts it at everybody on it who is too far from the person placed last to matter:
cases that are alike up to the first cut are followed once, on top of everything that can lie beyond it. The
work is a power of the length. What may be forgotten and cut: docs/notes/2026-11-17-kinship-arguments.md.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from clutrr.theory.kinship.folding import Work
from clutrr.theory.kinship.question import IdLink, Kinds, Question, joined
from clutrr.theory.kinship.steps import Role, Step, Steps

_UNNAMED, _NAMED = -1, -2  # tags of people who are not active
_EITHER = 2  # a gender that is not known
_WEIGHT = 5  # placing somebody takes as long as looking at this many people in a folding

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


class _Piece:
    """A piece of the tree of couples: for each person their couples, gender and tag."""

    def __init__(self) -> None:
        self.birth: list[int] = []
        self.marriage: list[int] = []
        self.gender: list[int] = []
        self.tag: list[int] = []
        self.couples = 0

    def copy(self) -> "_Piece":
        twin = object.__new__(_Piece)
        twin.birth = self.birth.copy()
        twin.marriage = self.marriage.copy()
        twin.gender = self.gender.copy()
        twin.tag = self.tag.copy()
        twin.couples = self.couples
        return twin

    def add(self, couple: int | None, role: Role, gender: int = _EITHER, tag: int = _UNNAMED) -> int:
        """Add somebody in this role of a couple (a new couple if None), and in another new couple."""
        if couple is None:
            couple = self.new_couple()
        other = self.new_couple()
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

    def new_couple(self) -> int:
        self.couples += 1
        return self.couples - 1

    def walk(self, route: list[int], steps: Steps, last: int) -> Iterator[tuple["_Piece", int]]:
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
            gender = 1 - known[0] if known and known[0] != _EITHER else _EITHER
            yield from twin.walk([*route, twin.add(couple, step.end, gender)], rest, last)

    def set_gender(self, person: int, gender: int) -> bool:
        """Set the gender of a person, and so of their spouse. Return whether that is possible."""
        if gender == _EITHER or self.gender[person] == gender:
            return True
        if self.gender[person] != _EITHER:
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
                        known = side is partners and (tree[0] != _UNNAMED or tree[2] != ((), ()))
                        if active or known:
                            side.append(tree)
                        any_active |= active
            return (tuple(sorted(partners)), tuple(sorted(children))), any_active

        return of_couple(self.birth[root], root)[0], of_couple(self.marriage[root], root)[0]


def _decode(tree: Tree) -> _Piece:
    """Return a piece from its canonical form; person 0 is its root."""
    piece = _Piece()
    tag, gender, birth, marriage = tree
    root = piece.add(None, Role.CHILD, gender, tag)
    piece.fill(piece.birth[root], birth)
    piece.fill(piece.marriage[root], marriage)
    return piece


def possible(question: Question, kinds: Kinds, work: Work) -> bool:
    """Return whether there is a tree with the facts."""
    genders = [_EITHER if gender is None else gender for gender in question.genders]
    return all(_possible(links, genders, kinds, work) for links in joined(question.links))


def _possible(links: list[IdLink], genders: list[int], kinds: Kinds, work: Work) -> bool:
    start = links[0][0]
    cases: set[Tree] = {(start, genders[start], ((), ()), ((), ()))}
    for task in _tasks(links, kinds):
        cases = {after for case in cases for after in _place(_decode(case), task, genders[task.end], work)}
    return bool(cases)


def _place(piece: _Piece, task: _Task, gender: int, work: Work) -> Iterator[Tree]:
    """Yield the cases that one case becomes when a fact is placed."""
    goal = -1 if task.new else piece.tag.index(task.end)
    start = piece.tag.index(task.start)
    for twin, _ in _walked(piece, start, task.ways, goal, (task.end, gender), work):
        yield from _kept(twin, task, work)


def _walked(
    piece: _Piece, start: int, ways: tuple[Steps, ...], goal: int, new: tuple[int, int], work: Work
) -> Iterator[tuple[_Piece, int]]:
    """Yield where the ways can lead: to the goal, or (-1) to somebody new, who gets a tag and a gender."""
    tag, gender = new
    for steps in ways:
        for walked, person in piece.walk([start], steps, goal):
            work.spend(_WEIGHT * len(walked.tag))
            if goal >= 0:
                yield walked, person
            elif walked.tag[person] == _UNNAMED:
                twin = walked.copy()
                twin.tag[person] = tag
                if twin.set_gender(person, gender):
                    yield twin, person


def _kept(piece: _Piece, task: _Task, work: Work) -> Iterator[Tree]:
    tags = [_NAMED if tag in task.retired else tag for tag in piece.tag]
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


# Tags: person 0, the one placed last, and the person cut at.
_FIRST, _LAST, _CUT, _NAMED_CUT = 0, 1, 2, 3


# What is possible between the ends of a row: kinds, with the gender of the last person; and whether something
# else is.
RowAnswer = tuple[set[tuple[int, int]], bool]


_Fact = tuple[tuple[Steps, ...], int]  # of a row: ways from the person before; the gender of the one after


class _Beyond:
    """What lies beyond a cut: members of a couple, up to person 0 or the next cut; and all beyond that."""

    def __init__(self, members: Tree) -> None:
        self.members = members
        self.rest: set[_Beyond] = set()


# What is near the person placed last, who is the root, and everything that can lie beyond.
_Cases = dict[Tree, set[_Beyond]]


def answer_row(question: Question, kinds: Kinds, work: Work) -> RowAnswer | None:
    """Return what is possible between persons 0 and 1 in trees; None if the facts are no row between them."""
    row = _row(question, kinds)
    if row is None:
        return None
    first = question.genders[0]
    reach = max(kinds.reach)
    cases: _Cases = {(_FIRST, _EITHER if first is None else first, ((), ()), ((), ())): set()}
    for fact in row:
        cases = _extended(cases, fact, reach, work)
    return _answers(cases, kinds, work)


def _row(question: Question, kinds: Kinds) -> list[_Fact] | None:
    """Return the facts from person 0 to person 1, if they are in a row."""
    if len(question.links) != len(question.genders) - 1:
        return None
    near: dict[int, list[tuple[int, IdLink]]] = {}
    for link in question.links:
        near.setdefault(link[0], []).append((link[2], link))
        near.setdefault(link[2], []).append((link[0], link))
    row: list[_Fact] = []
    before, person = -1, 0
    while person != 1:
        onward = [step for step in near.get(person, ()) if step[0] != before]
        if len(onward) != 1 or len(row) == len(question.links):
            return None
        other, (head, kind, _) = onward[0]
        gender = question.genders[other]
        ways = kinds.ways[kind] if head == person else kinds.back[kind]
        row.append((ways, _EITHER if gender is None else gender))
        before, person = person, other
    return row if len(row) == len(question.links) else None


def _extended(cases: _Cases, fact: _Fact, reach: int, work: Work) -> _Cases:
    """Return the cases after one more fact."""
    ways, gender = fact
    after: _Cases = {}
    known: dict[tuple[Tree, ...], _Beyond] = {}
    for case, rest in _opened(cases, reach, work).items():
        piece = _decode(case)
        piece.tag[0] = _FIRST if piece.tag[0] == _FIRST else _NAMED
        for twin, person in _walked(piece, 0, ways, -1, (_LAST, gender), work):
            near, *parts = _cut(twin, person, reach + 1)
            top = after.setdefault(near, set())
            for end in range(len(parts)):
                part = known.setdefault((near, *parts[: end + 1]), _Beyond(parts[end]))
                top.add(part)
                top = part.rest
            top.update(rest)
    return after


def _cut(piece: _Piece, last: int, distance: int) -> list[Tree]:
    """Cut a piece at every person on the spine who is as far as this from the one placed last, or further.

    Return what is near, and then what is beyond each cut: a fact leads to nobody at a cut or beyond.
    """
    spine = _spine(piece, last)
    parts: list[Tree] = []
    for at in range(len(spine) - 2, distance - 1, -1):
        person = spine[at]
        by_birth = _beyond(piece, person, spine[at - 1]) == piece.birth[person]
        parts.append(piece.sides(person)[0 if by_birth else 1])
        piece.tag[person] = _CUT if piece.tag[person] == _UNNAMED else _NAMED_CUT
        (piece.birth if by_birth else piece.marriage)[person] = piece.new_couple()
    return [piece.encode(last), *reversed(parts)]


def _beyond(piece: _Piece, person: int, near: int) -> int:
    """Return the couple of a person that a neighbour is not in."""
    birth = piece.birth[person]
    return piece.marriage[person] if birth in (piece.birth[near], piece.marriage[near]) else birth


def _opened(cases: _Cases, reach: int, work: Work) -> _Cases:
    """Return the cases with everything in place that is within reach of the person placed last."""
    found: _Cases = {}
    left = {near: set(beyond) for near, beyond in cases.items()}
    while left:
        near, beyond = left.popitem()
        piece = _decode(near)
        work.spend(len(piece.tag) + len(beyond))
        spine = _spine(piece, 0)
        at = spine[-1]
        if piece.tag[at] == _FIRST or len(spine) - 1 > reach:
            found.setdefault(near, set()).update(beyond)
            continue
        by_members: dict[Tree, set[_Beyond]] = {}
        for part in beyond:
            by_members.setdefault(part.members, set()).update(part.rest)
        for members, rest in by_members.items():
            whole = piece.copy()
            whole.tag[at] = _UNNAMED if piece.tag[at] == _CUT else _NAMED
            whole.fill(_beyond(whole, at, spine[-2]), members)
            left.setdefault(whole.encode(0), set()).update(rest)
    return found


def _spine(piece: _Piece, last: int) -> list[int]:
    """Return the people from the one placed last to person 0, or to the cut."""
    came = piece.before(last)
    (end,) = (person for person, tag in enumerate(piece.tag) if tag in (_FIRST, _CUT, _NAMED_CUT))
    spine = [end]
    while spine[-1] != last:
        spine.append(came[spine[-1]])
    return spine[::-1]


def _answers(cases: _Cases, kinds: Kinds, work: Work) -> RowAnswer:
    kind_of = {steps: kind for kind, ways in enumerate(kinds.ways) for steps in ways}
    labels: set[tuple[int, int]] = set()
    outside = False
    for case in _opened(cases, max(kinds.reach), work):
        piece = _decode(case)
        spine = _spine(piece, 0)
        steps = _steps(piece, spine[::-1]) if piece.tag[spine[-1]] == _FIRST else ()
        if steps not in kind_of:
            outside = True
            continue
        gender = piece.gender[0]
        labels |= {(kind_of[steps], one) for one in ((0, 1) if gender == _EITHER else (gender,))}
    return labels, outside


def _steps(piece: _Piece, people: Sequence[int]) -> Steps:
    """Return the steps along people each of whom shares a couple with the next."""

    def couples(person: int) -> tuple[tuple[int, Role], tuple[int, Role]]:
        return (piece.birth[person], Role.CHILD), (piece.marriage[person], Role.PARTNER)

    return tuple(
        Step.between(role, other_role)
        for one, other in pairwise(people)
        for couple, role in couples(one)
        for other_couple, other_role in couples(other)
        if couple == other_couple
    )
