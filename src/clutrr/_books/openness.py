"""Which plans are open on the indices of a scene: what is told leaves several answers possible.

Said only where it is certain. That it is, is proved from the articles by scenes.py.
"""

from collections.abc import Mapping

from clutrr._books.execute import Executor, Found
from clutrr._books.families import TRIBE
from clutrr._books.plans import IS, Condition, Plan
from clutrr._books.vocabulary import CHILDREN, SIBLINGS

_MORE = ("many", "child", "one", "more")
_EMPTY = ("many", "child", "one")


def is_open(executor: Executor, plan: Plan, at: Mapping[str, int]) -> bool:
    """Return whether the answer is certain to be open."""
    if plan.kind in ("relation", "compare"):
        return _two(executor, plan, at)
    if plan.kind == "more":
        return _more(executor, plan, at)
    found = executor.index.route([at[name] for name in plan.route.names], plan.route.steps)
    if plan.kind == "count":
        return found.gap in _MORE and grows(executor, plan.route.steps[-1])
    if plan.kind in ("list", "value"):
        return found.gap in _MORE
    if plan.kind == "exists" and plan.condition is None:
        grown = grows(executor, plan.route.steps[-1])
        return not found.members and found.gap in _EMPTY and grown
    if found.complete is None or not found.members:
        return False
    if plan.kind == "most":
        return _several(executor, found, plan.test)
    assert plan.condition is not None
    if plan.kind == "exists" and len(found.members) > 1:
        return False
    held = [executor.holds(one, plan.condition, at) for one in found.members]
    unknown = [one for one, known in zip(found.members, held, strict=True) if known is None]
    return bool(unknown) and all(_may(executor, one, plan.condition, at) for one in unknown)


def grows(executor: Executor, step: str) -> bool:
    """Return whether a step can lead to any number of entities."""
    relative = executor.words.relatives.get(step)
    if relative is None:
        return executor.words.links[step].many
    return all(way[-1] in (*CHILDREN, *SIBLINGS) for way in relative.ways)


def _may(executor: Executor, entity: int, condition: Condition, at: Mapping[str, int]) -> bool:
    """Return whether a condition may hold of an entity, and may not."""
    target = None
    if condition.target is not None:
        led = executor.one(condition.target, at)
        if led is None or led[0] == entity:
            return False
        target = led[0]
    if condition.test == IS:
        if len(condition.steps) != 1:
            return False
        return executor.index.route([entity], condition.steps).gap in ("one", "many")
    return (
        not condition.steps
        and target is not None
        and _either(executor, entity, condition.test, target)
    )


def _either(executor: Executor, one: int, test: str, other: int) -> bool:
    comparison = executor.words.comparisons[test]
    if not _sensible(executor, comparison.part, one, other):
        return False
    relations = executor.index.relations[comparison.part]
    possible, mask = relations.possible(other, one), relations.mask(comparison.kinds)
    return bool(possible & mask and possible & ~mask)


def _sensible(executor: Executor, part: str, one: int, other: int) -> bool:
    """Return whether no common sense decides: that people are older than their grandchildren."""
    scene = executor.index.scene
    if part != "ages" or scene.families is None or one // TRIBE != other // TRIBE:
        return True
    return scene.group(part, one) == scene.group(part, other)


def _several(executor: Executor, found: Found, test: str) -> bool:
    """Return whether any of two or more may be beyond all the others."""
    comparison = executor.words.comparisons[test]
    relations = executor.index.relations[comparison.part]
    mask = relations.mask(comparison.kinds)
    members = list(found.members)
    if not all(_sensible(executor, comparison.part, members[0], other) for other in members):
        return False
    may = [
        one
        for one in members
        if all(relations.possible(other, one) & mask for other in members if other != one)
    ]
    return len(may) > 1


def _two(executor: Executor, plan: Plan, at: Mapping[str, int]) -> bool:
    assert plan.other is not None
    first, second = executor.one(plan.route, at), executor.one(plan.other, at)
    if first is None or second is None or first[0] == second[0]:
        return False
    if plan.kind == "relation":
        if not _sensible(executor, plan.part, first[0], second[0]):
            return False
        possible = executor.index.relations[plan.part].possible(first[0], second[0])
        return bool(possible & (possible - 1))
    both = (first[0], second[0]), (second[0], first[0])
    return all(_either(executor, one, plan.test, other) for one, other in both)


def _more(executor: Executor, plan: Plan, at: Mapping[str, int]) -> bool:
    assert plan.other is not None
    first, second = executor.one(plan.route, at), executor.one(plan.other, at)
    if first is None or second is None or first[0] == second[0]:
        return False
    ways = executor.words.relatives[plan.test].ways
    if any(way[0] not in CHILDREN or len(way) > 1 for way in ways):
        return False  # of others, two may have some in common
    families = executor.index.scene.families
    assert families is not None
    if families.own[first[0]] == families.own[second[0]] >= 0:
        return False
    found = [executor.index.word(one[0], plan.test) for one in (first, second)]
    gaps = [one.gap in _EMPTY for one in found]
    if any(one.complete is None and not gap for one, gap in zip(found, gaps, strict=True)):
        return False
    if all(gaps):
        return True
    for one, other, gap in ((found[0], found[1], gaps[0]), (found[1], found[0], gaps[1])):
        if gap:
            return len(one.members) <= len(other.members)
    return False
