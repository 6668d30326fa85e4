"""From the sentences of a story to facts.

A sentence is a fact if it has the wording of one of the world's templates, or one of the common
wordings for a relation word ("[B] is the son of [A]."). It is a distractor if it has the wording of
an attribute, or no word of kinship at all and names at most one person. Sentences of any other wording are
read by the grammar of the world's prose, if it has one. Anything else is not read, and reported.

People and values are in square brackets. In a text without any bracket, capitalised words are taken as
names where a known wording has a person.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from clutrr.puzzle import Fact
from clutrr.wording.prose import ProseReader, Told, prose_reader
from clutrr.world import Template, World

_SENTENCE = re.compile(r"(?:\[[^\[\]]*\]|[^\[.!?]++|[.!?](?!\s|$))+[.!?]*")
_ENTITY = re.compile(r"\[([^\[\]]*)\]")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_NAME = r"([^\W\d_a-z][\w'-]*?)"
_CAPITALISED = re.compile(r"[^\W\d_a-z](?:[\w-]|'(?!s\b))*")
_REMEMBERED = 100_000  # shapes of sentences

# Words that can stand in the place of a name without being one.
_NOBODY = frozenset(
    """
    a an anybody anyone each everybody everyone he her hers him his i it its my neither no nobody none
    one our she somebody someone such that the their them there these they this those we who whoever you your
    """.split()
)

# And words that begin a sentence, so with a capital, and are not names either.
_NO_NAMES = _NOBODY | frozenset(
    """
    after again all also although always and any as at because before both but by during either even every
    finally first for from here how if in last later many most never next not now often on once only other
    perhaps since so some sometimes soon still then though three today tomorrow tonight two until usually
    what when whenever where which while why with yesterday yet
    """.split()
)

# Wordings in which {a} and {b} are people and {r} says what b is to a.
_COMMON = (
    "{b} is a {r} of {a}.",
    "{b} is an {r} of {a}.",
    "{b} is the {r} of {a}.",
    "{b} is {a}'s {r}.",
    "{b} is {r} to {a}.",
    "{b} is a {r} to {a}.",
    "{a} has a {r} called {b}.",
    "{a} has a {r} named {b}.",
    "{a} has a {r} who is {b}.",
    "{a} has an {r} called {b}.",
    "{a} has an {r} named {b}.",
    "{a} has an {r} who is {b}.",
    "{a}'s {r} is {b}.",
    "{a}'s {r} is called {b}.",
    "{a}'s {r} is named {b}.",
    "The {r} of {a} is {b}.",
    "A {r} of {a} is {b}.",
    "An {r} of {a} is {b}.",
)

# Words that speak of kinship without being the name of a relation.
_KINSHIP = frozenset(
    """
    ancestor ancestors aunt aunts bride brother brothers child children cousin cousins dad daughter
    daughters descendant descendants divorced engaged family father fathers fiance fiancee grandchild
    grandchildren granddaughter grandfather grandma grandmother grandpa grandparent grandparents
    grandson groom half-brother half-sister heir husband in-law in-laws kid kids kin married marries
    marry mom mother mothers mum nephew nephews niece nieces offspring orphan parent parents partner
    relative relatives sibling siblings sister sisters son sons spouse spouses stepbrother stepdaughter
    stepfather stepmother stepsister stepson twin twins uncle uncles wed wedded wedding widow widower
    wife wives
    """.split()
)


class Role(Enum):
    """What a sentence is for."""

    FACT = "fact"
    DISTRACTOR = "distractor"
    UNREAD = "unread"


class Sentence(NamedTuple):
    """A sentence, `story[start:end]`, and what it was read as."""

    start: int
    end: int
    text: str
    role: Role
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Reading:
    """A story taken apart, in its own order."""

    sentences: tuple[Sentence, ...]

    @property
    def facts(self) -> tuple[Fact, ...]:
        return tuple(fact for sentence in self.sentences for fact in sentence.facts)

    @property
    def distractors(self) -> tuple[str, ...]:
        return tuple(s.text for s in self.sentences if s.role is Role.DISTRACTOR)

    @property
    def unread(self) -> tuple[str, ...]:
        return tuple(s.text for s in self.sentences if s.role is Role.UNREAD)


@dataclass(frozen=True)
class _Wording:
    """What a sentence of some shape says: a relation and where its head is, or nothing.

    known: whether the world has the shape; other shapes may say something after all.
    """

    relation: str | None
    head: int = 0  # the place of the head among the entities
    known: bool = True

    def facts(self, entities: Sequence[str]) -> tuple[Fact, ...]:
        if self.relation is None:
            return ()
        return (Fact(entities[self.head], self.relation, entities[1 - self.head]),)


class Reader:
    """Reads stories in the wording of a world, and in common wordings of its relations."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._relations = frozenset(world.relations)
        self._texts: list[tuple[str, _Wording]] = list(_texts(world))
        # Earlier wordings, the world's own, come before the common ones.
        self._shapes: dict[str, _Wording | None] = {}
        for text, wording in self._texts:
            self._shapes.setdefault(text, wording)
        self._loose: list[tuple[re.Pattern[str], _Wording]] | None = None

    def read(self, story: str, people: Collection[str] | None = ()) -> Reading:
        """Take a story apart. Sentences end in a full stop.

        A sentence of unknown wording that names two people counts as not read, whatever its words: it may
        say what they are to each other. people: whom the story is about, besides the people of its facts;
        None if that is unknown, so that every name may be a person's.
        """
        plain = "[" not in story
        found = list(
            self._in_prose(_shaped(story, plain)) if plain else self._bracketed(list(_shaped(story)))
        )
        stated = {name for *_, facts in found for fact in facts for name in (fact.head, fact.tail)}
        known = None if people is None else stated.union(people)
        return Reading(tuple(_sentence(*one, known, plain) for one in found))

    def read_whole(self, story: str, people: Collection[str] = ()) -> Reading | None:
        """The story taken apart; None where some of it is not read, as the first such sentence shows."""
        if "[" in story:
            for _, _, shape in _shaped(story):
                if self._is_strange(shape):
                    return None
        reading = self.read(story, people)
        return None if reading.unread else reading

    def _is_strange(self, shape: str) -> bool:
        """Whether no sentence of this shape is read."""
        return self._wording(shape) is None and (self._grammar is None or not self._grammar.may_read(shape))

    @cached_property
    def _grammar(self) -> ProseReader | None:
        """Made when there is prose to read."""
        return prose_reader(self._world)

    def _bracketed(self, sentences: "Sequence[_Shaped]") -> "Iterable[_Found]":
        """Each by its shape, where the world has all of these; otherwise as prose."""
        found = [(start, text, *self._by_shape(text, shape)) for start, text, shape in sentences]
        if all(wording is not None and wording.known for _, _, wording, _ in found):
            return found
        return self._in_prose(sentences)

    def _in_prose(self, sentences: "Iterable[_Shaped]") -> "Iterator[_Found]":
        """By the grammar of the world's prose; what is not in it, as otherwise."""
        prose = self._grammar
        told: Told | None = None
        for start, text, shape in sentences:
            plain = not shape
            may_read = prose is not None and (plain or prose.may_read(shape))
            told = prose.read(text, told, not plain) if prose is not None and may_read else None
            if told is not None and _about_nobody(told.facts):
                told = None
                yield start, text, None, ()
            elif told is not None:
                yield start, text, _TOLD, told.facts
            else:
                yield start, text, *(self._loosely(text) if plain else self._by_shape(text, shape))

    def _by_shape(self, text: str, shape: str) -> tuple[_Wording | None, tuple[Fact, ...]]:
        wording = self._wording(shape)
        states = wording is not None and wording.relation is not None
        return wording, wording.facts(_ENTITY.findall(text)) if wording and states else ()

    def _wording(self, shape: str) -> _Wording | None:
        return self._shapes[shape] if shape in self._shapes else self._shape(shape)

    def _shape(self, shape: str) -> _Wording | None:
        """What a shape that is in no template says: nothing, or it is not understood."""
        words = {word.lower() for word in _WORD.findall(shape)}
        bare = words | {part for word in words for part in word.split("-")} if "-" in shape else words
        kinship = not bare.isdisjoint(_KINSHIP) or not words.isdisjoint(self._relations)
        wording = None if kinship or "[" in shape.replace("[]", "") else _Wording(None, known=False)
        if len(self._shapes) < _REMEMBERED:
            self._shapes[shape] = wording
        return wording

    def _loosely(self, text: str) -> tuple[_Wording | None, tuple[Fact, ...]]:
        if self._loose is None:
            self._loose = [(_pattern(shape), wording) for shape, wording in self._texts]
        closed = text if text[-1] in ".!?" else text + "."
        for pattern, wording in self._loose:
            match = pattern.fullmatch(closed)
            if match:
                if not _NOBODY.isdisjoint(name.lower() for name in match.groups()):
                    return (None if wording.relation else wording), ()
                return wording, wording.facts(match.groups())
        return self._shape(closed), ()


_TOLD = _Wording(None)  # of a sentence of prose
_Found = tuple[int, str, _Wording | None, tuple[Fact, ...]]  # start, text, wording, facts
_Shaped = tuple[int, str, str]  # start, text, and the text with [] for what stands in brackets


def _shaped(story: str, plain: bool = False) -> "Iterator[_Shaped]":
    """The sentences: where they start, and their shapes; none in a story without square brackets (plain)."""
    for match in _SENTENCE.finditer(story):
        whole = match[0]
        text = whole.strip()
        if text:
            yield match.start() + whole.index(text[0]), text, "" if plain else _ENTITY.sub("[]", text)


def _about_nobody(facts: Iterable[Fact]) -> bool:
    """Whether there is a word that is not a name where a name should be."""
    return any(name.lower() in _NOBODY for fact in facts for name in (fact.head, fact.tail))


def _sentence(
    start: int,
    text: str,
    wording: _Wording | None,
    facts: tuple[Fact, ...],
    known: set[str] | None,
    plain: bool,
) -> Sentence:
    if facts:
        role = Role.FACT
    elif wording is None or (not wording.known and len(_named(text, known, plain)) > 1):
        role = Role.UNREAD
    else:
        role = Role.DISTRACTOR
    return Sentence(start, start + len(text), text, role, facts)


def _named(text: str, known: set[str] | None, plain: bool) -> set[str]:
    """Which of these people the sentence names; None: anybody."""
    names = set(_CAPITALISED.findall(text) if plain else _ENTITY.findall(text))
    if known is not None:
        return names & known
    return {name for name in names if name.lower() not in _NO_NAMES}


def _texts(world: World) -> Iterator[tuple[str, _Wording]]:
    """Every wording as a text with [] for each slot."""
    for relation in world.relations:
        for template in world.templates[relation]:
            yield _slotted(template), _Wording(relation, template.slots.index("a"))
    for attribute in world.attributes:
        for template in attribute.templates:
            yield _slotted(template), _Wording(None)
    for relation in world.relations:
        for common in _COMMON:
            head = int(common.index("{a}") > common.index("{b}"))
            yield common.format(a="[]", b="[]", r=relation), _Wording(relation, head)


def _slotted(template: Template) -> str:
    return "[]".join(template.literals)


def _pattern(shape: str) -> re.Pattern[str]:
    return re.compile(_NAME.join(re.escape(part) for part in shape.split("[]")))
