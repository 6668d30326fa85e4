"""Sentences to facts; facts to possible answers, with a proof. Never imports the generator."""

from clutrr.solver.explain import Explanation, explain
from clutrr.solver.judge import Judge, Judgement
from clutrr.solver.solution import Solution, solve_story
from clutrr.solver.solver import Solver
from clutrr.solver.verdict import Finding, Verdict
from clutrr.solver.witness import Couple, Witness

__all__ = [
    "Couple",
    "Explanation",
    "Finding",
    "Judge",
    "Judgement",
    "Solution",
    "Solver",
    "Verdict",
    "Witness",
    "explain",
    "solve_story",
]
