"""The wording of data as a world: a folder that `clutrr generate --world` takes.

A sentence consists of a shape (its text with [] for every entity) and its entities. If it names two entities
that are related by a fact, it may state that fact; with one entity and at most one value it may give an
attribute. Anything else is refused.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from clutrr._io.locations import Location
from clutrr._io.manifests import seals, write_manifest
from clutrr._io.staging import staged_folder
from clutrr._lexicon import Attribute, Template, World, read_world, save_world
from clutrr._puzzle import Fact, Puzzle
from clutrr._reading import SentenceReading, TextReader, reader_of
from clutrr._reading.attributes import Trait, group
from clutrr._reading.readable import check_readable
from clutrr._reading.templates import label_pattern
from clutrr._sentences import CLOSING, bracketed, entities_in, shape_of
from clutrr.errors import DataError

_AGREE = 0.9  # share of a shape's sentences that must say the same
_SELDOM = 5  # an attribute's sentence is about at least so many entities,
_SHARE = 0.005  # and about this share of them
_WORD = re.compile(r"[\w-]+")
_ENDS = (".", "!", "?", *CLOSING)  # the end of a sentence, recognisable before the next

_MOST_DESCRIBED = 100_000  # entities whose attributes are looked at

Pair = frozenset[str]
_Span = tuple[int, int]


@dataclass(frozen=True)
class LearntWorld:
    """A world, and what is not in it.

    base: the name of the world whose relations it has. borrowed: relations for which the data has no
    sentence, and "attributes" if it has none: those of the base world are used. refused: shapes that were not
    taken apart, with the reason and how often. rejected_names: with the reason.
    """

    world: World
    base: str
    sentences: int
    borrowed: tuple[str, ...]
    refused: Mapping[tuple[str, str], int]
    rejected_names: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """Return what was learnt as plain data; templates without those of another world."""
        lexicon = self.world.lexicon
        return {
            "relations_of": self.base,
            "sentences": self.sentences,
            "templates": {
                relation: [template.text for template in templates]
                for relation, templates in lexicon.templates.items()
                if relation not in self.borrowed
            },
            "attributes": {
                a.name: {"values": list(a.values), "templates": [t.text for t in a.templates]}
                for a in lexicon.attributes
            },
            "names": dict(zip(self.world.forms or ("",), map(len, lexicon.names), strict=True)),
            "borrowed": list(self.borrowed),
            "left_out": [
                {"sentence": shape, "reason": reason, "times": times}
                for (shape, reason), times in self.refused.items()
            ],
            "names_left_out": self.rejected_names,
        }


class _Sentences:
    """The sentences of puzzles of one world, counted by what they are made of.

    facts: by shape, how often it states a relation with its head first (0) or second (1). traits: of each
    entity of each story, in their order. entity_at: by shape of a trait, the place of the entity. names: how
    often each has which form, "" if that is not known. refused: shapes that were not taken apart, and why.
    """

    def __init__(self, world: World) -> None:
        self.facts: dict[str, Counter[tuple[str, int]]] = defaultdict(Counter)
        self.traits: list[list[Trait]] = []
        self.entity_at: dict[str, int] = {}
        self.names: dict[str, Counter[str]] = defaultdict(Counter)
        self.refused: Counter[tuple[str, str]] = Counter()
        self.count = 0
        self._world = world
        self.reader = reader_of(world)
        words = world.lexicon.phrases.words
        self._topic = words.topic | words.unlabelled
        self._form_words = words.form_words
        self._labels = {label.lower(): label for label in world.relations}
        synonyms = {word: label for word, label in words.synonyms.items() if label in world.meaning}
        self._labels = synonyms | self._labels
        self._label_words = label_pattern(self._labels, spaced=bool(world.lexicon.space))

    def add(self, puzzle: Puzzle) -> None:
        """Count the sentences and names of a puzzle."""
        entities = {name for fact in puzzle.facts for name in (fact.head, fact.tail)} | set(
            puzzle.query
        )
        unmarked = () if "[" in puzzle.story else entities

        def told(end: int | None = None) -> str:
            return bracketed(puzzle.story[:end], unmarked)

        stated = {(len(told(one.start)), len(told(one.end))): one.facts for one in puzzle.sentences}
        traits = self._take_all(told(), puzzle.facts, entities, stated)
        if len(self.traits) < _MOST_DESCRIBED:
            self.traits += traits.values()
        asked = Fact(puzzle.query[0], puzzle.target, puzzle.query[1])
        self._take_all(
            puzzle.abstract, [asked], entities, {(0, len(puzzle.abstract)): (0,)} if stated else {}
        )
        forms = self._world.forms
        for entity in puzzle.entities:
            self.names[entity.name][entity.form] += 1
        for fact in puzzle.facts:
            form = self._world.meaning[fact.relation].form
            self.names[fact.tail][forms[form] if forms and form is not None else ""] += 1
            self.names[fact.head][""] += 1

    def _take_all(
        self,
        text: str,
        facts: Sequence[Fact],
        entities: set[str],
        known: Mapping[_Span, tuple[int, ...]],
    ) -> dict[str, list[Trait]]:
        """Note what each sentence says; return the traits of each entity.

        known: the facts of sentences, where the data tells.
        """
        stated: dict[Pair, Fact] = {}
        for fact in facts:
            stated.setdefault(frozenset((fact.head, fact.tail)), fact)
        traits: dict[str, list[Trait]] = {}
        told = self.reader.read(text)
        for sentence in told.sentences:
            self.count += 1
            said = told.said(sentence)
            shape = shape_of(said)
            numbers = known.get((sentence.start, sentence.end), ())
            if len(numbers) == 1 and self._take_known(said, shape, facts[numbers[0]]):
                continue
            reason = self._take(sentence, said, entities, stated, traits)
            if reason:
                self.refused[shape, reason] += 1
        return traits

    def _take(
        self,
        sentence: SentenceReading,
        said: str,
        entities: set[str],
        stated: dict[Pair, Fact],
        traits: dict[str, list[Trait]],
    ) -> str | None:
        """Note what the sentence says; if it cannot be taken apart, return why."""
        shape, marked = shape_of(said), entities_in(said)
        named = [entity for entity in marked if entity in entities]
        if not named:
            return "names no entity"
        if len(marked) > 2:
            return "names more than two entities or values"
        words = {word.lower() for word in _WORD.findall(shape)}
        if not self._form_words.isdisjoint(words):
            return "its words suit one form only"
        if len(named) == 2:
            fact = stated.get(frozenset(named))
            if fact is None:
                return "names two entities of which no fact is stated"
            return self._take_fact(shape, marked.index(fact.head), fact.relation)
        on_topic = not self._topic.isdisjoint(words) or self._label_words.search(shape)
        if on_topic and not sentence.worded:
            return "is about relations, but not about two entities"
        at = marked.index(named[0])
        if self.entity_at.setdefault(shape, at) != at:
            return "the position of the entity varies"
        value = marked[1 - at] if len(marked) == 2 else ""
        traits.setdefault(named[0], []).append((shape, value))
        return None

    def _take_known(self, text: str, shape: str, fact: Fact) -> bool:
        """Note a sentence that is known to state the fact; whether it does not depend on forms."""
        marked = entities_in(text)
        taken = not self._world.forms and sorted(marked) == sorted((fact.head, fact.tail))
        if taken and fact.relation in self._world.meaning:
            self.facts[shape][fact.relation, marked.index(fact.head)] += 1
        return taken

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
        self.facts[shape][label, head] += 1
        return None


def learn(puzzles: Iterable[Puzzle], name: str, base: World) -> LearntWorld:
    """Return the wording of the puzzles as a world with the relations of the base world.

    name: is cut down to what the name of a world may contain.
    """
    if base.lexicon.cases.known:
        cases = ", ".join(base.lexicon.cases.known)
        raise DataError(
            f"names have cases in {base.name} ({cases}), and which one a sentence asks for cannot be learnt: "
            f"write a world that extends it"
        )
    found = _Sentences(base)
    for puzzle in puzzles:
        found.add(puzzle)
    templates = _templates(found, base)
    if not templates:
        raise DataError(
            "no sentence of the data can be a template: one names two entities and the relation of a fact"
        )
    usual = base.lexicon
    complete = {
        relation: templates.get(relation, usual.templates[relation]) for relation in base.relations
    }
    attributes = tuple(_attributes(found)) or usual.attributes
    borrowed = [relation for relation in base.relations if relation not in templates]
    borrowed += ["attributes"] if attributes is usual.attributes else []
    name = "-".join(_WORD.findall(name.encode("ascii", "ignore").decode()))[:60] or "learnt"
    lexicon = replace(usual, templates=complete, attributes=attributes, prose=None, parallel=None)
    names, rejected = _names(found, base.forms, lexicon.taken)
    world = World(name, base.theory, replace(lexicon, names=names))
    return LearntWorld(
        world, base.name, found.count, tuple(borrowed), dict(found.refused.most_common()), rejected
    )


def _templates(found: _Sentences, base: World) -> dict[str, tuple[Template, ...]]:
    """The templates of each relation, the most frequent first."""
    reader = found.reader
    templates: dict[str, list[Template]] = {}
    for shape, says in sorted(found.facts.items(), key=lambda item: (-item[1].total(), item[0])):
        ((relation, head), times), total = says.most_common(1)[0], says.total()
        template = _template(shape, ("a", "b") if head == 0 else ("b", "a"))
        reason = ""
        if not shape.endswith(_ENDS):
            reason = "does not end in a full stop"
        elif times < _AGREE * total:
            reason = "states different relations"
        elif base.forms and _reversed(template, relation, reader):
            reason = "states it the other way round"
        elif "A" in reader.read(template.fill({"a": "A", "b": "B"})).forms:
            reason = "says what form the other entity has"
        if reason:
            found.refused[shape, reason] += total
        else:
            templates.setdefault(relation, []).append(template)
    return {relation: tuple(of) for relation, of in templates.items()}


def _reversed(template: Template, relation: str, reader: TextReader) -> bool:
    """Whether the word describes a, as in "{b}'s sister {a}", which says the same if both have one form."""
    facts = reader.read(template.fill({"a": "A", "b": "B"})).facts
    return Fact("A", relation, "B") not in facts and Fact("B", relation, "A") in facts


def _template(shape: str, slots: tuple[str, ...]) -> Template:
    """The shape with named slots."""
    return Template(tuple(shape.split("[]")), slots)


def _attributes(found: _Sentences) -> Iterator[Attribute]:
    used: Counter[str] = Counter()
    times = Counter(shape for traits in found.traits for shape, _ in traits)
    unfit: dict[str, str] = {}
    for shape in times:
        if times[shape] < max(_SELDOM, _SHARE * len(found.traits)):
            unfit[shape] = "about too few entities to be an attribute"
        elif not shape.endswith(_ENDS):
            unfit[shape] = "does not end in a full stop"
    found.refused.update({(shape, reason): times[shape] for shape, reason in unfit.items()})
    described = [[trait for trait in traits if trait[0] not in unfit] for traits in found.traits]
    for shapes, values in group([traits for traits in described if traits]):
        slots = ("entity", "value") if values else ("entity",)
        templates = tuple(
            _template(shape, slots[::-1] if found.entity_at[shape] else slots) for shape in shapes
        )
        name = "_".join(_WORD.findall(" ".join(templates[0].literals).lower())) or "attribute"
        used[name] += 1
        yield Attribute(
            name if used[name] == 1 else f"{name}_{used[name]}", tuple(values), templates
        )


def _names(
    found: _Sentences, forms: tuple[str, ...], taken: Collection[str]
) -> tuple[tuple[tuple[str, ...], ...], dict[str, str]]:
    """The names of each form, and those that cannot be used."""
    names: dict[str, list[str]] = {form: [] for form in forms or ("",)}
    rejected: dict[str, str] = {}
    for name, counts in found.names.items():
        known = [(times, form) for form, times in counts.items() if form in names]
        if not known:
            rejected[name] = "its form is not known"
        elif name.lower() in taken:
            rejected[name] = "also a word or a value of a sentence"
        else:
            names[max(known)[1]].append(name)
    return tuple(tuple(sorted(names[form])) for form in names), rejected


def write_world(learnt: LearntWorld, folder: Location, force: bool = False) -> None:
    """Write the folder; it appears only when it is complete and loads. At a URL its manifest comes last."""
    about = {"world": {"name": learnt.world.name, "sha256": learnt.world.digest}}
    lines = [f"{times}\t{reason}\t{shape}\n" for (shape, reason), times in learnt.refused.items()]
    lines += [f"name\t{reason}\t{name}\n" for name, reason in learnt.rejected_names.items()]
    with staged_folder(folder, about, force) as made:
        save_world(learnt.world, made)
        (made / "left-out.txt").write_text("".join(lines), encoding="utf-8")
        write_manifest(made, about, seals(made))
        check_readable(read_world(made), made)
