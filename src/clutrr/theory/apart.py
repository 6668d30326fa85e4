"""How far things are from each other that steps join: rows of a drawing, places on a map, levels."""

from collections.abc import Iterable
from typing import TypeVar

_Thing = TypeVar("_Thing", int, str)


def groups_apart(
    steps: Iterable[tuple[_Thing, _Thing, int]],
) -> tuple[list[dict[_Thing, int]], bool]:
    """Return how far each thing is from the first of its group, and whether all steps agree with that.

    steps: from one thing, to another, how far. A group is what steps join.
    """
    near: dict[_Thing, list[tuple[_Thing, int]]] = {}
    for one, other, far in steps:
        near.setdefault(one, []).append((other, far))
        near.setdefault(other, []).append((one, -far))
    groups: list[dict[_Thing, int]] = []
    seen: set[_Thing] = set()
    agree = True
    for start in near:
        if start in seen:
            continue
        found = {start: 0}
        waiting = [start]
        for one in waiting:
            for other, far in near[one]:
                if other not in found:
                    found[other] = found[one] + far
                    waiting.append(other)
                agree &= found[other] == found[one] + far
        seen |= found.keys()
        groups.append(found)
    return groups, agree
