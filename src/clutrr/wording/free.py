"""What free wording says of two people who are known to be related, where no column tells.

Crowd workers wrote sentences such as "[A] and his son [B] went home." A relation word that belongs
to one of the two people, with the other one near, is what they are to each other; genders and the
direction of the sentence decide between the two readings.

What is not taken for a fact: a relation word whose sentence ends before the next name ("[A]'s brother.
[B] came home."), unless what follows gives the name ("her son. His name is [B]."); and the relation of
somebody without brackets in between ("[A]'s daughter Paula and Paula's brother [B]").
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple

from clutrr.world import GENDERS, World

_PIECE = re.compile(r"\[([^\]]*)\]|[\w-]+(?:'s)?|'s|[.,!?;]")
# What may stand between a relation word and the name of the person that it is said of.
_NAMED = frozenset("named called name is was , . his her by the of".split())
# What a sentence that only gives the name starts with.
_NAME_IS = {(his, "name", be) for his in ("his", "her", "their", "the") for be in ("is", "was", "of")}
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
_OWNED = frozenset("his her their the a an 's".split())
_APPOSED = frozenset((",", "is", "was"))
_ENDS = frozenset(".!?;")
_SUITS = {"his": "male", "her": "female"}


class Piece(NamedTuple):
    """A word, a mark, or somebody who is named."""

    name: str | None
    text: str


class _Story:
    """A story in pieces. places: where each person is named. strangers: the people whom no brackets name,
    in lower case; they stand after a relation word or "named", or have a relation."""

    def __init__(self, text: str, words: Collection[str]) -> None:
        self.text = text
        self.pieces: list[Piece] = []
        self.places: dict[str, list[int]] = {}
        self.strangers: set[str] = set()
        before, earlier = "", ""
        for match in _PIECE.finditer(text):
            name, raw = match[1], match[0]
            said = raw.lower()
            if name is not None:
                self.places.setdefault(name, []).append(len(self.pieces))
            elif raw[0].isupper() and len(raw) > 1 and said.removesuffix("'s") not in words:
                lead = earlier if before == "," else before
                if lead in words or lead in ("named", "called"):
                    self.strangers.add(said.removesuffix("'s"))
            elif said in words and before.endswith("'s") and before != "'s":
                self.strangers.add(before.removesuffix("'s"))  # unless it is a relation word itself
            self.pieces.append(Piece(name, said))
            before, earlier = said, before
        self.strangers.difference_update(words)

    def stranger(self, piece: Piece) -> bool:
        return piece.name is None and piece.text.removesuffix("'s") in self.strangers


class FreeReader:
    """Reads what one person is to another out of sentences that name both; remembers the last story."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._words = {word: world.meaning[word] for word in world.relations}
        self._words |= {other: self._words[word] for other, word in SAME.items() if word in self._words}
        self._told = _Story("", self._words)

    def relation(self, story: str, head: str, tail: str, genders: Mapping[str, str]) -> str | None:
        """What tail is to head, in tail's gender; None where no sentence says so plainly."""
        if genders[tail] not in GENDERS:
            return None
        if story != self._told.text:
            self._told = _Story(story, self._words)
        votes: Counter[str] = Counter()
        places = self._told.places
        for at in sorted((*places.get(head, ()), *places.get(tail, ()))):
            name = self._told.pieces[at].name
            other = tail if name == head else head
            kind = self._named(at, other, genders) or self._apposed(at, other, genders)
            if kind is not None:  # the person named is that kind to the other
                votes[kind if name == tail else self._world.kind(kind).inverse] += 1
        if not votes:
            return None
        kind = votes.most_common(1)[0][0]  # of two, the one that is told first
        return self._world.kind(kind).relations[GENDERS.index(genders[tail])]

    def _kind(self, text: str, gender: str = "") -> str | None:
        """The kind of a relation word that suits the gender, where that is known."""
        meaning = self._words.get(text)
        if meaning is None:
            return None
        kind, of = meaning
        return kind.name if not gender or GENDERS[of] == gender else None

    def _named(self, at: int, other: str, genders: Mapping[str, str]) -> str | None:
        """ "his son [B]", "a son named [B]", "his son. His name is [B]": the kind, if it is the other's."""
        pieces = self._told.pieces
        person = pieces[at].name
        stop = at  # where the sentence that names the person starts
        for word in range(at - 1, max(-1, at - 9), -1):
            text = pieces[word].text
            kind = self._kind(text, genders[person or ""])
            if kind is not None:
                break
            if text not in _NAMED or (text == "of" and pieces[word - 1].text != "name"):
                return None
            if text == ".":
                stop = min(stop, word + 1)
        else:
            return None
        if pieces[at - 1].text == ".":  # "his son. [B] is the son's name"
            if [piece.text for piece in pieces[at + 1 : at + 5]] != ["is", "the", f"{text}'s", "name"]:
                return None
        elif stop < at and tuple(piece.text for piece in pieces[stop : stop + 3]) not in _NAME_IS:
            return None
        if word and pieces[word - 1].text.endswith("'s"):  # "her daughter's son"
            first = self._kind(pieces[word - 1].text.removesuffix("'s"))
            if first is not None:
                kind, word = _OF.get((first, kind)), word - 1
        owner = self._owner(word, person, other, genders)
        return kind if owner == other else None

    def _owner(self, word: int, person: str | None, other: str, genders: Mapping[str, str]) -> str | None:
        """Whose the relation word is: the nearest person before it whom its "his" or "her" suits."""
        pieces = self._told.pieces
        pronoun = ""
        for piece in reversed(pieces[max(0, word - 4) : word]):
            if piece.text in _OWNED:
                pronoun = piece.text
                break
        if pronoun == "the":  # "presented the baby to the new grandmother, [B]": the baby's
            return None
        for at in range(word - 1, max(0, word - 30) - 1, -1):
            piece = pieces[at]
            if piece.name is None:
                if self._told.stranger(piece):
                    return None
                continue
            if piece.name == person:
                continue
            misfit = pronoun in _SUITS and genders.get(piece.name) not in (_SUITS[pronoun], "")
            if piece.name == other:
                return None if misfit else other
            if not misfit and pronoun != "their":
                return piece.name
        return None

    def _apposed(self, at: int, other: str, genders: Mapping[str, str]) -> str | None:
        """ "[B], [A]'s daughter", "[B], her daughter" and "[B], who is the sister of [A]"."""
        pieces = self._told.pieces
        gender = genders[pieces[at].name or ""]
        after = pieces[at + 1 : at + 9]
        if len(after) > 3 and after[0].text == "," and after[1].text in _SUITS and after[3].name is None:
            kind = self._kind(after[2].text, gender)  # "[A] visited [B], her grandfather."
            if kind is not None:
                return kind if self._owner(at + 3, pieces[at].name, other, genders) == other else None
        for i, piece in enumerate(after[:-1]):
            following = after[i + 1].text
            if piece.name == other and following == "'s" and i <= 2 and i + 2 < len(after):
                between = {one.text for one in after[:i]}
                return self._kind(after[i + 2].text, gender) if between <= _APPOSED else None
            if piece.name is not None or piece.text in _ENDS:
                return None
            if following == "of":
                kind = self._kind(piece.text, gender)
                if kind and i + 2 < len(after) and after[i + 2].name == other:
                    return kind
        return None
