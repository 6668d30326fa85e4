"""The choice of the puzzles of a page, and what models answered.

Answers are a run's predictions, or anybody's as `clutrr score` takes them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from clutrr.data import Dataset
from clutrr.errors import ConfigError, DataError
from clutrr.measure import natural
from clutrr.puzzle import Puzzle
from clutrr.scoring import AnswerReader, Predictions
from clutrr.scoring.predictions import ReadAnswer, questions_of
from clutrr.table import from_table
from clutrr.world import World

LIMIT = 10_000


@dataclass(frozen=True)
class Picked:
    """A puzzle of the page, and what each model answered: of several samples, the first."""

    puzzle: Puzzle
    subset: str
    split: str
    answers: tuple[ReadAnswer | None, ...]


@dataclass(frozen=True)
class Sample:
    """The puzzles of the page by subset, in the order of the data.

    assume: the name of an assumption. total: how many there were to choose from. models: names.
    """

    data: str
    world: World
    about_world: str
    assume: str
    total: int
    models: tuple[str, ...]
    picked: tuple[Picked, ...]


def pick(
    data: Dataset,
    models: Mapping[str, Predictions] | None = None,
    limit: int = LIMIT,
    assume: str | None = None,
    tick: Callable[[int], None] = lambda stories: None,
) -> Sample:
    """Return the puzzles of a data set that a model has answered, or all if there is no model.

    models: their answers, by name. limit: of more puzzles than that, an even sample.
    """
    if limit < 1:
        raise ConfigError(f"limit: {limit} is below 1")
    reader, models = AnswerReader(data.world), models or {}
    kept: list[Picked] = []
    total = seen = 0
    every = 1  # of how many one is kept: memory is bounded
    for part in data.parts():
        answers = [
            tuple(next(iter(model.read(part.subset, one, reader)), None) for model in models.values())
            for one in questions_of(part)
        ]
        rows = [row for row, found in enumerate(answers) if any(found) or not models]
        wanted = rows[-seen % every :: every]
        puzzles = from_table(part.table.take(wanted)) if wanted else []
        each = zip(wanted, puzzles, strict=True)
        kept += [Picked(puzzle, part.subset, part.split or "", answers[row]) for row, puzzle in each]
        while len(kept) > 2 * limit:
            kept, every = kept[::2], 2 * every
        seen += len(rows)
        total += len(answers)
        tick(len(answers))
    if not total:
        raise DataError(f"{data.path}: contains no puzzles")
    if not seen:
        raise DataError(f"{next(iter(models.values())).path}: holds no answer to a story of {data.path}")
    kept.sort(key=lambda one: natural(one.subset))
    size = min(len(kept), limit)
    return Sample(
        data.path.resolve().name,
        data.world,
        data.about_world,
        data.world.theory.assumption(assume or data.assume).name,
        seen,
        tuple(models),
        tuple(kept[i * len(kept) // size] for i in range(size)),
    )
