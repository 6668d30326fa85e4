"""Stories in prose, by a world's grammar, a column at a time.

The places of a story are numbered like sentences of the plain style: its facts, then d attributes of each of
its entities. Consecutive facts are joined into one sentence at random, and so are attributes of one entity;
a sentence is at the place of its first fact or attribute.

Random numbers are drawn for all questions of a block, and some of them for each sentence: so facts and
attributes are grouped for the whole block, and everything else is done for the wanted `rows` only.
"""

from dataclasses import dataclass

import numpy as np

from clutrr.story.arrow import Floats, Stories
from clutrr.story.grammar import LONGEST, UNKNOWN, Grammar
from clutrr.story.order import mixed_order
from clutrr.story.pieces import ENTITIES, DrawnSentences, Pieces
from clutrr.theory.questions import Bools, Ints, QuestionBlock
from clutrr.world import World
from clutrr.world.prose import Prose

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

    def take(self, rows: slice) -> "_Groups":
        return _Groups(self.facts[rows], self.sentence[rows], self.begins[rows], self.attributes[rows])


class ProseRenderer:
    """Writes stories in prose in one world, with d attributes of each entity, in one order."""

    def __init__(self, world: World, prose: Prose, distractors: int, order: str, brackets: bool) -> None:
        self._d, self._order = distractors, order
        self._grammar = Grammar(world, prose)
        self._pieces = Pieces(world, prose, self._grammar, brackets)

    def stories(self, questions: QuestionBlock, rng: np.random.Generator, rows: slice) -> Stories:
        """Return the stories of these rows of the questions."""
        groups = self._group(questions, rng)
        used = groups.used
        begun = np.append(0, np.cumsum(used.sum(axis=1)))  # how many sentences there are before each story
        drawn = slice(*begun[[rows.start or 0, rows.stop]])
        groups, used, some = groups.take(rows), used[rows], questions.take(rows)
        order = mixed_order(self._order, questions, used, self._d, rng, rows, _FOLLOWS)
        place = order[np.take_along_axis(used, order, axis=1)]  # of each sentence
        story = np.repeat(np.arange(len(some)), used.sum(axis=1))
        attributes = self._pieces.attributes(questions, self._d, rng, rows)
        sentences = self._draw(some, groups, attributes, (story, place), rng.random(begun[-1])[drawn])
        led = self._led(some, sentences, rng.random(begun[-1])[drawn])
        return self._pieces.text(some, sentences, led, rng.random((begun[-1], LONGEST))[drawn])

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

    def _draw(
        self,
        questions: QuestionBlock,
        groups: _Groups,
        attributes: Ints,
        at: tuple[Ints, Ints],
        chance: Floats,
    ) -> DrawnSentences:
        """Return the sentences. at: the story and the place of each. attributes: of each entity, in a row."""
        story, place = at
        grammar, d, facts = self._grammar, max(self._d, 1), groups.facts.shape[1]
        states = place < facts
        fact = np.where(states, place, 0)
        alone = np.where(states, 0, place - facts)  # among the attributes of all entities
        entity, attribute = np.divmod(alone, d)
        stated = np.where(states, groups.facts[story, fact], 0)
        sizes = groups.attributes.reshape(len(groups.attributes), -1)
        size = np.where(states, 0, sizes[story, alone] if self._d else 0)
        sentence = np.where(states, groups.sentence[story, fact], grammar.draw(0, size, 0, chance))

        entities = np.full((len(story), ENTITIES), -1, np.int64)
        forms = np.full(entities.shape, UNKNOWN, np.int64)
        relations = np.zeros((len(story), LONGEST), np.int64)
        entities[:, 0] = np.where(states, questions.head[story, fact], entity)
        for i in range(LONGEST):
            more = np.flatnonzero(stated > i)
            one = story[more], fact[more] + i
            entities[more, i + 1] = questions.tail[one]
            relations[more, i] = questions.relation[one]
            forms[more, i + 1] = questions.forms[story[more], questions.tail[one]]
        implied = np.where(stated > 0, grammar.head_form[relations[:, 0]], UNKNOWN)
        forms[:, 0] = np.where(grammar.shows_first[sentence], questions.forms[story, entities[:, 0]], implied)

        # Entities of facts have their first attribute, in the order of the sentence; else they come in a row.
        given = np.zeros((len(story), LONGEST), np.int64)
        for i in range(LONGEST if self._d else 0):
            described = entities[np.arange(len(story)), grammar.described[sentence, i]]
            of = np.where(states, described, entity)
            which = np.where(states, 0, np.minimum(attribute + i, d - 1))
            given[:, i] = attributes[story, of, which]
        return DrawnSentences(story, sentence, np.where(states, fact, -1), entities, forms, relations, given)

    def _led(self, questions: QuestionBlock, drawn: DrawnSentences, chance: Floats) -> Bools:
        """Which sentences begin with a pronoun: those whose entity a reader finds in the sentence before."""
        rows = np.arange(len(drawn.story))
        before = np.maximum(rows - 1, 0)
        subject = drawn.entities[rows, self._grammar.lead[drawn.sentence]]
        form = questions.forms[drawn.story, subject]
        fits = (drawn.forms[before] == form[:, None]) | (drawn.forms[before] == UNKNOWN)
        fits &= drawn.entities[before] >= 0
        found = drawn.entities[before, np.argmax(fits, axis=1)]
        sure = (
            (fits.sum(axis=1) == 1) & (found == subject) & (drawn.story == drawn.story[before]) & (rows > 0)
        )
        return np.asarray(sure & self._grammar.can_lead[drawn.sentence] & (chance < _PRONOUN), bool)


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


def _group_attributes(counts: Ints, given: Bools, d: int, rng: np.random.Generator) -> tuple[Bools, Ints]:
    """Which attributes begin a sentence, and how many it has: (questions, entities, d).

    counts: how many attributes each entity has. given: whether the first is in a sentence with facts.
    """
    number = np.arange(d)
    there = (number < counts[..., None]) & (number >= given[..., None])
    begins, sizes = np.zeros(there.shape, bool), np.zeros(there.shape, np.int64)
    joins = rng.random(there.shape, np.float32) < _ATTRIBUTES_TOGETHER
    start = np.zeros(counts.shape, np.int64)
    row, entity = np.indices(counts.shape)
    for i in range(d):
        size = sizes[row, entity, start]
        on = joins[..., i] & (size > 0) & (size < LONGEST)
        start = np.where(on, start, i)
        begins[..., i] = there[..., i] & ~on
        sizes[row, entity, start] += there[..., i]
    return begins, sizes
