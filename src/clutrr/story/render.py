"""From questions to text, a column at a time.

Sentences about attributes are few (template, value, name): all are made once, in a bank. Sentences
about facts are made for each block and appended to the bank. A story is then a row of numbers of sentences.

Random numbers are drawn for all questions of a block, so that a story does not depend on how many are
wanted; everything else is done for the first `rows` only.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from clutrr.story.arrow import Floats, Stories, booleans, joined, pick, string, strings, told
from clutrr.story.order import mixed_order, plain_order
from clutrr.theory.questions import Bools, Facts, Ints, QuestionBlock
from clutrr.world import Template, World

_NOTHING = string("")


class Renderer:
    """Writes stories in one world, with d sentences about each entity alone, in one order."""

    def __init__(self, world: World, distractors: int, order: str, brackets: bool = True) -> None:
        self._d = distractors
        self._order = order
        mark = "[{}]" if brackets else "{}"
        names = strings(mark.format(name) for names in world.lexicon.names for name in names)
        self._sentences = _FactSentences(names, [world.lexicon.templates[word] for word in world.relations])
        self._bank = _Bank(world, names)

    def answers(self, questions: QuestionBlock, rng: np.random.Generator, rows: int) -> pa.StringArray:
        """Return sentences that state the answers of the first rows; "" where there are several answers."""
        chance = rng.random(len(questions))[:rows]
        first = questions.take(rows)
        facts = Facts(first.names[:, 0], first.target, first.names[:, first.k])
        sentences = pc.ascii_rtrim(self._sentences.render(facts, chance), " ")
        return pc.if_else(booleans(first.targets < 0), _NOTHING, sentences)

    def stories(self, questions: QuestionBlock, rng: np.random.Generator, rows: int) -> Stories:
        """Return the stories of the first rows of the questions."""
        first = questions.take(rows)
        facts = first.head.shape[1]
        alone = self._bank.draw(questions, self._d, rng, rows)
        stated = len(self._bank.sentences) + np.arange(rows * facts, dtype=np.int32).reshape(rows, facts)
        numbers = np.concatenate([stated, alone.reshape(rows, -1)], axis=1)
        each = np.full(rows, numbers.shape[1])
        if first.noisy:
            used = np.ones(numbers.shape, bool)
            if self._d:
                used[:, facts:] = self._left(questions, rng, rows)
            order = mixed_order(self._order, questions, used, self._d, rng)
            each = used.sum(axis=1)
        else:
            order = plain_order(self._order, questions, self._d, rng, rows)
        numbers = numbers.take(np.arange(0, numbers.size, numbers.shape[1])[:, None] + order)
        if first.noisy:  # what is not used comes first
            here = np.arange(numbers.shape[1]) >= numbers.shape[1] - each[:, None]
            numbers, order = numbers[here], order[here]
        chance = rng.random(questions.head.size)[: rows * facts]
        every = pa.concat_arrays([self._bank.sentences, self._sentences.render(first.facts, chance)])
        states = order.reshape(-1) < facts
        return told(pick(every, numbers), each, order.reshape(-1)[states], states)

    def _left(self, questions: QuestionBlock, rng: np.random.Generator, rows: int) -> Bools:
        """Which sentences about an entity alone are left, if facts replace some: (rows, entities * d)."""
        d = self._d
        start = rng.integers(0, d, questions.entities.shape)[:rows]
        replaced = d - np.minimum(questions.take(rows).sentences_alone(d), d)
        turn = (np.arange(d) - start[..., None]) % d
        return (turn >= replaced[..., None]).reshape(rows, -1)


class _FactSentences:
    """The templates of all relations, and the names: the pieces of every sentence about a fact."""

    def __init__(self, names: pa.StringArray, templates: Sequence[Sequence[Template]]) -> None:
        flat = [template for choices in templates for template in choices]
        literals = [
            text
            for template in flat
            for text in (*template.literals[:2], template.literals[2].rstrip() + " ")
        ]
        self._pieces = pa.concat_arrays([names, strings(literals)])
        self._literals = len(names) + np.arange(len(literals), dtype=np.int32).reshape(-1, 3)
        self._tail_first = np.array([template.slots[0] == "b" for template in flat])
        self._count = np.array([len(choices) for choices in templates])
        self._first = np.cumsum(self._count) - self._count

    def render(self, facts: Facts, chance: Floats) -> pa.StringArray:
        """Return a sentence for each fact. chance: random numbers that choose the template of each."""
        choice = (chance * self._count[facts.relation]).astype(np.int64)
        template = self._first[facts.relation] + choice
        swapped = self._tail_first[template]
        pieces = np.empty((len(template), 5), np.int32)
        pieces[:, ::2] = self._literals.take(template, axis=0)
        pieces[:, 1] = np.where(swapped, facts.tail, facts.head)
        pieces[:, 3] = np.where(swapped, facts.head, facts.tail)
        return joined(pick(self._pieces, pieces), np.arange(0, pieces.size + 1, 5))


class _Bank:
    """Every sentence that can give an attribute of an entity, numbered, with a space behind it."""

    def __init__(self, world: World, names: pa.StringArray) -> None:
        attributes = world.lexicon.attributes
        columns = [
            _about(template, names, value)
            for attribute in attributes
            for value in attribute.values or ("",)
            for template in attribute.templates
        ]
        self._values = np.array([max(1, len(a.values)) for a in attributes], np.int32)
        self._templates = np.array([len(a.templates) for a in attributes], np.int32)
        # Where the sentences on each attribute start, among those on one entity.
        each = self._values * self._templates
        self._first = (np.cumsum(each) - each).astype(np.int32)
        self._each = len(columns)
        # The sentences of an entity lie together, since a story has several of them.
        by_column = np.arange(len(names) * self._each, dtype=np.int32).reshape(self._each, len(names))
        self.sentences = pick(pa.concat_arrays(columns), by_column.T) if columns else strings([])

    def draw(self, questions: QuestionBlock, d: int, rng: np.random.Generator, rows: int) -> Ints:
        """Return the numbers of d sentences for each entity of the first rows.

        They are about different attributes, in the world's order: (rows, entities, d).
        """
        cast, templates = questions.cast, self._templates
        # 16 random bits times n, without the last 16 bits: a number below n.
        value = (cast.traits.astype(np.int32) * self._values) >> 16
        of_name = cast.names[:, None].astype(np.int32) * np.int32(self._each)
        first = of_name + self._first + value * templates  # of the sentences on each attribute
        number: Ints = first.take(questions.entities[:rows], axis=0)
        shape = *questions.entities.shape, len(templates)
        if d < len(templates):
            keys = rng.random(shape, np.float32)[:rows]
            attribute = np.sort(np.argsort(keys, axis=-1)[..., :d], axis=-1)
            number, templates = np.take_along_axis(number, attribute, axis=-1), templates[attribute]
            shape = *questions.entities.shape, d
        bits = rng.integers(0, 2**16, shape, np.uint16)[:rows]
        number += (bits.astype(np.int32) * templates) >> 16
        return number


def _about(template: Template, names: pa.StringArray, value: str) -> pa.StringArray:
    """The sentence of this attribute and value for each name."""
    before, after = template.literals[0], template.literals[-1]
    if len(template.slots) == 2:
        if template.slots[1] == "value":
            after = f"{template.literals[1]}[{value}]{after}"
        else:
            before = f"{before}[{value}]{template.literals[1]}"
    return pc.binary_join_element_wise(string(before), names, string(after.rstrip() + " "), _NOTHING)
