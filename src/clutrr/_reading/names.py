"""Names in text without square brackets."""

import re

from clutrr._lexicon import World
from clutrr._sentences import NOT_NAMES, OPENING_WORDS

_CAPITALISED = r"[^\W\d_a-z](?:[\w-]|'(?!s\b)\w)*"


def unmarked_name(world: World) -> str:
    """Return a pattern of names: capitalised words, and the names of the world that are not such a word.

    Without spaces between words, only the names of the world.
    """
    if not world.lexicon.space:
        return _known(world)
    return "|".join([*_unlike(_CAPITALISED, world), _CAPITALISED])


def any_name(world: World) -> str:
    """Return a pattern of names for the place where a known wording has one: as short as it allows.

    There, several capitalised words in a row are a name too. Without spaces between words, only names of the
    world are.
    """
    if not world.lexicon.space:
        return _known(world)
    word = r"[^\W\d_a-z][\w'-]*?"
    return "|".join(
        [*_unlike(f"{_CAPITALISED}(?: {_CAPITALISED})*", world), f"{word}(?: {word})*?"]
    )


def _known(world: World) -> str:
    """Return a pattern of the names of the world, the longest first."""
    names = [name for names in world.lexicon.names for name in names]
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True)))


def is_no_name(text: str) -> bool:
    """Return whether what is in the place of a name has a word that is in no name."""
    words = text.lower().split()
    return not NOT_NAMES.isdisjoint(words) or (len(words) > 1 and words[0] in OPENING_WORDS)


def _unlike(pattern: str, world: World) -> list[str]:
    """The names that are not of a pattern, the longest first."""
    names = [name for names in world.lexicon.names for name in names]
    unusual = [re.escape(name) for name in names if not re.fullmatch(pattern, name)]
    return [name + r"(?!\w)" for name in sorted(unusual, key=len, reverse=True)]
