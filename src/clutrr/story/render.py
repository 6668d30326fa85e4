"""From people on paths to text, a column at a time.

Sentences about attributes are few (template, value, name): all are made once, in a bank. Sentences
about facts are made for each batch and appended to the bank. A story is then a row of numbers of
sentences. A sentence that another one follows ends in a space, so that the text is simply the sentences
in a row.
"""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from clutrr.story.arrow import joined, pick
from clutrr.story.order import ORDERS, mixed
from clutrr.story.script import Facts, Ints, Script, Stories
from clutrr.world import Template, World

_T = TypeVar("_T", bound=np.generic)
_NOTHING, _SPACE = pa.scalar(""), pa.scalar(" ")


class Renderer:
    """Writes stories in one world, with d distractors for each person, in one order."""

    def __init__(self, world: World, distractors: int, order: str, brackets: bool = True) -> None:
        self._d = distractors
        self._order = order
        mark = "[{}]" if brackets else "{}"
        names = pa.array([mark.format(name) for gender in world.names for name in gender])
        self._sentences = _Sentences(names, [world.templates[relation] for relation in world.relations])
        self._bank = _Bank(world, names)

    def facts(self, facts: Facts, rng: np.random.Generator) -> pa.StringArray:
        """A sentence for each fact, its template drawn at random."""
        return self._sentences.render(facts, np.zeros(len(facts.head), bool), rng)[0]

    def stories(self, script: Script, rng: np.random.Generator) -> Stories:
        """The stories of a script."""
        stories, facts = script.head.shape
        alone = self._bank.draw(script.people, script.cast.names, script.cast.traits, self._d, rng)
        first_fact = self._bank.size + np.arange(stories * facts, dtype=np.int32).reshape(stories, facts)
        numbers = np.concatenate([first_fact, alone.reshape(stories, -1)], axis=1)
        told = self._told(script, numbers, rng)
        if script.noisy:
            order = mixed(self._order, rng, told, script.k, script.first, self._d)
        else:
            order = ORDERS[self._order](rng, stories, facts, self._d)
        starts = np.arange(0, numbers.size, numbers.shape[1])
        numbers = numbers.take(starts[:, None] + order)
        self._bank.end_with(numbers[:, -1])
        followed = (order[:, -1:] != np.arange(facts)).reshape(-1)
        told_facts, fact_lengths = self._sentences.render(script.facts, followed, rng)
        sentences = self._bank.extended(told_facts)
        text = joined(pick(sentences, numbers), numbers.shape[1])
        length = np.concatenate([self._bank.lengths, fact_lengths, [0]]).astype(np.int32).take(numbers)
        told = told.take(starts[:, None] + order) if script.noisy else told
        return _with_spans(text, length, told, np.where(order < facts, order, -1).astype(np.int32))

    def _told(
        self, script: Script, numbers: npt.NDArray[np.int32], rng: np.random.Generator
    ) -> npt.NDArray[np.bool_]:
        """Which sentences are used. The numbers of the others become that of an empty one."""
        told = np.ones(numbers.shape, bool)
        if script.noisy and self._d:
            more = self._d - np.minimum(script.told(self._d), self._d)
            start = rng.integers(0, self._d, more.shape)
            turn = (np.arange(self._d) - start[..., None]) % self._d
            told[:, script.head.shape[1] :] = (turn >= more[..., None]).reshape(script.stories, -1)
            numbers[~told] = self._bank.size + script.head.size
        return told


def _with_spans(
    text: pa.StringArray,
    length: npt.NDArray[np.int32],
    told: npt.NDArray[np.bool_],
    fact: npt.NDArray[np.int32],
) -> Stories:
    """length, fact: of each place of a story, the length of its sentence and the fact that it states.

    told: which places have a sentence; each but the first has a space before it.
    """
    end = length + told
    np.cumsum(end, axis=1, out=end)
    end -= 1
    here, states = told.reshape(-1), fact[told] >= 0
    return Stories(
        text,
        told.sum(axis=1, dtype=np.int32),
        (end - length).reshape(-1)[here],
        end.reshape(-1)[here],
        fact[told][states],
        states.astype(np.int32),
    )


class _Sentences:
    """The templates of all relations, and the names: the pieces of every sentence about a fact."""

    def __init__(self, names: pa.StringArray, templates: Sequence[Sequence[Template]]) -> None:
        flat = [template for choices in templates for template in choices]
        # Each template's three literals; then the same of all with a space behind the third.
        literals = [literal for template in flat for literal in template.literals]
        literals += [literal + " " * (i % 3 == 2) for i, literal in enumerate(literals)]
        self._pieces = pa.concat_arrays([names, pa.array(literals)])
        self._literals = len(names) + np.arange(len(literals), dtype=np.int32).reshape(-1, 3)
        self._tail_first = np.array([template.slots[0] == "b" for template in flat])
        self._count = np.array([len(choices) for choices in templates])
        self._lengths = pc.utf8_length(self._pieces).to_numpy()  # in characters
        self._first = np.cumsum(self._count) - self._count

    def render(
        self, facts: Facts, followed: npt.NDArray[np.bool_], rng: np.random.Generator
    ) -> tuple[pa.StringArray, npt.NDArray[np.int32]]:
        """A sentence for each fact, ending in a space if another follows; and its length without it."""
        choice = (rng.random(len(facts.relation)) * self._count[facts.relation]).astype(np.int64)
        template = self._first[facts.relation] + choice
        swapped = self._tail_first[template]
        pieces = np.empty((len(template), 5), np.int32)
        pieces[:, ::2] = self._literals.take(template + followed * len(self._tail_first), axis=0)
        pieces[:, 1] = np.where(swapped, facts.tail, facts.head)
        pieces[:, 3] = np.where(swapped, facts.head, facts.tail)
        lengths = self._lengths.take(pieces).sum(axis=1, dtype=np.int32) - followed
        return joined(pick(self._pieces, pieces), 5), lengths.astype(np.int32, copy=False)


class _Bank:
    """Every sentence that can tell an attribute of a person, numbered: first all with a space after
    them, then all without."""

    def __init__(self, world: World, names: pa.StringArray) -> None:
        columns = [
            _about(template, names, value)
            for attribute in world.attributes
            for value in attribute.values or ("",)
            for template in attribute.templates
        ]
        self._values = np.array([max(1, len(a.values)) for a in world.attributes], np.int32)
        self._templates = np.array([len(a.templates) for a in world.attributes], np.int32)
        # Where the sentences on each attribute start, among those on one person.
        each = self._values * self._templates
        self._first = (np.cumsum(each) - each).astype(np.int32)
        self._each = len(columns)
        # A person's sentences lie together, since a story tells several of them.
        by_column = np.arange(len(names) * self._each, dtype=np.int32).reshape(self._each, len(names))
        sentences = pick(pa.concat_arrays(columns), by_column.T) if columns else pa.array([], pa.string())
        self.lengths = np.tile(pc.utf8_length(sentences).to_numpy(), 2)  # in characters, without the space
        sentences = pa.concat_arrays([pc.binary_join_element_wise(sentences, _NOTHING, _SPACE), sentences])
        self.size = len(sentences)
        offsets, data = _content(sentences)
        self._ends, self._data = offsets.copy(), data.copy()
        self._bytes = len(data)

    def draw(
        self, people: Ints, names: Ints, traits: Ints, d: int, rng: np.random.Generator
    ) -> npt.NDArray[np.int32]:
        """Numbers of d sentences for each of the people: different attributes, in the world's order."""
        # 16 random bits times n, without the last 16 bits: a number below n.
        value = (traits.astype(np.int32) * self._values) >> 16
        of_name = names[:, None].astype(np.int32) * np.int32(self._each)
        first = of_name + self._first + value * self._templates  # of the sentences on each attribute
        number: npt.NDArray[np.int32] = first.take(people, axis=0)
        templates = self._templates
        if d < len(templates):
            keys = rng.random(number.shape, np.float32)
            attribute = np.sort(np.argsort(keys, axis=-1)[..., :d], axis=-1)
            number, templates = np.take_along_axis(number, attribute, axis=-1), templates[attribute]
        bits = rng.integers(0, 2**16, number.shape, np.uint16)
        number += (bits.astype(np.int32) * templates) >> 16
        return number

    def end_with(self, numbers: npt.NDArray[np.int32]) -> None:
        """Change the numbers of sentences of the bank to those of the same without a space."""
        numbers[numbers < self.size] += self.size // 2

    def extended(self, sentences: pa.StringArray) -> pa.StringArray:
        """The bank followed by these sentences, which have the numbers from `size` on.

        The bank is large, so it is not copied: the sentences are written after it. This makes what was
        returned before invalid.
        """
        offsets, data = _content(sentences)
        self._data = _behind(self._data, self._bytes, data)
        # The room left is one more sentence, never told: it makes the mean length, by which Arrow
        # guesses how much memory a story takes, rather too large than too small.
        # Before it stands an empty one.
        ends = np.append(
            offsets + self._bytes, np.array([offsets[-1] + self._bytes, len(self._data)], np.int32)
        )
        self._ends = _behind(self._ends, self.size, ends)
        size = self.size + len(sentences) + 2
        return pa.StringArray.from_buffers(size, pa.py_buffer(self._ends), pa.py_buffer(self._data))


def _content(sentences: pa.StringArray) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
    """Where each sentence starts and the last ends, and their bytes."""
    _, ends, data = sentences.buffers()
    offsets = np.frombuffer(ends, np.int32)[: len(sentences) + 1]
    return offsets, np.frombuffer(data or b"", np.uint8)[: offsets[-1]]


def _behind(kept: npt.NDArray[_T], size: int, more: npt.NDArray[_T]) -> npt.NDArray[_T]:
    """The first `size` values and then these, in place if there is room."""
    if len(kept) < size + len(more):
        kept = np.pad(kept[:size], (0, len(more) + size // 8))
    kept[size : size + len(more)] = more
    return kept


def _about(template: Template, names: pa.StringArray, value: str) -> pa.StringArray:
    """The sentence of this attribute and value for each name."""
    before, after = template.literals[0], template.literals[-1]
    if len(template.slots) == 2:
        if template.slots[0] == "person":
            after = f"{template.literals[1]}[{value}]{after}"
        else:
            before = f"{before}[{value}]{template.literals[1]}"
    return pc.binary_join_element_wise(before, names, after, "")
