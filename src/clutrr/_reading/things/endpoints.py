"""The relations of time that constraints on beginnings and ends leave."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from operator import eq, ge, gt, le, lt

from clutrr._reading.things.meaning import Kinds, Rule

Bounds = Mapping[str, tuple[float, float]]  # of a start and an end
_SIGNS: Mapping[str, Callable[[int, int], bool]] = {"<": lt, "<=": le, "=": eq, ">=": ge, ">": gt}
_POINT = {"start": 0, "end": 1}


@lru_cache(4096)
def kinds_of(rules: tuple[Rule, ...]) -> Kinds:
    """Return what one event can be to another under rules for their points, in the order of the theory."""
    from clutrr.theory.time import Time  # needs numpy, which other worlds do without

    found = {
        Time.relation(other, one)
        for one in Time.things()
        for other in Time.things()
        if all(
            _SIGNS[rule.sign](one[_POINT[rule.point]], other[_POINT[rule.other]]) for rule in rules
        )
    }
    return tuple(kind for kind in Time.kinds if kind in found)


def kinds_between(one: Bounds, other: Bounds) -> Kinds:
    """Return what one event can be to another where their points lie between bounds."""
    return kinds_of(tuple(_rules(one, other)))


def _rules(one: Bounds, other: Bounds) -> Iterable[Rule]:
    """Yield what holds of two points. A span that is no moment ends before its upper bound: a day before the next."""
    for point, (low, high) in one.items():
        for against, (lowest, highest) in other.items():
            if low == high == lowest == highest:
                yield Rule(point, "=", against)
            elif high <= lowest:
                yield Rule(point, "<" if high < lowest or low < high else "<=", against)
            elif low >= highest:
                yield Rule(point, ">" if low > highest or lowest < highest else ">=", against)
