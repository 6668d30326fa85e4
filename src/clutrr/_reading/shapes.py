"""The sentences of a world's own wording: its templates, common wordings and attributes, word by word.

A shape is the row of the words of a sentence with names alike. It says one relation, or nothing.
"""

from collections.abc import Iterator, Mapping, Sequence

from clutrr._lexicon import Template, World
from clutrr._reading.templates import Wording, known_shapes, partial_shapes, shapes
from clutrr._reading.tokens import Token, tokens

Shape = tuple[str, ...]
NAME = "\0"
_ENDS = frozenset((".", "!", "?", "...", "\u2026", "\u3002"))


def shape(row: Sequence[Token]) -> Shape:
    """Return the words of a sentence without its end, but for a question mark."""
    last, asks = len(row), False
    while last and row[last - 1].norm in _ENDS:
        last -= 1
        asks |= row[last].norm == "?"
    words = tuple(NAME if token.name else token.norm for token in row[:last])
    return (*words, "?") if asks else words


def wordings(world: World) -> Mapping[Shape, Wording]:
    """Return what each known shape says. Templates come before common wordings."""
    found: dict[Shape, Wording] = {}
    for text, wording in (*known_shapes(world), *partial_shapes(world)):
        found.setdefault(_of(text.replace("[]", "[x]")), wording)
    for attribute in world.lexicon.attributes:
        for template in attribute.templates:
            for text in _with_values(world, template, attribute.values):
                found.setdefault(_of(text), Wording())
    return found


def _of(text: str) -> Shape:
    return shape(tokens(text))


def _with_values(world: World, template: Template, values: Sequence[str]) -> Iterator[str]:
    """A template of an attribute with its value as the words that it is."""
    for one, text in shapes(world, template):
        pieces = text.split("[]")
        for value in values if "value" in one.slots else ():
            filled = [value if slot == "value" else "[x]" for slot in one.slots]
            rows = zip(pieces, [*filled, ""], strict=True)
            yield "".join(piece + slot for piece, slot in rows)
