"""Reading prose by a world's grammar.

A sentence is brought into the form in which the grammar lists it: marks replace names, relation words and
things told. The meaning of the form is then looked up. A pronoun within a sentence is part of the form; one
at the beginning means the only person of the sentence before who can be of its gender: somebody whom that
sentence calls by a word or pronoun of the other gender cannot.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from clutrr.puzzle import Fact
from clutrr.world import World
from clutrr.world.prose import FORMS, Piece, Prose, ProseSentence, Slot

_NAME, _THING, _WORD, _OPEN = "[]", "<told>", "<word>", "<open>"  # marks; _OPEN: a word of either gender
_MARK = re.compile(r"\[\]|<told>|<word>|<open>|\{value\}")
_LETTERS = re.compile(r"[^\W\d_]+")
_LEADS = ("He", "His")


class Mention(NamedTuple):
    """Somebody in a sentence, and the gender that the sentence gives them, or None."""

    name: str
    gender: int | None


@dataclass(frozen=True)
class Told:
    """What a sentence says: facts, and whom it mentions."""

    facts: tuple[Fact, ...]
    people: tuple[Mention, ...]


@dataclass(frozen=True)
class _Form:
    """What sentences of one form say.

    names: the people in the order in which they are named. words: the facts in the order of their relation
    words. genders: of people, by pronouns. lead: who is meant by a pronoun at the beginning, or -1.
    """

    sentence: ProseSentence
    names: tuple[int, ...]
    words: tuple[int, ...]
    genders: Mapping[int, int]
    lead: int


class ProseReader:
    """Reads sentences of a grammar, with square brackets around names and values or without."""

    def __init__(self, world: World, prose: Prose) -> None:
        self._world = world
        self._said = {word: relation for relation, words in prose.words.items() for word in words}
        self._open = {word: kind for kind, words in prose.neutral.items() for word in words}
        self._forms: dict[str, _Form] = {}
        for sentences in prose.sentences.values():
            for sentence in sentences:
                for key, form in _forms(prose, sentence):
                    self._forms.setdefault(key, form)
        leads = {prose.pronoun(form, gender) for form in _LEADS for gender in (0, 1)}
        self._plain_words = prose.literals | leads
        told = [text for texts in prose.about.values() for text in texts]
        said = ["a an", *self._said, *self._open]
        self._words = frozenset(
            word for text in (*self._forms, *told, *said) for word in _LETTERS.findall(_MARK.sub(" ", text))
        )
        words = sorted({*self._said, *self._open}, key=len, reverse=True)
        relation = rf"(?<![\w-])(?:(?P<article>an?) )?(?P<word>{'|'.join(map(re.escape, words))})(?![\w-])"
        self._marked, self._unmarked = (
            re.compile(f"(?P<told>{'|'.join(_things(world, prose, marked))})|(?P<name>{name})|{relation}")
            for marked, name in (
                (True, r"\[[^\]]*\]"),
                (False, r"(?<![\w'-])[^\W\d_a-z](?:[\w-]|'(?!s\b)\w)*"),
            )
        )

    def may_read(self, shape: str) -> bool:
        """False if some word is nowhere in the grammar; much faster than reading. shape: a sentence with []
        for whatever is in square brackets.

        What is replaced by a mark has no letter right before or after it, so words stay whole.
        """
        return self._words.issuperset(_LETTERS.findall(shape))

    def read(self, text: str, before: Told | None, marked: bool) -> Told | None:
        """What a sentence says, given what the one before it said; None if the grammar does not have it."""
        names: list[str] = []
        words: list[str] = []

        def mark(match: re.Match[str]) -> str:
            if match["told"]:
                return _THING
            if match["name"]:
                name = match["name"]
                if not marked and name in self._plain_words:
                    return name
                names.append(name[1:-1] if marked else name)
                return _NAME
            words.append(match["word"])
            return ("a " if match["article"] else "") + (_WORD if match["word"] in self._said else _OPEN)

        form = self._forms.get((self._marked if marked else self._unmarked).sub(mark, text))
        return None if form is None else self._told(form, names, words, before)

    def _told(
        self, form: _Form, names: Sequence[str], words: Sequence[str], before: Told | None
    ) -> Told | None:
        people = dict(zip(form.names, names, strict=True))
        if form.lead >= 0:
            whom = _meant(before, form.genders[form.lead])
            if whom is None:
                return None
            people[form.lead] = whom
        if len(set(people.values())) < len(people):
            return None
        told: dict[int, int] = {p: g for p, g in form.genders.items() if p in form.sentence.gendered}
        facts: list[Fact] = []
        for fact, word in sorted(zip(form.words, words, strict=True)):
            relation = self._relation(word, form.genders.get(fact + 1))
            if relation is None:
                return None
            kind, gender = self._world.meaning[relation]
            if told.setdefault(fact + 1, gender) != gender or form.genders.get(fact + 1, gender) != gender:
                return None
            if kind.spouse and told.setdefault(fact, 1 - gender) == gender:
                return None
            facts.append(Fact(people[fact], relation, people[fact + 1]))
        if form.sentence.facts == 0:
            told = {}
        mentions = tuple(Mention(people[person], told.get(person)) for person in sorted(people))
        return Told(tuple(facts), mentions)

    def _relation(self, word: str, gender: int | None) -> str | None:
        if word in self._said:
            return self._said[word]
        return None if gender is None else self._world.kind(self._open[word]).words[gender]


@lru_cache(4)
def prose_reader(world: World) -> ProseReader | None:
    """The reader of a world's prose, where it has any: slow to make, and safe to share."""
    return None if world.prose is None else ProseReader(world, world.prose)


def _meant(before: Told | None, gender: int) -> str | None:
    """The one person of the sentence before who can be of that gender."""
    if before is None:
        return None
    found = [person.name for person in before.people if person.gender in (gender, None)]
    return found[0] if len(found) == 1 else None


def _forms(prose: Prose, sentence: ProseSentence) -> Iterator[tuple[str, _Form]]:
    """Every form of a sentence: with a name or a pronoun at the beginning, for all genders of pronouns."""
    for pieces, lead in ((sentence.pieces, -1), (sentence.led, sentence.lead)):
        if pieces is None:
            continue
        people = sorted({*sentence.gendered, *([lead] if lead >= 0 else [])})
        slots = [piece for piece in pieces if isinstance(piece, Slot)]
        names = tuple(slot.of for slot in slots if slot.what == "name")
        words = tuple(slot.of for slot in slots if slot.what in ("r", "ar", "n", "an"))
        for genders in product((0, 1), repeat=len(people)):
            of = dict(zip(people, genders, strict=True))
            key = "".join(_marked(prose, piece, of) for piece in pieces)
            yield key, _Form(sentence, names, words, of, lead)


def _marked(prose: Prose, piece: Piece, genders: Mapping[int, int]) -> str:
    if isinstance(piece, str):
        return piece
    if piece.what in ("name", "does"):
        return _NAME if piece.what == "name" else _THING
    if piece.what in (*FORMS, *_LEADS):
        return prose.pronoun(piece.what, genders[piece.of])
    return ("a " if len(piece.what) > 1 else "") + (_WORD if piece.what[-1] == "r" else _OPEN)


def _things(world: World, prose: Prose, marked: bool) -> Iterator[str]:
    """Patterns of everything that is told about people, the longest first."""
    texts = [
        (text, attribute.values) for attribute in world.attributes for text in prose.about[attribute.name]
    ]
    for text, values in sorted(texts, key=lambda pair: len(pair[0]), reverse=True):
        value = r"\[[^\]]*\]" if marked else f"(?:{'|'.join(map(re.escape, values))})"
        yield r"(?<!\w)" + value.join(map(re.escape, text.split("{value}"))) + r"(?!\w)"
