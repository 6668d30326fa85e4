"""Questions about stories: read, decided and explained. Never imports the generator."""

from clutrr.solver.judge import Judge, Judgement
from clutrr.solver.solution import Solution, solve_story

__all__ = ["Judge", "Judgement", "Solution", "solve_story"]
