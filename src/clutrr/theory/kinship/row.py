"""Facts in a row between the two people asked about, in trees: following all cases at once.

Folding tries the cases one by one; along a row there are exponentially many, though most differ only in
what no later fact can depend on. Here the people of the row are placed one after another, in all ways at
once. A case is a piece of the tree of couples; what cannot matter any more is forgotten, and cases that
have become the same are merged. Only person 0 and the one placed last still matter. The couples between
them form a spine. It is cut at everybody on it who is too far from the person placed last: cases that are
alike up to the first cut are followed once, on top of everything that can lie beyond it. The work is a
power of the length. What may be forgotten and cut: docs/notes/2026-11-17-kinship-arguments.md.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from clutrr.theory.kinship.folding import Work
from clutrr.theory.kinship.question import IdLink, Kinds, KinQuestion
from clutrr.theory.kinship.steps import Role, Step, Steps

# Tags: of people who do not matter by themselves; person 0, the one placed last, and the person cut at.
_UNNAMED, _NAMED = -1, -2
_FIRST, _LAST, _CUT, _NAMED_CUT = 0, 1, 2, 3
_EITHER = 2  # a gender that is not known
_WEIGHT = 5  # placing somebody takes as long as looking at this many people in a folding

_Tree = tuple[Any, ...]  # nested: see `_Piece.encode`


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

    def fill(self, couple: int, members: _Tree) -> None:
        """Add the members of a couple, and all beyond them: see `encode`."""
        for role, people in zip((Role.PARTNER, Role.CHILD), members, strict=True):
            for tag, gender, inside in people:
                person = self.add(couple, role, gender, tag)
                self.fill(self.birth[person] if role is Role.PARTNER else self.marriage[person], inside)

    def new_couple(self) -> int:
        self.couples += 1
        return self.couples - 1

    def walk(self, route: list[int], steps: Steps) -> Iterator[tuple["_Piece", int]]:
        """Yield all ways to walk on by steps from the last person of a route, and where they lead."""
        if not steps:
            yield self, route[-1]
            return
        step, rest = steps[0], steps[1:]
        couple = self.birth[route[-1]] if step.start is Role.CHILD else self.marriage[route[-1]]
        side = self.birth if step.end is Role.CHILD else self.marriage
        there = [person for person, at in enumerate(side) if at == couple]
        for person in there:
            if person not in route:
                yield from self.walk([*route, person], rest)
        if step.end is Role.CHILD or len(there) < 2:
            twin = self.copy()
            known = [self.gender[person] for person in there] if step.end is Role.PARTNER else []
            gender = 1 - known[0] if known and known[0] != _EITHER else _EITHER
            yield from twin.walk([*route, twin.add(couple, step.end, gender)], rest)

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

    def spine(self, last: int) -> list[int]:
        """Return the people from the one placed last to person 0, or to the cut."""
        near = self._members()
        came = {last: last}
        for person in (queue := [last]):
            for couple in (self.birth[person], self.marriage[person]):
                for other in (*near[couple][0], *near[couple][1]):
                    if other not in came:
                        came[other] = person
                        queue.append(other)
        (end,) = (person for person, tag in enumerate(self.tag) if tag in (_FIRST, _CUT, _NAMED_CUT))
        spine = [end]
        while spine[-1] != last:
            spine.append(came[spine[-1]])
        return spine[::-1]

    def _members(self) -> dict[int, tuple[list[int], list[int]]]:
        """Return the partners and the children of each couple."""
        members: dict[int, tuple[list[int], list[int]]] = {}
        for person, (birth, marriage) in enumerate(zip(self.birth, self.marriage, strict=True)):
            members.setdefault(marriage, ([], []))[0].append(person)
            members.setdefault(birth, ([], []))[1].append(person)
        return members

    def encode(self, root: int) -> _Tree:
        """Return what can still matter, in a canonical form: the same for pieces that are alike."""
        by_birth, by_marriage = self.sides(root).values()
        return self.tag[root], self.gender[root], by_birth, by_marriage

    def sides(self, root: int) -> dict[int, _Tree]:
        """Return the members of a person's couples, of birth and of marriage, and all beyond them."""
        members = self._members()

        def of_person(person: int, came: int) -> tuple[_Tree, bool]:
            other = self.marriage[person] if came == self.birth[person] else self.birth[person]
            inside, active = of_couple(other, person)
            return (self.tag[person], self.gender[person], inside), active or self.tag[person] >= 0

        def of_couple(couple: int, came: int) -> tuple[_Tree, bool]:
            partners: list[_Tree] = []
            children: list[_Tree] = []
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

        return {couple: of_couple(couple, root)[0] for couple in (self.birth[root], self.marriage[root])}


def _decode(tree: _Tree) -> _Piece:
    """Return a piece from its canonical form; person 0 is its root."""
    piece = _Piece()
    tag, gender, birth, marriage = tree
    root = piece.add(None, Role.CHILD, gender, tag)
    piece.fill(piece.birth[root], birth)
    piece.fill(piece.marriage[root], marriage)
    return piece


Labelled = set[tuple[int, int]]  # kinds that are possible, with the gender of the last person
_Fact = tuple[tuple[Steps, ...], int]  # of a row: ways from the person before; the gender of the one after


class _Beyond:
    """What lies beyond a cut: members of a couple, up to person 0 or the next cut; and all beyond that."""

    def __init__(self, members: _Tree) -> None:
        self.members = members
        self.rest: set[_Beyond] = set()


# What is near the person placed last, who is the root, and everything that can lie beyond.
_Cases = dict[_Tree, set[_Beyond]]


def answer_row(question: KinQuestion, kinds: Kinds, work: Work) -> tuple[Labelled, bool] | None:
    """Return what is possible between persons 0 and 1 in trees, and whether something else is.

    None if the facts are no row between them.
    """
    row = _row(question, kinds)
    if row is None:
        return None
    first = question.genders[0]
    reach = max(kinds.reach)
    cases: _Cases = {(_FIRST, _EITHER if first is None else first, ((), ()), ((), ())): set()}
    for fact in row:
        cases = _extended(cases, fact, reach, work)
    return _answers(cases, kinds, work)


def _row(question: KinQuestion, kinds: Kinds) -> list[_Fact] | None:
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
    known: dict[tuple[_Tree, ...], _Beyond] = {}
    for case, rest in _opened(cases, reach, work).items():
        piece = _decode(case)
        piece.tag[0] = _FIRST if piece.tag[0] == _FIRST else _NAMED
        for twin, person in _placed(piece, ways, gender, work):
            near, *parts = _cut(twin, person, reach + 1)
            top = after.setdefault(near, set())
            for end in range(len(parts)):
                part = known.setdefault((near, *parts[: end + 1]), _Beyond(parts[end]))
                top.add(part)
                top = part.rest
            top.update(rest)
    return after


def _placed(piece: _Piece, ways: tuple[Steps, ...], gender: int, work: Work) -> Iterator[tuple[_Piece, int]]:
    """Yield the pieces in which the ways lead from person 0 to somebody new, and who that is."""
    for steps in ways:
        for walked, person in piece.walk([0], steps):
            work.spend(_WEIGHT * len(walked.tag))
            if walked.tag[person] == _UNNAMED:
                twin = walked.copy()
                twin.tag[person] = _LAST
                if twin.set_gender(person, gender):
                    yield twin, person


def _cut(piece: _Piece, last: int, distance: int) -> list[_Tree]:
    """Cut a piece at every person on the spine who is as far as this from the one placed last, or further.

    Return what is near, and then what is beyond each cut: a fact leads to nobody at a cut or beyond.
    """
    spine = piece.spine(last)
    parts: list[_Tree] = []
    for at in range(len(spine) - 2, distance - 1, -1):
        person = spine[at]
        couple = _beyond(piece, person, spine[at - 1])
        parts.append(piece.sides(person)[couple])
        piece.tag[person] = _CUT if piece.tag[person] == _UNNAMED else _NAMED_CUT
        side = piece.birth if couple == piece.birth[person] else piece.marriage
        side[person] = piece.new_couple()
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
        spine = piece.spine(0)
        at = spine[-1]
        if piece.tag[at] == _FIRST or len(spine) - 1 > reach:
            found.setdefault(near, set()).update(beyond)
            continue
        by_members: dict[_Tree, set[_Beyond]] = {}
        for part in beyond:
            by_members.setdefault(part.members, set()).update(part.rest)
        for members, rest in by_members.items():
            whole = piece.copy()
            whole.tag[at] = _UNNAMED if piece.tag[at] == _CUT else _NAMED
            whole.fill(_beyond(whole, at, spine[-2]), members)
            left.setdefault(whole.encode(0), set()).update(rest)
    return found


def _answers(cases: _Cases, kinds: Kinds, work: Work) -> tuple[Labelled, bool]:
    kind_of = {steps: kind for kind, ways in enumerate(kinds.ways) for steps in ways}
    labels: Labelled = set()
    outside = False
    for case in _opened(cases, max(kinds.reach), work):
        piece = _decode(case)
        spine = piece.spine(0)
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
