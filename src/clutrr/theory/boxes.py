"""Scenes of entities that have a place: points on a line or a map, bars on a time line, boxes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from typing import Any

from clutrr._puzzle import Fact
from clutrr.theory.apart import groups_apart
from clutrr.theory.drawing import Drawing, Node, draw_facts
from clutrr.theory.solver import Scene

Box = tuple[int, int, int, int]  # left, right, bottom, top
_MOST_TRIED = 60  # boxes, before a scene is given up


@dataclass(frozen=True)
class BoxScene(Scene):
    """Entities as boxes, which may have no width and no height.

    words: of the scene, a line for people. key: what the picture means. stacked: whether every box is on a
    row of its own, and its height means nothing.
    """

    boxes: Mapping[str, Box]
    words: str
    key: str
    stacked: bool = False

    def __str__(self) -> str:
        return self.words

    def to_dict(self) -> dict[str, Any]:
        return {"boxes": {name: list(box) for name, box in self.boxes.items()}}

    def drawing(self, named: Iterable[str] = ()) -> Drawing:
        rows = sorted(self.boxes, key=lambda name: self.boxes[name]) if self.stacked else []
        top = max((box[3] for box in self.boxes.values()), default=0)
        nodes = []
        for name, (left, right, low, high) in self.boxes.items():
            row = rows.index(name) if self.stacked else top - (low + high) / 2
            nodes.append(Node(name, (left + right) / 2, row, width=right - left, height=high - low))
        return Drawing(tuple(nodes), key=self.key, to_scale=True)


@dataclass(frozen=True)
class GraphScene(Scene):
    """A scene of which only its facts are known: a graph of them, where no picture to scale was found."""

    facts: tuple[Fact, ...]

    def __str__(self) -> str:
        return "; ".join(f"{tail} {relation} {head}" for head, relation, tail in self.facts)

    def to_dict(self) -> dict[str, Any]:
        return {"facts": [list(fact) for fact in self.facts]}

    def drawing(self, named: Iterable[str] = ()) -> Drawing:
        return draw_facts({(fact.head, fact.tail): 0 for fact in self.facts})


def ranks(points: Sequence[str], signs: Mapping[tuple[str, str], str]) -> dict[str, int]:
    """Return where points are on a line: 0, 1, ... signs: of all pairs (a, b), how b lies to a."""
    below = dict.fromkeys(points, 0)
    for (a, b), sign in signs.items():
        if sign != "=":
            below[b if sign == ">" else a] += 1
    place = {count: rank for rank, count in enumerate(sorted(set(below.values())))}
    return {point: place[below[point]] for point in points}


def in_a_row(place: Mapping[str, int]) -> str:
    """Return points on a line in words, from the lowest."""
    levels: dict[int, list[str]] = {}
    for name, rank in sorted(place.items(), key=lambda item: item[1]):
        levels.setdefault(rank, []).append(name)
    return " < ".join(" = ".join(names) for names in levels.values())


def place_boxes(
    facts: Sequence[tuple[str, str, str]], relation: Callable[[Box, Box], str]
) -> Mapping[str, Box] | None:
    """Return boxes that are related as facts (a, kind, b) say; None if a short search finds none.

    relation: what the second box is to the first. Boxes of which no fact says anything are kept apart where
    that is easy.
    """
    groups, _ = groups_apart((a, b, 0) for a, _, b in facts)
    order = [
        name for group in groups for name in group
    ]  # each soon after one that a fact joins it to
    placed: dict[str, tuple[float, ...]] = {}
    tried = 0

    def place(number: int) -> bool:
        nonlocal tried
        if number == len(order):
            return True
        name = order[number]
        bound = [
            (a, kind, b)
            for a, kind, b in facts
            if name in (a, b) and {a, b} - {name} <= placed.keys()
        ]
        fitting: list[tuple[int, int, tuple[float, ...]]] = []
        for box in _candidates(
            [placed[a if b == name else b] for a, _, b in bound if a != b], placed
        ):
            placed[name] = box
            if all(relation(placed[a], placed[b]) == kind for a, kind, b in bound):  # type: ignore[arg-type]
                near = [other for other in placed if other != name and _meet(box, placed[other])]
                fitting.append((len(near), len(fitting), box))
        placed.pop(name, None)
        for _, _, box in sorted(fitting)[:8]:
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
    across = sorted({side for box in placed.values() for side in box[:2]})
    upwards = sorted({side for box in placed.values() for side in box[2:]})
    return {
        name: (
            across.index(box[0]),
            across.index(box[1]),
            upwards.index(box[2]),
            upwards.index(box[3]),
        )
        for name, box in placed.items()
    }


def _meet(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(one[i] <= other[i + 1] and other[i] <= one[i + 1] for i in (0, 2))


def _candidates(
    near: Sequence[tuple[float, ...]], placed: Mapping[str, tuple[float, ...]]
) -> Iterator[tuple[float, ...]]:
    """Yield boxes whose sides are on, between and beyond those of others; or one apart from all."""
    beyond = max((box[1] for box in placed.values()), default=0.0)
    yield beyond + 1, beyond + 3, 0.0, 2.0
    if not near:
        return
    across = combinations(_marks({side for box in near for side in box[:2]}), 2)
    upwards = combinations(_marks({side for box in near for side in box[2:]}), 2)
    for (left, right), (low, high) in product(across, upwards):
        yield left, right, low, high


def _marks(sides: set[float]) -> list[float]:
    """Return the sides, a place between any two next to each other, and two beyond each end."""
    found = sorted(sides)
    between = [(one + other) / 2 for one, other in pairwise(found)]
    return sorted({*found, *between, found[0] - 1, found[0] - 2, found[-1] + 1, found[-1] + 2})
