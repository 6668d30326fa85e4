"""One story at a time: what `Renderer` and `ProseRenderer` write for many, for the items of a stream.

Plain sentences are put together here, since columns for a single story cost more than the story. Prose goes
through its columns, one story of them.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb
from random import Random
from typing import Any

import numpy as np

from clutrr._config import Config
from clutrr._lexicon import Lexicon, Template, World
from clutrr._puzzle import Sentence
from clutrr._statement import Statement
from clutrr._writing.prose import ProseRenderer
from clutrr._writing.render import agreeing
from clutrr.theory.questions import Cast, QuestionBlock, Stated

_LISTED = 1000  # choices of attributes that are listed beforehand
_MARK = "[{}]"  # of names in a story
# Of a sentence: what is before the first name, all names, what is between them, all names again, what is behind
# them, and whether the second entity comes first.
_Parts = tuple[str, list[str], str, list[str], str, bool]


class Teller:
    """Writes single stories in one world."""

    def __init__(self, world: World, config: Config) -> None:
        lexicon = self._lexicon = world.lexicon
        self._labels = world.labels
        self._mark = _MARK if config.brackets else "{}"
        self._d, self._order = config.distractors, config.order
        self._space = lexicon.space
        self._form = [form for form, names in enumerate(lexicon.names) for _ in names]
        self._each = world.labels.each
        self._spelled: dict[tuple[str, str], list[str]] = {}
        # Of each label: of each template, the sentence for each form of the first entity.
        self._templates = [
            [self._by_form(lexicon, one, label) for one in lexicon.templates[word]]
            for label, word in enumerate(world.relations)
        ]
        question = Template.parse(lexicon.phrases.question)
        self._question = self._parts(lexicon, question, "{}")
        # Of each attribute: the sentences for each form.
        self._about = [
            [
                [
                    self._around(lexicon, template.for_form(form), value)
                    for value in attribute.values or ("",)
                    for template in attribute.templates
                ]
                for form in range(self._each)
            ]
            for attribute in lexicon.attributes
        ]
        every, most = range(len(self._about)), len(self._about)
        self._subsets = [
            list(combinations(every, n)) if comb(most, n) <= _LISTED else []
            for n in range(self._d + 1)
        ]
        self._prose = None
        if config.style == "prose" and lexicon.prose is not None:
            self._prose = ProseRenderer(
                world, lexicon.prose, self._d, config.order or "", config.brackets
            )

    def question(self, head: int, tail: int) -> str:
        """Return what is asked of two entities, by the numbers of their names."""
        return _said(self._question, head, tail)

    def answer(self, head: int, relation: int, tail: int, rng: Random) -> str:
        """Return a sentence that states a relation: all are numbers, of names and of a label."""
        return self._stated(head, relation, tail, rng.random())

    def story(
        self, questions: QuestionBlock, row: int, names: Sequence[int], rng: Random
    ) -> tuple[str, tuple[Sentence, ...]]:
        """Return the story of a question, and its sentences. names: numbers of names for its entities.

        A sentence has the numbers of the facts that it states; statements beside them are numbered after them.
        """
        if self._prose is not None:
            return self._in_prose(self._prose, questions, row, names, rng)
        random, each, forms = rng.random, self._each, questions.forms[row].tolist()
        head, tail = questions.head[row].tolist(), questions.tail[row].tolist()
        sentences = [
            self._stated(names[a], kind * each + forms[b], names[b], random())
            for a, kind, b in zip(head, questions.kinds[row].tolist(), tail, strict=True)
        ]
        named = head + tail
        if questions.stated:
            named += self._put(questions.stated[row], sentences, names, rng)
        stating = len(sentences)
        counts = [self._d] * len(names)
        if questions.noisy or stating > len(head):  # as in `QuestionBlock.sentences_alone`
            counts = [max(0, min(self._d, self._d + 1 - named.count(e))) for e in range(len(names))]
        of = list[int]()  # the entity of each sentence that states no fact
        for entity, number in enumerate(counts):
            subsets = self._subsets[number]
            chosen = (
                subsets[int(random() * len(subsets))]
                if subsets
                else sorted(rng.sample(range(len(self._about)), number))
            )
            for attribute in chosen:
                about = self._about[attribute][forms[entity]]
                before, called, after = about[int(random() * len(about))]
                sentences.append(f"{before}{called[names[entity]]}{after}")
                of.append(entity)
        end, spans = -len(self._space), []
        for number in self._ordered(questions, stating, of, rng):
            start = end + len(self._space)
            end = start + len(sentences[number])
            spans.append((number, start, end))
        text = self._space.join([sentences[number] for number, _, _ in spans])
        return text, tuple(
            [Sentence(start, end, (n,) if n < stating else ()) for n, start, end in spans]
        )

    def _put(
        self,
        stated: Sequence[Stated],
        sentences: list[str],
        names: Sequence[int],
        rng: Random,
    ) -> list[int]:
        """Put what states statements among the sentences; return whom those beside the facts name."""
        named: list[int] = []
        for one in stated:
            text = self._statement(one.statement, names, rng)
            if one.fact >= 0:
                sentences[one.fact] = text
                continue
            sentences.append(text)
            entities = (one.statement.head, one.statement.tail, *one.statement.entities)
            named += [int(entity) for entity in entities if entity]
        return named

    def _statement(self, one: Statement, names: Sequence[int], rng: Random) -> str:
        """Return a sentence that states this. names: numbers of names for the places that it is about."""
        words, written = self._lexicon.statements, self._written(self._lexicon, "", self._mark)
        assert words is not None
        texts = words.texts(one, self._labels)
        chosen = texts[int(rng.random() * len(texts))]
        return chosen.filled(one, words, lambda place: written[names[int(place)]])

    def _stated(self, head: int, relation: int, tail: int, chance: float) -> str:
        templates = self._templates[relation]
        by_form = templates[int(chance * len(templates))]
        return _said(by_form[self._form[head]], head, tail)

    def _by_form(self, lexicon: Lexicon, template: Template, label: int) -> list[_Parts]:
        found = [
            self._parts(lexicon, one, _MARK)
            for one in agreeing(template, label % self._each, self._each)
        ]
        return found if len(found) == self._each else found * self._each

    def _parts(self, lexicon: Lexicon, template: Template, mark: str) -> _Parts:
        before, between, after = template.literals
        first, second = (self._written(lexicon, case, mark) for case in template.slot_cases)
        return before, first, between, second, after.rstrip(), template.slots[0] == "b"

    def _around(
        self, lexicon: Lexicon, template: Template, value: str
    ) -> tuple[str, list[str], str]:
        """Return what is before the name, all names, and what is behind it."""
        place = int(template.slots[0] == "value")
        before, after = template.literals[0], template.literals[-1]
        if len(template.slots) == 2 and place:
            before += f"[{value}]{template.literals[1]}"
        elif len(template.slots) == 2:
            after = f"{template.literals[1]}[{value}]{after}"
        names = self._written(lexicon, template.slot_cases[place], _MARK)
        return before, names, after.rstrip()

    def _written(self, lexicon: Lexicon, case: str, mark: str) -> list[str]:
        """Return all names in a case. mark: what stands around each."""
        if (case, mark) not in self._spelled:
            self._spelled[case, mark] = [one.written(mark) for one in lexicon.spelled(case)]
        return self._spelled[case, mark]

    def _ordered(
        self, questions: QuestionBlock, facts: int, of: list[int], rng: Random
    ) -> list[int]:
        """Return the numbers of the sentences in the order of the story: see `clutrr._writing.order`.

        facts: how many of them state facts, or something else of entities.
        """
        routed, random = questions.routed, rng.random
        keys = [random() for _ in range(facts + len(of))]
        if self._order == "inserted":
            keys[:routed] = sorted(keys[:routed])
        elif self._order == "path":
            keys[:routed] = [number / (2 * routed) for number in range(routed)]
            keys[facts:] = [keys[questions.first[entity]] for entity in of]
        return sorted(range(len(keys)), key=keys.__getitem__)

    def _in_prose(
        self,
        prose: ProseRenderer,
        questions: QuestionBlock,
        row: int,
        names: Sequence[int],
        rng: Random,
    ) -> tuple[str, tuple[Sentence, ...]]:
        drawn = np.random.default_rng(rng.getrandbits(64))
        traits = drawn.integers(0, 2**16, (len(names), len(self._about)), np.uint16)
        cast = Cast(np.array(names, np.int16), questions.forms[row], traits, self._each)
        of_rows = ("scene", "head", "tail", "kinds", "targets")
        alone = {name: getattr(questions, name)[row : row + 1] for name in of_rows}
        stated = questions.stated[row] if questions.stated else ()
        vague = {one.fact for one in stated if one.fact >= 0}
        if stated:
            alone |= _without(questions, alone, vague)
        block = replace(questions, cast=cast, entities=np.arange(len(names))[None], **alone)
        told = prose.stories(block, drawn, 1)
        spans = told.sentences[0].as_py()
        text, sentences = (
            told.text[0].as_py(),
            tuple([Sentence(s["start"], s["end"], tuple(s["facts"])) for s in spans]),
        )
        if not stated:
            return text, sentences
        numbers = [number for number in range(len(questions.roles)) if number not in vague]
        renumbered = [
            one._replace(facts=tuple([numbers[number] for number in one.facts]))
            for one in sentences
        ]
        return self._among(text, renumbered, stated, names, len(questions.roles), rng)

    def _among(
        self,
        text: str,
        spans: Sequence[Sentence],
        stated: Sequence[Stated],
        names: Sequence[int],
        facts: int,
        rng: Random,
    ) -> tuple[str, tuple[Sentence, ...]]:
        """Return prose with sentences that state statements, where no pronoun refers across them."""
        called = tuple(self._written(self._lexicon, "", self._mark)[name] for name in names)
        free = [at for at, one in enumerate(spans) if text.startswith(called, one.start)]
        places = [0, len(spans), *free]
        put: list[tuple[int, str, int]] = []
        number = facts
        for one in stated:
            at = places[int(rng.random() * len(places))]
            of = one.fact if one.fact >= 0 else number
            number += one.fact < 0
            put.append((at, self._statement(one.statement, names, rng), of))
        pieces: list[tuple[str, tuple[int, ...]]] = []
        for at in range(len(spans) + 1):
            pieces += [(said, (of,)) for place, said, of in put if place == at]
            if at < len(spans):
                pieces.append((text[spans[at].start : spans[at].end], spans[at].facts))
        found, end = [], -len(self._space)
        for said, of_facts in pieces:
            start = end + len(self._space)
            end = start + len(said)
            found.append(Sentence(start, end, of_facts))
        return self._space.join([said for said, _ in pieces]), tuple(found)


def _without(
    questions: QuestionBlock, alone: Mapping[str, Any], vague: Collection[int]
) -> dict[str, Any]:
    """Return the columns of a question without the facts that are stated vaguely, and without statements."""
    kept = [number for number in range(len(questions.roles)) if number not in vague]
    place = {number: at for at, number in enumerate(kept)}
    columns = {name: alone[name][:, kept] for name in ("head", "tail", "kinds")}
    first = np.array([place.get(int(fact), 0) for fact in questions.first])
    return {
        **columns,
        "roles": questions.roles[kept],
        "first": first,
        "stated": (),
        "verdicts": (),
    }


def _said(parts: _Parts, head: int, tail: int) -> str:
    """Return a sentence about two entities, by the numbers of their names."""
    before, first, between, second, after, turned = parts
    if turned:
        head, tail = tail, head
    return f"{before}{first[head]}{between}{second[tail]}{after}"
