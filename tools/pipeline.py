"""The paper's Figure 1 as a picture: family, path, story, question; drawn from one puzzle."""

import html
import textwrap
from collections.abc import Iterator, Sequence

from clutrr.puzzle import Fact, Puzzle
from clutrr.theory.kinship import Kinship
from clutrr.theory.kinship.scene import FamilyScene
from clutrr.theory.kinship.steps import rise
from clutrr.world import World

_WIDTH, _HEIGHT, _PANEL = 1120, 330, 280
_INK, _FAINT, _PATH, _QUESTION = "#222222", "#9a9a9a", "#0072b2", "#d55e00"
_TITLES = ("1  a family", "2  a path in it", "3  a story that states it", "4  a question it does not state")


def pipeline_svg(puzzle: Puzzle, world: World) -> str:
    """The picture of how the puzzle is made, as SVG."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        'font-family="Helvetica, Arial, sans-serif" font-size="13">',
        "<title>How a puzzle is made: a family, a path, a story, a question</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
    ]
    for i, title in enumerate(_TITLES):
        if i:
            parts.append(
                f'<line x1="{i * _PANEL}" y1="16" x2="{i * _PANEL}" y2="{_HEIGHT - 16}" stroke="#dddddd"/>'
            )
        parts.append(_text(i * _PANEL + 18, 34, title, weight="bold"))
    places = _places(puzzle, world)
    parts += _family(puzzle, places, world)
    parts += _path(puzzle, places, _PANEL)
    parts += _story(puzzle, 2 * _PANEL)
    parts += _question(puzzle, places, 3 * _PANEL)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _places(puzzle: Puzzle, world: World) -> dict[str, tuple[float, float]]:
    """Where each person of the path stands in a panel: generations from the top, path from the left."""
    theory = world.theory
    assert isinstance(theory, Kinship)
    rank = [0]
    for kind in puzzle.pattern:
        rank.append(rank[-1] - rise(theory.ways[world.index[kind]][0]))
    top = min(rank)
    rows = max(rank) - top + 1
    columns = len(rank)
    return {
        person.name: (
            45 + i * (_PANEL - 90) / max(1, columns - 1),
            95 + (rank[i] - top) * (_HEIGHT - 205) / max(1, rows - 1),
        )
        for i, person in enumerate(puzzle.entities)
    }


def _family(puzzle: Puzzle, places: dict[str, tuple[float, float]], world: World) -> Iterator[str]:
    """Couples and their children, as far as the facts tell."""
    family = world.theory.solver(world.labels, "open").scene(puzzle.facts, puzzle.query, puzzle.target)
    for couple in family.couples if isinstance(family, FamilyScene) else ():
        partners = [places[name] for name in couple.partners if name in places]
        children = [places[name] for name in couple.children if name in places]
        if len(partners) == 2:
            yield _line(partners[0], partners[1], 0, _FAINT, 1.5)
        if partners and children:
            middle = sum(x for x, _ in partners) / len(partners), partners[0][1]
            yield from (_line(middle, child, 0, _FAINT, 1.5) for child in children)
    yield from _people(puzzle, places, 0)


def _path(puzzle: Puzzle, places: dict[str, tuple[float, float]], left: int) -> Iterator[str]:
    """The facts of the story, each with its relation."""
    for fact in puzzle.facts:
        yield _line(places[fact.head], places[fact.tail], left, _PATH, 2.5)
    yield from (_label(places, fact, left, _PATH) for fact in puzzle.facts)
    yield from _people(puzzle, places, left)


def _question(puzzle: Puzzle, places: dict[str, tuple[float, float]], left: int) -> Iterator[str]:
    first, last = puzzle.query
    yield _line(places[first], places[last], left, _QUESTION, 2.5, dashed=True)
    yield from _people(puzzle, places, left, asked=puzzle.query)
    yield _text(left + 18, _HEIGHT - 48, f"What is {last} to {first}?")
    yield _text(left + 18, _HEIGHT - 26, puzzle.target, colour=_QUESTION, weight="bold")


def _story(puzzle: Puzzle, left: int) -> Iterator[str]:
    facts = [{fact.head, fact.tail} for fact in puzzle.facts]
    y = 62
    for sentence in puzzle.story.split(". "):
        sentence = sentence.rstrip(".") + "."
        named = {person.name for person in puzzle.entities if f"[{person.name}]" in sentence}
        colour, weight = (_PATH, "bold") if named in facts else ("#6b6b6b", "normal")
        for line in textwrap.wrap(sentence, 36):
            yield _text(left + 18, y, line, colour=colour, weight=weight, size=12)
            y += 16
        y += 5


def _people(
    puzzle: Puzzle, places: dict[str, tuple[float, float]], left: int, asked: Sequence[str] = ()
) -> Iterator[str]:
    for person in puzzle.entities:
        x, y = places[person.name]
        outline = f'fill="#ffffff" stroke="{_QUESTION if person.name in asked else _INK}" stroke-width="2"/>'
        if person.form == "male":
            yield f'<rect x="{left + x - 9:.1f}" y="{y - 9:.1f}" width="18" height="18" {outline}'
        else:
            yield f'<circle cx="{left + x:.1f}" cy="{y:.1f}" r="9.5" {outline}'
        above = y == min(height for _, height in places.values())
        yield _text(left + x, y - 16 if above else y + 26, person.name, anchor="middle", size=12)


def _line(
    one: tuple[float, float],
    other: tuple[float, float],
    left: int,
    colour: str,
    width: float,
    dashed: bool = False,
) -> str:
    (x1, y1), (x2, y2) = one, other
    dash = ' stroke-dasharray="6 5"' if dashed else ""
    return (
        f'<line x1="{left + x1:.1f}" y1="{y1:.1f}" x2="{left + x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{colour}" stroke-width="{width}"{dash}/>'
    )


def _label(places: dict[str, tuple[float, float]], fact: Fact, left: int, colour: str) -> str:
    (x1, y1), (x2, y2) = places[fact.head], places[fact.tail]
    middle = left + (x1 + x2) / 2, (y1 + y2) / 2 + (4 if y1 != y2 else -14)
    return _text(*middle, fact.relation, colour=colour, anchor="middle", size=12)


def _text(
    x: float,
    y: float,
    text: str,
    colour: str = _INK,
    weight: str = "normal",
    anchor: str = "start",
    size: int = 13,
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" font-weight="{weight}" font-size="{size}" '
        f'text-anchor="{anchor}" paint-order="stroke" stroke="#ffffff" stroke-width="4">'
        f"{html.escape(text)}</text>"
    )
