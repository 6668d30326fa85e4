"""The picture of the README: of each world a scene, a story of two sentences, the question and its answer.

The scenes are drawn by hand here; a test proves every answer from its story and finds it in its scene.
"""

import html
import textwrap
from collections.abc import Iterator
from typing import NamedTuple

_ACROSS, _HEIGHT, _PANEL, _DRAWN = 3, 296, 240, 150
_WIDTH = _ACROSS * _PANEL
_INK, _FAINT, _FACT, _ASKED = "#1f2933", "#8a94a0", "#0067a6", "#b8460e"

Box = tuple[float, float, float, float]  # left, top, right, bottom


class Panel(NamedTuple):
    """A world with a story. boxes: where entities are drawn, in 240 by 150; a point has no size."""

    world: str
    title: str
    story: str
    query: tuple[str, str]
    question: str
    answer: str
    boxes: dict[str, Box]


PANELS = (
    Panel(
        "kinship",
        "a family",
        "Carol is Ann's daughter. Dan is Carol's husband.",
        ("Ann", "Dan"),
        "What is Dan to Ann?",
        "son-in-law",
        {"Ann": (62, 64, 62, 64), "Carol": (62, 118, 62, 118), "Dan": (172, 118, 172, 118)},
    ),
    Panel(
        "order",
        "an order",
        "Bob was born before Ann. Carl was born before Bob.",
        ("Ann", "Carl"),
        "How old is Carl compared with Ann?",
        "older than",
        {"Carl": (45, 90, 45, 90), "Bob": (115, 90, 115, 90), "Ann": (195, 90, 195, 90)},
    ),
    Panel(
        "time",
        "a time line",
        "Gala began later and ended earlier than Expo. Regatta began only some time after Expo had ended.",
        ("Gala", "Regatta"),
        "How does Regatta relate to Gala?",
        "after",
        {"Expo": (20, 60, 130, 70), "Gala": (50, 90, 95, 100), "Regatta": (160, 120, 220, 130)},
    ),
    Panel(
        "regions",
        "regions",
        "Meadow lies entirely inside Park, well away from its boundary. Harbor is separated from Park "
        "everywhere by other land.",
        ("Harbor", "Meadow"),
        "How is Meadow related to Harbor?",
        "disconnected from",
        {"Park": (16, 46, 128, 136), "Meadow": (42, 78, 104, 120), "Harbor": (158, 62, 226, 124)},
    ),
    Panel(
        "directions",
        "a map",
        "Mill lies to the north-east of Inn. Tower lies due north of Mill.",
        ("Inn", "Tower"),
        "Where is Tower as seen from Inn?",
        "north-east of",
        {"Inn": (60, 128, 60, 128), "Mill": (160, 96, 160, 96), "Tower": (160, 52, 160, 52)},
    ),
)


def picture() -> str:
    """Return the picture as SVG."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {2 * _HEIGHT}" role="img" '
        'font-family="Helvetica, Arial, sans-serif">',
        "<title>Five worlds, each with a scene, a story, a question and its answer</title>",
        f'<rect width="{_WIDTH}" height="{2 * _HEIGHT}" rx="8" fill="#ffffff"/>',
    ]
    for i, panel in enumerate(PANELS):
        down, across = divmod(i, _ACROSS)
        parts.append(f'<g transform="translate({across * _PANEL} {down * _HEIGHT})">')
        if across:
            parts.append(f'<line x1="0" y1="18" x2="0" y2="{_HEIGHT - 18}" stroke="#e0e4e8"/>')
        parts += _panel(panel)
        parts.append("</g>")
    parts.append(f'<g transform="translate({2 * _PANEL} {_HEIGHT})">')
    for y, colour, text in (
        (110, _FACT, "what the story states"),
        (140, _ASKED, "what is asked, and proved"),
    ):
        parts.append(f'<rect x="24" y="{y - 10}" width="12" height="12" rx="2" fill="{colour}"/>')
        parts.append(_text(44, y, text, size=12))
    parts.append("</g>")
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(panel: Panel) -> Iterator[str]:
    yield (
        f'<text x="16" y="28" font-size="14" fill="{_INK}"><tspan font-weight="bold">{panel.title}</tspan>'
        f'<tspan dx="8" font-size="12" fill="{_FAINT}">{panel.world}</tspan></text>'
    )
    yield from {
        "kinship": _family,
        "order": _line_of,
        "time": _bars,
        "regions": _regions,
        "directions": _map,
    }[panel.world](panel)
    y = _DRAWN + 22
    for line in textwrap.wrap(panel.story, 34):
        yield _text(16, y, line, size=12)
        y += 16
    yield _text(16, _HEIGHT - 40, panel.question, colour=_FACT, size=11.5)
    yield _text(16, _HEIGHT - 20, panel.answer, colour=_ASKED, weight="bold", size=13.5)


def _family(panel: Panel) -> Iterator[str]:
    ann, carol, dan = (panel.boxes[name] for name in ("Ann", "Carol", "Dan"))
    yield _edge(ann, carol, _FACT)
    yield _edge(carol, dan, _FACT)
    yield _edge(ann, dan, _ASKED, dashed=True)
    yield from _points(panel)


def _line_of(panel: Panel) -> Iterator[str]:
    yield f'<line x1="20" y1="90" x2="224" y2="90" stroke="{_FAINT}" stroke-width="1.5"/>'
    yield f'<path d="M224 90 l-8 -4 v8 z" fill="{_FAINT}"/>'
    yield _text(224, 114, "born later", colour=_FAINT, size=11, anchor="end")
    yield from _points(panel)


def _bars(panel: Panel) -> Iterator[str]:
    for name, (left, top, right, bottom) in panel.boxes.items():
        colour = _ASKED if name in panel.query else _FACT
        size = f'width="{right - left}" height="{bottom - top}"'
        yield f'<rect x="{left}" y="{top}" {size} rx="3" fill="{colour}"/>'
        yield _text(left, top - 4, name, size=12)
    yield f'<line x1="16" y1="140" x2="224" y2="140" stroke="{_FAINT}" stroke-width="1.5"/>'
    yield f'<path d="M226 140 l-8 -4 v8 z" fill="{_FAINT}"/>'


def _regions(panel: Panel) -> Iterator[str]:
    for name, (left, top, right, bottom) in panel.boxes.items():
        colour = _ASKED if name in panel.query else _FACT
        size = f'rx="{(right - left) / 2}" ry="{(bottom - top) / 2}"'
        ink = f'fill="{colour}" fill-opacity="0.12" stroke="{colour}" stroke-width="1.8"'
        yield f'<ellipse cx="{(left + right) / 2}" cy="{(top + bottom) / 2}" {size} {ink}/>'
        middle = top + 22 if name == "Park" else (top + bottom) / 2 + 4  # above the meadow
        yield _text((left + right) / 2, middle, name, size=12, anchor="middle")


def _map(panel: Panel) -> Iterator[str]:
    yield '<path d="M222 62 v-22 l-4 7 m4 -7 l4 7" fill="none" stroke="#8a94a0" stroke-width="1.5"/>'
    yield _text(222, 76, "N", colour=_FAINT, size=11, anchor="middle")
    inn, mill, tower = (panel.boxes[name] for name in ("Inn", "Mill", "Tower"))
    yield _edge(inn, mill, _FACT)
    yield _edge(mill, tower, _FACT)
    yield _edge(inn, tower, _ASKED, dashed=True)
    yield from _points(panel)


def _points(panel: Panel) -> Iterator[str]:
    top = min(box[1] for box in panel.boxes.values())
    for name, (x, y, _, _) in panel.boxes.items():
        colour = _ASKED if name in panel.query else _INK
        yield f'<circle cx="{x}" cy="{y}" r="6.5" fill="#ffffff" stroke="{colour}" stroke-width="2.2"/>'
        if panel.world == "directions" and name != "Inn":
            yield _text(x + 12, y + 4, name, size=12)
        else:
            yield _text(x, y - 12 if y == top else y + 22, name, size=12, anchor="middle")


def _edge(one: Box, other: Box, colour: str, dashed: bool = False) -> str:
    dash = ' stroke-dasharray="5 5"' if dashed else ""
    return (
        f'<line x1="{one[0]}" y1="{one[1]}" x2="{other[0]}" y2="{other[1]}" stroke="{colour}" '
        f'stroke-width="2"{dash}/>'
    )


def _text(
    x: float,
    y: float,
    text: str,
    *,
    colour: str = _INK,
    weight: str = "normal",
    anchor: str = "start",
    size: float = 13,
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" font-weight="{weight}" font-size="{size}" '
        f'text-anchor="{anchor}">{html.escape(text)}</text>'
    )
