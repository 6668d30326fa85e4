"""What facts leave possible in the theories given by models, by other programs: nothing composes kinds.

Points, intervals and directions: an order without a cycle. Places one step apart: linear equations. Regions:
one spot for everything that some fact says there is. A spot is a border of two cells, each of them in some of
the regions, where all that the facts forbid is kept; it can be found for each such thing by itself.
"""

from collections.abc import Iterable, Sequence
from graphlib import CycleError, TopologicalSorter

import numpy as np

from clutrr._puzzle import Fact

# How the start and end of b lie to those of a, as Allen defines his relations: each "point of b, sign, point
# of a", or both the same.
INTERVALS = {
    "=": "s=s e=e",
    "<": "e<s",
    ">": "s>e",
    "m": "e=s",
    "mi": "s=e",
    "o": "s<s e>s e<e",
    "oi": "s>s s<e e>e",
    "s": "s=s e<e",
    "si": "s=s e>e",
    "f": "e=e s>s",
    "fi": "e=e s<s",
    "d": "s>s e<e",
    "di": "s<s e>e",
}
Point = tuple[str, str]


def compared(name: str, fact: Fact) -> Iterable[tuple[Point, str, Point]]:
    """What a fact says of points: the points of an entity are named by a letter."""
    a, kind, b = fact
    if name == "order":
        yield ("x", b), kind, ("x", a)
    elif name == "time":
        for entity in (a, b):
            yield ("s", entity), "<", ("e", entity)
        for one, sign, other in INTERVALS[kind].split():
            yield (one, b), sign, (other, a)
    else:
        for axis, low, high in (("x", "W", "E"), ("y", "S", "N")):
            sign = "=" if kind == "Eq" else "<" if low in kind else ">" if high in kind else "="
            yield (axis, b), sign, (axis, a)


def points_fit(name: str, facts: Sequence[Fact]) -> bool:
    said = [one for fact in facts for one in compared(name, fact)]
    same: dict[Point, Point] = {}

    def find(point: Point) -> Point:
        while point in same:
            point = same[point]
        return point

    for one, sign, other in said:
        if sign == "=" and find(one) != find(other):
            same[find(one)] = find(other)
    above: dict[Point, set[Point]] = {}
    for one, sign, other in said:
        if sign != "=":
            low, high = (one, other) if sign == "<" else (other, one)
            above.setdefault(find(low), set()).add(find(high))
    if any(low in higher for low, higher in above.items()):
        return False
    try:
        TopologicalSorter(above).prepare()
    except CycleError:
        return False
    return True


Literal = tuple[str, int, bool]  # a region, a cell of the spot, whether it is in the region


def regions_fit(_: str, facts: Sequence[Fact]) -> bool:
    follows: dict[Literal, list[Literal]] = {}
    needed: list[list[Literal]] = []

    def imply(one: Literal, other: Literal) -> None:
        for first, then in ((one, other), ((*other[:2], not other[2]), (*one[:2], not one[2]))):
            follows.setdefault(first, []).append(then)

    for a, kind, b in facts:
        if kind in ("TPPI", "NTPPI"):
            a, kind, b = b, kind[:-1], a
        needed += [[(a, 1, True)], [(b, 1, True)]]
        cells = [(c, d) for c in (1, 2) for d in (1, 2)]
        for c, d in cells:
            if kind == "NTPP" or (kind in ("TPP", "EQ") and c == d):
                imply((b, c, True), (a, d, True))
            if kind == "EQ" and c == d:
                imply((a, c, True), (b, d, True))
            if kind == "DC" or (kind == "EC" and c == d):
                imply((a, c, True), (b, d, False))
        if kind in ("TPP", "NTPP", "PO"):
            needed.append([(a, 1, True), (b, 1, False)])
        if kind == "TPP":  # a cell of b beside one that is not of a
            needed.append([(b, 1, True), (a, 2, False)])
        if kind == "EC":
            needed.append([(a, 1, True), (b, 2, True)])
        if kind == "PO":
            needed += [[(a, 1, True), (b, 1, True)], [(b, 1, True), (a, 1, False)]]
    return all(spot_fits(start, follows) for start in needed)


def spot_fits(start: list[Literal], follows: dict[Literal, list[Literal]]) -> bool:
    """Whether what follows from these does not contradict itself; all other cells can be outside."""
    found, todo = set(start), list(start)
    for literal in todo:
        new = [then for then in follows.get(literal, ()) if then not in found]
        found.update(new)
        todo += new
    return not any((region, cell, not inside) in found for region, cell, inside in found)


def by_steps(facts: Sequence[Fact], query: tuple[str, str], kinds: Sequence[str]) -> set[str]:
    names = list(dict.fromkeys(name for a, _, b in facts for name in (a, b)))
    rows, steps = np.zeros((len(facts) + 1, len(names))), np.zeros((len(facts), 2))
    for i, (a, kind, b) in enumerate([*facts, Fact(query[0], "Eq", query[1])]):
        rows[i, names.index(b)] += 1
        rows[i, names.index(a)] -= 1
        if i < len(facts) and kind != "Eq":
            steps[i] = ("E" in kind) - ("W" in kind), ("N" in kind) - ("S" in kind)
    places = np.linalg.lstsq(rows[:-1], steps, rcond=None)[0]
    if np.abs(rows[:-1] @ places - steps).max() > 1e-6:
        return set()
    if np.linalg.matrix_rank(rows) > np.linalg.matrix_rank(rows[:-1]):  # nothing joins the two
        return set(kinds)
    east, north = np.sign((rows[-1] @ places).round(6)).astype(int)
    return {("S", "", "N")[north + 1] + ("W", "", "E")[east + 1] or "Eq"}


def possible(
    name: str, assume: str, facts: Sequence[Fact], query: tuple[str, str], kinds: Sequence[str]
) -> set[str]:
    """Return every kind that can hold between the queried entities; none if the facts contradict each other.

    The relations of the facts are kinds; `kinds` are all of them.
    """
    if assume == "unit":
        return by_steps(facts, query, kinds)
    fit = regions_fit if name == "regions" else points_fit
    return {kind for kind in kinds if fit(name, [*facts, Fact(query[0], kind, query[1])])}
