"""Facts in a row from one person to the other, in trees: answered by following all cases at once.

A sweep (see `sweep`) of a row has two active people: person 0, and the one placed last. The couples between
them form a spine. It is cut at everybody on it who is too far from the person placed last to matter: cases
that are alike up to the first cut are followed once, on top of everything that can lie beyond it. The work is
a power of the length (docs/notes/2026-11-17-kinship-arguments.md).
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from clutrr.theory.kinship.folding import Work
from clutrr.theory.kinship.question import IdLink, Kinds, Question
from clutrr.theory.kinship.steps import Role, Step, Steps
from clutrr.theory.kinship.sweep import EITHER, NAMED, UNNAMED, WEIGHT, Piece, Tree, decode

# Tags: person 0, the one placed last, and the person cut at.
_FIRST, _LAST, _CUT, _NAMED_CUT = 0, 1, 2, 3


class RowAnswer(NamedTuple):
    """What is possible between the ends of a row.

    labels: kinds, with the gender of the last person. outside: whether something else is.
    """

    labels: frozenset[tuple[int, int]]
    outside: bool


class _Fact(NamedTuple):
    """A fact of the row: ways from the person before, and the gender of the person they lead to."""

    ways: tuple[Steps, ...]
    gender: int


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
    cases: _Cases = {(_FIRST, EITHER if first is None else first, ((), ()), ((), ())): set()}
    for fact in row:
        cases = _place(cases, fact, reach, work)
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
        row.append(_Fact(ways, EITHER if gender is None else gender))
        before, person = person, other
    return row if len(row) == len(question.links) else None


def _place(cases: _Cases, fact: _Fact, reach: int, work: Work) -> _Cases:
    """Return the cases after one more fact."""
    after: _Cases = {}
    known: dict[tuple[Tree, ...], _Beyond] = {}
    for case, rest in _opened(cases, reach, work).items():
        piece = decode(case)
        for steps in fact.ways:
            for walked, person in piece.walk([0], steps, -1):
                work.spend(WEIGHT * len(walked.tag))
                if walked.tag[person] != UNNAMED:
                    continue
                twin = walked.copy()
                twin.tag[0] = _FIRST if twin.tag[0] == _FIRST else NAMED
                twin.tag[person] = _LAST
                if twin.set_gender(person, fact.gender):
                    near, *parts = _cut(twin, person, reach + 1)
                    top = after.setdefault(near, set())
                    for end in range(len(parts)):
                        part = known.setdefault((near, *parts[: end + 1]), _Beyond(parts[end]))
                        top.add(part)
                        top = part.rest
                    top.update(rest)
    return after


def _cut(piece: Piece, last: int, distance: int) -> list[Tree]:
    """Cut a piece at every person on the spine who is as far as this from the one placed last, or further.

    Return what is near, and then what is beyond each cut: a fact leads to nobody at a cut or beyond.
    """
    spine = _spine(piece, last)
    parts: list[Tree] = []
    for at in range(len(spine) - 2, distance - 1, -1):
        person = spine[at]
        by_birth = _beyond(piece, person, spine[at - 1]) == piece.birth[person]
        parts.append(piece.sides(person)[0 if by_birth else 1])
        piece.tag[person] = _CUT if piece.tag[person] == UNNAMED else _NAMED_CUT
        piece.leave(person, Role.CHILD if by_birth else Role.PARTNER)
    return [piece.encode(last), *reversed(parts)]


def _beyond(piece: Piece, person: int, near: int) -> int:
    """Return the couple of a person that a neighbour is not in."""
    birth = piece.birth[person]
    return piece.marriage[person] if birth in (piece.birth[near], piece.marriage[near]) else birth


def _opened(cases: _Cases, reach: int, work: Work) -> _Cases:
    """Return the cases with everything in place that is within reach of the person placed last."""
    found: _Cases = {}
    left = {near: set(beyond) for near, beyond in cases.items()}
    while left:
        near, beyond = left.popitem()
        piece = decode(near)
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
            whole.tag[at] = UNNAMED if piece.tag[at] == _CUT else NAMED
            whole.fill(_beyond(whole, at, spine[-2]), members)
            left.setdefault(whole.encode(0), set()).update(rest)
    return found


def _spine(piece: Piece, last: int) -> list[int]:
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
        piece = decode(case)
        spine = _spine(piece, 0)
        steps = _steps(piece, spine[::-1]) if piece.tag[spine[-1]] == _FIRST else ()
        if steps not in kind_of:
            outside = True
            continue
        gender = piece.gender[0]
        labels |= {(kind_of[steps], one) for one in ((0, 1) if gender == EITHER else (gender,))}
    return RowAnswer(frozenset(labels), outside)


def _steps(piece: Piece, people: Sequence[int]) -> Steps:
    """Return the steps along people each of whom shares a couple with the next."""

    def couples(person: int) -> tuple[tuple[int, Role], tuple[int, Role]]:
        return (piece.birth[person], Role.CHILD), (piece.marriage[person], Role.PARTNER)

    return tuple(
        Step((role, other_role))
        for one, other in pairwise(people)
        for couple, role in couples(one)
        for other_couple, other_role in couples(other)
        if couple == other_couple
    )
