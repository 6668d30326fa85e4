"""Sentences about two letters in a diagram: "A is at the 3 o'clock position of B"."""

import re
from collections.abc import Sequence

from clutrr._lexicon import World
from clutrr._reading.things.meaning import Said, Tie
from clutrr._reading.things.plane import PlaneReader
from clutrr._reading.tokens import Token

# Words of sentences that speak of more than where letters stand.
_MORE = frozenset(
    "not n't if whether would could might may says said thinks facing faces far seen or no used "
    "will was were".split()
)
_PART = re.compile(r"\b(?:is|in) the (?:north|south|east|west)[a-z-]* (?:of|part|side)")


class Diagrams:
    """Reads sentences about two letters, by the theory's own reader of them."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._reader = PlaneReader(world.labels) if world.theory.name == "directions" else None

    def read(self, text: str, row: Sequence[Token]) -> Said:
        """Return what a sentence says; nothing if it is about anything else."""
        places: dict[str, list[int]] = {}
        for at, token in enumerate(row):
            if token.name and not token.text[0].islower():  # "the top" is no name here
                places.setdefault(token.name, []).append(at)
        named = sum(len(found) for found in places.values())
        if (
            self._reader is None
            or named < 2
            or len(places) > 2
            or any(len(one) > 1 for one in places)
        ):
            return ()
        words = [word for token in row for word in (token.norm or token.text).split()]
        more = "clock" not in words and "o'clock" not in words and not _MORE.isdisjoint(words)
        if more or _PART.search(" ".join(words)):
            return ()
        facts = self._reader.read(text[row[0].start : row[-1].end])
        if not facts or any(fact.head not in places or fact.tail not in places for fact in facts):
            return ()
        kinds = self._world.meaning
        return tuple(
            Tie(places[fact.tail][0], places[fact.head][-1], (kinds[fact.relation].kind.name,))
            for fact in facts
        )
