"""Where to draw the people of a family: generations as rows, couples side by side, children below.

A unit is a couple, or a single person. Units are ordered within their rows so
that few lines cross, then moved towards the units they belong to, as far as there is room.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from clutrr.solver import Witness

_NAMED, _UNNAMED, _NOBODY = 1.0, 0.5, 0.2  # widths; a couple of unknown parents is nobody
_PARTNERS, _UNITS = 0.22, 0.3  # gaps between partners, and between units
_SWEEPS = 12


@dataclass(frozen=True)
class Node:
    """A person of the drawing. x: their middle, in widths of a person; row: 0 is the top one."""

    name: str
    x: float
    row: int


@dataclass(frozen=True)
class Knot:
    """A couple of the drawing: its partners and children by node, and its middle."""

    partners: tuple[int, ...]
    children: tuple[int, ...]
    x: float
    row: int


@dataclass(frozen=True)
class Drawing:
    """A family laid out."""

    nodes: tuple[Node, ...]
    knots: tuple[Knot, ...]


@dataclass
class _Unit:
    """Names side by side, and what they are linked to. Links: own member, other unit, its member."""

    names: list[str]
    row: int = 0
    x: float = 0.0
    links: list[tuple[int, int, int]] = field(default_factory=list)

    @property
    def widths(self) -> list[float]:
        return [_UNNAMED if name.startswith("?") else _NAMED for name in self.names] or [_NOBODY]

    @property
    def width(self) -> float:
        return sum(self.widths) + _PARTNERS * (len(self.widths) - 1)

    def offset(self, member: int) -> float:
        """How far to the right of the unit's middle a member stands; -1 is the middle."""
        if member < 0:
            return 0.0
        return sum(self.widths[:member]) + _PARTNERS * member + self.widths[member] / 2 - self.width / 2


def lay_out_family(family: Witness, named: Iterable[str]) -> Drawing:
    """Lay out a family. named: who must be in it, even if no couple has them."""
    units, place = _units(family, named)
    homes: list[int] = []  # the unit of each couple
    down: dict[tuple[int, int], int] = {}
    for couple in family.couples:
        partners = [name for name in couple.partners if name]
        if partners:
            home = place[partners[0]][0]
        else:
            home = len(units)
            units.append(_Unit([]))
        homes.append(home)
        for child in couple.children:
            other, member = place[child]
            units[home].links.append((-1, other, member))
            units[other].links.append((member, home, -1))
            down[home, other], down[other, home] = 1, -1
    _set_rows(units, down)
    _arrange(units)
    nodes, number = _nodes(units)
    knots = tuple(
        Knot(
            tuple(number[name] for name in couple.partners if name),
            tuple(number[child] for child in couple.children),
            round(units[home].x, 2),
            units[home].row,
        )
        for couple, home in zip(family.couples, homes, strict=True)
    )
    return Drawing(nodes, knots)


def lay_out_people(rises: Mapping[tuple[str, str], int]) -> Drawing:
    """Lay out people of whom no family is known. rises: by how many generations the second is above."""
    names = list(dict.fromkeys(name for pair in rises for name in pair))
    number = {name: i for i, name in enumerate(names)}
    units = [_Unit([name]) for name in names]
    steps: dict[tuple[int, int], int] = {}
    for (one, other), rise in rises.items():
        a, b = number[one], number[other]
        steps[a, b], steps[b, a] = -rise, rise
        units[a].links.append((0, b, 0))
        units[b].links.append((0, a, 0))
    _set_rows(units, steps)
    _arrange(units)
    return Drawing(_nodes(units)[0], ())


def _units(family: Witness, named: Iterable[str]) -> tuple[list[_Unit], dict[str, tuple[int, int]]]:
    units: list[_Unit] = []
    place: dict[str, tuple[int, int]] = {}
    groups = [[name for name in couple.partners if name] for couple in family.couples]
    groups += [[child] for couple in family.couples for child in couple.children]
    groups += [[name] for name in named]
    for group in groups:
        if group and group[0] not in place:
            place |= {name: (len(units), member) for member, name in enumerate(group)}
            units.append(_Unit(group))
    return units, place


def _nodes(units: Sequence[_Unit]) -> tuple[tuple[Node, ...], dict[str, int]]:
    nodes = [
        Node(name, round(unit.x + unit.offset(member), 2), unit.row)
        for unit in units
        for member, name in enumerate(unit.names)
    ]
    return tuple(nodes), {node.name: i for i, node in enumerate(nodes)}


def _set_rows(units: list[_Unit], down: Mapping[tuple[int, int], int]) -> None:
    """Give each unit its generation; separate families all start at the top."""
    rows: dict[int, int] = {}
    for start in range(len(units)):
        if start in rows:
            continue
        rows[start] = 0
        joined = [start]
        for unit in joined:
            for _, other, _ in units[unit].links:
                if other not in rows:
                    rows[other] = rows[unit] + down[unit, other]
                    joined.append(other)
        top = min(rows[unit] for unit in joined)
        for unit in joined:
            units[unit].row = rows[unit] - top


def _arrange(units: list[_Unit]) -> None:
    """Order the units of each row, turn couples towards their parents, and set every x."""
    rows: list[list[int]] = [[] for _ in range(1 + max(unit.row for unit in units))]
    for unit in _walk(units):
        rows[units[unit].row].append(unit)
    rows = [row for row in rows if row]  # a generation may have nobody
    for row in rows:
        _pack(units, row)
    best = [list(row) for row in rows]
    fewest = _crossings(units, rows)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            row.sort(key=lambda unit: _wish(units, unit))
            _pack(units, row)
        crossings = _crossings(units, rows)
        if crossings < fewest:
            fewest, best = crossings, [list(row) for row in rows]
    for row in best:
        _pack(units, row)
    for sweep in range(_SWEEPS):
        _turn(units)
        for row in best if sweep % 2 == 0 else best[::-1]:
            _place(units, row)
    left = min(unit.x - unit.width / 2 for unit in units)
    for placed in units:
        placed.x -= left


def _walk(units: list[_Unit]) -> list[int]:
    """Every unit, each soon after one it is linked to."""
    seen: dict[int, None] = {}
    for start in sorted(range(len(units)), key=lambda unit: len(units[unit].links)):
        stack = [start]
        while stack:
            unit = stack.pop()
            if unit not in seen:
                seen[unit] = None
                stack += [other for _, other, _ in units[unit].links]
    return list(seen)


def _wish(units: list[_Unit], number: int) -> float:
    """Where a unit would stand if it were alone: in the middle of what it is linked to."""
    unit = units[number]
    if not unit.links:
        return unit.x
    wishes = [units[other].x + units[other].offset(its) - unit.offset(own) for own, other, its in unit.links]
    return sum(wishes) / len(wishes)


def _crossings(units: list[_Unit], rows: list[list[int]]) -> int:
    """How many pairs of lines between two rows cross."""
    count = 0
    for row in rows:
        lines = [
            (units[number].x + units[number].offset(own), units[other].x + units[other].offset(its))
            for number in row
            for own, other, its in units[number].links
            if units[other].row > units[number].row
        ]
        count += sum((a - c) * (b - d) < 0 for i, (a, b) in enumerate(lines) for c, d in lines[i + 1 :])
    return count


def _pack(units: list[_Unit], row: list[int]) -> None:
    """Put the units of a row side by side."""
    x = 0.0
    for number in row:
        units[number].x = x + units[number].width / 2
        x += units[number].width + _UNITS


def _turn(units: list[_Unit]) -> None:
    """Let the partner whose parents stand further left stand on the left."""
    for number, unit in enumerate(units):
        above = {own: units[other].x for own, other, _ in unit.links if own >= 0}
        if len(unit.names) == 2 and above.get(0, unit.x) > above.get(1, unit.x):
            unit.names.reverse()
            unit.links = [(own if own < 0 else 1 - own, other, its) for own, other, its in unit.links]
            for _, other, _ in unit.links:
                units[other].links = [
                    (own, back, 1 - its if back == number and its >= 0 else its)
                    for own, back, its in units[other].links
                ]


def _place(units: list[_Unit], row: list[int]) -> None:
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
