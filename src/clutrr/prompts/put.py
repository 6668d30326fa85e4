"""How a question is put: which relation it is, whether it is this one, or which of several.

The relations that are offered besides the right one are of the same gender if there are enough, so
that the gender alone does not give the answer away. Which they are, and their order, depends only on the
puzzle's id.
"""

import hashlib
import random
from collections.abc import Sequence

from clutrr.errors import DataError
from clutrr.puzzle import CANNOT_BE_TOLD, Puzzle
from clutrr.scoring import WHICH, Asked
from clutrr.world import World

_OFFERED = 4  # relations to choose from


def put(puzzle: Puzzle, ask: str, world: World, untold: bool) -> Asked:
    """The question about a puzzle. untold: whether "cannot be told" may be an answer."""
    if ask == "which":
        return WHICH
    drawn = random.Random(hashlib.sha256(f"{ask} {puzzle.id}".encode()).digest())
    if ask == "yes-no":
        return Asked(ask, (_one(puzzle, world, drawn),))
    offered = list(_right(puzzle))[:_OFFERED]
    offered += _others(puzzle, world, drawn)[: _OFFERED - len(offered)]
    drawn.shuffle(offered)
    return Asked(ask, (*offered, *([CANNOT_BE_TOLD] if untold else [])))


def _one(puzzle: Puzzle, world: World, drawn: random.Random) -> str:
    """A relation to ask about: in half of the questions one that is possible."""
    right, others = _right(puzzle), _others(puzzle, world, drawn)
    return drawn.choice(right) if drawn.random() < 0.5 or not others else others[0]


def _right(puzzle: Puzzle) -> Sequence[str]:
    if puzzle.target != CANNOT_BE_TOLD:
        return (puzzle.target,)
    if not puzzle.possible:
        raise DataError(
            f"puzzle {puzzle.id!r}: its answer is {CANNOT_BE_TOLD!r}, and the column `possible` does not say "
            "between which relations: ask `which`"
        )
    return puzzle.possible


def _others(puzzle: Puzzle, world: World, drawn: random.Random) -> list[str]:
    """The relations that are not possible, in random order, those of the right one's gender first."""
    right = _right(puzzle)
    gender = world.meaning[right[0]][1]
    allowed = {*right, *(puzzle.possible or ())}
    others = [relation for relation in world.relations if relation not in allowed]
    drawn.shuffle(others)
    return sorted(others, key=lambda relation: world.meaning[relation][1] != gender)
