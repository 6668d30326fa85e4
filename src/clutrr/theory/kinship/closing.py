"""What else the ends of a chain can be to each other if a marriage links families that are already linked.

Place the chain in a tree (see `placements`), add the relation between its two ends, with new people on the way,
and merge what must be the same: of three partners in a couple, two are one person, who comes from one couple.
The result is possible if nobody is their own ancestor or marries a relative. Why one cycle is enough:
docs/notes/2026-11-17-kinship-arguments.md.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from clutrr.theory.kinship.placements import NAMED, NAMELESS, Partners, State
from clutrr.theory.kinship.steps import Role, Step, Steps, inverse


class _World(NamedTuple):
    """People and couples by number; those that were merged have one number, found by `_find`.

    marks, birth, marriage: of each person (couples: -1 where not known).
    apart: pairs of people who cannot be one person, since both are in the same couple.
    """

    marks: list[int]
    birth: list[int]
    marriage: list[int]
    person: list[int]
    couple: list[int]
    apart: set[tuple[int, int]]

    def copy(self) -> "_World":
        marks, birth, marriage, person, couple, apart = self
        return _World(marks[:], birth[:], marriage[:], person[:], couple[:], apart)


def closes(state: State, steps: Steps) -> bool:
    """Return whether the steps can also lead from x0 to the last person of a chain placed like this."""
    return next(couples_if_closed(state, steps), None) is not None


def couples_if_closed(state: State, steps: Steps) -> Iterator[frozenset[tuple[int, int]]]:
    """Yield the pairs of marks of partners, for each way in which the steps can also lead there."""
    if _marriages(state.steps, steps) >= 2:
        world, last = _build(state)
        _lay(world, steps, last)
        for members in _settle(world):
            pairs = (sorted(pair) for pair in members if min(pair) > NAMED)
            yield frozenset((a, b) for a, b in pairs)


def _marriages(spine: Steps, steps: Steps) -> int:
    """Return how many times the cycle leads into a couple from two sides, before people are merged."""
    around = [*spine, *inverse(steps)]
    while len(around) > 1:  # join neighbours that pass through one couple
        seam = next((i for i in range(len(around)) if around[i - 1].end is around[i].start), None)
        if seam is None:
            break
        around[seam] = Step((around[seam - 1].start, around[seam].end))
        del around[seam - 1]
    return around.count(Step.SPOUSE)


def _new_person(world: _World, mark: int) -> int:
    world.marks.append(mark)
    world.birth.append(-1)
    world.marriage.append(-1)
    world.person.append(len(world.person))
    return len(world.person) - 1


def _new_couple(world: _World) -> int:
    world.couple.append(len(world.couple))
    return len(world.couple) - 1


def _couple_of(world: _World, person: int, role: Role) -> int:
    couples = world.birth if role is Role.CHILD else world.marriage
    if couples[person] < 0:
        couples[person] = _new_couple(world)
    return couples[person]


def _join(world: _World, person: int, role: Role, couple: int) -> None:
    (world.birth if role is Role.CHILD else world.marriage)[person] = couple


def _add_partners(world: _World, couple: int, partners: Partners, there: list[int]) -> None:
    """The known partners of a couple and their ancestors; `there`: who else is in it."""
    members = list(there)
    for partner in partners:
        if partner is None:
            continue
        mark, parents = partner
        person = _new_person(world, mark)
        _join(world, person, Role.PARTNER, couple)
        members.append(person)
        if parents is not None:
            above = _couple_of(world, person, Role.CHILD)
            _add_partners(world, above, parents, [person])
    world.apart.update(combinations(members, 2))


def _build(state: State) -> tuple[_World, int]:
    """Return the people of a state, x0 first, and the number of the last."""
    world = _World([], [], [], [], [], set())
    person = _new_person(world, NAMED)
    first, *_ = state.spine
    _other_couple(world, person, first.start, state.origin)
    for node in state.spine:
        couple = _couple_of(world, person, node.start)
        after = _new_person(world, node.mark)
        _join(world, after, node.end, couple)
        _add_partners(world, couple, node.partners, [person, after])
        person = after
    _other_couple(world, person, state.spine[-1].end, state.ahead)
    return world, person


def _other_couple(world: _World, person: int, role: Role, partners: Partners) -> None:
    """What is known of the couple that a person has another role in."""
    if any(partner is not None for partner in partners):
        other = Role.PARTNER if role is Role.CHILD else Role.CHILD
        _add_partners(world, _couple_of(world, person, other), partners, [person])


def _lay(world: _World, steps: Steps, last: int) -> None:
    """Lay the steps from x0 to the last person."""
    person = 0
    for step in steps[:-1]:
        after = _new_person(world, NAMELESS)
        _join(world, after, step.end, _couple_of(world, person, step.start))
        world.apart.add((person, after))
        person = after
    step = steps[-1]
    world.apart.add((person, last))
    _put_couples(world, _couple_of(world, person, step.start), _couple_of(world, last, step.end))


def _find(parts: list[int], number: int) -> int:
    while parts[number] != number:
        number = parts[number]
    return number


def _put_couples(world: _World, a: int, b: int) -> None:
    world.couple[_find(world.couple, b)] = _find(world.couple, a)


def _put_people(world: _World, a: int, b: int) -> bool:
    """Merge two people, and the couples they come from and are partners in."""
    a, b = _find(world.person, a), _find(world.person, b)
    if world.marks[a] and world.marks[b]:
        return False
    world.person[b] = a
    world.marks[a] = world.marks[a] or world.marks[b]
    if any(_find(world.person, c) == _find(world.person, d) for c, d in world.apart):
        return False
    for couples in (world.birth, world.marriage):
        if couples[a] < 0:
            couples[a] = couples[b]
        elif couples[b] >= 0:
            _put_couples(world, couples[a], couples[b])
    return True


def _settle(world: _World) -> Iterator[list[list[int]]]:
    """Yield, for each way to merge people such that every couple has at most two partners, the marks of the
    partners of every couple that has two."""
    partners: dict[int, list[int]] = {}
    for person, part in enumerate(world.person):
        if person == part and world.marriage[person] >= 0:
            partners.setdefault(_find(world.couple, world.marriage[person]), []).append(person)
    for members in partners.values():
        if len(members) > 2:
            for a, b in combinations(members, 2):
                tried = world.copy()
                if _put_people(tried, a, b):
                    yield from _settle(tried)
            return
    marks = [[world.marks[a] for a in members] for members in partners.values() if len(members) == 2]
    if not any(a == b > NAMED for a, b in marks) and _sound(world, partners):
        yield marks


def _sound(world: _World, partners: dict[int, list[int]]) -> bool:
    """Return whether nobody is their own ancestor, and nobody marries a relative."""
    parents: dict[int, list[int]] = {}  # of each couple, the couples that its partners come from
    for couple, members in partners.items():
        births = [world.birth[person] for person in members]
        parents[couple] = [_find(world.couple, birth) for birth in births if birth >= 0]
    for couple, above in parents.items():
        kin = [set(_ancestors(parents, birth)) for birth in above]
        if any(couple in ancestors for ancestors in kin):
            return False
        if len(kin) == 2 and kin[0] & kin[1]:
            return False
    return True


def _ancestors(parents: dict[int, list[int]], couple: int) -> Iterator[int]:
    """Yield the couple, and all above it."""
    seen, todo = {couple}, [couple]
    while todo:
        at = todo.pop()
        yield at
        for above in parents.get(at, ()):
            if above not in seen:
                seen.add(above)
                todo.append(above)
