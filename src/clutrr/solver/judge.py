"""Many puzzles: is each one's target the only possible answer?"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from clutrr.puzzle import Fact
from clutrr.theory import Finding, Verdict
from clutrr.world import World


@dataclass(frozen=True)
class Judgement:
    """The finding, and whether the target is entailed: nothing else at all is possible.

    possible: those of the label set; none if nothing was decided.
    """

    finding: Finding
    entailed: bool
    possible: tuple[str, ...] = ()


class Judge:
    """Judges targets by facts. assume: the name of an assumption; None for the theory's default."""

    def __init__(self, world: World, assume: str | None = None) -> None:
        self.solver = world.theory.solver(world.labels, world.theory.assumption(assume).name)

    def judge(self, facts: Sequence[Fact], query: tuple[str, str], target: str) -> Judgement:
        return _judgement(self.solver.verdict(facts, query), target)


@lru_cache(1 << 14)
def _judgement(verdict: Verdict, target: str) -> Judgement:
    finding = verdict.finding(target)
    return Judgement(finding, finding is Finding.PROVED and verdict.entailed, verdict.relations)
