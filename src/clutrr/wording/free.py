"""What free wording says of two people who are known to be related, where no column tells.

Crowd workers wrote sentences such as "[A] and his son [B] went home." A relation word that belongs
to one of the two people, with the other one near, is what they are to each other; genders and the
direction of the sentence decide between the two readings.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from clutrr.world import GENDERS, World

_PIECE = re.compile(r"\[([^\[\]]*)\]|[\w-]+(?:'s)?|'s|[.,!?;]")
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


_SUITS = {"his": "male", "her": "female"}


class Piece(NamedTuple):
    """A word, a mark, or somebody who is named."""

    name: str | None
    text: str


class FreeReader:
    """Reads what one person is to another out of sentences that name both."""

    def __init__(self, world: World) -> None:
        self._world = world

    def relation(self, story: str, head: str, tail: str, genders: Mapping[str, str]) -> str | None:
        """What tail is to head, in tail's gender; None where no sentence says so plainly."""
        pieces = [Piece(match[1], match[0].lower()) for match in _PIECE.finditer(story)]
        votes: Counter[str] = Counter()
        for at, piece in enumerate(pieces):
            if piece.name in (head, tail):
                other = tail if piece.name == head else head
                kind = self._named(pieces, at, other, genders) or self._apposed(pieces, at, other, genders)
                if kind is not None:  # the person named is that kind to the other
                    votes[kind if piece.name == tail else self._world.kind(kind).inverse] += 1
        if not votes or genders[tail] not in GENDERS:
            return None
        kind = votes.most_common(1)[0][0]
        return self._world.kind(kind).relations[GENDERS.index(genders[tail])]

    def _kind(self, text: str, gender: str = "") -> str | None:
        """The kind of a relation word that suits the gender, where that is known."""
        word = SAME.get(text, text)
        if word not in self._world.meaning:
            return None
        kind, of = self._world.meaning[word]
        return kind.name if not gender or GENDERS[of] == gender else None

    def _named(self, pieces: list[Piece], at: int, other: str, genders: Mapping[str, str]) -> str | None:
        """ "his son [B]", "a son named [B]", "his son. His name is [B]": the kind, if it is the other's."""
        person = pieces[at].name
        for word in range(at - 1, max(-1, at - 9), -1):
            text = pieces[word].text
            kind = self._kind(text, genders[person or ""])
            if kind is not None:
                break
            if text not in _NAMED or (text == "of" and pieces[word - 1].text != "name"):
                return None
        else:
            return None
        if word and pieces[word - 1].text.endswith("'s"):  # "her daughter's son"
            first = self._kind(pieces[word - 1].text.removesuffix("'s"))
            if first is not None:
                kind, word = _OF.get((first, kind)), word - 1
        owner = self._owner(pieces, word, person, other, genders)
        return kind if owner == other else None

    def _owner(
        self,
        pieces: list[Piece],
        word: int,
        person: str | None,
        other: str,
        genders: Mapping[str, str],
    ) -> str | None:
        """Whose the relation word is: the nearest person before it whom its "his" or "her" suits."""
        near = [piece.text for piece in pieces[max(0, word - 4) : word]]
        pronoun = next((text for text in reversed(near) if text in ("his", "her", "their")), "")
        for piece in reversed(pieces[max(0, word - 30) : word]):
            if piece.name is None or piece.name == person:
                continue
            misfit = pronoun in _SUITS and genders.get(piece.name) not in (_SUITS[pronoun], "")
            if piece.name == other:
                return None if misfit else other
            if not misfit and pronoun != "their":
                return piece.name
        return None

    def _apposed(self, pieces: list[Piece], at: int, other: str, genders: Mapping[str, str]) -> str | None:
        """ "[B], [A]'s daughter" and "[B], who is the sister of [A]"."""
        gender = genders[pieces[at].name or ""]
        after = pieces[at + 1 : at + 9]
        texts = [piece.text for piece in after]
        for i, piece in enumerate(after[:-1]):
            if piece.name == other and texts[i + 1] == "'s" and i <= 2 and i + 2 < len(after):
                return self._kind(texts[i + 2], gender) if set(texts[:i]) <= {",", "is", "was"} else None
            if piece.name is not None:
                return None
            kind = self._kind(piece.text, gender)
            if kind and texts[i + 1] == "of" and i + 2 < len(after) and after[i + 2].name == other:
                return kind
        return None
