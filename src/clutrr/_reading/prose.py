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
from clutrr._lexicon.prose import AGREES, CASES, LEADS, WORDS, Piece, Prose, ProseSentence, Slot
from clutrr._puzzle import Fact
from clutrr._reading.names import unmarked_name
from clutrr._reading.templates import around
from clutrr._sentences import ENTITY

_NAME, _ATTRIBUTE = "[]", "<does>"  # marks
_MARKS = {
    "r": "<word>",
    "n": "<open>",
    "t": "<turned>",
}  # of relation words, by the slots that they fill
_MARK = re.compile(r"\[\]|<\w+>|\{value\}")
_LETTERS = re.compile(r"[^\W\d_]+")
_LETTER = re.compile(r"[^\W\d_]")  # of a language without spaces
_SLOTS = re.compile(r"(\{[^{}]*\})")
_NEVER = r"(?!)"


class Statement(NamedTuple):
    """What a sentence says: facts, and of each entity that it mentions the form that it shows, or None."""

    facts: tuple[Fact, ...]
    forms: Mapping[str, int | None]


@dataclass(frozen=True)
class _Outline:
    """What sentences of one outline say.

    names: the entities in the order in which they are named, and the case of each. forms: of entities, by pronouns
    and words that agree. words: the slots of relation words, in their order. lead: what a pronoun at the beginning
    means, or -1.
    """

    sentence: ProseSentence
    names: tuple[tuple[int, str], ...]
    words: tuple[Slot, ...]
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
        # Of each form of labels: what each text of it says, and of which form the first entity then is.
        self._forms = {spec: _told_by(world, spec) for spec in world.lexicon.phrases.forms}
        self._outlines: dict[str, _Outline] = {}
        for sentences in prose.sentences.values():
            for sentence in sentences:
                for key, outline in _outlines(world, prose, sentence):
                    self._outlines.setdefault(key, outline)
        written = _MARK.sub(" ", " ".join(self._outlines))
        about = (_MARK.sub(" ", text) for texts in prose.about.values() for text in texts)
        self._plain_words = frozenset(re.findall(r"[\w-]+", written))
        used = {slot.spec for one in self._outlines.values() for slot in one.words if slot.spec}
        formed = {text for spec in used for text in self._forms[spec]}
        self._letters = _LETTERS if world.lexicon.space else _LETTER
        every = " ".join(("a an", written, *about, *self._said, *formed))
        self._words = frozenset(self._letters.findall(every))
        words = "|".join(map(re.escape, sorted({*self._said, *formed}, key=len, reverse=True)))
        relation = rf"(?P<article>\0)?(?P<word>{words})"
        if world.lexicon.space:
            relation = rf"(?<![\w-])(?:(?P<article>an?) )?(?P<word>{words})(?![\w-])"
        if world.lexicon.language.partition("-")[0] == "en":
            unmarked = rf"(?<![\w'-])(?:{unmarked_name(world)})"
        else:
            unmarked = _own_names(world)
        self._marked, self._unmarked = (
            re.compile(
                f"(?P<does>{'|'.join(_about(world, prose, marked))})|(?P<name>{name})|{relation}"
            )
            for marked, name in ((True, ENTITY), (False, unmarked))
        )

    def may_read(self, shape: str) -> bool:
        """Return False if some word is nowhere in the grammar; much faster than reading.

        shape: a sentence with [] for whatever is in square brackets. What is replaced by a mark has no letter
        right before or after it, so words stay whole.
        """
        return self._words.issuperset(self._letters.findall(shape))

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
            slot, _ = self._said.get(match["word"], ("r", ""))
            return ("a " if match["article"] else "") + _MARKS[slot]

        outline = self._outlines.get((self._marked if marked else self._unmarked).sub(mark, text))
        return None if outline is None else self._statement(outline, names, words, before)

    def _statement(
        self,
        outline: _Outline,
        names: Sequence[str],
        words: Sequence[str],
        before: Statement | None,
    ) -> Statement | None:
        entities: dict[int, str] = {}
        for (entity, case), word in zip(outline.names, names, strict=True):
            name = self._world.lexicon.name_of(word, case)
            if name is None:
                return None
            entities[entity] = name
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
        said = dict(zip(outline.sentence.said, zip(outline.words, words, strict=True), strict=True))
        for fact in range(outline.sentence.facts):
            if fact in said:
                slot, word = said[fact]
                relation, head = self._relation(slot, word, outline.forms.get(fact + 1))
                if head is not None and shown.setdefault(fact, head) != head:
                    return None
                if head is not None and outline.forms.get(fact, head) != head:
                    return None
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

    def _relation(self, slot: Slot, word: str, form: int | None) -> tuple[str | None, int | None]:
        """Return the label that a word in a slot says, and the form of the first entity, if it shows that."""
        if slot.spec:
            return self._forms[slot.spec].get(word, (None, None))
        said, meant = self._said.get(word, ("", ""))
        if said != "n":
            return meant or None, None
        return None if form is None else self._world.kind(meant).words[form], None


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


def _told_by(world: World, spec: str) -> dict[str, tuple[str | None, int | None]]:
    """Return what each text of a form of labels says: the label, and the form of the first entity if it shows that."""
    found: dict[str, tuple[str | None, int | None]] = {}
    for label, text in world.lexicon.phrases.forms[spec].items():
        words = text.split("|")
        for form, word in enumerate(words):
            shows = form if words.count(word) == 1 < len(words) else None
            says = (label, shows)
            # A text that two labels share says neither.
            found[word] = says if found.get(word, says) == says else (None, None)
    return found


def _own_names(world: World) -> str:
    """Return a pattern of the names of a world, in every case, in text without brackets."""
    lexicon = world.lexicon
    words = {word for by_word in lexicon.named.values() for word in by_word}
    names = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    if not lexicon.space:
        return f"(?:{names})"
    behind = {one.after for case in lexicon.cases.known for one in lexicon.spelled(case)}
    ends = "|".join(map(re.escape, sorted(filter(None, behind), key=len, reverse=True)))
    return rf"(?<!\w)(?:{names})(?=(?:{ends or _NEVER})?(?!\w))"


def _outlines(
    world: World, prose: Prose, sentence: ProseSentence
) -> Iterator[tuple[str, _Outline]]:
    """Every outline of a sentence: with a name or a pronoun at the beginning, for all forms and cases."""
    each, pronouns = world.labels.each, "he" in prose.pronouns
    for pieces, lead in ((sentence.pieces, -1), (sentence.led, sentence.lead)):
        if pieces is None or (lead >= 0 and not pronouns):
            continue
        entities = sorted({*sentence.pronominal, *([lead] if lead >= 0 else [])})
        slots = [piece for piece in pieces if isinstance(piece, Slot)]
        named = [slot for slot in slots if slot.what == "name"]
        names = tuple((slot.of, slot.spec) for slot in named)
        words = tuple(slot for slot in slots if slot.what in WORDS)
        every_around = [around(world, slot.spec) for slot in named]
        for forms in product(range(each), repeat=len(entities)):
            of = dict(zip(entities, forms, strict=True))
            for beside in product(*every_around):
                by_name = dict(zip((slot.of for slot in named), beside, strict=True))
                key = "".join(_marked(prose, piece, of, by_name) for piece in pieces)
                yield key, _Outline(sentence, names, words, of, lead)


def _marked(
    prose: Prose,
    piece: Piece,
    forms: Mapping[int, int],
    beside: Mapping[int, tuple[str, str]],
) -> str:
    if isinstance(piece, str):
        return piece
    if piece.what == "name":
        before, behind = beside[piece.of]
        return f"{before}{_NAME}{behind}"
    if piece.what == "does":
        return _ATTRIBUTE
    if piece.what == AGREES:
        return piece.spec.split("|")[forms[piece.of]]
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
        written = "".join(_pattern(piece, value) for piece in _SLOTS.split(text))
        yield rf"(?<!\w){written}(?!\w)" if world.lexicon.space else written


def _pattern(piece: str, value: str) -> str:
    """The pattern of a part of a text about an entity. value: that of its value."""
    if piece == "{value}":
        return value
    if not piece.startswith("{"):
        return re.escape(piece)
    words = piece[1:-1].partition(":")[2].split("|")
    return f"(?:{'|'.join(map(re.escape, words))})"
