"""Take the sentences of stories apart and count what they are made of.

A sentence consists of a shape (its text with [] for every entity) and its entities. If it names two entities
that are related by a fact, it may state that fact; with one entity and at most one value it may give an
attribute. Anything else is refused.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from clutrr.puzzle import Fact, Puzzle
from clutrr.sentences import entities_in, shape_of
from clutrr.wording.reading import ReadAs, Reader, ReadSentence, label_pattern
from clutrr.world import World

_WORD = re.compile(r"[\w-]+")
_MOST_DESCRIBED = 100_000  # entities whose attributes are looked at

Trait = tuple[str, str]  # a shape, and the value in it or ""
Pair = frozenset[str]


@dataclass
class Collected:
    """What was found.

    facts: by shape, how often it states a relation with its head first (0) or second (1). traits: of each
    entity of each story, in their order. entity_at: by shape of a trait, the place of the entity. names: how
    often each has which form, "" if that is not known. refused: shapes that were not taken apart, and why.
    """

    facts: dict[str, Counter[tuple[str, int]]] = field(default_factory=lambda: defaultdict(Counter))
    traits: list[list[Trait]] = field(default_factory=list)
    entity_at: dict[str, int] = field(default_factory=dict)
    names: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    sentences: int = 0


def collect(puzzles: Iterable[Puzzle], world: World) -> Collected:
    """Count over all stories and abstracts."""
    collector = _Collector(world)
    for puzzle in puzzles:
        collector.add(puzzle)
    return collector.found


class _Collector:
    """Counts the sentences of puzzles of one world."""

    def __init__(self, world: World) -> None:
        self.found = Collected()
        self._world = world
        self._reader = Reader(world)
        words = world.lexicon.phrases.words
        self._form_words = words.form_words
        self._labels = {label.lower(): label for label in world.relations}
        synonyms = {word: label for word, label in words.synonyms.items() if label in world.meaning}
        self._labels = synonyms | self._labels
        self._label_words = label_pattern(self._labels)

    def add(self, puzzle: Puzzle) -> None:
        """Count the sentences and names of a puzzle."""
        entities = {name for fact in puzzle.facts for name in (fact.head, fact.tail)} | set(puzzle.query)
        traits = self._take_all(puzzle.story, puzzle.facts, entities)
        if len(self.found.traits) < _MOST_DESCRIBED:
            self.found.traits += traits.values()
        asked = Fact(puzzle.query[0], puzzle.target, puzzle.query[1])
        self._take_all(puzzle.abstract, [asked], entities)
        names, forms = self.found.names, self._world.forms
        for entity in puzzle.entities:
            names[entity.name][entity.form] += 1
        for fact in puzzle.facts:
            form = self._world.meaning[fact.relation].form
            names[fact.tail][forms[form] if forms else ""] += 1
            names[fact.head][""] += 1

    def _take_all(self, text: str, facts: Iterable[Fact], entities: set[str]) -> dict[str, list[Trait]]:
        """Note what each sentence says; return the traits of each entity."""
        stated: dict[Pair, Fact] = {}
        for fact in facts:
            stated.setdefault(frozenset((fact.head, fact.tail)), fact)
        traits: dict[str, list[Trait]] = {}
        for sentence in self._reader.read(text).sentences:
            self.found.sentences += 1
            shape = shape_of(sentence.text)
            reason = self._take(sentence, shape, entities, stated, traits)
            if reason:
                self.found.refused[shape, reason] += 1
        return traits

    def _take(
        self,
        sentence: ReadSentence,
        shape: str,
        entities: set[str],
        stated: dict[Pair, Fact],
        traits: dict[str, list[Trait]],
    ) -> str | None:
        """Note what the sentence says; if it cannot be taken apart, return why."""
        marked = entities_in(sentence.text)
        named = [entity for entity in marked if entity in entities]
        if not named:
            return "names no entity"
        if len(marked) > 2:
            return "names more than two entities or values"
        if not self._form_words.isdisjoint(word.lower() for word in _WORD.findall(shape)):
            return "its words suit one form only"
        if len(named) == 2:
            fact = stated.get(frozenset(named))
            if fact is None:
                return "names two entities of which no fact is stated"
            return self._take_fact(shape, marked.index(fact.head), fact.relation)
        if sentence.read_as is ReadAs.UNREAD:
            return "is about relations, but not about two entities"
        at = marked.index(named[0])
        if self.found.entity_at.setdefault(shape, at) != at:
            return "the position of the entity varies"
        value = marked[1 - at] if len(marked) == 2 else ""
        traits.setdefault(named[0], []).append((shape, value))
        return None

    def _take_fact(self, shape: str, head: int, relation: str) -> str | None:
        """The sentence states the fact, or the same fact seen from its other end."""
        meaning = self._world.meaning
        labels = {self._labels[word.lower()] for word in self._label_words.findall(shape)}
        if len(labels) != 1:
            return "names several relations" if labels else "names no relation"
        (label,) = labels
        if label != relation:
            if meaning[label].kind.name != meaning[relation].kind.converse:
                return "states another relation than the fact"
            head = 1 - head
        self.found.facts[shape][label, head] += 1
        return None
