"""Data sets examined: soundness, balance, leaks, shortcuts, ceilings."""

from clutrr.auditor.audit import Audit, audit
from clutrr.auditor.rows import RowJudge, findings, questions

__all__ = ["Audit", "RowJudge", "audit", "findings", "questions"]
