"""Facts in a row, from one person to the other: decided as chains if trying cases takes too long.

A world that is a tree joins two people in one way at most, so the ways in which a chain can sit are
followed by their ends alone (see `clutrr.world.chains`), at a cost that grows as a power of the length.
The generator uses the same chains; everything else the solver decides without them.
"""

from clutrr.solver.question import Question
from clutrr.world import World

_LONGEST = 80  # facts


def answer_row(question: Question, world: World) -> tuple[tuple[str, ...], bool] | None:
    """What is possible between persons 0 and 1 in trees; None unless a row of facts states all genders."""
    found = _row(question, world)
    if found is None:
        return None
    pattern, genders = found
    possible = world.chains.kinds(pattern, genders)
    relations = tuple(
        kind.words[genders[-1]] for number, kind in enumerate(world.kinds) if number in possible
    )
    return relations, world.chains.outside(pattern, genders)


def _row(question: Question, world: World) -> tuple[list[int], list[int]] | None:
    """The kinds from person 0 to person 1, and the genders of everybody after person 0."""
    links, genders = question.links, question.genders
    if len(links) > _LONGEST or len(links) != len(genders) - 1:
        return None
    near: dict[int, dict[int, int]] = {}
    for head, kind, tail in links:
        near.setdefault(head, {})[tail] = kind
        near.setdefault(tail, {})[head] = world.index[world.kinds[kind].inverse]
    pattern: list[int] = []
    told: list[int] = []
    before, person = -1, 0
    while person != 1:
        others = [other for other in near.get(person, {}) if other != before]
        if len(others) != 1 or len(pattern) == len(links):
            return None
        before, person = person, others[0]
        gender = genders[person]
        if gender is None:
            return None
        pattern.append(near[before][person])
        told.append(gender)
    return (pattern, told) if len(pattern) == len(links) and genders[0] is None else None
