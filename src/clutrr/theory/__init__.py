"""Theories: what relations mean, how questions are drawn and how they are decided.

`theory.py` is the interface. A theory's `questions` and its `solver` share no code: that they agree is
evidence that both are right.
"""

from clutrr._labels import Kind, Labels
from clutrr.theory.drawing import Drawing
from clutrr.theory.registry import WORLDS, find_theory, theory_names
from clutrr.theory.solver import Explanation, Scene, Solver
from clutrr.theory.spec import Assumption, Preset, QuestionSpec, Supply
from clutrr.theory.theory import Theory
from clutrr.theory.verdict import Composition, Finding, Verdict

__all__ = [
    "WORLDS",
    "Assumption",
    "Composition",
    "Drawing",
    "Explanation",
    "Finding",
    "Kind",
    "Labels",
    "Preset",
    "QuestionSpec",
    "Scene",
    "Solver",
    "Supply",
    "Theory",
    "Verdict",
    "find_theory",
    "theory_names",
]
