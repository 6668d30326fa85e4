"""Processes that a test started, and waiting for what they do."""

import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 120  # seconds, on a machine that has other things to do


def until(true: Callable[[], object], what: str) -> None:
    """Wait for something to be so."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, f"waited in vain: {what}"
        time.sleep(0.02)


def session(leader: int) -> list[int]:
    """The processes that the leader of a session started and that still run."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, session = stat.read_text().rsplit(")", 1)[1].split()[:4]
        except OSError:
            continue
        if int(session) == leader and state != "Z":
            found.append(int(stat.parent.name))
    return found
