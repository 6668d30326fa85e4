"""From questions to text, a column at a time.

Sentences about attributes are few (template, value, name): all are made once, in a bank. So are the pieces of
sentences about facts, three each. A story is then a row of numbers.

Random numbers are drawn for all questions of a block, so that a story does not depend on how many are
wanted; everything else is done for the first `rows` only.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from clutrr._lexicon import Lexicon, Template, World
from clutrr._writing.arrow import Floats, Stories, Texts, booleans, joined, pick, string, strings
from clutrr._writing.order import in_order, mixed_order
from clutrr.theory.questions import Bools, Facts, Ints, QuestionBlock

_NOTHING = string("")


class Renderer:
    """Writes stories in one world, with d sentences about each entity alone, in one order."""

    def __init__(self, world: World, distractors: int, order: str, brackets: bool = True) -> None:
        self._d = distractors
        self._order = order
        names = _Names(world.lexicon, "[{}]" if brackets else "{}")
        self._space = world.lexicon.space
        self._bank = _Bank(world, names)
        self._facts = _FactPieces(world, names)
        texts = pa.concat_arrays([self._facts.texts, self._bank.sentences])
        self._texts = Texts(texts, self._space)

    def answers(
        self, questions: QuestionBlock, rng: np.random.Generator, rows: int
    ) -> pa.StringArray:
        """Return sentences that state the answers of the first rows; "" where there are several answers."""
        chance = rng.random(len(questions))[:rows]
        some = questions.take(rows)
        facts = Facts(some.names[:, 0], some.target, some.names[:, some.k])
        pieces = self._facts.draw(facts, chance)
        sentences = joined(pick(self._facts.texts, pieces), np.arange(0, pieces.size + 1, 3))
        return pc.if_else(booleans(some.targets < 0), _NOTHING, pc.ascii_rtrim(sentences, " "))

    def stories(self, questions: QuestionBlock, rng: np.random.Generator, rows: int) -> Stories:
        """Return the stories of the first rows of the questions."""
        some = questions.take(rows)
        size, facts = some.head.shape
        bank = len(self._facts.texts) + self._bank.draw(questions, self._d, rng, rows).reshape(
            size, -1
        )
        # Facts come first, as numbers below 0.
        numbers = np.arange(-size * facts, 0, dtype=np.int32).reshape(size, facts)
        numbers = np.concatenate([numbers, bank], axis=1)
        each = np.full(size, numbers.shape[1])
        if some.noisy:
            used = np.ones(numbers.shape, bool)
            if self._d:
                used[:, facts:] = self._left(questions, rng, rows)
            order = mixed_order(self._order, questions, used, self._d, rng, rows)
            numbers = np.take_along_axis(numbers, order, axis=1)
            each = used.sum(axis=1)  # what is not used comes first
            numbers = numbers[np.arange(numbers.shape[1]) >= numbers.shape[1] - each[:, None]]
        else:
            numbers = in_order(self._order, numbers, questions, self._d, rng, rows)
        row = numbers.reshape(-1)
        chance = rng.random(questions.head.shape)[:rows].reshape(-1)
        states = row < 0
        stated = np.append(0, np.cumsum(states))
        bounds = np.arange(len(stated)) + 2 * stated
        pieces = np.empty(bounds[-1], np.int32)
        pieces[bounds[:-1]] = row
        at, fact = np.flatnonzero(states), row[states] + size * facts
        pieces[bounds[at, None] + np.arange(3)] = self._facts.draw(some.facts, chance)[fact]
        return self._texts.told(pieces, bounds, each, fact % facts, stated)

    def _left(self, questions: QuestionBlock, rng: np.random.Generator, rows: int) -> Bools:
        """Which sentences about an entity alone are left, if facts replace some: (rows, entities * d)."""
        d = self._d
        start = rng.integers(0, d, questions.entities.shape)[:rows]
        replaced = d - np.minimum(questions.take(rows).sentences_alone(d), d)
        turn = (np.arange(d) - start[..., None]) % d
        return (turn >= replaced[..., None]).reshape(len(start), -1)


class _Names:
    """The names of a lexicon, in each case that sentences use. mark: what stands around each."""

    def __init__(self, lexicon: Lexicon, mark: str) -> None:
        self.forms = np.repeat(np.arange(len(lexicon.names)), [*map(len, lexicon.names)])
        self._lexicon, self._mark = lexicon, mark
        self._written: dict[str, pa.StringArray] = {}

    def __len__(self) -> int:
        return len(self.forms)

    def written(self, case: str) -> pa.StringArray:
        """Return all names in a case."""
        if case not in self._written:
            spelled = self._lexicon.spelled(case)
            self._written[case] = strings(one.written(self._mark) for one in spelled)
        return self._written[case]


class _FactPieces:
    """The pieces of all sentences about a fact: what is before each name, with the name, and the end.

    A template whose words depend on the form of the first entity is several sentences, in a row.
    """

    def __init__(self, world: World, names: _Names) -> None:
        templates = [world.lexicon.templates[label] for label in world.relations]
        each = world.labels.each
        sentences = [
            one
            for label, choices in enumerate(templates)
            for template in choices
            for one in agreeing(template, label % each, each)
        ]
        named = [
            pc.binary_join_element_wise(string(literal), names.written(case), _NOTHING)
            for one in sentences
            for literal, case in zip(one.literals[:2], one.slot_cases, strict=True)
        ]
        space = world.lexicon.space
        ends = strings(one.literals[2].rstrip() + space for one in sentences)
        self.texts = pa.concat_arrays([*named, ends])
        self._names = len(names)
        self._tail_first = np.array([one.slots[0] == "b" for one in sentences])
        self._count = np.array([len(choices) for choices in templates])
        self._first = np.cumsum(self._count) - self._count
        flat = [template for choices in templates for template in choices]
        varies = np.array([bool(template.choices) for template in flat])
        self._forms = names.forms if varies.any() else None
        # Of each template: its first sentence, and whether the form of the first entity counts.
        size = np.where(varies, each, 1)
        self._sentence, self._varies = np.cumsum(size) - size, varies

    def draw(self, facts: Facts, chance: Floats) -> Ints:
        """Return the pieces of a sentence for each fact. chance: random numbers that choose its template."""
        template = self._first[facts.relation] + (chance * self._count[facts.relation]).astype(
            np.int64
        )
        if self._forms is not None:
            form = self._forms[facts.head] * self._varies[template]
            template = self._sentence[template] + form
        swapped, at = self._tail_first[template], 2 * template * self._names
        pieces = np.empty((len(template), 3), np.int32)
        pieces[:, 0] = at + np.where(swapped, facts.tail, facts.head)
        pieces[:, 1] = at + np.where(swapped, facts.head, facts.tail) + self._names
        pieces[:, 2] = template + 2 * len(self._tail_first) * self._names
        return pieces


def agreeing(template: Template, tail_form: int, each: int) -> list[Template]:
    """Return the sentences that a template is for each form of the first entity; one if none matters.

    tail_form: of the second entity. each: how many forms there are.
    """
    forms = range(each) if template.choices else (0,)
    return [template.agreeing(a=form, b=tail_form) for form in forms]


class _Bank:
    """Every sentence that can give an attribute of an entity, numbered, with a space behind it."""

    def __init__(self, world: World, names: _Names) -> None:
        attributes, space = world.lexicon.attributes, world.lexicon.space
        columns = [
            _about(template, names, value, space)
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
        by_column = np.arange(len(names) * self._each, dtype=np.int32).reshape(
            self._each, len(names)
        )
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


def _about(template: Template, names: _Names, value: str, space: str) -> pa.StringArray:
    """The sentence of this attribute and value for each name."""
    if template.choices:
        each = range(int(names.forms[-1]) + 1)
        by_form = [_about(template.for_form(form), names, value, space) for form in each]
        sizes = np.bincount(names.forms)
        ends = np.cumsum(sizes).tolist()
        return pa.concat_arrays(
            [
                sentences.slice(end - size, size)
                for sentences, end, size in zip(by_form, ends, sizes.tolist(), strict=True)
            ]
        )
    before, after = template.literals[0], template.literals[-1]
    entity = int(template.slots[0] == "value")  # its place
    if len(template.slots) == 2:
        if entity == 0:
            after = f"{template.literals[1]}[{value}]{after}"
        else:
            before = f"{before}[{value}]{template.literals[1]}"
    named = names.written(template.slot_cases[entity])
    return pc.binary_join_element_wise(
        string(before), named, string(after.rstrip() + space), _NOTHING
    )
