"""Data sets examined: soundness, balance, leaks, shortcuts, ceilings."""

from clutrr.auditor.audit import Audit, audit
from clutrr.auditor.rows import RowJudge, collect, questions

__all__ = ["Audit", "RowJudge", "audit", "collect", "questions"]
