"""One story at a time: what `Renderer` and `ProseRenderer` write for many, for the items of a stream.

Plain sentences are put together here, since columns for a single story cost more than the story. Prose goes
through its columns, one story of them.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import comb
from random import Random

import numpy as np

from clutrr.config import Config
from clutrr.puzzle import Sentence
from clutrr.story.prose import ProseRenderer
from clutrr.theory.questions import Cast, QuestionBlock
from clutrr.world import Template, World

_LISTED = 1000  # choices of attributes that are listed beforehand


class Teller:
    """Writes single stories in one world."""

    def __init__(self, world: World, config: Config) -> None:
        lexicon = world.lexicon
        self._d, self._order = config.distractors, config.order
        self._names = [name for names in lexicon.names for name in names]
        self._each = world.labels.each
        self._templates = [[_parts(one) for one in lexicon.templates[word]] for word in world.relations]
        self._about = [
            [
                _around(attribute.sentence(template, "\0", value))
                for value in attribute.values or ("",)
                for template in attribute.templates
            ]
            for attribute in lexicon.attributes
        ]
        every, most = range(len(self._about)), len(self._about)
        self._subsets = [
            list(combinations(every, n)) if comb(most, n) <= _LISTED else [] for n in range(self._d + 1)
        ]
        self._prose = None
        if config.style == "prose" and lexicon.prose is not None:
            self._prose = ProseRenderer(world, lexicon.prose, self._d, config.order or "", config.brackets)

    def answer(self, head: str, relation: int, tail: str, rng: Random) -> str:
        """Return a sentence that states a relation, by the number of its label."""
        return self._stated(head, relation, tail, rng.random())

    def story(
        self, questions: QuestionBlock, row: int, names: Sequence[int], rng: Random
    ) -> tuple[str, tuple[Sentence, ...]]:
        """Return the story of a question, and its sentences. names: numbers of names for its entities."""
        if self._prose is not None:
            return self._in_prose(self._prose, questions, row, names, rng)
        called = [self._names[number] for number in names]
        random, each, forms = rng.random, self._each, questions.forms[row].tolist()
        head, tail = questions.head[row].tolist(), questions.tail[row].tolist()
        sentences = [
            self._stated(called[a], kind * each + forms[b], called[b], random())
            for a, kind, b in zip(head, questions.kinds[row].tolist(), tail, strict=True)
        ]
        counts, named = [self._d] * len(names), head + tail
        if questions.noisy:  # as in `QuestionBlock.sentences_alone`
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
                about = self._about[attribute]
                before, after = about[int(random() * len(about))]
                sentences.append(f"{before}{called[entity]}{after}")
                of.append(entity)
        facts, end, spans = len(head), -1, []
        for number in self._ordered(questions, of, rng):
            start = end + 1
            end = start + len(sentences[number])
            spans.append((number, start, end))
        text = " ".join([sentences[number] for number, _, _ in spans])
        return text, tuple([Sentence(start, end, (n,) if n < facts else ()) for n, start, end in spans])

    def _stated(self, head: str, relation: int, tail: str, chance: float) -> str:
        templates = self._templates[relation]
        before, between, after, turned = templates[int(chance * len(templates))]
        return f"{before}{tail}{between}{head}{after}" if turned else f"{before}{head}{between}{tail}{after}"

    def _ordered(self, questions: QuestionBlock, of: list[int], rng: Random) -> list[int]:
        """Return the numbers of the sentences in the order of the story: see `clutrr.story.order`."""
        facts, routed, random = len(questions.roles), questions.routed, rng.random
        keys = [random() for _ in range(facts + len(of))]
        if self._order == "inserted":
            keys[:routed] = sorted(keys[:routed])
        elif self._order == "path":
            keys[:routed] = [number / (2 * routed) for number in range(routed)]
            keys[facts:] = [keys[questions.first[entity]] for entity in of]
        return sorted(range(len(keys)), key=keys.__getitem__)

    def _in_prose(
        self, prose: ProseRenderer, questions: QuestionBlock, row: int, names: Sequence[int], rng: Random
    ) -> tuple[str, tuple[Sentence, ...]]:
        drawn = np.random.default_rng(rng.getrandbits(64))
        traits = drawn.integers(0, 2**16, (len(names), len(self._about)), np.uint16)
        cast = Cast(np.array(names, np.int16), questions.forms[row], traits, self._each)
        of_rows = ("scene", "head", "tail", "kinds", "targets")
        alone = {name: getattr(questions, name)[row : row + 1] for name in of_rows}
        block = replace(questions, cast=cast, entities=np.arange(len(names))[None], **alone)
        told = prose.stories(block, drawn, 1)
        spans = told.sentences[0].as_py()
        return told.text[0].as_py(), tuple([Sentence(s["start"], s["end"], tuple(s["facts"])) for s in spans])


def _parts(template: Template) -> tuple[str, str, str, bool]:
    """Return what is before, between and behind the two names, and whether the second entity comes first."""
    before, between, after = template.literals
    return f"{before}[", f"]{between}[", f"]{after.rstrip()}", template.slots[0] == "b"


def _around(sentence: str) -> tuple[str, str]:
    """Return what is before and behind the name."""
    before, after = sentence.rstrip().split("\0")
    return before, after
