"""What a file said beyond its puzzles: the JSON object of a puzzle's `extra`.

By format, the cells or fields that the puzzle has no place for; and which edges of the graph no column
types and the text was not seen to tell.
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
    """What stands under a key, where it is an object; empty where nothing does."""
    found = _object(puzzle.extra).get(key)
    return found if isinstance(found, dict) else {}


def extra_keys(puzzle: Puzzle) -> tuple[str, ...]:
    return tuple(_object(puzzle.extra))


def unread_edges(puzzle: Puzzle) -> tuple[Unread, ...]:
    """The edges that could not be read."""
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
