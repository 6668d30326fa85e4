"""Worked examples for prompts: puzzles of train whose answer the solver proves, with its proof."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest

from clutrr.data import Dataset
from clutrr.errors import DataError
from clutrr.puzzle import CANNOT_BE_TOLD, Puzzle, from_table
from clutrr.solver import Solution, Solver, explain
from clutrr.world import Assumption, World

_LOOKED_AT = 500  # stories of train among which examples are looked for
_SPARE = 4  # more examples than are shown, for questions about the same family


@dataclass(frozen=True)
class Shot:
    """An example: a puzzle, and the proof of its answer in words."""

    puzzle: Puzzle
    proof: str


def shots_of(data: Dataset, number: int, assume: Assumption) -> tuple[Shot, ...]:
    """Examples of a data set's train stories, of every subset in turn and with different answers."""
    if not number:
        return ()
    subsets = data.split("train")
    turns = zip_longest(*(from_table(table.slice(0, _LOOKED_AT)) for table in subsets.values()))
    puzzles = (puzzle for puzzle in chain.from_iterable(turns) if puzzle is not None)
    found = choose(puzzles, number + _SPARE, data.world, assume)
    if len(found) < number:
        raise DataError(
            f"{data.path}: only {len(found)} of the first train stories have an answer that is proved "
            f"under `{assume}`, and {number} examples were asked for"
        )
    return found


def choose(puzzles: Iterable[Puzzle], number: int, world: World, assume: Assumption) -> tuple[Shot, ...]:
    """The first puzzles with a proved answer, one an answer before any second."""
    solver = Solver(world)
    found: list[Shot] = []
    kept: list[Shot] = []
    seen: set[str] = set()
    families: set[str] = set()
    for looked_at, puzzle in enumerate(puzzles):
        if len(found) == number or len(kept) == 4 * number or looked_at == _LOOKED_AT:
            break
        if puzzle.family and puzzle.family in families:
            continue
        for shot in _proved(puzzle, solver):
            families.add(puzzle.family)
            (kept if puzzle.target in seen else found).append(shot)
            seen.add(puzzle.target)
    return tuple([*found, *kept][:number])


def _proved(puzzle: Puzzle, solver: Solver) -> Iterator[Shot]:
    verdict = solver.verdict(puzzle.facts, puzzle.query)
    told = verdict.relations == (puzzle.target,)
    if told or (puzzle.target == CANNOT_BE_TOLD and len(verdict.relations) > 1):
        explanation = explain(solver, puzzle.facts, puzzle.query)
        yield Shot(puzzle, Solution(puzzle.query, puzzle.facts, (), verdict, explanation).proof)
