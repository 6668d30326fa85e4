"""CLUTRR: kinship stories whose answers are proved.

world     what relations mean and how sentences say them          load_world
family    people, couples, children; paths between related people
story     sentences, distractors, their order
puzzle    facts, story, query, target: the record that all share   Puzzle
generate  config to blocks of puzzles                              generate
data      files and folders of puzzles                             read

puzzles = clutrr.generate(preset="sound", k=4, size=100, seed=7)
puzzles[0].story, puzzles[0].query, puzzles[0].target
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clutrr.api import generate as generate
    from clutrr.api import read as read
    from clutrr.api import solve as solve
    from clutrr.errors import ClutrrError as ClutrrError
    from clutrr.puzzle import Fact as Fact
    from clutrr.puzzle import Person as Person
    from clutrr.puzzle import Puzzle as Puzzle
    from clutrr.world import World as World
    from clutrr.world import load_world as load_world

# The public names and where they live; they are imported when first used.
_PUBLIC = {
    "ClutrrError": "clutrr.errors",
    "Fact": "clutrr.puzzle",
    "Person": "clutrr.puzzle",
    "Puzzle": "clutrr.puzzle",
    "World": "clutrr.world",
    "generate": "clutrr.api",
    "load_world": "clutrr.world",
    "solve": "clutrr.api",
    "read": "clutrr.api",
}
__all__ = list(_PUBLIC)


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'clutrr' has no attribute {name!r}")
    value = getattr(import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value
