"""The words of kinship, for a world."""

from collections.abc import Iterator, Mapping
from typing import Any

from clutrr._lexicon import World
from clutrr._reading.senses import OUTSIDE
from clutrr._reading.words import plural, read_words


def kinship_nouns(world: World) -> dict[str, tuple[str, bool]]:
    """Return the words of relation with their senses, and whether they are of several."""
    data = read_words("kinship")
    irregular: Mapping[str, str] = data["plurals"]
    found: dict[str, tuple[str, bool]] = {}
    for word, sense in _singular(data, world):
        found[plural(word, irregular)] = (sense, True)
        found.setdefault(word, (sense, False))
    return found


def _singular(data: Mapping[str, Any], world: World) -> Iterator[tuple[str, str]]:
    for kind, by_form in data["nouns"].items():
        for form, words in by_form.items():
            for word in words:
                yield word, kind if form == "any" else f"{kind}:{form}"
    for word in data["outside"]:
        yield word, f"{OUTSIDE}{word}"
    for label, (kind, form) in world.meaning.items():  # a world may have words of its own
        yield label, kind.name if form is None else f"{kind.name}:{world.forms[form]}"
    for word, label in world.lexicon.phrases.words.synonyms.items():
        if label in world.meaning:
            kind, form = world.meaning[label]
            yield word, kind.name if form is None else f"{kind.name}:{world.forms[form]}"


SYMMETRIC = frozenset(("SO", "sibling"))


def compositions() -> dict[tuple[str, str], str]:
    """Return the kinds that relatives of relatives are, by the words alone."""
    return {(first, second): kind for first, second, kind in read_words("kinship")["compositions"]}
