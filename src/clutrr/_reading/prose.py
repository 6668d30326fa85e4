"""Reading prose by a world's grammar.

A sentence is brought into the outline in which the grammar lists it: marks replace names, relation words and
attributes. The meaning of the outline is then looked up. A pronoun within a sentence is part of the outline;
one at the beginning means the only entity of the sentence before that can have its form: one that the
sentence calls by a word or pronoun of another form cannot.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from clutrr._lexicon import World
from clutrr._lexicon.prose import CASES, LEADS, Piece, Prose, ProseSentence, Slot
from clutrr._puzzle import Fact
from clutrr._reading.names import unmarked_name
from clutrr._sentences import ENTITY

_NAME, _ATTRIBUTE = "[]", "<does>"  # marks
_MARKS = {
    "r": "<word>",
    "n": "<open>",
    "t": "<turned>",
}  # of relation words, by the slots that they fill
_MARK = re.compile(r"\[\]|<\w+>|\{value\}")
_LETTERS = re.compile(r"[^\W\d_]+")


class Statement(NamedTuple):
    """What a sentence says: facts, and of each entity that it mentions the form that it shows, or None."""

    facts: tuple[Fact, ...]
    forms: Mapping[str, int | None]


@dataclass(frozen=True)
class _Outline:
    """What sentences of one outline say.

    names: the entities in the order in which they are named. forms: of entities, by pronouns. lead: what a
    pronoun at the beginning means, or -1.
    """

    sentence: ProseSentence
    names: tuple[int, ...]
    forms: Mapping[int, int]
    lead: int


class ProseReader:
    """Reads sentences of a grammar, with square brackets around names and values or without."""

    def __init__(self, world: World, prose: Prose) -> None:
        self._world = world
        # Of each word: the slots that it fills, and its relation or, of a word of any form, its kind.
        self._said = {
            word: (slot, meant)
            for slot, by_meaning in (("n", prose.neutral), ("t", prose.turned), ("r", prose.words))
            for meant, words in by_meaning.items()
            for word in words
        }
        self._outlines: dict[str, _Outline] = {}
        for sentences in prose.sentences.values():
            for sentence in sentences:
                for key, outline in _outlines(prose, sentence, world.labels.each):
                    self._outlines.setdefault(key, outline)
        written = _MARK.sub(" ", " ".join(self._outlines))
        about = (_MARK.sub(" ", text) for texts in prose.about.values() for text in texts)
        self._plain_words = frozenset(re.findall(r"[\w-]+", written))
        self._words = frozenset(_LETTERS.findall(" ".join(("a an", written, *about, *self._said))))
        words = sorted(self._said, key=len, reverse=True)
        relation = (
            rf"(?<![\w-])(?:(?P<article>an?) )?(?P<word>{'|'.join(map(re.escape, words))})(?![\w-])"
        )
        self._marked, self._unmarked = (
            re.compile(
                f"(?P<does>{'|'.join(_about(world, prose, marked))})|(?P<name>{name})|{relation}"
            )
            for marked, name in (
                (True, ENTITY),
                (False, rf"(?<![\w'-])(?:{unmarked_name(world)})"),
            )
        )

    def may_read(self, shape: str) -> bool:
        """Return False if some word is nowhere in the grammar; much faster than reading.

        shape: a sentence with [] for whatever is in square brackets. What is replaced by a mark has no letter
        right before or after it, so words stay whole.
        """
        return self._words.issuperset(_LETTERS.findall(shape))

    def read(self, text: str, before: Statement | None, marked: bool) -> Statement | None:
        """Return what a sentence says; None if the grammar does not have it.

        before: what the sentence before it said. marked: whether names are in square brackets.
        """
        names: list[str] = []
        words: list[str] = []

        def mark(match: re.Match[str]) -> str:
            if match["does"]:
                return _ATTRIBUTE
            if match["name"]:
                name = match["name"]
                if not marked and name in self._plain_words:
                    return name
                names.append(name[1:-1] if marked else name)
                return _NAME
            words.append(match["word"])
            return ("a " if match["article"] else "") + _MARKS[self._said[match["word"]][0]]

        outline = self._outlines.get((self._marked if marked else self._unmarked).sub(mark, text))
        return None if outline is None else self._statement(outline, names, words, before)

    def _statement(
        self,
        outline: _Outline,
        names: Sequence[str],
        words: Sequence[str],
        before: Statement | None,
    ) -> Statement | None:
        entities = dict(zip(outline.names, names, strict=True))
        if outline.lead >= 0:
            meant = _meant(before, outline.forms[outline.lead])
            if meant is None:
                return None
            entities[outline.lead] = meant
        if len(set(entities.values())) < len(entities):
            return None
        shown = {
            at: form for at, form in outline.forms.items() if at in outline.sentence.pronominal
        }
        facts: list[Fact] = []
        said = dict(zip(outline.sentence.said, words, strict=True))
        for fact in range(outline.sentence.facts):
            if fact in said:
                relation = self._relation(said[fact], outline.forms.get(fact + 1))
            else:
                relation = self._world.kind(outline.sentence.kinds[0]).words[0]
            if relation is None:
                return None
            kind, form = self._world.meaning[relation]
            if form is None:
                facts.append(Fact(entities[fact], relation, entities[fact + 1]))
                continue
            if (
                shown.setdefault(fact + 1, form) != form
                or outline.forms.get(fact + 1, form) != form
            ):
                return None
            implied = self._world.theory.head_form(kind.name, form)
            if implied is not None and shown.setdefault(fact, implied) != implied:
                return None
            facts.append(Fact(entities[fact], relation, entities[fact + 1]))
        if outline.sentence.facts == 0:
            shown = {}
        return Statement(tuple(facts), {entity: shown.get(at) for at, entity in entities.items()})

    def _relation(self, word: str, form: int | None) -> str | None:
        slot, meant = self._said[word]
        if slot != "n":
            return meant
        return None if form is None else self._world.kind(meant).words[form]


@lru_cache(4)
def prose_reader(world: World) -> ProseReader | None:
    """Return the reader of a world's prose, where it has any: slow to make, and safe to share."""
    prose = world.lexicon.prose
    return None if prose is None else ProseReader(world, prose)


def _meant(before: Statement | None, form: int) -> str | None:
    """The one entity of the sentence before that can have that form."""
    if before is None:
        return None
    found = [name for name, shown in before.forms.items() if shown in (form, None)]
    return found[0] if len(found) == 1 else None


def _outlines(prose: Prose, sentence: ProseSentence, each: int) -> Iterator[tuple[str, _Outline]]:
    """Every outline of a sentence: with a name or a pronoun at the beginning, for all forms of pronouns.

    each: how many forms there are.
    """
    for pieces, lead in ((sentence.pieces, -1), (sentence.led, sentence.lead)):
        if pieces is None:
            continue
        entities = sorted({*sentence.pronominal, *([lead] if lead >= 0 else [])})
        names = tuple(
            piece.of for piece in pieces if isinstance(piece, Slot) and piece.what == "name"
        )
        for forms in product(range(each), repeat=len(entities)):
            of = dict(zip(entities, forms, strict=True))
            key = "".join(_marked(prose, piece, of) for piece in pieces)
            yield key, _Outline(sentence, names, of, lead)


def _marked(prose: Prose, piece: Piece, forms: Mapping[int, int]) -> str:
    if isinstance(piece, str):
        return piece
    if piece.what in ("name", "does"):
        return _NAME if piece.what == "name" else _ATTRIBUTE
    if piece.what in (*CASES, *LEADS):
        return prose.pronoun(piece.what, forms[piece.of])
    return ("a " if len(piece.what) > 1 else "") + _MARKS[piece.what[-1]]


def _about(world: World, prose: Prose, marked: bool) -> Iterator[str]:
    """Patterns of every attribute, the longest first."""
    attributes = world.lexicon.attributes
    texts = [
        (text, attribute.values) for attribute in attributes for text in prose.about[attribute.name]
    ]
    for text, values in sorted(texts, key=lambda pair: len(pair[0]), reverse=True):
        value = ENTITY if marked else f"(?:{'|'.join(map(re.escape, values))})"
        yield r"(?<!\w)" + value.join(map(re.escape, text.split("{value}"))) + r"(?!\w)"
