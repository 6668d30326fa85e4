"""Facts in a row between the two people asked about, in trees: following all cases at once.

Folding tries the cases one by one; along a row there are exponentially many, though most differ only in
what no later fact can depend on. Here the people of the row are placed one after another, in all ways at
once. Of a case only the couples on the way back to person 0 still matter, the spine, and those partners in
them of whom something is known: children off the spine can always be others. A step looks at the next couple
of the spine alone, so cases that are alike up to there are followed once, with all that can lie beyond. The
work is a power of the length. What may be forgotten: experiments/notes/2026-11-17-kinship-arguments.md.
"""

from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import NamedTuple

from clutrr.theory.kinship.deciding.folding import Work
from clutrr.theory.kinship.deciding.question import IdLink, Kinds, KinQuestion
from clutrr.theory.kinship.steps import Role, Step, Steps

_EITHER = 2  # a gender that is not known
_WEIGHT = 20  # placing somebody takes as long as looking at this many people in a folding
_OTHER = {Role.CHILD: Role.PARTNER, Role.PARTNER: Role.CHILD}

# A partner off the spine: whether a fact names them, their gender, and their parents, if these are known.
_Partner = tuple[bool, int, tuple["_Partner", ...]]
_Partners = tuple[_Partner, ...]


class _Next(NamedTuple):
    """The next person on the spine: their role in the couple, whether a fact names them, their gender."""

    role: Role
    named: bool
    gender: int


class _Case(NamedTuple):
    """What is near the person placed last.

    role: theirs in the couple that is next on the spine. back: the next person there, None where person 0 is
    the one placed last. partners: those of that couple off the spine. ahead: those of their other couple.
    """

    named: bool
    gender: int
    role: Role
    back: _Next | None
    partners: _Partners
    ahead: _Partners


@dataclass(frozen=True, eq=False, slots=True)
class _Beyond:
    """What lies beyond the next person on the spine: their other couple, and who comes after them."""

    partners: _Partners
    back: _Next | None
    beyond: "frozenset[_Beyond]"


_Cases = dict[_Case, set[_Beyond]]  # with everything that can lie beyond each
Labelled = set[tuple[int, int]]  # kinds that are possible, with the gender of the last person
_Fact = tuple[
    tuple[Steps, ...], int
]  # of a row: ways from the person before; the gender of the one after


def answer_row(question: KinQuestion, kinds: Kinds, work: Work) -> tuple[Labelled, bool] | None:
    """Return what is possible between persons 0 and 1 in trees, and whether something else is.

    None if the facts are no row between them.
    """
    row = _row(question, kinds)
    if row is None:
        return None
    first = question.genders[0]
    gender = _EITHER if first is None else first
    cases: _Cases = {_Case(True, gender, Role.CHILD, None, (), ()): set()}
    walk = _Walk(work)
    for ways, gender in row:
        found: _Cases = {}
        for steps in ways:
            after = cases
            for step in steps:
                after = walk.onward(after, step)
            for case, beyond in after.items():
                if not case.named and (case.gender == gender or _EITHER in (case.gender, gender)):
                    found.setdefault(_placed(case, gender), set()).update(beyond)
        cases = found
    kind_of = {steps: kind for kind, ways in enumerate(kinds.ways) for steps in ways}
    labels: Labelled = set()
    outside = False
    for case, beyond in cases.items():
        for way in _ways(case.role, case.back, beyond, max(kinds.reach)):
            if way is None or way not in kind_of:
                outside = True
            else:
                genders = (0, 1) if case.gender == _EITHER else (case.gender,)
                labels.update((kind_of[way], one) for one in genders)
    return labels, outside


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


class _Walk:
    """Walks on from cases, step by step; there is one `_Beyond` of each kind."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._known: dict[tuple[_Partners, _Next | None, frozenset[_Beyond]], _Beyond] = {}

    def onward(self, cases: _Cases, step: Step) -> _Cases:
        """Return the cases of those to whom a step leads."""
        after: _Cases = {}
        for case, beyond in cases.items():
            for then, behind in self._step(case, beyond, step):
                self._work.spend(_WEIGHT)
                after.setdefault(then, set()).update(behind)
        return after

    def _step(
        self, case: _Case, beyond: set[_Beyond], step: Step
    ) -> Iterator[tuple[_Case, Set[_Beyond]]]:
        named, gender, role, back, partners, ahead = case
        if back is None and role is step.start:  # both couples of person 0 are ahead
            role, partners, ahead = _OTHER[role], ahead, partners
        behind: Set[_Beyond] = beyond
        if turn := role is step.start:  # through the couple by which one came
            assert back is not None
            there, after = partners, back
            forgotten = role is Role.CHILD or not (named or ahead)
            left = partners if forgotten else tuple(sorted([*partners, (named, gender, ahead)]))
        else:
            key = partners, back, frozenset(beyond)
            behind = {self._known.setdefault(key, _Beyond(*key))}
            left = there = ahead
            after = _Next(step.start, named, gender)
        if step.end is Role.CHILD:
            yield _Case(False, _EITHER, step.end, after, left, ()), behind
        else:
            for one in dict.fromkeys(there):
                others = list(left)
                others.remove(one)
                yield _Case(one[0], one[1], step.end, after, tuple(others), one[2]), behind
            genders = [one[1] for one in there] + [after.gender] * (after.role is Role.PARTNER)
            genders += [gender] * (turn and role is Role.PARTNER)
            if len(genders) < 2:  # somebody else
                yield _Case(False, _opposite(*genders), step.end, after, left, ()), behind
        if turn and after.role is step.end:  # the next person on the spine
            for rest in beyond:
                yield (
                    _Case(
                        after.named, after.gender, _OTHER[step.end], rest.back, rest.partners, left
                    ),
                    rest.beyond,
                )


def _opposite(gender: int = _EITHER) -> int:
    return gender if gender == _EITHER else 1 - gender


def _placed(case: _Case, gender: int) -> _Case:
    """Return the case in which the present person has a name and this gender, and their spouse the other."""
    if gender == _EITHER:
        return case._replace(named=True)
    back, spouse = case.back, 1 - gender
    partners, ahead = case.partners, case.ahead
    if case.role is Role.CHILD:
        ahead = tuple((named, spouse, parents) for named, _, parents in ahead)
    else:
        partners = tuple((named, spouse, parents) for named, _, parents in partners)
        back = back._replace(gender=spouse) if back and back.role is Role.PARTNER else back
    return _Case(True, gender, case.role, back, partners, ahead)


def _ways(
    role: Role, back: _Next | None, beyond: Set[_Beyond], most: int
) -> Iterator[Steps | None]:
    """Yield the ways from person 0; None for those of more steps than this."""
    if back is None:
        yield ()
    elif not most:
        yield None
    else:
        step = Step.between(back.role, role)
        for rest in beyond:
            for way in _ways(_OTHER[back.role], rest.back, rest.beyond, most - 1):
                yield None if way is None else (*way, step)
