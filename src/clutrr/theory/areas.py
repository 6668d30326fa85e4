"""Areas as boxes: where boxes can lie that are related as facts of RCC-8 say."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt

from clutrr.theory.apart import groups_apart
from clutrr.theory.boxes import Box

# Sides as numbers, in two axes: [..., 0] is the left or the lower side, [..., 1] the right or the upper one.
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
BoxFact = tuple[str, str, str]  # (a, kind, b): b is kind to a

_CONVERSE = {"TPP": "TPPI", "NTPP": "NTPPI", "TPPI": "TPP", "NTPPI": "NTPP"}  # others: their own
_MOST_TRIED = 60  # boxes, before a scene is given up
_KEPT = 8  # places of a box that are tried, best first
_AT_ONCE = 1 << 15  # candidates compared at once, to bound the memory


def place_areas(facts: Sequence[BoxFact]) -> Mapping[str, Box] | None:
    """Return boxes that are related as facts say, with small whole numbers as sides.

    Boxes of which no fact says anything are kept apart where that is easy.

    Args:
        facts: kinds of RCC-8 between names.

    Returns:
        Left, right, bottom and top of the box of each name; None if a short search finds none.
    """
    groups, _ = groups_apart((a, b, 0) for a, _, b in facts)
    # Each name soon after one that a fact joins it to.
    order = [name for group in groups for name in group]
    placed: dict[str, Floats] = {}  # by name: sides [2 axes, 2]
    tried = 0

    def place(number: int) -> bool:
        nonlocal tried
        if number == len(order):
            return True
        name = order[number]
        bound = _bound(name, facts, placed)
        if bound is None:
            return False
        for box in _best_places(bound, list(placed.values())):
            tried += 1
            if tried > _MOST_TRIED:
                break
            placed[name] = box
            if place(number + 1):
                return True
            del placed[name]
        return False

    if not place(0):
        return None
    return _as_ranks(placed)


def _bound(
    name: str, facts: Sequence[BoxFact], placed: Mapping[str, Floats]
) -> list[tuple[str, Floats]] | None:
    """Return what a box must be to boxes that are placed; None if it must be something to itself."""
    bound = []
    for a, kind, b in facts:
        if a == b == name and kind != "EQ":
            return None
        if b == name and a in placed:
            bound.append((kind, placed[a]))
        elif a == name and b in placed:
            bound.append((_CONVERSE.get(kind, kind), placed[b]))
    return bound


def _best_places(bound: Sequence[tuple[str, Floats]], placed: Sequence[Floats]) -> list[Floats]:
    """Return the first few places of a box, those that meet fewest other boxes first."""
    found: list[tuple[int, int, Floats]] = []  # boxes met, number of the candidate, sides
    seen = 0
    for boxes in _candidates(bound, placed):
        fits = np.ones(len(boxes), dtype=bool)
        for kind, other in bound:
            fits &= relations(other, boxes) == kind
        numbers = np.flatnonzero(fits)
        met = np.zeros(len(numbers), dtype=int)
        for other in placed:
            met += _meet(other, boxes[numbers])
        first = np.argsort(met, kind="stable")[:_KEPT]
        found += [(int(met[i]), seen + int(numbers[i]), boxes[numbers[i]]) for i in first]
        found = sorted(found, key=lambda one: one[:2])[:_KEPT]
        if len(found) == _KEPT and found[-1][0] == 0:
            break  # nothing later can be better
        seen += len(boxes)
    return [box for _, _, box in found]


def relations(box: Floats, others: Floats) -> npt.NDArray[np.str_]:
    """Return what each of other boxes [n, 2, 2] is to a box [2, 2], as kinds [n] of RCC-8."""
    low, high = others[:, :, 0], others[:, :, 1]
    gap = np.maximum(box[:, 0] - high, low - box[:, 1]).max(axis=1)
    inside = ((box[:, 0] <= low) & (high <= box[:, 1])).all(axis=1)
    around = ((low <= box[:, 0]) & (box[:, 1] <= high)).all(axis=1)
    touching = ((low == box[:, 0]) | (high == box[:, 1])).any(axis=1)
    kinds = {
        "DC": gap > 0,
        "EC": gap == 0,
        "EQ": inside & around,
        "TPP": inside & touching,
        "NTPP": inside,
        "TPPI": around & touching,
        "NTPPI": around,
    }
    return np.select(list(kinds.values()), list(kinds), "PO")


def _meet(box: Floats, others: Floats) -> Flags:
    """Return which of other boxes [n, 2, 2] have a point in common with a box [2, 2]."""
    met = (others[:, :, 0] <= box[:, 1]) & (box[:, 0] <= others[:, :, 1])
    return np.asarray(met.all(axis=1))


def _candidates(bound: Sequence[tuple[str, Floats]], placed: Sequence[Floats]) -> Iterator[Floats]:
    """Yield boxes [n, 2, 2]: one apart from all; then those with sides on, between and beyond bound ones."""
    beyond = max((float(box[0, 1]) for box in placed), default=0.0)
    yield np.array([[[beyond + 1, beyond + 3], [0.0, 2.0]]])
    if not bound:
        return
    across, upwards = (_intervals(bound, axis) for axis in (0, 1))
    if not len(across) or not len(upwards):
        return
    rows = max(1, _AT_ONCE // len(upwards))
    for start in range(0, len(across), rows):
        some = across[start : start + rows]
        boxes = np.empty((len(some), len(upwards), 2, 2))
        boxes[:, :, 0] = some[:, None]
        boxes[:, :, 1] = upwards[None]
        yield boxes.reshape(-1, 2, 2)


def _intervals(bound: Sequence[tuple[str, Floats]], axis: int) -> Floats:
    """Return the intervals [n, 2] of an axis that no relation to a bound box rules out by itself."""
    marks = _marks({float(side) for _, box in bound for side in box[axis]})
    found = np.array(list(combinations(marks, 2)))
    low, high = found[:, 0], found[:, 1]
    fits = np.ones(len(found), dtype=bool)
    for kind, box in bound:
        left, right = box[axis]
        if kind in ("EQ", "TPP", "NTPP"):
            fits &= (left <= low) & (high <= right)
        if kind in ("EQ", "TPPI", "NTPPI"):
            fits &= (low <= left) & (right <= high)
        if kind != "DC":
            fits &= (low <= right) & (left <= high)
    return found[fits]


def _marks(sides: set[float]) -> list[float]:
    """Return the sides, a place between any two next to each other, and two beyond each end."""
    found = sorted(sides)
    between = [(one + other) / 2 for one, other in pairwise(found)]
    return sorted({*found, *between, found[0] - 1, found[0] - 2, found[-1] + 1, found[-1] + 2})


def _as_ranks(placed: Mapping[str, Floats]) -> dict[str, Box]:
    """Return the boxes with each side as its rank among the sides of all boxes in its axis."""
    axes = [sorted({float(side) for box in placed.values() for side in box[i]}) for i in (0, 1)]
    rank = [{side: number for number, side in enumerate(sides)} for sides in axes]
    return {
        name: (
            rank[0][float(box[0, 0])],
            rank[0][float(box[0, 1])],
            rank[1][float(box[1, 0])],
            rank[1][float(box[1, 1])],
        )
        for name, box in placed.items()
    }
