"""From the sentences of a story to facts.

A sentence is a fact if it has the wording of one of the world's templates, or one of the common
wordings for a relation word ("[B] is the son of [A]."). It is a distractor if it has the wording of
an attribute, or no word of kinship at all. Anything else is not read, and reported.

People and values stand in square brackets. In a text without any bracket, capitalised words that
stand where a known wording has a person are taken as names.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from clutrr.puzzle import Fact
from clutrr.world import Template, World

_SENTENCE = re.compile(r"(?:\[[^\]]*\]|[^\[.!?]|[.!?](?!\s|$))+[.!?]*")
_ENTITY = re.compile(r"\[([^\]]*)\]")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_NAME = r"([^\W\d_a-z][\w'-]*?)"

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

# Words that speak of kinship though no relation need be called so.
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


@dataclass(frozen=True)
class Sentence:
    """A sentence and what it was read as."""

    text: str
    role: Role
    fact: Fact | None = None


@dataclass(frozen=True)
class Reading:
    """A story taken apart, in its own order."""

    sentences: tuple[Sentence, ...]

    @property
    def facts(self) -> tuple[Fact, ...]:
        return tuple(sentence.fact for sentence in self.sentences if sentence.fact is not None)

    @property
    def distractors(self) -> tuple[str, ...]:
        return tuple(s.text for s in self.sentences if s.role is Role.DISTRACTOR)

    @property
    def unread(self) -> tuple[str, ...]:
        return tuple(s.text for s in self.sentences if s.role is Role.UNREAD)


@dataclass(frozen=True)
class _Wording:
    """What a sentence of some shape says: a relation and where its head stands, or nothing."""

    relation: str | None
    head: int = 0  # the place of the head among the entities

    def fact(self, entities: list[str]) -> Fact | None:
        if self.relation is None:
            return None
        return Fact(entities[self.head], self.relation, entities[1 - self.head])


class Reader:
    """Reads stories in the wording of a world, and in common wordings of its relations."""

    def __init__(self, world: World) -> None:
        self._relations = frozenset(world.relations)
        self._texts: list[tuple[str, _Wording]] = list(_texts(world))
        # Earlier wordings, the world's own, come before the common ones.
        self._shapes: dict[str, _Wording | None] = {}
        for text, wording in self._texts:
            self._shapes.setdefault(text, wording)
        self._loose: list[tuple[re.Pattern[str], _Wording]] | None = None

    def read(self, story: str) -> Reading:
        """Take a story apart. Sentences end in a full stop."""
        sentence = self._bracketed if "[" in story else self._plain
        texts = (text.strip() for text in _SENTENCE.findall(story))
        return Reading(tuple(sentence(text) for text in texts if text))

    def facts(self, story: str) -> tuple[list[Fact], int]:
        """The facts of a bracketed story and how many sentences were not read; for many stories."""
        facts: list[Fact] = []
        unread = 0
        shapes, remember = self._shapes, self._shape
        for text in _SENTENCE.findall(story):
            text = text.strip()
            if not text:
                continue
            shape = _ENTITY.sub("[]", text)
            wording = shapes[shape] if shape in shapes else remember(shape)
            if wording is None:
                unread += 1
            elif wording.relation is not None:
                facts.append(wording.fact(_ENTITY.findall(text)))  # type: ignore[arg-type]
        return facts, unread

    def _shape(self, shape: str) -> _Wording | None:
        """What a shape that is in no template says: nothing, or it is not understood."""
        words = {word.lower() for word in _WORD.findall(shape)}
        bare = words | {part for word in words for part in word.split("-")}
        kinship = not bare.isdisjoint(_KINSHIP) or not words.isdisjoint(self._relations)
        wording = None if kinship or "[" in shape.replace("[]", "") else _Wording(None)
        self._shapes[shape] = wording
        return wording

    def _bracketed(self, text: str) -> Sentence:
        shape = _ENTITY.sub("[]", text)
        wording = self._shapes[shape] if shape in self._shapes else self._shape(shape)
        if wording is None:
            return Sentence(text, Role.UNREAD)
        fact = wording.fact(_ENTITY.findall(text))
        return Sentence(text, Role.DISTRACTOR if fact is None else Role.FACT, fact)

    def _plain(self, text: str) -> Sentence:
        if self._loose is None:
            self._loose = [(_pattern(shape), wording) for shape, wording in self._texts]
        text = text if text[-1] in ".!?" else text + "."
        for pattern, wording in self._loose:
            match = pattern.fullmatch(text)
            if match:
                fact = wording.fact(list(match.groups()))
                return Sentence(text, Role.DISTRACTOR if fact is None else Role.FACT, fact)
        nothing = self._shape(text) is not None
        return Sentence(text, Role.DISTRACTOR if nothing else Role.UNREAD)


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
