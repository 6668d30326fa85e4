"""The relation that an answer names, in the words of a world."""

import re

from clutrr.puzzle import CANNOT_BE_TOLD
from clutrr.wording.free import SAME
from clutrr.world import World

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_DASHES = re.compile("[\u2010-\u2015\u2212]")


class AnswerReader:
    """Finds the relation of a world that an answer names."""

    def __init__(self, world: World) -> None:
        self._relations = {relation.lower(): relation for relation in world.relations}
        self._relations[CANNOT_BE_TOLD] = CANNOT_BE_TOLD

    def read(self, answer: str) -> str | None:
        """The relation, where the answer is one or holds just one; else None."""
        text = _DASHES.sub("-", answer).lower()
        if text.strip() in self._relations:
            return self._relations[text.strip()]
        text = re.sub(r"\b(\w+)[ -]in[ -]law\b", r"\1-in-law", text)
        text = re.sub(r"\bgrand[ -](?=\w)", "grand", text)
        named = {SAME.get(word, word) for word in _WORD.findall(text)} & self._relations.keys()
        if CANNOT_BE_TOLD in text:
            named.add(CANNOT_BE_TOLD)
        return self._relations[named.pop()] if len(named) == 1 else None
