"""From sentences that were drawn to text: every piece of text that a sentence can have is numbered.

A sentence of the grammar is a program: numbers of literal pieces, and of slots. For each slot that some
sentence has, a column holds the numbers of the pieces that fill it in the sentences that were drawn.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from clutrr.story.arrow import Floats, Stories, Texts, strings
from clutrr.story.grammar import LONGEST, Grammar
from clutrr.theory.questions import Bools, Ints, QuestionBlock
from clutrr.world import World
from clutrr.world.prose import WORDS, Piece, Prose, Slot, with_article

ENTITIES = LONGEST + 1  # in a sentence
_PRONOUNS = ("he", "his", "him", "He", "His")


@dataclass(frozen=True)
class DrawnSentences:
    """Sentences of stories, in order.

    story, sentence: its story, and which one of the grammar it is. fact: the number of its first fact, -1 if
    it states none. entities: places among the story's entities, or -1. forms: those that it shows of them.
    relations: the labels of its facts. attributes: the pieces that give them.
    """

    story: Ints  # (sentences,)
    sentence: Ints
    fact: Ints
    entities: Ints  # (sentences, 4)
    forms: Ints
    relations: Ints  # (sentences, 3)
    attributes: Ints


class Pieces:
    """Every piece of text of a world's prose, and the programs of its sentences."""

    def __init__(self, world: World, prose: Prose, grammar: Grammar, brackets: bool) -> None:
        self._mark = "[{}]" if brackets else "{}"
        self._texts: list[str] = []
        self._literals: dict[str, int] = {}
        self._slots: dict[Slot, int] = {}
        lexicon = world.lexicon
        self._names = self._add(self._mark.format(name) for names in lexicon.names for name in names)
        forms = range(world.labels.each)
        self._pronouns = {case: self._add(prose.pronoun(case, form) for form in forms) for case in _PRONOUNS}
        words = [prose.words[relation] for relation in world.relations]
        neutral = [prose.neutral.get(kind.name, ("",)) for kind in world.kinds for _ in kind.words]
        turned = [prose.turned[relation] for relation in world.relations]
        self._words = {
            what: self._add_words(of, article=what[0] == "a")
            for what, of in zip(WORDS, (words, words, neutral, neutral, turned), strict=True)
        }
        # Of each attribute: its first piece, how many values it has, how many texts for each.
        self._attributes = [
            (
                self._add(
                    text.replace("{value}", self._mark.format(value))
                    for value in attribute.values or ("",)
                    for text in prose.about[attribute.name]
                ),
                max(1, len(attribute.values)),
                len(prose.about[attribute.name]),
            )
            for attribute in lexicon.attributes
        ]
        programs = [
            self._program(pieces) for s in grammar.sentences for pieces in (s.pieces, s.led or s.pieces)
        ]
        self._codes = np.concatenate([np.array(program, np.int32) for program in programs])
        self._size = np.array([len(program) for program in programs], np.int32)
        self._start = np.cumsum(self._size, dtype=np.int32) - self._size
        self._table = Texts(strings(self._texts))
        self._facts = grammar.facts

    def _add(self, texts: Iterable[str]) -> int:
        """The number of the first of these texts, which are numbered one after the other."""
        first = len(self._texts)
        self._texts += list(texts)
        return first

    def _add_words(self, words: list[tuple[str, ...]], article: bool) -> tuple[Ints, Ints]:
        """Of each label, the number of its first word, and how many words it has."""
        first = [self._add(with_article(w) if w and article else w for w in of) for of in words]
        return np.array(first), np.array([len(of) for of in words])

    def _program(self, pieces: tuple[Piece, ...]) -> list[int]:
        """Numbers of pieces; for a slot, -1 minus its number. Attributes are filled in a row."""
        program, attributes = [], 0
        *others, stop = pieces  # with a full stop
        for piece in (*others, f"{stop} "):
            if isinstance(piece, str):
                program.append(self._literal(piece))
                continue
            slot = Slot("does", attributes) if piece.what == "does" else piece
            attributes += piece.what == "does"
            program.append(-1 - self._slots.setdefault(slot, len(self._slots)))
        return program

    def _literal(self, text: str) -> int:
        if text not in self._literals:
            self._literals[text] = self._add([text])
        return self._literals[text]

    def attributes(self, questions: QuestionBlock, d: int, rng: np.random.Generator, rows: slice) -> Ints:
        """Return the pieces of d attributes of each entity of these rows: (rows, entities, d)."""
        cast, entities = questions.cast, questions.entities[rows]
        every = np.empty((*entities.shape, len(self._attributes)), np.int64)
        for i, (first, values, texts) in enumerate(self._attributes):
            value = (cast.traits[:, i].astype(np.int64) * values) >> 16
            chance = rng.random(questions.entities.shape, np.float32)[rows]
            text = np.minimum((chance * texts).astype(np.int64), texts - 1)
            every[..., i] = first + value.take(entities) * texts + text
        keys = rng.random((*questions.entities.shape, len(self._attributes)), np.float32)[rows]
        return np.take_along_axis(every, np.argsort(keys, axis=-1)[..., :d], axis=-1)

    def text(self, questions: QuestionBlock, drawn: DrawnSentences, led: Bools, chance: Floats) -> Stories:
        """Return the stories of these sentences. led: which begin with a pronoun. chance: for their words."""
        program = 2 * drawn.sentence + led
        size = self._size[program]
        ends = np.cumsum(size, dtype=np.int32)
        at = np.repeat(self._start[program] - ends + size, size)
        at += np.arange(ends[-1], dtype=np.int32)
        pieces = self._codes.take(at)
        slots = np.flatnonzero(pieces < 0)
        sentence = np.repeat(np.arange(len(size), dtype=np.int32), size).take(slots)
        pieces[slots] = self._columns(questions, drawn, chance)[-1 - pieces[slots], sentence]

        states = np.where(drawn.fact >= 0, self._facts[drawn.sentence], 0)
        stated = np.append(0, np.cumsum(states))
        facts = np.repeat(drawn.fact - stated[:-1], states) + np.arange(stated[-1])
        each = np.bincount(drawn.story, minlength=len(questions))
        return self._table.told(pieces, np.append(np.int32(0), ends), each, facts, stated)

    def _columns(self, questions: QuestionBlock, drawn: DrawnSentences, chance: Floats) -> Ints:
        """The pieces that fill each slot: (slots, sentences)."""
        at = drawn.story, drawn.entities.T
        names, forms = (of[at].astype(np.int32) for of in (questions.names, questions.forms))
        filled = np.empty((len(self._slots), len(drawn.story)), np.int32)
        for (what, of), column in zip(self._slots, filled, strict=True):
            if what == "name":
                column[:] = self._names + names[of]
            elif what in WORDS:
                (first, count), relation = self._words[what], drawn.relations[:, of]
                column[:] = first[relation] + (chance[:, of] * count[relation]).astype(np.int64)
            elif what == "does":
                column[:] = drawn.attributes[:, of]
            else:
                column[:] = self._pronouns[what] + forms[of]
        return filled
