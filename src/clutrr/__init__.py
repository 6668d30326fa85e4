"""CLUTRR: stories about relations whose answers are proved.

generate    puzzles of a preset and length                 Puzzle, Fact, Entity, Sentence
read        the puzzles of a file or folder                load_world, World
write       puzzles to a file or folder
solve       what a story leaves possible, with a proof
audit       what a data set is worth
train       a model on a data set
evaluate    what it answers
score       anybody's answers
reward      replies of a model in training
verify      what a reply claims, step by step

puzzles = clutrr.generate(preset="sound", k=4, size=100, seed=7)
puzzles[0].story, puzzles[0].query, puzzles[0].target
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from clutrr import version

if TYPE_CHECKING:
    from clutrr.api import audit, evaluate, generate, read, score, solve, train, verify, write
    from clutrr.errors import ClutrrError
    from clutrr.puzzle import Entity, Fact, Puzzle, Sentence
    from clutrr.scoring.reward import reward
    from clutrr.world import World, load_world

__version__ = version.VERSION
__all__ = ["ClutrrError", "Entity", "Fact", "Puzzle", "Sentence", "World", "__version__", "load_world"]
__all__ += ["audit", "evaluate", "generate", "read", "reward", "score", "solve", "train", "verify", "write"]

# Where the public names live, if not in the api; they are imported when first used.
_ELSEWHERE = {
    "ClutrrError": "clutrr.errors",
    **dict.fromkeys(("Entity", "Fact", "Puzzle", "Sentence"), "clutrr.puzzle"),
    **dict.fromkeys(("World", "load_world"), "clutrr.world"),
    "reward": "clutrr.scoring.reward",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'clutrr' has no attribute {name!r}")
    value = getattr(import_module(_ELSEWHERE.get(name, "clutrr.api")), name)
    globals()[name] = value
    return value
