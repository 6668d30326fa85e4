"""Theories: what relations mean, how questions are drawn and how they are decided.

`theory.py` is the interface. A theory's `questions` and its `solver` share no code: that they agree is
evidence that both are right.
"""

from clutrr.labels import Kind, Labels
from clutrr.theory.drawing import Drawing
from clutrr.theory.solver import Explanation, Scene, Solver
from clutrr.theory.theory import Assumption, Preset, Supply, Theory, find_theory
from clutrr.theory.verdict import Composition, Finding, Verdict

__all__ = [
    "Assumption",
    "Composition",
    "Drawing",
    "Explanation",
    "Finding",
    "Kind",
    "Labels",
    "Preset",
    "Scene",
    "Solver",
    "Supply",
    "Theory",
    "Verdict",
    "find_theory",
]
