"""Sentences to facts; facts to possible answers, with a proof. Never imports the generator."""

from clutrr.solve.explain import Explanation, explain
from clutrr.solve.judge import Finding, Judge, Judgement
from clutrr.solve.reading import Reader, Reading
from clutrr.solve.solution import Solution, solve_story
from clutrr.solve.solver import Solver, Verdict
from clutrr.solve.witness import Couple, Witness

__all__ = [
    "Couple",
    "Explanation",
    "Finding",
    "Judge",
    "Judgement",
    "Reader",
    "Reading",
    "Solution",
    "Solver",
    "Verdict",
    "Witness",
    "explain",
    "solve_story",
]
