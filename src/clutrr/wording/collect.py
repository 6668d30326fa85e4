"""Take the sentences of stories apart and count what they are made of.

A sentence consists of a shape (its text with [] for every entity) and its entities. If it names two people
who are related by a fact, it may state that fact; with one person and at most one value it may tell an
attribute. Anything else is refused.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from clutrr.puzzle import Fact, Puzzle
from clutrr.wording.free import SAME
from clutrr.wording.reading import Reader, Role, Sentence
from clutrr.world import GENDERS, World

_ENTITY = re.compile(r"\[([^\[\]]*)\]")
_WORD = re.compile(r"[\w-]+")
_PRONOUNS = frozenset("he she him her his hers himself herself".split())
_MOST_TOLD = 100_000  # people whose attributes are looked at

Shape = str
Trait = tuple[Shape, str]  # a shape, and the value in it or ""
Pair = frozenset[str]


@dataclass
class Collected:
    """What was found.

    facts: by shape, how often it states a relation with its head first (0) or second (1). told: of each
    person of each story, the traits in their order. person_at: by shape of a trait, which of its
    entities is the person. names: how often each is of which gender. refused: shapes
    that were not taken apart, and why.
    """

    facts: dict[Shape, Counter[tuple[str, int]]] = field(default_factory=lambda: defaultdict(Counter))
    told: list[list[Trait]] = field(default_factory=list)
    person_at: dict[Shape, int] = field(default_factory=dict)
    names: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    refused: Counter[tuple[Shape, str]] = field(default_factory=Counter)
    sentences: int = 0


def collect(puzzles: Iterable[Puzzle], world: World) -> Collected:
    """Count over all stories and abstracts."""
    reader = Reader(world)
    found = Collected()
    for puzzle in puzzles:
        people = {name for fact in puzzle.facts for name in (fact.head, fact.tail)} | set(puzzle.query)
        told = _Text(world, people, found)
        told.add(reader.read(puzzle.story).sentences, puzzle.facts)
        if len(found.told) < _MOST_TOLD:
            found.told += told.traits.values()
        asked = Fact(puzzle.query[0], puzzle.target, puzzle.query[1])
        _Text(world, people, found).add(reader.read(puzzle.abstract).sentences, [asked])
        for person in puzzle.people:
            found.names[person.name][person.gender] += 1
        for fact in puzzle.facts:
            found.names[fact.tail][GENDERS[world.meaning[fact.relation][1]]] += 1
            found.names[fact.head][""] += 1
    return found


class _Text:
    """A story or an abstract."""

    def __init__(self, world: World, people: set[str], found: Collected) -> None:
        self._world = world
        self._people = people
        self._found = found
        self.traits: dict[str, list[Trait]] = {}

    def add(self, sentences: Iterable[Sentence], facts: Iterable[Fact]) -> None:
        stated: dict[Pair, Fact] = {}
        for fact in facts:
            stated.setdefault(frozenset((fact.head, fact.tail)), fact)
        for sentence in sentences:
            self._found.sentences += 1
            entities = _ENTITY.findall(sentence.text)
            shape = _ENTITY.sub("[]", sentence.text)
            people = [entity for entity in entities if entity in self._people]
            reason = self._take(shape, entities, people, sentence.role, stated)
            if reason:
                self._found.refused[shape, reason] += 1

    def _take(
        self, shape: Shape, entities: list[str], people: list[str], role: Role, stated: dict[Pair, Fact]
    ) -> str | None:
        """Note what the sentence says; if it cannot be taken apart, return why."""
        if not people:
            return "names nobody"
        if len(entities) > 2:
            return "names more than two people or values"
        if not _PRONOUNS.isdisjoint(word.lower() for word in _WORD.findall(shape)):
            return "its pronouns suit one gender only"
        if len(people) == 2:
            fact = stated.get(frozenset(people))
            if fact is None:
                return "names two people of whom no fact is stated"
            return self._fact(shape, entities.index(fact.head), fact.relation)
        if role is Role.UNREAD:
            return "speaks of kinship, but not of two people"
        at = entities.index(people[0])
        if self._found.person_at.setdefault(shape, at) != at:
            return "the person stands now here, now there"
        value = entities[1 - at] if len(entities) == 2 else ""
        self.traits.setdefault(people[0], []).append((shape, value))
        return None

    def _fact(self, shape: Shape, head: int, relation: str) -> str | None:
        """The sentence states the fact, or the same fact seen from its other end."""
        meaning = self._world.meaning
        known = {word.lower(): word for word in meaning}
        found = {SAME.get(word, word) for word in map(str.lower, _WORD.findall(shape))}
        words = {known[word] for word in found if word in known}
        if len(words) != 1:
            return "names several relations" if words else "names no relation"
        for word in words - {relation}:
            if meaning[word][0].name != meaning[relation][0].inverse:
                return "says another relation than the stated fact"
            relation, head = word, 1 - head
        self._found.facts[shape][relation, head] += 1
        return None
