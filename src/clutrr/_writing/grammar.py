"""The sentences of a grammar of prose, numbered, with what is needed to draw them."""

import numpy as np

from clutrr._lexicon import World
from clutrr._lexicon.prose import Prose
from clutrr._writing.arrow import Floats
from clutrr.theory.questions import Ints

LONGEST = 3  # facts in a sentence, or attributes
UNKNOWN = -1  # a form that a sentence does not show
_PLAINLY = 20  # how much more often a sentence begins with a name than otherwise


class Grammar:
    """The sentences of a grammar as columns, one element per sentence.

    facts: how many it states. mask: of the entities that facts bring in, those with an attribute, as bits.
    lead: the entity at the beginning. can_lead: whether a pronoun can replace it. shows_first: whether a
    pronoun shows the form of the first entity. described: the entities of its attributes, (sentences, 3).
    head_form: of each label, the form that it implies for the first entity of a fact, or UNKNOWN.
    """

    def __init__(self, world: World, prose: Prose) -> None:
        self.sentences = every = [
            one for sentences in prose.sentences.values() for one in sentences
        ]
        self.facts = np.array([s.facts for s in every])
        self.mask = np.array(
            [sum(1 << (of - 1) for of in s.described) if s.facts else 0 for s in every]
        )
        self.lead = np.array([max(s.lead, 0) for s in every])
        pronouns = "he" in prose.pronouns
        self.can_lead = np.array([pronouns and s.led is not None for s in every])
        self.shows_first = np.array([0 in s.shown for s in every])
        self.described = np.array([[*s.described, 0, 0, 0][:LONGEST] for s in every])
        each = range(world.labels.each)
        implied = [world.theory.head_form(kind.name, form) for kind in world.kinds for form in each]
        self.head_form = np.array([UNKNOWN if form is None else form for form in implied])
        self._list_choices([kind.name for kind in world.kinds])

    def _list_choices(self, kinds: list[str]) -> None:
        """List the sentences for every draw."""
        choices: list[int] = []
        self._first = np.zeros((LONGEST + 1, 1 << LONGEST, len(kinds)), np.int64)
        self._count = np.zeros_like(self._first)
        for facts in range(LONGEST + 1):
            for which in range(1 << facts) if facts else range(LONGEST + 1):
                for kind, name in enumerate(kinds):
                    found = self._fitting(facts, which, name) if facts else self._telling(which)
                    self._first[facts, which, kind] = len(choices)
                    self._count[facts, which, kind] = len(found)
                    choices += found
        self._choices = np.array(choices)

    def _fitting(self, facts: int, mask: int, kind: str) -> list[int]:
        found = [
            i
            for i, s in enumerate(self.sentences)
            if s.facts == facts and not self.mask[i] & ~mask and (not s.kinds or kind in s.kinds)
        ]
        # Sentences with an attribute are few, and the liveliest: half of the draws are among them.
        lively = [i for i in found if self.mask[i]]
        repeats = max(1, (len(found) - len(lively)) // max(1, len(lively)))
        return found + lively * (repeats - 1)

    def _telling(self, attributes: int) -> list[int]:
        found = [
            i
            for i, s in enumerate(self.sentences)
            if not s.facts and len(s.described) == attributes
        ]
        # A sentence that begins with a name comes up more often than one with something before it.
        often = [i for i in found for _ in range(_PLAINLY if self.sentences[i].lead >= 0 else 1)]
        return often or [0]

    def draw(self, facts: Ints | int, which: Ints, kinds: Ints | int, chance: Floats) -> Ints:
        """Return a sentence for each group of facts or of attributes.

        facts: how many. which: of their second entities may have an attribute, as bits; if there are no
        facts, how many attributes there are. kinds: of the first fact. chance: random numbers.
        """
        _, masks, each = self._first.shape
        at = (facts * masks + which) * each + kinds
        return self._choices.take(
            self._first.take(at) + (chance * self._count.take(at)).astype(np.int64)
        )
