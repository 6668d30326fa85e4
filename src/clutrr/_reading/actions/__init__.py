"""What rules of the grammar mean: pure functions of the meanings of their parts. None: the parts do not fit."""

from clutrr._reading.actions import acts, clauses, frames, kinship, labels, nouns
from clutrr._reading.actions.registry import ACTIONS

__all__ = ["ACTIONS", "acts", "clauses", "frames", "kinship", "labels", "nouns"]
