"""CLUTRR: kinship stories whose answers are proved.

generate    puzzles of a preset and length                 Puzzle, Fact, Entity, Sentence
read        the puzzles of a file or folder                load_world, World
write       puzzles to a file or folder
solve       what a story leaves possible, with a proof
audit       what a data set is worth
train       a model on a data set
evaluate    what it answers
score       anybody's answers
reward      replies of a model in training

puzzles = clutrr.generate(preset="sound", k=4, size=100, seed=7)
puzzles[0].story, puzzles[0].query, puzzles[0].target
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from clutrr import version

if TYPE_CHECKING:
    from clutrr.api import audit as audit
    from clutrr.api import evaluate as evaluate
    from clutrr.api import generate as generate
    from clutrr.api import read as read
    from clutrr.api import score as score
    from clutrr.api import solve as solve
    from clutrr.api import train as train
    from clutrr.api import write as write
    from clutrr.errors import ClutrrError as ClutrrError
    from clutrr.puzzle import Entity as Entity
    from clutrr.puzzle import Fact as Fact
    from clutrr.puzzle import Puzzle as Puzzle
    from clutrr.puzzle import Sentence as Sentence
    from clutrr.scoring.reward import reward as reward
    from clutrr.world import World as World
    from clutrr.world import load_world as load_world

__version__ = version.VERSION

# The public names and where they live; they are imported when first used.
_PUBLIC = {
    "ClutrrError": "clutrr.errors",
    "Fact": "clutrr.puzzle",
    "Entity": "clutrr.puzzle",
    "Puzzle": "clutrr.puzzle",
    "Sentence": "clutrr.puzzle",
    "World": "clutrr.world",
    "audit": "clutrr.api",
    "evaluate": "clutrr.api",
    "generate": "clutrr.api",
    "load_world": "clutrr.world",
    "read": "clutrr.api",
    "reward": "clutrr.scoring.reward",
    "score": "clutrr.api",
    "solve": "clutrr.api",
    "train": "clutrr.api",
    "write": "clutrr.api",
}
__all__ = ["__version__", *_PUBLIC]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'clutrr' has no attribute {name!r}")
    value = getattr(import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value
