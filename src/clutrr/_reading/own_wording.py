"""Reads worlds in other languages than English: by their own wording and prose, and free sentences of kinship.

A sentence of known wording states its fact, or nothing. A free one says what the grammar of the language, if there is
one, finds in it (`free`); English is never tried. One of any other wording is not understood if it has a word
about relations or names several entities, and is silent otherwise. In a text without square brackets, capitalised words
are taken as names where a known wording has an entity; in a language without spaces only the names of its world are.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from clutrr._lexicon import World
from clutrr._puzzle import Fact
from clutrr._reading.free import free_sentences
from clutrr._reading.names import any_name, is_no_name, unmarked_name
from clutrr._reading.prose import Statement as ProseStatement
from clutrr._reading.prose import prose_reader
from clutrr._reading.records import SentenceReading, Statements, Understood, Unread
from clutrr._reading.stated import stated_reader
from clutrr._reading.templates import Wording, known_shapes, label_pattern, shapes
from clutrr._sentences import (
    CLOSING,
    NOT_NAMES,
    OPENING_WORDS,
    entities_in,
    sentence_spans,
    shape_of,
)
from clutrr._statement import Statement, StatementKind, Status

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_STOPS = (".", "!", "?", *CLOSING)


class OwnWordingReader:
    """Reads texts in the wording of a world."""

    def __init__(self, world: World) -> None:
        self._world = world
        words = world.lexicon.phrases.words
        self._topic = words.topic | words.unlabelled
        self._labels = label_pattern(world.relations, spaced=bool(world.lexicon.space))
        self._texts = list(known_shapes(world))
        self._shapes: dict[str, Wording] = {}
        for shape, wording in self._texts:  # templates come before common wordings
            self._shapes.setdefault(shape, wording)
        self._prose = prose_reader(world)
        self._free = free_sentences(world)
        self._stated = stated_reader(world)

    def read(
        self,
        text: str,
        names: Collection[str] | None = None,
        known: Mapping[str, str] | None = None,
        also: Collection[str] = (),
    ) -> Statements:
        """Return what a text says.

        names: the entities, if they are known. known: forms, of no use here. also: names beside those of the world.
        """
        marked = "[" in text
        spans = list(sentence_spans(text))
        given = frozenset((*(names or ()), *also))
        told: ProseStatement | None = None
        facts: list[tuple[Fact, ...] | None] = []
        stated: list[Statement | None] = []
        for start, end in spans:
            sentence = text[start:end]
            stated.append(self._statement(sentence, marked))
            told = self._told(sentence, told, marked)
            if told is not None:
                facts.append(told.facts)
            else:
                facts.append(self._marked(sentence) if marked else self._unmarked(sentence, given))
        entities = None
        if names is not None:
            entities = {name for some in facts for one in some or () for name in one[::2]} | {
                *names
            }
        found = (
            _stating(one, start, end)
            if one
            else self._reading(text, start, end, some, entities, also)
            for (start, end), some, one in zip(spans, facts, stated, strict=True)
        )
        return Statements(text, tuple(found))

    def whole(self, text: str) -> Statements | None:
        """Return what a text says of which every sentence has a known wording, with square brackets; else None.

        Many times as fast as to read it word by word.
        """
        if "[" not in text:
            return None
        found: list[SentenceReading] = []
        for start, end in sentence_spans(text):
            wording = self._shapes.get(shape_of(text[start:end]))
            facts = None if wording is None else self._facts(wording, entities_in(text[start:end]))
            if facts is None:
                one = self._statement(text[start:end], marked=True)
                if one is None:
                    return None
                found.append(_stating(one, start, end))
                continue
            found.append(self._reading(text, start, end, facts, None))
        return Statements(text, tuple(found))

    def _statement(self, sentence: str, marked: bool) -> Statement | None:
        """Return what a sentence states that is no fact; None if it is none of the world's own wording."""
        if self._stated is None:
            return None
        if marked:
            shape = shape_of(sentence)
            return (
                None if shape in self._shapes else self._stated.read(shape, entities_in(sentence))
            )
        names = self._names.findall(sentence)
        return self._stated.read(self._names.sub("[]", sentence), names) if names else None

    def _reading(
        self,
        text: str,
        start: int,
        end: int,
        facts: Sequence[Fact] | None,
        known: Collection[str] | None,
        also: Collection[str] = (),
    ) -> SentenceReading:
        """Return what became of a sentence. facts: that it states; None if its wording is not known."""
        if facts is not None:
            said = tuple(
                Statement(StatementKind.FACT, head, (relation,), tail, start=start, end=end)
                for head, relation, tail in facts
            )
            return SentenceReading(start, end, Understood.READ, said, settled=said, worded=True)
        sentence = text[start:end]
        free = (
            self._free.read(sentence, {*(known or ()), *also}) if self._free is not None else None
        )
        if free is not None:
            said = tuple(replace(one, start=start, end=end) for one in free)
            settled = tuple(one for one in said if one.status is Status.ASSERTED)
            return SentenceReading(start, end, Understood.READ, said, settled=settled)
        if self._speaks_of_relations(sentence) or len(self._named(sentence, known)) > 1:
            unread = (Unread(start, end, ""),)
            return SentenceReading(start, end, Understood.UNREAD, unread=unread)
        return SentenceReading(start, end, Understood.SILENT)

    def _told(
        self, text: str, before: ProseStatement | None, marked: bool
    ) -> ProseStatement | None:
        """Return what a sentence says by the grammar of the world's prose."""
        if self._prose is None or (marked and not self._prose.may_read(shape_of(text))):
            return None
        told = self._prose.read(text, before, marked)
        names = [name.lower() for fact in told.facts for name in fact[::2]] if told else ()
        return told if NOT_NAMES.isdisjoint(names) else None

    def _marked(self, text: str) -> tuple[Fact, ...] | None:
        """Return the facts of a sentence with square brackets; None if its wording is not known."""
        wording = self._shapes.get(shape_of(text))
        return None if wording is None else self._facts(wording, entities_in(text))

    def _unmarked(self, text: str, given: Collection[str]) -> tuple[Fact, ...] | None:
        """Return the facts of a sentence without square brackets; None if its wording is not known.

        given: names that are known beside those of the world.
        """
        closed = text if text[-1] in _STOPS else text + "."
        for pattern, wording in self._patterns:
            match = pattern.fullmatch(closed)
            if match is None:
                continue
            if any(self._is_no_name(word, given) for word in match.groups()):
                return None if wording.relation else ()
            facts = self._facts(wording, match.groups())
            if facts is not None:
                return facts
        return None

    def _is_no_name(self, text: str, given: Collection[str]) -> bool:
        """Whether what is in the place of a name cannot be one."""
        if text in self._may_be or text in given:
            return False
        if self._world.lexicon.language.partition("-")[0] == "de":
            return True  # every noun has a capital: "Annas Bruder ist Arzt"
        words = text.split()
        # "Heute ist Paul Annas Mann" is about no "Paul Anna".
        joins_names = len(words) > 1 and any(word in self._may_be for word in words)
        return joins_names or is_no_name(text) or self._closes(words)

    def _closes(self, words: Sequence[str]) -> bool:
        """Whether one of some words is one of the grammar of the language, as "Vielleicht" is."""
        free = self._free
        return free is not None and any(word.lower() in free.closed for word in words)

    def _facts(self, wording: Wording, words: Sequence[str]) -> tuple[Fact, ...] | None:
        """Return the facts of a wording with these words for names; None if one is no name."""
        if not wording.relation:
            return ()
        cases = wording.cases or ("", "")
        names = [
            self._world.lexicon.name_of(word, case) for word, case in zip(words, cases, strict=True)
        ]
        head, tail = names[wording.head], names[1 - wording.head]
        return None if head is None or tail is None else (Fact(head, wording.relation, tail),)

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], Wording]]:
        """The known wordings, with names in the place of brackets."""
        name = f"({any_name(self._world)})"
        slots: dict[str, list[str]] = {}  # of attributes
        for attribute in self._world.lexicon.attributes:
            value = f"(?:{'|'.join(map(re.escape, attribute.values))})"
            for template in attribute.templates:
                for one, shape in shapes(self._world, template):
                    slots[shape] = [value if slot == "value" else name for slot in one.slots]
        return [
            (_spelled(shape, [name, name] if wording.relation else slots[shape]), wording)
            for shape, wording in self._texts
        ]

    def _speaks_of_relations(self, text: str) -> bool:
        """Whether a sentence has a word about relations."""
        shape = shape_of(text)
        if not self._world.lexicon.space:
            found = any(word in shape for word in self._topic)
            return found or self._labels.search(shape) is not None
        words = {word.lower() for word in _WORD.findall(shape)}
        words |= {part for word in words for part in word.split("-")}
        return not words.isdisjoint(self._topic) or self._labels.search(shape) is not None

    def _named(self, text: str, known: Collection[str] | None) -> set[str]:
        """Return the entities that a sentence names. known: all there are, if that is known."""
        marked = entities_in(text)
        words = set(marked or self._names.findall(text))
        names = words.union(*(self._may_be.get(word, ()) for word in words))
        if known is not None:
            return {
                one for one in known if one in names or (not marked and " " in one and one in text)
            }
        return {
            word
            for word in words
            if word.lower() not in NOT_NAMES and word.lower() not in OPENING_WORDS
        }

    @cached_property
    def _names(self) -> re.Pattern[str]:
        """Names in text without brackets. In German, where every noun has a capital, only those that are known."""
        if self._world.lexicon.language.partition("-")[0] == "de":
            words = sorted(map(re.escape, self._may_be), key=len, reverse=True)
            return re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?=s?(?!\w))")
        return re.compile(unmarked_name(self._world))

    @cached_property
    def _may_be(self) -> dict[str, set[str]]:
        """The names that a word may stand for, in any case."""
        found: dict[str, set[str]] = {}
        for by_word in self._world.lexicon.named.values():
            for word, name in by_word.items():
                found.setdefault(word, set()).add(name)
        return found


def _stating(one: Statement, start: int, end: int) -> SentenceReading:
    """Return the reading of a sentence that states this."""
    placed = replace(one, start=start, end=end)
    settled = () if one.status is Status.DENIED else (placed,)
    return SentenceReading(start, end, Understood.READ, (placed,), settled=settled, worded=True)


def _spelled(shape: str, slots: Sequence[str]) -> re.Pattern[str]:
    """Return the pattern of a shape whose slots are these patterns."""
    first, *rest = map(re.escape, shape.split("[]"))
    pieces: Iterator[str] = (slot + literal for slot, literal in zip(slots, rest, strict=True))
    return re.compile(first + "".join(pieces))
