"""Where to draw the entities of a scene: rows of nodes, few crossing lines.

A unit is a few entities side by side, or one alone. Units come in their rows as a walk along the links finds
them, so that few lines cross, and are moved towards the units they are linked to, as far as there is room.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise

from clutrr.theory.apart import groups_apart

_NAMED, _UNNAMED, _EMPTY = 1.0, 0.5, 0.2  # widths; a unit may have no member
_MEMBERS, _UNITS = 0.22, 0.3  # gaps between the members of a unit, and between units
_SWEEPS = 12


@dataclass(frozen=True)
class Node:
    """An entity of the drawing; one without a name is called ?1, ?2, ...

    x: its middle, in widths of an entity with a name. row: 0 is the top one. form: a number, -1 if not known.
    width, height: of the box that it is, if it is one.
    """

    name: str
    x: float
    row: float
    form: int = -1
    width: float = 0
    height: float = 0


@dataclass(frozen=True)
class Junction:
    """Lines that join nodes: a double line between its members, and lines down to those below.

    members, below: numbers of nodes. x, row: the middle of the members. words: what the lines mean, with {3}
    for node 3.
    """

    members: tuple[int, ...]
    below: tuple[int, ...]
    x: float
    row: int
    words: str


@dataclass(frozen=True)
class Drawing:
    """A scene laid out. key: what it shows, or what the lines of its junctions mean, in a few words.

    to_scale: whether places and sizes mean something: points, bars and boxes, not names that lines join.
    """

    nodes: tuple[Node, ...]
    junctions: tuple[Junction, ...] = ()
    key: str = ""
    to_scale: bool = False


@dataclass
class Unit:
    """Entities side by side, and what they are linked to.

    links: own member, other unit, its member; a member of -1 is the unit's middle.
    """

    names: list[str]
    row: int = 0
    x: float = 0.0
    links: list[tuple[int, int, int]] = field(default_factory=list)

    @cached_property
    def width(self) -> float:
        widths = self._widths()
        return sum(widths) + _MEMBERS * (len(widths) - 1)

    def _widths(self) -> list[float]:
        return [_UNNAMED if name.startswith("?") else _NAMED for name in self.names] or [_EMPTY]

    def offset(self, member: int) -> float:
        """Return how far to the right of the unit's middle a member is."""
        if member < 0:
            return 0.0
        widths = self._widths()
        return sum(widths[:member]) + _MEMBERS * member + widths[member] / 2 - self.width / 2

    def turn(self) -> None:
        """Put its members the other way round."""
        self.names.reverse()
        self.links = [(own if own < 0 else 1 - own, other, its) for own, other, its in self.links]


def draw_facts(levels: Mapping[tuple[str, str], int]) -> Drawing:
    """Return a drawing of facts alone. levels: by pair, how many rows the second is above the first."""
    return _draw_facts(tuple(levels.items()))


@lru_cache(maxsize=256)  # the alternatives of a question are about the same pairs
def _draw_facts(levels: tuple[tuple[tuple[str, str], int], ...]) -> Drawing:
    names = list(dict.fromkeys(name for pair, _ in levels for name in pair))
    number = {name: i for i, name in enumerate(names)}
    units = [Unit([name]) for name in names]
    down: dict[tuple[int, int], int] = {}
    for (one, other), level in levels:
        a, b = number[one], number[other]
        down[a, b] = -level
        units[a].links.append((0, b, 0))
        units[b].links.append((0, a, 0))
    lay_out(units, down)
    return Drawing(unit_nodes(units))


def lay_out(units: list[Unit], down: Mapping[tuple[int, int], int]) -> None:
    """Set the row and the x of each unit. down: by pair, how many rows the second is below the first."""
    if units:
        _set_rows(units, down)
        _arrange(units)


def unit_nodes(units: Sequence[Unit], forms: Mapping[str, int] | None = None) -> tuple[Node, ...]:
    """Return the nodes of units that are laid out. forms: of the entities, as far as they are known."""
    known = forms or {}
    return tuple(
        Node(name, round(unit.x + unit.offset(member), 2), unit.row, known.get(name, -1))
        for unit in units
        for member, name in enumerate(unit.names)
    )


def _set_rows(units: list[Unit], down: Mapping[tuple[int, int], int]) -> None:
    """Set the row of each unit; units that nothing links all start at the top."""
    groups, _ = groups_apart((one, other, rows) for (one, other), rows in down.items())
    for found in groups:
        top = min(found.values())
        for unit, row in found.items():
            units[unit].row = row - top


def _arrange(units: list[Unit]) -> None:
    """Turn the units towards what they are linked to, and set every x."""
    rows: dict[int, list[int]] = {}
    for unit in _walk(units):
        rows.setdefault(units[unit].row, []).append(unit)
    for sweep in range(_SWEEPS):
        _turn(units)
        for row in sorted(rows, reverse=sweep % 2 == 1):
            _place(units, rows[row])
    left = min(unit.x - unit.width / 2 for unit in units)
    for placed in units:
        placed.x -= left


def _walk(units: list[Unit]) -> list[int]:
    """Return every unit, each soon after one it is linked to: in this order within rows, few lines cross."""
    seen: dict[int, None] = {}
    for start in sorted(range(len(units)), key=lambda unit: len(units[unit].links)):
        stack = [start]
        while stack:
            unit = stack.pop()
            if unit not in seen:
                seen[unit] = None
                stack += [other for _, other, _ in sorted(units[unit].links, reverse=True)]
    return list(seen)


def _wish(units: list[Unit], number: int) -> float:
    """Return where a unit would be if it were alone: in the middle of what it is linked to."""
    unit = units[number]
    if not unit.links:
        return unit.x
    wishes = [
        units[other].x + units[other].offset(its) - unit.offset(own)
        for own, other, its in unit.links
    ]
    return sum(wishes) / len(wishes)


def _turn(units: list[Unit]) -> None:
    """Of two members, put the one whose links lead further left on the left."""
    for number, unit in enumerate(units):
        above = {own: units[other].x for own, other, _ in unit.links if own >= 0}
        if len(unit.names) == 2 and above.get(0, unit.x) > above.get(1, unit.x):
            unit.turn()
            for _, other, _ in unit.links:
                units[other].links = [
                    (own, back, 1 - its if back == number and its >= 0 else its)
                    for own, back, its in units[other].links
                ]


def _place(units: list[Unit], row: list[int]) -> None:
    """Move the units of a row as close to their wished places as order and room allow.

    Least squares under an order: neighbours that would overlap move together (pool adjacent
    violators, on positions minus the room that is needed).
    """
    room = [0.0]
    for one, other in pairwise(row):
        room.append(room[-1] + (units[one].width + units[other].width) / 2 + _UNITS)
    pools: list[tuple[float, int]] = []  # mean, size
    for number, taken in zip(row, room, strict=True):
        mean, size = _wish(units, number) - taken, 1
        while pools and pools[-1][0] > mean:
            before, count = pools.pop()
            mean, size = (before * count + mean * size) / (count + size), count + size
        pools.append((mean, size))
    wished = [mean for mean, size in pools for _ in range(size)]
    for number, taken, x in zip(row, room, wished, strict=True):
        units[number].x = x + taken
