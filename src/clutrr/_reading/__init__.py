"""Reading: from a text to what it says, and never more than that."""

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import TypeAlias

from clutrr._lexicon import World, builtin_world
from clutrr._reading.own_wording import OwnWordingReader
from clutrr._reading.reader import Reader
from clutrr._reading.records import SentenceReading, Statements, Understood, Unread

TextReader: TypeAlias = Reader | OwnWordingReader
Readings: TypeAlias = Mapping[str, Statements]  # by text
__all__ = [
    "Readings",
    "SentenceReading",
    "Statements",
    "TextReader",
    "Understood",
    "Unread",
    "reader_of",
    "statements",
]


def statements(
    text: str,
    world: str | World = "kinship",
    names: Collection[str] | None = None,
    reasoning: bool = False,
) -> Statements:
    """Return what a text says about entities.

    Args:
        text: what to read.
        world: a world, or the name of one of ours.
        names: the entities, if they are known; otherwise names are found.
        reasoning: whether it is an argument, which concludes ("so she must be his aunt"), not a story.
    """
    found = builtin_world(world) if isinstance(world, str) else world
    return reader_of(found, reasoning).read(text, names)


@lru_cache(16)
def reader_of(world: World, reasoning: bool = False) -> TextReader:
    """Return the reader of a world: slow to make, and safe to share.

    reasoning: whether it reads arguments, which conclude, not stories.
    """
    if world.lexicon.language.partition("-")[0] != "en":
        return OwnWordingReader(world)
    if world.theory.name in Reader.theories:
        return Reader(world, reasoning)
    from clutrr._reading.things.reader import ThingReader  # needs numpy, as kinship does not

    things = world.theory.name in ThingReader.theories
    return ThingReader(world, reasoning) if things else Reader(world, reasoning)
