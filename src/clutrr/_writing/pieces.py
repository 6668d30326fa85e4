"""From sentences that were drawn to text: every piece of text that a sentence can have is numbered.

A piece is what fills a slot of a sentence of the grammar, and the text behind it, up to the next slot.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from clutrr._lexicon import World
from clutrr._lexicon.prose import AGREES, CASES, LEADS, WORDS, Piece, Prose, with_article
from clutrr._writing.arrow import Floats, Stories, Texts, string, strings
from clutrr._writing.grammar import LONGEST, Grammar
from clutrr.theory.questions import Bools, Ints, QuestionBlock

_NOTHING, _NAME, _PRONOUN, _ATTRIBUTE, _FORM, _WORD = range(6)  # what fills a slot
_CHOICE = re.compile(r"\{\w+:([^{}]*\|[^{}]*)\}")
_END = "\0"  # stands for what is between two sentences


@dataclass(frozen=True)
class DrawnSentences:
    """Sentences of stories, in order.

    story, sentence: its story, and which one of the grammar it is. fact: the number of its first fact, -1 if
    it states none. entities: places among those of all stories, or -1. attribute: the first one of the entity
    that it gives, if it states no fact.
    """

    story: Ints  # (sentences,)
    sentence: Ints
    fact: Ints
    entities: Ints  # (4, sentences)
    attribute: Ints


class Pieces:
    """Every piece of text of a world's prose, and the slots of its sentences."""

    def __init__(self, world: World, prose: Prose, grammar: Grammar, brackets: bool) -> None:
        mark = "[{}]" if brackets else "{}"
        self._grammar = grammar
        # Of each attribute: its first text, how many values it has, how many texts for each.
        self._attributes: list[tuple[int, int, int]] = []
        every_text: list[str] = []
        for attribute in world.lexicon.attributes:
            about, values = prose.about[attribute.name], attribute.values or ("",)
            self._attributes.append((len(every_text), len(values), len(about)))
            every_text += [
                text.replace("{value}", mark.format(value)) for value in values for text in about
            ]
        told = list(_of_forms(every_text, world.labels.each))
        self._about_each = len(told) // len(every_text)  # forms that a text has
        words = [prose.words[relation] for relation in world.relations]
        neutral = [prose.neutral.get(kind.name, ()) for kind in world.kinds for _ in kind.words]
        turned = [prose.turned[relation] for relation in world.relations]
        said = dict(zip(WORDS, (words, words, neutral, neutral, turned), strict=True))
        # Of each slot for words and each label: how many words there are, and how many are before them.
        self._count = np.array(
            [[len(of) for of in by_label] for by_label in said.values()], np.int32
        )
        self._before = np.cumsum(self._count, axis=1, dtype=np.int32) - self._count
        self._each = world.labels.each
        forms = range(self._each)
        fillings = {
            ("", ""): (_NOTHING, strings([""])),
            ("does", ""): (_ATTRIBUTE, strings(told)),
        }
        for case in (*CASES, *LEADS):
            if case.lower() in prose.pronouns:
                by_form = strings(prose.pronoun(case, form) for form in forms)
                fillings[case, ""] = _PRONOUN, by_form
        for number, (what, by_label) in enumerate(said.items()):
            every = (
                with_article(word) if what[0] == "a" else word for of in by_label for word in of
            )
            fillings[what, ""] = _WORD + number, strings(every)
        for what, spec in {(slot.what, slot.spec) for s in grammar.sentences for slot in s.slots}:
            if what == "name":
                written = (one.written(mark) for one in world.lexicon.spelled(spec))
                fillings[what, spec] = _NAME, strings(written)
            elif what == AGREES:
                fillings[what, spec] = _PRONOUN, strings(spec.split("|"))
            elif spec:
                fillings[what, spec] = _FORM, strings(_of_labels(world, spec))
        programs = [
            list(_slots(pieces))
            for s, can_lead in zip(grammar.sentences, grammar.can_lead, strict=True)
            for pieces in (s.pieces, (s.led if can_lead else None) or s.pieces)
        ]
        slots = dict(
            zip(
                dict.fromkeys(slot for program in programs for slot in program),
                count(),
                strict=False,
            )
        )
        texts: dict[tuple[tuple[str, str], str], pa.StringArray] = {}
        space = world.lexicon.space
        for (filler, _), literal in slots:
            behind = string(literal.replace(_END, space))
            filled = pc.binary_join_element_wise(fillings[filler][1], behind, string(""))
            texts.setdefault((filler, literal), filled)
        starts = dict(zip(texts, np.cumsum([0, *map(len, texts.values())]).tolist(), strict=False))
        self._texts = Texts(pa.concat_arrays(texts.values()), space)
        # Of each slot: what fills it; the entity, attribute or fact of that; the first such piece.
        self._what = np.array([fillings[filler][0] for (filler, _), _ in slots])
        self._of = np.array([of for (_, of), _ in slots])
        self._first = np.array(
            [starts[filler, literal] for (filler, _), literal in slots], np.int32
        )
        self._slots = np.array([slots[slot] for program in programs for slot in program])
        self._size = np.array([len(program) for program in programs])
        self._start = np.cumsum(self._size) - self._size

    def attributes(
        self, questions: QuestionBlock, d: int, rng: np.random.Generator, rows: int
    ) -> Ints:
        """Return the texts of d attributes of each entity of the first rows: (rows, entities, d)."""
        cast, entities = questions.cast, questions.entities[:rows]
        every = np.empty((*entities.shape, len(self._attributes)), np.int32)
        for i, (first, values, texts) in enumerate(self._attributes):
            value = (cast.traits[:, i].astype(np.int32) * values) >> 16
            chance = rng.random(questions.entities.shape, np.float32)[:rows]
            text = np.minimum((chance * texts).astype(np.int32), texts - 1)
            every[..., i] = (first + value * texts).take(entities) + text
        if self._about_each > 1:
            every = every * self._about_each + questions.forms[:rows, :, None]
        keys = rng.random((*questions.entities.shape, len(self._attributes)), np.float32)[:rows]
        return np.take_along_axis(every, np.argsort(keys, axis=-1)[..., :d], axis=-1)

    def text(
        self,
        questions: QuestionBlock,
        drawn: DrawnSentences,
        led: Bools,
        attributes: Ints,
        chance: Floats,
    ) -> Stories:
        """Return the stories of these sentences.

        led: which begin with a pronoun. attributes: of the entities of each story. chance: for their words.
        """
        program = 2 * drawn.sentence + led
        size = self._size.take(program)
        bounds = np.append(0, np.cumsum(size))
        at = np.repeat(self._start.take(program) - bounds[:-1], size)
        at += np.arange(len(at))
        sentence = np.repeat(np.arange(len(size)), size)
        pieces = self._filled(questions, drawn, attributes, chance, sentence, self._slots.take(at))
        states = np.where(drawn.fact < 0, 0, self._grammar.facts[drawn.sentence])
        stated = np.append(0, np.cumsum(states))
        facts = np.repeat(drawn.fact - stated[:-1], states) + np.arange(stated[-1])
        each = np.bincount(drawn.story, minlength=len(questions))
        return self._texts.told(pieces, bounds, each, facts, stated)

    def _filled(
        self,
        questions: QuestionBlock,
        drawn: DrawnSentences,
        attributes: Ints,
        chance: Floats,
        sentence: Ints,
        slots: Ints,
    ) -> Ints:
        """Return the pieces for slots. sentence: the one that each is in."""
        what, of, pieces = self._what.take(slots), self._of.take(slots), self._first.take(slots)
        sentences = len(drawn.story)
        for kind, numbers in ((_NAME, questions.names), (_PRONOUN, questions.forms)):
            some = np.flatnonzero(what == kind)
            pieces[some] += numbers.take(
                drawn.entities.take(of.take(some) * sentences + sentence.take(some))
            )
        # Sentences about facts give the first attribute of an entity, others those of one in a row.
        some = np.flatnonzero(what == _ATTRIBUTE)
        one, turn = sentence.take(some), of.take(some)
        described = self._grammar.described.take(drawn.sentence.take(one) * LONGEST + turn)
        entity = drawn.entities.take(described * sentences + one)
        which = np.where(drawn.fact.take(one) < 0, drawn.attribute.take(one) + turn, 0)
        pieces[some] += attributes.take(entity * attributes.shape[2] + which)
        # A form of a label is that of the first entity of its fact, and of the label.
        some = np.flatnonzero(what == _FORM)
        one, fact = sentence.take(some), of.take(some)
        relation = questions.relation[drawn.story.take(one), drawn.fact.take(one) + fact]
        head = drawn.entities.take(fact * sentences + one)
        pieces[some] += relation * self._each + questions.forms.take(head)
        some = np.flatnonzero(what >= _WORD)
        one, fact = sentence.take(some), of.take(some)
        relation = questions.relation[drawn.story.take(one), drawn.fact.take(one) + fact]
        sort = (what.take(some) - _WORD) * self._count.shape[1] + relation
        word = (chance.take(one * LONGEST + fact) * self._count.take(sort)).astype(np.int32)
        pieces[some] += self._before.take(sort) + word
        return pieces


def _of_forms(texts: Iterable[str], each: int) -> Iterator[str]:
    """Yield every text for every form, if one of them has words that agree; else every text."""
    listed = list(texts)
    varies = any(_CHOICE.search(text) for text in listed)
    for text in listed:
        for form in range(each if varies else 1):
            yield _chosen(text, form)


def _chosen(text: str, form: int) -> str:
    """Return a text with the words for a form."""
    pieces = _CHOICE.split(text)
    pieces[1::2] = [words.split("|")[form] for words in pieces[1::2]]
    return "".join(pieces)


def _of_labels(world: World, spec: str) -> Iterator[str]:
    """Yield a form of every label, for every form of the first entity."""
    texts = world.lexicon.phrases.forms[spec]
    for label in world.relations:
        words = texts[label].split("|")
        for form in range(world.labels.each):
            yield words[form % len(words)]


def _slots(pieces: tuple[Piece, ...]) -> Iterator[tuple[tuple[tuple[str, str], int], str]]:
    """Yield the slots of a sentence, each with the literal text behind it; the first may be none.

    Attributes are numbered by their turn.
    """
    nothing: tuple[tuple[str, str], int] = (("", ""), 0)
    slot, literal, turn = nothing, "", count()
    for piece in pieces:
        if isinstance(piece, str):
            literal += piece
            continue
        if (slot, literal) != (nothing, ""):
            yield slot, literal
        number = next(turn) if piece.what == "does" else piece.of
        slot, literal = ((piece.what, piece.spec), number), ""
    yield slot, f"{literal}{_END}"
