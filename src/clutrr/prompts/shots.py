"""Worked examples for prompts: training puzzles whose answer the solver proves, with its proof."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from clutrr.data import Dataset
from clutrr.errors import DataError
from clutrr.puzzle import CANNOT_BE_TOLD, Puzzle, from_table
from clutrr.solver import Solution
from clutrr.theory import Solver
from clutrr.world import World

_LOOKED_AT = 500  # training stories that are searched for examples


@dataclass(frozen=True)
class Shot:
    """An example: a puzzle, and the proof of its answer in words."""

    puzzle: Puzzle
    proof: str


def shots_of(data: Dataset, number: int, assume: str) -> tuple[Shot, ...]:
    """Return examples of a data set's train stories, of every subset in turn and with different answers."""
    if not number:
        return ()
    subsets = data.split("train")
    turns = zip_longest(*(from_table(table.slice(0, _LOOKED_AT)) for table in subsets.values()))
    puzzles = [puzzle for turn in turns for puzzle in turn if puzzle is not None][:_LOOKED_AT]
    found = choose(puzzles, number, data.world, assume)
    if len(found) < number:
        raise DataError(
            f"{data.path}: only {len(found)} of the first training stories have an answer that is proved "
            f"under `{assume}`, and {number} examples were asked for"
        )
    return found


def choose(puzzles: Sequence[Puzzle], number: int, world: World, assume: str) -> tuple[Shot, ...]:
    """Return puzzles with a proved answer; then as many of other scenes, for questions about those."""
    solver = world.theory.solver(world.labels, assume)
    found = _first(puzzles, number, solver, world)
    ids, scenes = ({getattr(shot.puzzle, name) for shot in found} for name in ("id", "scene"))
    others = [p for p in puzzles if p.id not in ids and not (p.scene and p.scene in scenes)]
    return found + _first(others, number, solver, world)


def _first(puzzles: Sequence[Puzzle], number: int, solver: Solver, world: World) -> tuple[Shot, ...]:
    """Return the first puzzles with a proved answer, one for each answer before any second one."""
    found: list[Shot] = []
    kept: list[Shot] = []
    seen: set[str] = set()
    for puzzle in puzzles:
        if len(found) == number or len(kept) >= 4 * number:
            break
        for shot in _proved(puzzle, solver, world):
            (kept if puzzle.target in seen else found).append(shot)
            seen.add(puzzle.target)
    return tuple([*found, *kept][:number])


def _proved(puzzle: Puzzle, solver: Solver, world: World) -> Iterator[Shot]:
    verdict = solver.verdict(puzzle.facts, puzzle.query)
    proved = verdict.relations == (puzzle.target,)
    if proved or (puzzle.target == CANNOT_BE_TOLD and len(verdict.relations) > 1):
        explanation = solver.explain(puzzle.facts, puzzle.query)
        yield Shot(puzzle, Solution(world, puzzle.query, puzzle.facts, (), verdict, explanation).proof)
