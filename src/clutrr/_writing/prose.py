"""Stories in prose, by a world's grammar, a column at a time.

The places of a story are numbered like sentences of the plain style: its facts, then d attributes of each of
its entities. Consecutive facts are joined into one sentence at random, and so are attributes of one entity;
a sentence is at the place of its first fact or attribute.

Random numbers are drawn for all questions of a block, and some of them for each sentence: so facts and
attributes are grouped for the whole block, and everything else is done for the first `rows` only.
"""

from dataclasses import dataclass

import numpy as np

from clutrr._lexicon import World
from clutrr._lexicon.prose import Prose
from clutrr._writing.arrow import Floats, Stories
from clutrr._writing.grammar import LONGEST, UNKNOWN, Grammar
from clutrr._writing.order import mixed_order
from clutrr._writing.pieces import DrawnSentences, Pieces
from clutrr.theory.questions import Bools, Ints, QuestionBlock

_TOGETHER = 0.55  # how often a fact joins the sentence of the fact before
_ATTRIBUTES_TOGETHER = _TOGETHER + 0.1  # likewise an attribute
_PRONOUN = 0.75  # how often a sentence begins with a pronoun where it may
_FOLLOWS = 0.75  # how often an attribute follows what was said about its entity before


@dataclass(frozen=True)
class _Groups:
    """Which facts, and which attributes of an entity, share a sentence.

    facts: how many are in the sentence that each fact begins; 0 if an earlier one begins it. sentence: which
    one of the grammar that is. begins: which attributes begin a sentence. attributes: how many it has.
    """

    facts: Ints  # (questions, facts)
    sentence: Ints
    begins: Bools  # (questions, entities, d)
    attributes: Ints

    @property
    def used(self) -> Bools:
        """The places at which a sentence begins: (questions, facts + entities * d)."""
        return np.concatenate([self.facts > 0, self.begins.reshape(len(self.begins), -1)], axis=1)


class ProseRenderer:
    """Writes stories in prose in one world, with d attributes of each entity, in one order."""

    def __init__(
        self, world: World, prose: Prose, distractors: int, order: str, brackets: bool
    ) -> None:
        self._d, self._order = distractors, order
        self._grammar = Grammar(world, prose)
        self._pieces = Pieces(world, prose, self._grammar, brackets)

    def stories(self, questions: QuestionBlock, rng: np.random.Generator, rows: int) -> Stories:
        """Return the stories of the first rows of the questions."""
        groups = self._group(questions, rng)
        used = groups.used
        sentences, used = int(used.sum()), used[:rows]
        order = mixed_order(self._order, questions, used, self._d, rng, rows, _FOLLOWS)
        place = order[np.take_along_axis(used, order, axis=1)]  # of each sentence
        story = np.repeat(np.arange(rows), used.sum(axis=1))
        attributes = self._pieces.attributes(questions, self._d, rng, rows)
        first, here = questions.take(rows), slice(len(story))
        drawn = self._drawn(first, groups, story, place, rng.random(sentences)[here])
        led = self._led(first, drawn, rng.random(sentences)[here])
        return self._pieces.text(
            first, drawn, led, attributes, rng.random((sentences, LONGEST))[here]
        )

    def _group(self, questions: QuestionBlock, rng: np.random.Generator) -> _Groups:
        together = _group_facts(questions, rng)
        counts = np.minimum(questions.sentences_alone(self._d), self._d)
        mask = _describable(questions, together, counts)
        sentence = self._grammar.draw(together, mask, questions.kinds, rng.random(together.shape))
        # An attribute in a sentence about facts is not given again.
        given = np.zeros(counts.shape, bool)
        has = np.where(together > 0, self._grammar.mask[sentence], 0)
        for i in range(LONGEST):
            row, fact = np.nonzero((has >> i & 1) & (together > i))
            given[row, questions.tail[row, fact + i]] = True
        return _Groups(together, sentence, *_group_attributes(counts, given, self._d, rng))

    def _drawn(
        self, questions: QuestionBlock, groups: _Groups, story: Ints, place: Ints, chance: Floats
    ) -> DrawnSentences:
        """Return the sentences at these places of these stories. chance: which of those about attributes."""
        alone = place - groups.facts.shape[1]  # among the attributes of all entities
        tells, states = np.flatnonzero(alone >= 0), np.flatnonzero(alone < 0)
        first = story * questions.entities.shape[1]
        entity = alone // max(self._d, 1)
        entities = np.full((1 + LONGEST, len(story)), -1)
        entities[0] = first + entity
        sentence = np.empty(len(story), np.int64)
        sizes = groups.attributes.take((first * self._d + alone).take(tells))
        sentence[tells] = self._grammar.draw(0, sizes, 0, chance.take(tells))
        row, fact = story[states], place[states]
        sentence[states] = groups.sentence[row, fact]
        entities[0, states] = first[states] + questions.head[row, fact]
        for i in range(LONGEST):
            more = groups.facts[row, fact] > i
            tail = questions.tail[row[more], fact[more] + i]
            entities[i + 1, states[more]] = first[states[more]] + tail
        return DrawnSentences(
            story, sentence, np.where(alone < 0, place, -1), entities, alone - entity * self._d
        )

    def _led(self, questions: QuestionBlock, drawn: DrawnSentences, chance: Floats) -> Bools:
        """Which sentences begin with a pronoun: those whose entity a reader finds in the sentence before."""
        grammar, story = self._grammar, drawn.story
        led = grammar.can_lead[drawn.sentence] & (chance < _PRONOUN)
        led[1:] &= story[1:] == story[:-1]
        led[:1] = False
        here = np.flatnonzero(led)
        before = here - 1
        subject = drawn.entities.take(
            grammar.lead.take(drawn.sentence.take(here)) * len(story) + here
        )
        others = drawn.entities.take(before, axis=1)
        form, shown = questions.forms.take(subject), questions.forms.take(others, mode="clip")
        # Of the first entity the form may not be shown, or by the first fact only.
        fact = drawn.fact.take(before)
        implied = np.where(
            fact < 0, UNKNOWN, grammar.head_form[questions.relation[story.take(here), fact]]
        )
        shown[0] = np.where(
            grammar.shows_first.take(drawn.sentence.take(before)), shown[0], implied
        )
        fits = (others >= 0) & ((shown == form) | (shown == UNKNOWN))
        led[here] = (fits.sum(axis=0) == 1) & (fits & (others == subject)).any(axis=0)
        return led


def _group_facts(questions: QuestionBlock, rng: np.random.Generator) -> Ints:
    """How many facts are in the sentence that each fact begins; 0 if an earlier fact begins it."""
    head, tail = questions.head, questions.tail
    size = np.ones(head.shape, np.int64)
    start = np.zeros(len(head), np.int64)  # of the sentence that is being filled
    rows = np.arange(len(head))
    joins = rng.random(head.shape) < _TOGETHER
    for fact in range(1, head.shape[1]):
        on = joins[:, fact] & (tail[:, fact - 1] == head[:, fact])
        on &= (head[rows, start] != tail[:, fact]) & (size[rows, start] < LONGEST)
        on &= (fact - start < 2) | (tail[rows, start] != tail[:, fact])  # nothing is named twice
        size[on, start[on]] += 1
        size[on, fact] = 0
        start = np.where(on, start, fact)
    return size


def _describable(questions: QuestionBlock, together: Ints, counts: Ints) -> Ints:
    """Which second entities of the facts of a sentence may have an attribute, as bits: (questions, facts).

    An entity may have one in the first sentence that relates it to the one before.
    """
    facts, rows = together.shape[1], np.arange(len(together))
    left = counts > 0
    may = np.zeros(together.shape, np.int64)
    for fact in range(facts):
        tail = questions.tail[:, fact]
        may[:, fact] = left[rows, tail]
        left[rows, tail] = False
    padded = np.pad(may, ((0, 0), (0, LONGEST - 1)))
    mask = np.zeros_like(may)
    for i in range(LONGEST):
        mask |= (padded[:, i : i + facts] * (together > i)) << i
    return mask


def _group_attributes(
    counts: Ints, given: Bools, d: int, rng: np.random.Generator
) -> tuple[Bools, Ints]:
    """Which attributes begin a sentence, and how many it has: (questions, entities, d).

    counts: how many attributes each entity has. given: whether the first is in a sentence with facts.
    """
    number = np.arange(d)
    there = (number < counts[..., None]) & (number >= given[..., None])
    joins = rng.random(there.shape, np.float32) < _ATTRIBUTES_TOGETHER
    size = np.zeros(counts.shape, np.int64)  # of the sentence that is being filled
    on = np.zeros(
        there.shape, bool
    )  # whether an attribute goes on with the sentence of the one before
    for i in range(d):
        on[..., i] = joins[..., i] & (size > 0) & (size < LONGEST)
        size = size * on[..., i] + there[..., i]
    sizes = there.astype(np.int64)
    for i in range(d - 1, 0, -1):
        sizes[..., i - 1] += sizes[..., i] * on[..., i]
    return there & ~on, sizes
