"""What free wording says of two people who are known to be related, where no column tells.

Crowd workers wrote sentences such as "[A] and his son [B] went home." A relation word that belongs
to one of the two people, with the other one near, is what they are to each other; genders and the
direction of the sentence decide between the two readings.
"""

import re
from collections.abc import Mapping

from clutrr.world import GENDERS, World

_PIECE = re.compile(r"\[([^\]]*)\]|[\w-]+(?:'s)?|'s|[.,!?;]")
# What may stand between a relation word and the name of the person that it is said of.
_NAMED = frozenset("named called name is was , . his her by the of".split())
# Other words for a relation, and a common misspelling.
SAME = {
    "mom": "mother",
    "mum": "mother",
    "mommy": "mother",
    "dad": "father",
    "daddy": "father",
    "grandma": "grandmother",
    "granny": "grandmother",
    "grandpa": "grandfather",
    "granddad": "grandfather",
    "neice": "niece",
}
# A word for somebody and a word for what they have, "her daughter's son": what it makes.
_OF = {
    ("child", "child"): "grand",
    ("child", "SO"): "in-law",
    ("SO", "inv-child"): "inv-in-law",
    ("inv-child", "inv-child"): "inv-grand",
    ("inv-child", "sibling"): "inv-un",
    ("sibling", "child"): "un",
    ("inv-child", "child"): "sibling",
}


class FreeReader:
    """Reads what one person is to another out of sentences that name both."""

    def __init__(self, world: World) -> None:
        self._world = world

    def relation(self, story: str, head: str, tail: str, genders: Mapping[str, str]) -> str | None:
        """What tail is to head, in tail's gender; None where no sentence says so plainly."""
        pieces = [(m[1], m[0].lower()) for m in _PIECE.finditer(story)]
        votes: dict[str, int] = {}
        for at, (name, _) in enumerate(pieces):
            if name not in (head, tail):
                continue
            other = tail if name == head else head
            kind = self._owned(pieces, at, other, genders)
            if kind is not None:  # `name` is that kind to `other`
                kind = kind if name == tail else self._world.kind(kind).inverse
                votes[kind] = votes.get(kind, 0) + 1
        if not votes or genders[tail] not in GENDERS:
            return None
        best = max(votes, key=lambda kind: votes[kind])
        return self._world.kind(best).relations[GENDERS.index(genders[tail])]

    def _owned(
        self, pieces: list[tuple[str | None, str]], at: int, other: str, genders: Mapping[str, str]
    ) -> str | None:
        """The kind that a word gives to the person mentioned there, if it is the other's."""
        for before in range(at - 1, max(-1, at - 9), -1):
            name, text = pieces[before]
            if name is not None:
                break
            word = self._kind(text, genders[pieces[at][0] or ""])
            if word is not None:
                return self._possessed(pieces, before, word, other, at, genders)
            if text not in _NAMED or (text == "of" and pieces[before - 1][1] != "name"):
                break
        return self._apposed(pieces, at, other, genders)

    def _kind(self, text: str, gender: str | None) -> str | None:
        """The kind of a relation word that suits the gender."""
        word = SAME.get(text, text)
        if word not in self._world.meaning:
            return None
        kind, of = self._world.meaning[word]
        return kind.name if not gender or GENDERS[of] == gender else None

    def _possessed(
        self,
        pieces: list[tuple[str | None, str]],
        word_at: int,
        kind: str,
        other: str,
        at: int,
        genders: Mapping[str, str],
    ) -> str | None:
        """Whose the word is: a possessive before it, or the nearest person whom "his" or "her" suits."""
        pronoun = None
        for before in range(word_at - 1, max(-1, word_at - 30), -1):
            name, text = pieces[before]
            if name is None:
                if text.endswith("'s") and before == word_at - 1:
                    first = self._kind(text.removesuffix("'s"), None)
                    if first is not None:
                        made = _OF.get((first, kind))
                        if made is None:
                            return None
                        kind, word_at = made, before
                        continue
                if pronoun is None and text in ("his", "her", "their") and before >= word_at - 4:
                    pronoun = text
                continue
            if name == pieces[at][0]:
                continue
            suits = {"his": "male", "her": "female"}.get(pronoun or "")
            if suits and genders.get(name) not in (suits, ""):
                if name == other:
                    return None
                continue
            if name == other:
                return kind
            if pronoun == "their" and name in genders:
                continue
            return None
        return None

    def _apposed(
        self, pieces: list[tuple[str | None, str]], at: int, other: str, genders: Mapping[str, str]
    ) -> str | None:
        """ "[B], [A]'s daughter" and "[B], who is the sister of [A]"."""
        texts = [text for _, text in pieces[at + 1 : at + 9]]
        gender = genders[pieces[at][0] or ""]
        own = f"[{other}]".lower()
        for i, text in enumerate(texts[:-1]):
            if text == own and texts[i + 1] == "'s" and i <= 2 and i + 2 < len(texts):
                return self._kind(texts[i + 2], gender) if set(texts[:i]) <= {",", "is", "was"} else None
            if text.startswith("["):
                return None
            if self._kind(text, gender) and texts[i + 1 : i + 3] == ["of", own]:
                return self._kind(text, gender)
        return None
