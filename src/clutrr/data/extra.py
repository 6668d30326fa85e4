"""The JSON object in a puzzle's `extra`: what its file held beyond the puzzle.

It holds, by format, the cells or fields that the puzzle has no place for, and the edges of the graph for
which no column gives a relation and none could be read in the text.
"""

import json
from collections.abc import Collection
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


def without_text(extra: str | None, names: Collection[str]) -> str | None:
    """Return the same without the cells and fields of these names, in any format: texts of an old story."""
    content = _object(extra)
    for key, what in content.items():
        if isinstance(what, dict):
            content[key] = {name: cell for name, cell in what.items() if name not in names}
    return json.dumps(content, ensure_ascii=False) if content else extra


def _object(text: str | None) -> dict[str, Any]:
    try:
        content = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
