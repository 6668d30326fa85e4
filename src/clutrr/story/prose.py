"""Stories in prose, by a world's grammar, a column at a time.

The places of a story are numbered like sentences of the plain style: its facts, then d things to tell about
each of its people. Consecutive facts are joined into one sentence at random, and so are things told about
one person; each sentence stands at the place of its first fact or thing. A sentence is then a row of
numbers of pieces: literals of the grammar, names, pronouns, relation words, things told.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from clutrr.story.arrow import pick
from clutrr.story.order import by_key, mixed
from clutrr.story.script import Ints, Script, Stories
from clutrr.world import GENDERS, World
from clutrr.world.prose import Piece, Prose, ProseSentence, Slot, with_article

_LONGEST = 3  # facts in a sentence, or things told
_TOGETHER = 0.55  # how often a fact joins the sentence of the fact before
_PRONOUN = 0.75  # how often a sentence begins with a pronoun where it may
_FOLLOWS = 0.75  # how often a thing told joins what was said about the person before
_PLAINLY = 20  # how much more often a sentence begins with a name than otherwise
_PEOPLE = _LONGEST + 1
# The columns of a sentence's own pieces: for people, then for facts, then what is told.
_OF_PEOPLE = ("name", "he", "his", "him", "He", "His")
_OF_FACTS = ("r", "ar", "n", "an")
_UNKNOWN = 2  # a gender that a sentence does not tell

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class _Sentences:
    """The sentences of many stories, in order.

    story, sentence: its story, and which one of the grammar it is. facts: the number of its first fact.
    people: places among the story's people, or -1. told: the genders that it tells of them. words: for each
    of its facts. things: told in it.
    """

    story: Ints
    sentence: Ints
    facts: Ints
    people: Ints  # (sentences, 4)
    told: Ints
    relations: Ints  # (sentences, 3)
    things: Ints  # (sentences, 3)


class ProseRenderer:
    """Writes stories in prose in one world, with d things told of each person, in one order."""

    def __init__(self, world: World, prose: Prose, distractors: int, order: str, brackets: bool) -> None:
        self._d, self._order = distractors, order
        self._grammar = _Grammar(world, prose)
        self._pieces = _Pieces(world, prose, self._grammar.sentences, brackets)

    def stories(self, script: Script, rng: np.random.Generator) -> Stories:
        """The stories of a script."""
        together = _group_facts(script, rng)
        counts = np.minimum(script.told(self._d), self._d)
        woven, chosen = self._choose(script, together, counts, rng)
        alive, sizes = _group_things(counts, woven, self._d, rng)
        told = np.concatenate([together > 0, alive.reshape(script.stories, -1)], axis=1)
        order = _in_order(self._order, script, told, self._d, rng)
        order = order[np.take_along_axis(told, order, axis=1)]  # flat: those that there are
        story = np.repeat(np.arange(script.stories), told.sum(axis=1))
        things = self._pieces.things(script, self._d, rng)
        drawn = self._sentences(script, together, chosen, sizes, things, story, order, rng)
        return self._pieces.text(script, drawn, self._grammar, self._leads(script, drawn, rng), rng)

    def _choose(
        self, script: Script, together: Ints, counts: Ints, rng: np.random.Generator
    ) -> tuple[Bools, Ints]:
        """About whom something is told along with facts, and a sentence for each group of facts."""
        stories, facts = together.shape
        rows = np.arange(stories)
        # Something may be told about somebody in the first sentence that relates them to another.
        free = counts > 0
        mask = np.zeros((stories, facts), np.int64)
        for fact in range(facts):
            tail = script.tail[:, fact]
            mask[:, fact] = free[rows, tail]
            free[rows, tail] = False
        padded = np.pad(mask, ((0, 0), (0, _LONGEST - 1)))
        can = np.zeros_like(mask)
        for i in range(_LONGEST):
            can |= (padded[:, i : i + facts] * (together > i)) << i
        chosen = self._grammar.draw(together, can, self._grammar.kind[script.relation], rng)
        tells = np.where(together > 0, self._grammar.tells[chosen], 0)
        woven = np.zeros(counts.shape, bool)
        for i in range(_LONGEST):
            at, where = np.nonzero((tells >> i & 1) & (together > i))
            woven[at, script.tail[at, where + i]] = True
        return woven, chosen

    def _sentences(
        self,
        script: Script,
        together: Ints,
        chosen: Ints,
        sizes: Ints,
        things: Ints,
        story: Ints,
        place: Ints,
        rng: np.random.Generator,
    ) -> _Sentences:
        """story, place: of each sentence."""
        facts, grammar, d = together.shape[1], self._grammar, max(self._d, 1)
        states = place < facts
        fact = np.where(states, place, 0)
        person, thing = np.divmod(np.where(states, 0, place - facts), d)
        each = np.where(states, together[story, fact], 0)
        size = np.where(states, 0, sizes.reshape(script.stories, -1)[story, place - facts] if self._d else 0)
        sentence = np.where(states, chosen[story, fact], grammar.draw_tell(size, rng))
        people = np.full((len(story), _PEOPLE), -1, np.int64)
        people[:, 0] = np.where(states, script.head[story, fact], person)
        relations = np.zeros((len(story), _LONGEST), np.int64)
        genders = np.full(people.shape, _UNKNOWN, np.int64)
        said = np.zeros((len(story), _LONGEST), np.int64)
        for i in range(_LONGEST):
            more = np.flatnonzero(each > i)
            at = story[more], fact[more] + i
            people[more, i + 1] = script.tail[at]
            relations[more, i] = script.relation[at]
            genders[more, i + 1] = grammar.gender[script.relation[at]]
        married = (each > 0) & grammar.spouse[grammar.kind[relations[:, 0]]]
        first = np.where(married, 1 - grammar.gender[relations[:, 0]], _UNKNOWN)
        own = script.genders[story, people[:, 0]]
        genders[:, 0] = np.where(grammar.gendered[sentence], own, first)
        # What is told: of the people of facts their first thing, in the order of the sentence; else in a row.
        if self._d:
            for i in range(_LONGEST):
                of = np.where(states, grammar.teller[sentence, i], 0)
                whom = np.where(states, people[np.arange(len(story)), of], person)
                which = np.where(states, 0, np.minimum(thing + i, d - 1))
                said[:, i] = things[story, whom, which]
        return _Sentences(story, sentence, np.where(states, fact, -1), people, genders, relations, said)

    def _leads(self, script: Script, drawn: _Sentences, rng: np.random.Generator) -> Bools:
        """Which sentences begin with a pronoun: those whose person a reader finds in the sentence before."""
        rows = np.arange(len(drawn.story))
        lead = self._grammar.lead[drawn.sentence]
        subject = drawn.people[rows, lead]
        gender = script.genders[drawn.story, subject]
        before = np.maximum(rows - 1, 0)
        fits = (drawn.told[before] == gender[:, None]) | (drawn.told[before] == _UNKNOWN)
        fits &= drawn.people[before] >= 0
        found = drawn.people[before, np.argmax(fits, axis=1)]
        sure = (
            (fits.sum(axis=1) == 1) & (found == subject) & (drawn.story == drawn.story[before]) & (rows > 0)
        )
        sure &= self._grammar.can_lead[drawn.sentence] & (rng.random(len(rows)) < _PRONOUN)
        return np.asarray(sure, bool)


def _in_order(
    name: str, script: Script, told: Bools, d: int, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """The order of the sentences, see `mixed`; sentences about one person are mostly kept together."""
    if name == "path" or not d:
        return mixed(name, rng, told, script.k, script.first, d)
    stories, facts = script.head.shape
    keys = rng.integers(1, 2**48, told.shape, np.int64)
    if name == "inserted":
        keys[:, : script.k].sort(axis=1)
    things = keys[:, facts:].reshape(stories, -1, d)
    follows = rng.random(things.shape, np.float32) < _FOLLOWS
    # Equal keys keep the order of places: after the fact that brings somebody in, or after the thing before.
    things[..., 0] = np.where(follows[..., 0], keys[:, script.first], things[..., 0])
    for i in range(1, d):
        things[..., i] = np.where(follows[..., i], things[..., i - 1], things[..., i])
    keys[:, facts:] = things.reshape(stories, -1)
    keys[~told] = 0
    return by_key(keys)


def _group_facts(script: Script, rng: np.random.Generator) -> Ints:
    """How many facts are in the sentence that each fact begins; 0 if an earlier fact begins it."""
    stories, facts = script.head.shape
    size = np.ones((stories, facts), np.int64)
    start = np.zeros(stories, np.int64)  # of the sentence that is being filled
    rows = np.arange(stories)
    joins = rng.random((stories, facts)) < _TOGETHER
    for fact in range(1, facts):
        on = joins[:, fact] & (script.tail[:, fact - 1] == script.head[:, fact])
        on &= (script.head[rows, start] != script.tail[:, fact]) & (size[rows, start] < _LONGEST)
        on &= (fact - start < 2) | (script.tail[rows, start] != script.tail[:, fact])  # nobody is named twice
        size[on, start[on]] += 1
        size[on, fact] = 0
        start = np.where(on, start, fact)
    return size


def _group_things(counts: Ints, woven: Bools, d: int, rng: np.random.Generator) -> tuple[Bools, Ints]:
    """Which things begin a sentence, and how many each sentence tells: (stories, people, d)."""
    thing = np.arange(d)
    there = (thing < counts[..., None]) & (thing >= woven[..., None])
    alive, sizes = np.zeros(there.shape, bool), np.zeros(there.shape, np.int64)
    joins = rng.random(there.shape, np.float32) < _TOGETHER + 0.1
    start = np.zeros(counts.shape, np.int64)
    row, person = np.indices(counts.shape)
    for i in range(d):
        on = joins[..., i] & (sizes[row, person, start] > 0) & (sizes[row, person, start] < _LONGEST)
        start = np.where(on, start, i)
        alive[..., i] = there[..., i] & ~on
        sizes[row, person, start] += there[..., i]
    return alive, sizes


class _Grammar:
    """The sentences of a grammar, numbered, with what is needed to draw them."""

    def __init__(self, world: World, prose: Prose) -> None:
        self.sentences = [sentence for sentences in prose.sentences.values() for sentence in sentences]
        self.facts = np.array([s.facts for s in self.sentences])
        self.tells = np.array([sum(1 << (of - 1) for of in s.told) if s.facts else 0 for s in self.sentences])
        self.lead = np.array([max(s.lead, 0) for s in self.sentences])
        self.can_lead = np.array([s.led is not None for s in self.sentences])
        self.gendered = np.array([0 in s.gendered for s in self.sentences])
        self.teller = np.array([[*s.told, 0, 0, 0][:_LONGEST] for s in self.sentences])
        self.spouse = np.array([kind.spouse for kind in world.kinds])
        meaning = [world.meaning[relation] for relation in world.relations]
        self.kind = np.array([world.index[kind.name] for kind, _ in meaning])  # of each relation
        self.gender = np.array([gender for _, gender in meaning])
        self._kinds = [kind.name for kind in world.kinds]
        self._choices: list[int] = []
        self._first = np.zeros((_LONGEST + 1, 1 << _LONGEST, len(self._kinds)), np.int64)
        self._count = np.zeros_like(self._first)
        for facts in range(1, _LONGEST + 1):
            for can in range(1 << facts):
                for kind, name in enumerate(self._kinds):
                    self._list(facts, can, kind, name)
        # A sentence that begins with a name comes up more often than one with something before it.
        self._tell = [
            np.array(
                [
                    i
                    for i, s in enumerate(self.sentences)
                    if not s.facts and len(s.told) == size
                    for _ in range(_PLAINLY if s.lead >= 0 else 1)
                ]
            )
            for size in range(_LONGEST + 1)
        ]

    def _list(self, facts: int, can: int, kind: int, name: str) -> None:
        found = [
            i
            for i, s in enumerate(self.sentences)
            if s.facts == facts and not self.tells[i] & ~can and (not s.kinds or name in s.kinds)
        ]
        # Sentences that also tell something are few, and the liveliest: half of the draws are among them.
        telling = [i for i in found if self.tells[i]]
        repeats = max(1, (len(found) - len(telling)) // max(1, len(telling)))
        found += telling * (repeats - 1)
        self._first[facts, can, kind], self._count[facts, can, kind] = len(self._choices), len(found)
        self._choices += found

    def draw(self, facts: Ints, can: Ints, kinds: Ints, rng: np.random.Generator) -> Ints:
        """A sentence for each number of facts and of people who can be told about, by the first kind."""
        many = np.maximum(facts, 1)
        count, first = self._count[many, can, kinds], self._first[many, can, kinds]
        return np.array(self._choices)[first + (rng.random(facts.shape) * count).astype(np.int64)]

    def draw_tell(self, sizes: Ints, rng: np.random.Generator) -> Ints:
        """A sentence that tells this many things; any sentence for 0."""
        chosen = np.zeros(len(sizes), np.int64)
        chance = rng.random(len(sizes))
        for size, choices in enumerate(self._tell):
            mine = sizes == size
            if size and len(choices):
                chosen[mine] = choices[(chance[mine] * len(choices)).astype(np.int64)]
        return chosen


class _Pieces:
    """Every piece of text that a sentence can have, numbered."""

    def __init__(self, world: World, prose: Prose, sentences: list[ProseSentence], brackets: bool) -> None:
        mark = "[{}]" if brackets else "{}"
        self._texts: list[str] = ["", " "]
        self._number: dict[str, int] = {}
        self._names = self._add(mark.format(name) for names in world.names for name in names)
        self._pronouns = {
            form: self._add(prose.pronoun(form, gender) for gender in range(len(GENDERS)))
            for form in _OF_PEOPLE[1:]
        }
        words = [prose.words[relation] for relation in world.relations]
        kinds = [world.meaning[relation][0].name for relation in world.relations]
        neutral = [prose.neutral.get(kind, ("",)) for kind in kinds]
        self._words = {
            what: (
                np.array([self._add(with_article(w) if w and len(what) > 1 else w for w in ws) for ws in of]),
                np.array([len(ws) for ws in of]),
            )
            for what, of in (("r", words), ("ar", words), ("n", neutral), ("an", neutral))
        }
        self._things = [
            (
                self._add(
                    text.replace("{value}", mark.format(value))
                    for value in attribute.values or ("",)
                    for text in prose.about[attribute.name]
                ),
                max(1, len(attribute.values)),
                len(prose.about[attribute.name]),
            )
            for attribute in world.attributes
        ]
        programs = [self._program(pieces) for s in sentences for pieces in (s.pieces, s.led or s.pieces)]
        self._codes = np.concatenate([np.array(p) for p in programs])
        self._size = np.array([len(p) for p in programs])
        self._start = np.cumsum(self._size) - self._size
        self._text = pa.array(self._texts)
        self._length = pc.utf8_length(self._text).to_numpy().astype(np.int64)

    def _add(self, texts: Iterable[str]) -> int:
        """The number of the first of these texts, which are numbered one after the other."""
        first = len(self._texts)
        self._texts += list(texts)
        return first

    def _program(self, pieces: tuple[Piece, ...]) -> list[int]:
        """Numbers of pieces; for a slot, -1 minus its column among the sentence's own pieces."""
        return [
            self._literal(piece) if isinstance(piece, str) else -1 - c for piece, c in _columns(pieces)
        ] + [-1 - _OWN]

    def _literal(self, text: str) -> int:
        if text not in self._number:
            self._number[text] = self._add([text])
        return self._number[text]

    def things(self, script: Script, d: int, rng: np.random.Generator) -> Ints:
        """Numbers of d things to tell of each of the people: (stories, people, d)."""
        traits = script.cast.traits
        every = np.empty((*script.people.shape, len(self._things)), np.int64)
        for i, (first, values, texts) in enumerate(self._things):
            value = (traits[:, i].astype(np.int64) * values) >> 16
            text = (rng.random(script.people.shape, np.float32) * texts).astype(np.int64)
            every[..., i] = first + value.take(script.people) * texts + np.minimum(text, texts - 1)
        chosen = np.argsort(rng.random(every.shape, np.float32), axis=-1)[..., :d]
        return np.take_along_axis(every, chosen, axis=-1)

    def text(
        self, script: Script, drawn: _Sentences, grammar: _Grammar, led: Bools, rng: np.random.Generator
    ) -> Stories:
        """The stories of these sentences. led: which begin with a pronoun."""
        own = self._own(script, drawn, rng)
        program = 2 * drawn.sentence + led
        size = self._size[program]
        ends = np.cumsum(size)
        sentence = np.repeat(np.arange(len(size)), size)
        codes = self._codes[np.repeat(self._start[program] - ends + size, size) + np.arange(ends[-1])]
        slots = np.flatnonzero(codes < 0)
        codes[slots] = own[sentence[slots], -1 - codes[slots]]
        sentences = np.bincount(drawn.story, minlength=script.stories)
        last = np.cumsum(sentences)
        text = _joined(pick(self._text, codes.astype(np.int32)), np.append(0, ends[last - 1]))
        length = np.add.reduceat(self._length[codes], ends - size)
        end = np.cumsum(length)
        start = end - length
        base = start[np.append(0, last[:-1])][drawn.story]
        spaced = np.ones(len(size), bool)
        spaced[last - 1] = False
        stated = np.where(drawn.facts >= 0, grammar.facts[drawn.sentence], 0)
        first = np.cumsum(stated) - stated
        facts = np.repeat(drawn.facts - first, stated) + np.arange(stated.sum())
        return Stories(
            text,
            sentences.astype(np.int32),
            (start - base).astype(np.int32),
            (end - base - spaced).astype(np.int32),
            facts.astype(np.int32),
            stated.astype(np.int32),
        )

    def _own(self, script: Script, drawn: _Sentences, rng: np.random.Generator) -> Ints:
        """The pieces that only this sentence has, by column."""
        own = np.zeros((len(drawn.story), _OWN + 1), np.int32)
        story = drawn.story[:, None]
        own[:, :_PEOPLE] = self._names + script.names[story, drawn.people]
        genders = script.genders[story, drawn.people].astype(np.int32)
        for i, form in enumerate(_OF_PEOPLE[1:], 1):
            own[:, i * _PEOPLE : (i + 1) * _PEOPLE] = self._pronouns[form] + genders
        at = len(_OF_PEOPLE) * _PEOPLE
        chance = rng.random(drawn.relations.shape)
        for what in _OF_FACTS:
            first, count = self._words[what]
            choice = (chance * count[drawn.relations]).astype(np.int64)
            own[:, at : at + _LONGEST] = first[drawn.relations] + choice
            at += _LONGEST
        own[:, at : at + _LONGEST] = drawn.things
        own[:, _OWN] = 1
        own[np.flatnonzero(np.diff(drawn.story, append=-1)), _OWN] = 0
        return own


_OWN = len(_OF_PEOPLE) * _PEOPLE + len(_OF_FACTS) * _LONGEST + _LONGEST  # the column of the space behind


def _columns(pieces: tuple[Piece, ...]) -> Iterator[tuple[Piece, int]]:
    """Each piece with its column; 0 for a literal."""
    told = 0
    for piece in pieces:
        if not isinstance(piece, Slot):
            yield piece, 0
        elif piece.what == "does":
            yield piece, _OWN - _LONGEST + told
            told += 1
        elif piece.what in _OF_PEOPLE:
            yield piece, _OF_PEOPLE.index(piece.what) * _PEOPLE + piece.of
        else:
            yield piece, len(_OF_PEOPLE) * _PEOPLE + _OF_FACTS.index(piece.what) * _LONGEST + piece.of


def _joined(pieces: pa.StringArray, ends: Ints) -> pa.StringArray:
    """Strings of the pieces up to each end. The bytes are not copied."""
    _, offsets, data = pieces.buffers()
    offsets = np.frombuffer(offsets, np.int32)[: len(pieces) + 1][ends].copy()
    return pa.StringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), data)


def prose_shapes(world: World, prose: Prose, facts: int) -> set[str]:
    """Every sentence that states this many facts, with names and what is told taken out."""
    return {
        shape
        for sentence in prose.sentences[facts]
        for relations in product(world.relations, repeat=facts)
        if not sentence.kinds or world.meaning[relations[0]][0].name in sentence.kinds
        for pieces in filter(None, (sentence.pieces, sentence.led))
        for shape in _shapes(world, prose, pieces, relations)
    }


def _shapes(
    world: World, prose: Prose, pieces: tuple[Piece, ...], relations: tuple[str, ...]
) -> Iterator[str]:
    kinds = [world.meaning[relation] for relation in relations]
    first = (0, 1) if not kinds or not kinds[0][0].spouse else (1 - kinds[0][1],)
    for gender in first:
        genders = [gender, *(gender for _, gender in kinds)]
        choices: list[tuple[str, ...]] = []
        for piece in pieces:
            if isinstance(piece, str):
                choices.append((piece,))
            elif piece.what in ("name", "does"):
                choices.append(("[]" if piece.what == "name" else "<>",))
            elif piece.what in _OF_PEOPLE:
                choices.append((prose.pronoun(piece.what, genders[piece.of]),))
            else:
                open_ = prose.neutral.get(kinds[piece.of][0].name, ())
                words = prose.words[relations[piece.of]] if piece.what[-1] == "r" else open_
                choices.append(tuple(with_article(w) if len(piece.what) > 1 else w for w in words))
        yield from map("".join, product(*choices))
