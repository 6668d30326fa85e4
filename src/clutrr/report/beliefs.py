"""What a composer believes, as records: how it reads sentences, and how it combines two relations.

Made from what `clutrr.experiment.learnt` gives, which is JSON; torch is not needed.
"""

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Verdict(Enum):
    """What is believed, compared with what is possible."""

    RIGHT = "the one possible relation is believed"
    ONE_OF_SEVERAL = "one of several possible relations is believed"
    WRONG = "a relation that is not possible is believed"
    NO_WORD = "what follows has no word among the relations"
    IMPOSSIBLE = "nobody has such a relative"


@dataclass(frozen=True)
class Sentence:
    """A template, the relation it tells, and the one that is read, with its share of the belief."""

    relation: str
    template: str
    read: str
    share: float

    @property
    def right(self) -> bool:
        return self.read == self.relation


@dataclass(frozen=True)
class Composition:
    """Two relations in a row: what is possible, and what is believed, as shares.

    outside: whether something without a word is possible. free: the share that no relation has.
    """

    first: str
    second: str
    possible: tuple[str, ...]
    outside: bool
    believed: Mapping[str, float]
    free: float

    @property
    def answer(self) -> str | None:
        """The relation that is believed most; none if every share is too small to be listed."""
        return max(self.believed, key=self.believed.__getitem__, default=None)

    @property
    def verdict(self) -> Verdict:
        if not self.possible:
            return Verdict.NO_WORD if self.outside else Verdict.IMPOSSIBLE
        if self.answer not in self.possible:
            return Verdict.WRONG
        return Verdict.RIGHT if len(self.possible) == 1 else Verdict.ONE_OF_SEVERAL


@dataclass(frozen=True)
class Learnt:
    """Everything. free: how many states it has beside the relations. heights: by relation, if it has them."""

    free: int
    sentences: tuple[Sentence, ...]
    compositions: tuple[Composition, ...]
    heights: Mapping[str, float] | None

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Learnt":
        heights = content["heights"]
        if not content["compositions"]:
            raise ValueError("it puts no relations together")
        return cls(
            int(content["free"]),
            tuple(
                Sentence(s["relation"], s["template"], s["read"], float(s["share"]))
                for s in content["sentences"]
            ),
            tuple(
                Composition(
                    c["first"],
                    c["second"],
                    tuple(c["possible"]),
                    bool(c["outside"]),
                    {relation: float(share) for relation, share in c["believed"].items()},
                    float(c["free"]),
                )
                for c in content["compositions"]
            ),
            None if heights is None else {relation: float(height) for relation, height in heights.items()},
        )

    @property
    def relations(self) -> tuple[str, ...]:
        """Those that are combined."""
        return tuple(dict.fromkeys(c.first for c in self.compositions))

    @property
    def misread(self) -> list[Sentence]:
        return [sentence for sentence in self.sentences if not sentence.right]

    @property
    def wrong(self) -> list[Composition]:
        return self.with_verdict(Verdict.WRONG)

    def with_verdict(self, verdict: Verdict) -> list[Composition]:
        return [composition for composition in self.compositions if composition.verdict is verdict]

    def summary(self) -> Iterator[str]:
        """What to know first, one sentence each."""
        read = len(self.sentences) - len(self.misread)
        yield f"{read} of {len(self.sentences)} templates are read as the relation that they tell."
        certain = sum(len(c.possible) == 1 for c in self.compositions)
        several = sum(len(c.possible) > 1 for c in self.compositions)
        right, either = (len(self.with_verdict(v)) for v in (Verdict.RIGHT, Verdict.ONE_OF_SEVERAL))
        line = f"Of {certain} pairs of relations with one possible result, {right} give it"
        if several:
            line += f"; of {several} with several, {either} give one of these"
        yield f"{line}."
        if unnamed := self.with_verdict(Verdict.NO_WORD):
            line = f"What follows from {len(unnamed)} others has no word among the relations"
            if self.free:
                share = 100 * statistics.fmean(c.free for c in unnamed)
                line += f": there {share:.0f} % of the belief is in the {self.free} free states"
            yield f"{line}."


def in_words(composition: Composition) -> tuple[str, str, str]:
    """A composition in words: the two relations, what is true, what is believed."""
    answer = composition.answer
    believed = "no relation" if answer is None else f"{answer} ({100 * composition.believed[answer]:.0f} %)"
    true = [*composition.possible, *["something without a word"] * composition.outside]
    return f"{composition.first}, then {composition.second}", " or ".join(true), believed
