"""Many puzzles: is each one's target the only possible answer?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import pyarrow as pa

from clutrr.puzzle import Fact
from clutrr.solver.solver import Solver
from clutrr.wording.reading import Reader
from clutrr.world import World


class Finding(Enum):
    """What the solver says of a puzzle's target."""

    PROVED = "proved"  # the only possible relation of the label set
    UNDETERMINED = "undetermined"  # possible, but so is another
    REFUTED = "refuted"  # not possible
    CONTRADICTORY = "contradictory"  # the facts contradict each other
    UNREAD = "unread"  # a sentence about kinship was not understood


@dataclass(frozen=True)
class Judgement:
    """The finding, and whether the target is entailed: nothing else at all is possible."""

    finding: Finding
    entailed: bool


class Judge:
    """Judges puzzles by their text, or by their stated facts where the text is free."""

    def __init__(self, world: World) -> None:
        self.solver = Solver(world)
        self._reader = Reader(world)

    def table(self, table: pa.Table, by_facts: bool) -> Iterator[Judgement]:
        """Judge each row of a table of puzzles."""
        columns = [table[name].to_pylist() for name in ("query", "target")]
        if by_facts:
            stated = ([Fact(*fact) for fact in facts] for facts in table["facts"].to_pylist())
            for facts, query, target in zip(stated, *columns, strict=True):
                yield self.judge(facts, (query[0], query[1]), target)
            return
        for story, query, target in zip(table["story"].to_pylist(), *columns, strict=True):
            facts, unread = self._reader.facts(story)
            if unread:
                yield Judgement(Finding.UNREAD, entailed=False)
            else:
                yield self.judge(facts, (query[0], query[1]), target)

    def judge(self, facts: Sequence[Fact], query: tuple[str, str], target: str) -> Judgement:
        verdict = self.solver.verdict(facts, query)
        if verdict.contradictory:
            return Judgement(Finding.CONTRADICTORY, entailed=False)
        if target not in verdict.relations:
            return Judgement(Finding.REFUTED, entailed=False)
        if verdict.proved:
            return Judgement(Finding.PROVED, verdict.entailed)
        return Judgement(Finding.UNDETERMINED, entailed=False)
