"""The JSON object in a puzzle's `extra`: what its file held beyond the puzzle.

It holds, by format, the cells or fields that the puzzle has no place for, and the edges of the graph for
which no column gives a relation and none could be read in the text.
"""

import json
from typing import Any, NamedTuple

from clutrr.puzzle import Puzzle

UNREAD = "unread"


class Unread(NamedTuple):
    """Two people whom the file joins without saying what they are to each other, and the edge's role."""

    head: str
    tail: str
    role: str


def extra_of(puzzle: Puzzle, key: str) -> dict[str, Any]:
    """Return the object under a key; an empty one if there is none."""
    found = _object(puzzle.extra).get(key)
    return found if isinstance(found, dict) else {}


def extra_keys(puzzle: Puzzle) -> tuple[str, ...]:
    return tuple(_object(puzzle.extra))


def unread_edges(puzzle: Puzzle) -> tuple[Unread, ...]:
    """Return the edges that could not be read."""
    if puzzle.extra is None or f'"{UNREAD}"' not in puzzle.extra:
        return ()
    found = _object(puzzle.extra).get(UNREAD)
    edges = found if isinstance(found, list) else []
    return tuple(Unread(*map(str, edge)) for edge in edges if isinstance(edge, list) and len(edge) == 3)


def _object(text: str | None) -> dict[str, Any]:
    try:
        content = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
