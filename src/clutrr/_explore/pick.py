"""The choice of the puzzles of a page, and what models answered.

Answers are a run's predictions, or anybody's as `clutrr score` takes them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from clutrr._data import Dataset
from clutrr._data.part import Part
from clutrr._lexicon import World
from clutrr._measure import natural
from clutrr._puzzle import Puzzle
from clutrr._table import from_table
from clutrr.errors import ConfigError, DataError

if TYPE_CHECKING:
    from clutrr._score.predictions import Predictions, ReadAnswer

Answers: TypeAlias = "tuple[ReadAnswer | None, ...]"  # of each model; of several samples, the first
LIMIT = 10_000


@dataclass(frozen=True)
class Picked:
    """A puzzle of the page, and what each model answered."""

    puzzle: Puzzle
    subset: str
    split: str
    answers: Answers


@dataclass(frozen=True)
class Sample:
    """The puzzles of the page by subset, in the order of the data.

    total: how many there were to choose from. models: names.
    """

    data: Dataset
    total: int
    models: tuple[str, ...]
    picked: tuple[Picked, ...]

    @property
    def world(self) -> World:
        return self.data.world

    @property
    def assume(self) -> str:
        """The name of the assumption under which the page judges."""
        return self.world.theory.assumption(self.data.assume).name


def pick(
    data: Dataset,
    models: "Mapping[str, Predictions] | None" = None,
    limit: int = LIMIT,
    tick: Callable[[int], None] = lambda stories: None,
) -> Sample:
    """Return the puzzles of a data set that a model has answered, or all if there is no model.

    models: their answers, by name. limit: of more puzzles than that, an even sample.
    """
    if limit < 1:
        raise ConfigError("is below 1", setting="limit", value=limit)
    models = models or {}
    kept: list[Picked] = []
    total = seen = 0
    every = 1  # of how many one is kept: memory is bounded
    for part in data.parts():
        answers = _answers(part, models, data.world)
        rows = [row for row, given in enumerate(answers) if any(given) or not models]
        if wanted := rows[-seen % every :: every]:
            puzzles, about = from_table(part.table.take(wanted)), (part.subset, part.split or "")
            found = zip(puzzles, wanted, strict=True)
            kept += [Picked(puzzle, *about, answers[row]) for puzzle, row in found]
        while len(kept) > 2 * limit:
            kept, every = kept[::2], 2 * every
        seen += len(rows)
        total += len(answers)
        tick(len(answers))
    if not total:
        raise DataError("contains no puzzles", place=data.path)
    if not seen:
        raise DataError(
            f"holds no answer to a story of {data.path}", place=next(iter(models.values())).path
        )
    kept.sort(key=lambda one: natural(one.subset))
    size = min(len(kept), limit)
    return Sample(
        data, seen, tuple(models), tuple(kept[i * len(kept) // size] for i in range(size))
    )


def _answers(part: Part, models: Mapping[str, "Predictions"], world: World) -> list[Answers]:
    """Return what each model answered, question by question."""
    if not models:
        return [()] * len(part.table)
    from clutrr._score.replies import AnswerReader
    from clutrr._score.scoring import questions_of

    reader = AnswerReader(world)
    return [
        tuple(next(iter(model.read(part.subset, one, reader)), None) for model in models.values())
        for one in questions_of(part)
    ]
