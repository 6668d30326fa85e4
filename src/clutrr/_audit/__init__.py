"""Data sets examined: soundness, balance, leaks, shortcuts, ceilings."""

from clutrr._audit.audit import Audit, examine
from clutrr._audit.rows import RowJudge, collect, questions

__all__ = ["Audit", "RowJudge", "collect", "examine", "questions"]
