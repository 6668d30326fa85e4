"""Questions and their forms: which relation it is, whether it is this one, or which of several.

The relations that are offered beside the right one have its form if there are enough of those, so that
the form alone does not give the answer away. Which they are, and their order, depends only on the
puzzle's id.
"""

import hashlib
import random
from collections.abc import Sequence

from clutrr.errors import DataError
from clutrr.puzzle import CANNOT_BE_TOLD, Puzzle
from clutrr.scoring import WHICH, QuestionForm
from clutrr.world import World

_OFFERED = 4  # relations to choose from


def put(puzzle: Puzzle, form: str, world: World, undetermined: bool) -> QuestionForm:
    """Return the form of a puzzle's question. undetermined: whether "cannot be told" may be an answer."""
    if form == "which":
        return WHICH
    drawn = random.Random(hashlib.sha256(f"{form} {puzzle.id}".encode()).digest())
    if form == "yes-no":
        return QuestionForm(form, (_one(puzzle, world, drawn),))
    offered = list(_right(puzzle))[:_OFFERED]
    offered += _others(puzzle, world, drawn)[: _OFFERED - len(offered)]
    drawn.shuffle(offered)
    return QuestionForm(form, (*offered, *([CANNOT_BE_TOLD] if undetermined else [])))


def _one(puzzle: Puzzle, world: World, drawn: random.Random) -> str:
    """Return a relation to ask about: in half of the questions one that is possible."""
    right, others = _right(puzzle), _others(puzzle, world, drawn)
    return drawn.choice(right) if drawn.random() < 0.5 or not others else others[0]


def _right(puzzle: Puzzle) -> Sequence[str]:
    if puzzle.target != CANNOT_BE_TOLD:
        return (puzzle.target,)
    if not puzzle.possible:
        raise DataError(
            f"puzzle {puzzle.id!r}: its answer is {CANNOT_BE_TOLD!r}, and its column `possible` is empty: "
            "use --form which"
        )
    return puzzle.possible


def _others(puzzle: Puzzle, world: World, drawn: random.Random) -> list[str]:
    """Return the relations that are not possible, in random order, those of the right one's form first."""
    right = _right(puzzle)
    form = _form(right[0], world)
    allowed = {*right, *(puzzle.possible or ())}
    others = [relation for relation in world.relations if relation not in allowed]
    drawn.shuffle(others)
    return sorted(others, key=lambda relation: _form(relation, world) != form)


def _form(relation: str, world: World) -> object:
    """Return what the entity adds to the word of a relation."""
    return world.meaning[relation][1]
