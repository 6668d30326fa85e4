"""Scenes of entities that have a place: points on a line or a map, bars on a time line, boxes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clutrr._puzzle import Fact
from clutrr.theory.drawing import Drawing, Node, draw_facts
from clutrr.theory.solver import Scene

Box = tuple[int, int, int, int]  # left, right, bottom, top


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
