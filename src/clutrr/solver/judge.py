"""Many puzzles: is each one's target the only possible answer?"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from clutrr.puzzle import Fact
from clutrr.solver.solver import Solver
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
    """Judges targets by facts."""

    def __init__(self, world: World) -> None:
        self.solver = Solver(world)

    def judge(self, facts: Sequence[Fact], query: tuple[str, str], target: str) -> Judgement:
        verdict = self.solver.verdict(facts, query)
        if verdict.contradictory:
            return Judgement(Finding.CONTRADICTORY, entailed=False)
        if target not in verdict.relations:
            return Judgement(Finding.REFUTED, entailed=False)
        if verdict.proved:
            return Judgement(Finding.PROVED, verdict.entailed)
        return Judgement(Finding.UNDETERMINED, entailed=False)
