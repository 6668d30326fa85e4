"""Data sets examined: soundness, balance, leaks, shortcuts, ceilings."""

from clutrr.audit.audit import Audit, audit
from clutrr.audit.rows import findings

__all__ = ["Audit", "audit", "findings"]
