"""Reads what free wording says about two people who are known to be related, if no column says it.

Crowd workers wrote sentences such as "[A] and his son [B] went home." A relation word that belongs
to one of the two people, close to the other, says what they are to each other; genders and the order of
the sentence decide between the two readings.

What is not taken for a fact: a relation word whose sentence ends before the next name ("[A]'s brother.
[B] came home."), unless what follows gives the name ("her son. His name is [B]."); and the relation of
somebody without brackets in between ("[A]'s daughter Paula and Paula's brother [B]").
"""

import re
from collections.abc import Collection, Mapping

from clutrr.labels import Labels
from clutrr.sentences import ENTITY

_PIECE = re.compile(rf"{ENTITY}|[\w-]+(?:'s)?|'s|[.,!?;]")
_CALLED = ("named", "called")
# What may stand between a relation word and the name of the person that it describes.
_NAMED = frozenset("named called name is was , . his her by the of".split())
# How a sentence starts that only gives the name.
_NAME_IS = {(his, "name", be) for his in ("his", "her", "their", "the") for be in ("is", "was", "of")}
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
_IS_A_MAN = re.compile(r" is an? (man|woman|boy|girl|male|female)\b")
_OWNED = frozenset("his her their the a an 's".split())
_APPOSED = frozenset((",", "is", "was"))
_ENDS = frozenset(".!?;")
_SUITS = {"his": "male", "her": "female"}


class _StoryPieces:
    """A story in pieces: words, marks, and people who are named.

    texts: the pieces in lower case. names: whom each names, "" for nobody. places: where each person is
    named. strangers: people without brackets, in lower case; they follow a relation word or
    "named", or have a relation.
    """

    def __init__(self, text: str, words: Collection[str]) -> None:
        self.text = text
        found = _PIECE.findall(text)
        self.texts = texts = [piece.lower() for piece in found]
        self.names = [""] * len(found)
        self.places: dict[str, list[int]] = {}
        self.strangers: set[str] = set()
        for at, piece in enumerate(found):
            first = piece[0]
            if "a" <= first <= "z":  # most pieces are such words
                continue
            if first == "[":
                self.names[at] = name = piece[1:-1]
                self.places.setdefault(name, []).append(at)
            elif first.isupper() and len(piece) > 1 and at:
                before = texts[at - 2] if texts[at - 1] == "," and at > 1 else texts[at - 1]
                if before in words or before in _CALLED:
                    self.strangers.add(texts[at].removesuffix("'s"))
                if len(piece) > 2 and piece.endswith("'s") and at + 1 < len(texts) and texts[at + 1] in words:
                    self.strangers.add(texts[at].removesuffix("'s"))
        if self.strangers:
            self.strangers.difference_update(words)


class KinshipFreeReader:
    """Reads what one person is to another out of sentences that name both; remembers the last story.

    synonyms: other words for labels.
    """

    def __init__(self, labels: Labels, synonyms: Mapping[str, str]) -> None:
        self._labels = labels
        self._words = dict(labels.meaning)
        self._words |= {word: self._words[label] for word, label in synonyms.items() if label in self._words}
        # The kinds of the relation words that suit a gender; "" where it is not known.
        self._kinds = {
            gender: {
                word: kind.name
                for word, (kind, form) in self._words.items()
                if form is None or gender in ("", labels.forms[form])
            }
            for gender in ("", *labels.forms)
        }
        self._story = _StoryPieces("", self._words)
        self._genders: Mapping[str, str] = {}
        self._found: dict[tuple[str, str], str | None] = {}  # of the last story and genders
        self._called: dict[int, tuple[str, int] | None] = {}  # likewise, by place of a name

    def relation(self, story: str, head: str, tail: str, forms: Mapping[str, str]) -> str | None:
        """Return what tail is to head, in tail's gender; None if no sentence says so plainly."""
        if forms[tail] not in self._labels.forms:
            return None
        if story != self._story.text or forms != self._genders:
            self._story = self._story if story == self._story.text else _StoryPieces(story, self._words)
            self._genders, self._found, self._called = dict(forms), {}, {}
        if (head, tail) not in self._found:
            self._found[head, tail] = self._read(head, tail, forms)
        return self._found[head, tail]

    def shows_form(self, text: str, entity: str) -> bool:
        """Return whether a sentence says "[A] is a man"."""
        return _IS_A_MAN.match(text.partition(f"[{entity}]")[2]) is not None

    def _read(self, head: str, tail: str, genders: Mapping[str, str]) -> str | None:
        votes: dict[str, int] = {}
        places = self._story.places
        for at in sorted((*places.get(head, ()), *places.get(tail, ()))):
            name = self._story.names[at]
            other = tail if name == head else head
            kind = self._named(at, other, genders) or self._apposed(at, other, genders)
            if kind is not None:  # the person named is that kind to the other
                said = kind if name == tail else self._labels.kind(kind).converse
                votes[said] = votes.get(said, 0) + 1
        if not votes:
            return None
        kind = max(votes, key=votes.__getitem__)  # of two, the one that comes first
        return self._labels.kind(kind).words[self._labels.forms.index(genders[tail])]

    def _suiting(self, person: str, genders: Mapping[str, str]) -> Mapping[str, str]:
        """The kinds of the relation words that suit a person."""
        return self._kinds.get(genders[person], {})

    def _named(self, at: int, other: str, genders: Mapping[str, str]) -> str | None:
        """ "his son [B]", "a son named [B]", "his son. His name is [B]": the kind, if it is the other's."""
        if at in self._called:
            called = self._called[at]
        else:
            called = self._called[at] = self._relation_word(at, genders)
        if called is None:
            return None
        kind, word = called
        return kind if self._owner(word, self._story.names[at], other, genders) == other else None

    def _relation_word(self, at: int, genders: Mapping[str, str]) -> tuple[str, int] | None:
        """The kind that the words before a name say, and where these start; None where they say none."""
        texts = self._story.texts
        suiting = self._suiting(self._story.names[at], genders)
        stop = at  # where the sentence that names the person starts
        for word in range(at - 1, max(-1, at - 9), -1):
            text = texts[word]
            if text in suiting:
                break
            if text not in _NAMED or (text == "of" and texts[word - 1] != "name"):
                return None
            if text == ".":
                stop = min(stop, word + 1)
        else:
            return None
        if texts[at - 1] == ".":  # "his son. [B] is the son's name"
            if texts[at + 1 : at + 5] != ["is", "the", f"{text}'s", "name"]:
                return None
        elif stop < at and tuple(texts[stop : stop + 3]) not in _NAME_IS:
            return None
        kind = suiting[text]
        if word and texts[word - 1].endswith("'s"):  # "her daughter's son"
            first = self._kinds[""].get(texts[word - 1].removesuffix("'s"))
            if first is not None:
                made = _OF.get((first, kind), "")
                return (made, word - 1) if made in self._labels.index else None
        return kind, word

    def _owner(self, word: int, person: str, other: str, genders: Mapping[str, str]) -> str | None:
        """Whose relative the word names: the nearest person before it whom "his" or "her" fits."""
        names, texts, strangers = self._story.names, self._story.texts, self._story.strangers
        pronoun = ""
        for text in reversed(texts[max(0, word - 4) : word]):
            if text in _OWNED:
                pronoun = text
                break
        if pronoun == "the":  # "presented the baby to the new grandmother, [B]": the baby's
            return None
        start = max(0, word - 30)
        for name, text in zip(reversed(names[start:word]), reversed(texts[start:word]), strict=True):
            if not name:
                if strangers and text.removesuffix("'s") in strangers:
                    return None
                continue
            if name == person:
                continue
            misfit = pronoun in _SUITS and genders.get(name) not in (_SUITS[pronoun], "")
            if name == other:
                return None if misfit else other
            if not misfit and pronoun != "their":
                return name
        return None

    def _apposed(self, at: int, other: str, genders: Mapping[str, str]) -> str | None:
        """ "[B], [A]'s daughter", "[B], her daughter" and "[B], who is the sister of [A]"."""
        person = self._story.names[at]
        suiting = self._suiting(person, genders)
        names, texts = self._story.names, self._story.texts
        stop = min(at + 9, len(texts))
        near = at + 1
        if stop - near > 3 and texts[near] == "," and texts[near + 1] in _SUITS and not names[near + 3]:
            kind = suiting.get(texts[near + 2])  # "[A] visited [B], her grandfather."
            if kind is not None:
                return kind if self._owner(near + 2, person, other, genders) == other else None
        for i in range(near, stop - 1):
            if names[i]:
                if names[i] != other or texts[i + 1] != "'s" or i > near + 2 or i + 2 >= stop:
                    return None
                return suiting.get(texts[i + 2]) if _APPOSED.issuperset(texts[near:i]) else None
            if texts[i] in _ENDS:
                return None
            if texts[i + 1] == "of":
                kind = suiting.get(texts[i])
                if kind and i + 2 < stop and names[i + 2] == other:
                    return kind
        return None
