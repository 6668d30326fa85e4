"""From the sentences of a story to facts.

A sentence is a fact if it has the wording of one of the world's templates, or one of the common
wordings of its phrases ("[B] is the son of [A]."). It is a distractor if it has the wording of
an attribute, or no word about relations at all and names at most one entity. Sentences of any other wording
are read by the grammar of the world's prose, if it has one, or else by its theory's reader of ordinary
sentences. Anything else is not read, and reported.

Entities and values are in square brackets. In a text without any bracket, capitalised words are taken as
names where a known wording has an entity.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, lru_cache
from typing import NamedTuple

from clutrr.errors import WorldError
from clutrr.files import Where
from clutrr.puzzle import Fact
from clutrr.sentences import (
    NOT_NAMES,
    OPENING_WORDS,
    cut_sentences,
    entities_in,
    sentence_spans,
    shape_of,
)
from clutrr.wording.names import any_name, is_no_name, unmarked_name
from clutrr.wording.prose import ProseReader, Statement, prose_reader
from clutrr.world import Template, World

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
ENDS = re.compile(r"[.!?]\s")
_REMEMBERED = 100_000  # shapes of sentences


class ReadAs(Enum):
    """What a sentence was read as."""

    FACT = "fact"
    DISTRACTOR = "distractor"
    UNREAD = "unread"


class ReadSentence(NamedTuple):
    """A sentence, `story[start:end]`, and what it was read as."""

    start: int
    end: int
    text: str
    read_as: ReadAs
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class StoryReading:
    """A story taken apart, in its own order. forms: those of `FreeReading`."""

    sentences: tuple[ReadSentence, ...]
    forms: Mapping[str, str] = field(default_factory=dict)

    @property
    def facts(self) -> tuple[Fact, ...]:
        return tuple(fact for sentence in self.sentences for fact in sentence.facts)

    @property
    def unread(self) -> tuple[str, ...]:
        return tuple(s.text for s in self.sentences if s.read_as is ReadAs.UNREAD)


class _Meaning(NamedTuple):
    """What sentences of some shape are read as; None: a distractor, unless they name two entities.

    relation: of a fact; head: the place of its head among the entities.
    """

    read_as: ReadAs | None
    relation: str = ""
    head: int = 0

    def facts(self, entities: Sequence[str]) -> tuple[Fact, ...]:
        if self.read_as is not ReadAs.FACT:
            return ()
        return (Fact(entities[self.head], self.relation, entities[1 - self.head]),)


_KNOWN = (ReadAs.FACT, ReadAs.DISTRACTOR)
_DISTRACTOR, _UNREAD, _UNKNOWN = _Meaning(ReadAs.DISTRACTOR), _Meaning(ReadAs.UNREAD), _Meaning(None)
_Shaped = tuple[int, str, str]  # start, text, and its shape; "" for the shape in a story without brackets
_Found = tuple[ReadAs | None, tuple[Fact, ...]]
_Apart = tuple[list[_Shaped], list[_Found], Mapping[str, str]]


class StoryReader:
    """Reads stories in the wording of a world, in common wordings of its relations, and freely.

    free: the theory's reader of ordinary sentences, if it has one.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        words = world.lexicon.phrases.words
        self._topic = words.topic | words.unlabelled
        self._labels = label_pattern(world.relations)
        self.free = world.theory.free_reader(world.labels, words.synonyms)
        self._texts = list(known_shapes(world))
        # Earlier wordings, the world's own, come before the common ones.
        self._shapes: dict[str, _Meaning] = {}
        for shape, meaning in self._texts:
            self._shapes.setdefault(shape, meaning)
        # Either may be slow, and is asked for again and again.
        self._may_be_prose = lru_cache(_REMEMBERED)(self._grammar_may_read)
        self._taken_apart = lru_cache(4)(self._take_apart)  # a story is asked for several times in a row

    def read(self, story: str, entities: Collection[str] | None = (), free: bool = True) -> StoryReading:
        """Take a story apart. Sentences end in a full stop.

        A sentence of unknown wording that names two entities counts as not read, whatever its words: it may
        say what they are to each other. entities: what the story is about, beside the entities of its facts;
        None if that is unknown, so that every name may be an entity's. free: whether ordinary sentences are
        read too, if the theory can.
        """
        shaped, found, forms = self._taken_apart(story, free)
        stated = {name for _, facts in found for fact in facts for name in (fact.head, fact.tail)}
        known = None if entities is None else stated.union(entities)
        sentences = []
        for (start, text, shape), (read_as, facts) in zip(shaped, found, strict=True):
            if read_as is None:
                several = len(self._named(text, known, plain=not shape)) > 1
                read_as = ReadAs.UNREAD if several else ReadAs.DISTRACTOR
            sentences.append(ReadSentence(start, start + len(text), text, read_as, facts))
        return StoryReading(tuple(sentences), forms)

    def may_know(self, story: str) -> bool:
        """Return False if some sentence surely has no known wording; much faster than to read it.

        Nothing is sure of stories without square brackets.
        """
        shapes = cut_sentences(shape_of(story)) if "[" in story else ()
        return not any(
            self._meaning(shape).read_as is ReadAs.UNREAD and not self._may_be_prose(shape)
            for shape in shapes
        )

    def _take_apart(self, story: str, free: bool) -> _Apart:
        """Return the sentences, what each is read as, and the forms that are shown."""
        if free and self.free is not None:
            shaped, found, _ = self._taken_apart(story, False)
            if all(read_as in _KNOWN for read_as, _ in found):
                return shaped, found, {}
            said, forms = self.free.read([text for _, text, _ in shaped])
            shown = {fact.tail for _, facts in found for fact in facts}  # a word of the world shows its form
            found = [
                one
                if facts is None or one[0] in _KNOWN
                else (ReadAs.FACT if facts else ReadAs.DISTRACTOR, facts)
                for one, facts in zip(found, said, strict=True)
            ]
            return shaped, found, {name: form for name, form in forms.items() if form or name not in shown}
        plain = "[" not in story
        shaped = list(_shaped(story, plain))
        found = [] if plain else [self._by_shape(text, shape) for _, text, shape in shaped]
        if plain or not all(read_as in _KNOWN for read_as, _ in found):
            found = list(self._in_prose(shaped))
        return shaped, found, {}

    @cached_property
    def _grammar(self) -> ProseReader | None:
        """Made when there is prose to read."""
        return prose_reader(self._world)

    @cached_property
    def _names(self) -> re.Pattern[str]:
        """Names in text without brackets."""
        return re.compile(unmarked_name(self._world))

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], _Meaning]]:
        """The known wordings, with names in the place of brackets."""
        name = f"({any_name(self._world)})"
        values = {
            "[]".join(template.literals): [
                f"(?:{'|'.join(map(re.escape, attribute.values))})" if slot == "value" else name
                for slot in template.slots
            ]
            for attribute in self._world.lexicon.attributes
            for template in attribute.templates
        }
        return [
            (_spelled(shape, values[shape] if meaning is _DISTRACTOR else [name, name]), meaning)
            for shape, meaning in self._texts
        ]

    def _named(self, text: str, known: set[str] | None, plain: bool) -> set[str]:
        """The entities that the sentence names."""
        names = set(self._names.findall(text) if plain else entities_in(text))
        if known is not None:
            return {name for name in known if name in names or (plain and " " in name and name in text)}
        return {name for name in names if name.lower() not in NOT_NAMES and name.lower() not in OPENING_WORDS}

    def _in_prose(self, sentences: Iterable[_Shaped]) -> Iterator[_Found]:
        """By the grammar of the world's prose; what is not in it, as otherwise."""
        prose = self._grammar
        said: Statement | None = None
        for _, text, shape in sentences:
            may_read = prose is not None and (not shape or self._may_be_prose(shape))
            said = prose.read(text, said, bool(shape)) if prose is not None and may_read else None
            if said is None:
                yield self._by_shape(text, shape) if shape else self._by_pattern(text)
            elif _misnamed(said.facts):
                said = None
                yield ReadAs.UNREAD, ()
            else:
                yield ReadAs.FACT if said.facts else ReadAs.DISTRACTOR, said.facts

    def _grammar_may_read(self, shape: str) -> bool:
        return self._grammar is not None and self._grammar.may_read(shape)

    def _by_shape(self, text: str, shape: str) -> _Found:
        meaning = self._meaning(shape)
        return meaning.read_as, meaning.facts(entities_in(text)) if meaning.relation else ()

    def _by_pattern(self, text: str) -> _Found:
        closed = text if text[-1] in ".!?" else text + "."
        for pattern, meaning in self._patterns:
            match = pattern.fullmatch(closed)
            if match:
                if any(map(is_no_name, match.groups())):
                    return (ReadAs.UNREAD if meaning.relation else meaning.read_as), ()
                return meaning.read_as, meaning.facts(match.groups())
        return self._unknown(closed).read_as, ()

    def _meaning(self, shape: str) -> _Meaning:
        return self._shapes[shape] if shape in self._shapes else self._unknown(shape)

    def _unknown(self, shape: str) -> _Meaning:
        """What a shape that is in no template says: nothing, or it is not understood."""
        words = {word.lower() for word in _WORD.findall(shape)}
        bare = words | {part for word in words for part in word.split("-")} if "-" in shape else words
        on_topic = not bare.isdisjoint(self._topic) or self._labels.search(shape) is not None
        meaning = _UNREAD if on_topic or "[" in shape.replace("[]", "") else _UNKNOWN
        if len(self._shapes) < _REMEMBERED:
            self._shapes[shape] = meaning
        return meaning


def label_pattern(words: Iterable[str]) -> re.Pattern[str]:
    """Return what finds these words or phrases in a text, the longest first, in upper or lower case."""
    longest = sorted(map(re.escape, words), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(longest)})(?![\w-])", re.IGNORECASE)


def _spelled(shape: str, slots: Sequence[str]) -> re.Pattern[str]:
    """Return the pattern of a shape whose slots are these patterns."""
    first, *rest = map(re.escape, shape.split("[]"))
    return re.compile(first + "".join(slot + literal for slot, literal in zip(slots, rest, strict=True)))


def _shaped(story: str, plain: bool) -> Iterator[_Shaped]:
    """The sentences with their shapes. plain: in a story without square brackets there are none."""
    for start, end in sentence_spans(story):
        text = story[start:end]
        yield start, text, "" if plain else shape_of(text)


def _misnamed(facts: Iterable[Fact]) -> bool:
    """Whether there is a word that is not a name where a name should be."""
    return any(name.lower() in NOT_NAMES for fact in facts for name in (fact.head, fact.tail))


def known_shapes(world: World) -> Iterator[tuple[str, _Meaning]]:
    """Every wording as a text with [] for each slot."""
    lexicon = world.lexicon
    for relation in world.relations:
        for template in lexicon.templates[relation]:
            yield "[]".join(template.literals), _Meaning(ReadAs.FACT, relation, template.slots.index("a"))
    for attribute in lexicon.attributes:
        for template in attribute.templates:
            yield "[]".join(template.literals), _DISTRACTOR
    for relation in world.relations:
        for common in lexicon.phrases.common:
            head = int(common.index("{a}") > common.index("{b}"))
            yield common.format(a="[]", b="[]", r=relation), _Meaning(ReadAs.FACT, relation, head)


def check_readable(world: World, folder: Where) -> None:
    """Refuse a world with a sentence that cannot be read back."""
    for name, template in unreadable(world):
        file = "templates.yaml" if name in world.meaning else "attributes.yaml"
        hint = "" if template.text.endswith((".", "!", "?")) else ": end it with a full stop"
        raise WorldError(f"{folder / file}: {name}: {template.text!r} cannot be read back{hint}")


def unreadable(world: World) -> Iterator[tuple[str, Template]]:
    """Yield the templates that do not read back as what they say, with their relation or attribute."""
    reader, names = StoryReader(world), world.lexicon.names
    first, second = names[0][0], names[-1][-1]
    for relation, templates in world.lexicon.templates.items():
        for template in templates:
            text = template.fill({"a": first, "b": second})
            if not _reads(reader, text, (Fact(first, relation, second),)):
                yield relation, template
    for attribute in world.lexicon.attributes:
        value = attribute.values[0] if attribute.values else ""
        for template in attribute.templates:
            if not _reads(reader, attribute.sentence(template, first, value), ()):
                yield attribute.name, template


def _reads(reader: StoryReader, text: str, facts: tuple[Fact, ...]) -> bool:
    """Whether the text is read as these facts, also if another sentence follows."""
    once, twice = reader.read(text), reader.read(f"{text} {text}")
    unread = once.unread or twice.unread
    return not unread and once.facts == facts and twice.facts == facts + facts
