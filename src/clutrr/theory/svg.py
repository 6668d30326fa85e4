"""A drawing of a scene as SVG, for notebooks."""

import html
from collections.abc import Iterable, Iterator

from clutrr._puzzle import Fact
from clutrr.theory.drawing import Drawing, Node

_WIDE, _HIGH, _ROW, _EDGE = 96.0, 26.0, 62.0, 20.0  # pixels: of a name, between rows, around all


def svg(drawing: Drawing, facts: Iterable[Fact] = ()) -> str:
    """Return the drawing. facts: lines to draw where it has none of its own, with their relations as titles."""
    if not drawing.nodes:
        return ""
    tall = _ROW if not drawing.to_scale else _HIGH * 2
    places = [(node.x * _WIDE, node.row * tall) for node in drawing.nodes]
    left = min(x - _half(node) for (x, _), node in zip(places, drawing.nodes, strict=True))
    top = min(y for _, y in places)
    at = [(x - left + _EDGE, y - top + _EDGE + _HIGH) for x, y in places]
    width = max(x + _half(node) for (x, _), node in zip(at, drawing.nodes, strict=True)) + _EDGE
    height = max(y for _, y in at) + _HIGH + _EDGE
    parts = [*_lines(drawing, at, facts), *_nodes(drawing, at)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'role="img" style="max-width:100%">{"".join(parts)}</svg>'
    )


def _half(node: Node) -> float:
    return max(node.width * _WIDE, _WIDE * 0.9) / 2


def _lines(drawing: Drawing, at: list[tuple[float, float]], facts: Iterable[Fact]) -> Iterator[str]:
    for junction in drawing.junctions:
        joined = [at[number] for number in (*junction.members, *junction.below)]
        middle = sum(x for x, _ in joined) / len(joined), sum(y for _, y in joined) / len(joined)
        for point in joined:
            yield _line(middle, point, "")
    if not drawing.junctions and not drawing.to_scale:
        number = {node.name: i for i, node in enumerate(drawing.nodes)}
        for fact in facts:
            if fact.head in number and fact.tail in number:
                said = f"{fact.tail}: {fact.relation} of {fact.head}"
                yield _line(at[number[fact.head]], at[number[fact.tail]], said)


def _line(start: tuple[float, float], end: tuple[float, float], title: str) -> str:
    (x, y), (u, v) = start, end
    told = f"<title>{html.escape(title)}</title>" if title else ""
    return f'<line x1="{x:.0f}" y1="{y:.0f}" x2="{u:.0f}" y2="{v:.0f}" stroke="#888">{told}</line>'


def _nodes(drawing: Drawing, at: list[tuple[float, float]]) -> Iterator[str]:
    for node, (x, y) in zip(drawing.nodes, at, strict=True):
        half = _half(node)
        yield (
            f'<rect x="{x - half:.0f}" y="{y - _HIGH / 2:.0f}" width="{2 * half:.0f}" height="{_HIGH:.0f}" '
            'rx="5" fill="#fff" stroke="#555"/>'
            f'<text x="{x:.0f}" y="{y + 4:.0f}" font-size="12" text-anchor="middle" fill="#111">'
            f"{html.escape(node.name)}</text>"
        )
