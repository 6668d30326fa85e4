"""Data sets examined: soundness, balance, leaks, shortcuts, ceilings."""

from clutrr.auditor.audit import Audit, audit
from clutrr.auditor.rows import findings

__all__ = ["Audit", "audit", "findings"]
