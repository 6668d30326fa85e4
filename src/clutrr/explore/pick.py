"""The choice of the puzzles of a page, and what models answered.

Answers are a run's predictions, or anybody's as `clutrr score` takes them.
"""

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from clutrr.data import Dataset
from clutrr.errors import ConfigError, DataError
from clutrr.measure import natural
from clutrr.puzzle import Puzzle
from clutrr.scoring import Answer, AnswerReader, Predictions
from clutrr.table import from_table
from clutrr.world import World

LIMIT = 10_000
_SHOWN = 60  # characters of an answer that was not read


# What became of a question; "truncated" and "refused" are unread for a reason.
STATES = ("right", "wrong", "unread", "refused", "truncated", "no answer")


class ShownAnswer(NamedTuple):
    """An answer as the page shows it: text is the relation that it names, or the beginning of a reply."""

    text: str
    state: str
    given: Answer


def answer_to(
    asked: tuple[str, str, Sequence[str]], subset: str, predictions: Predictions, reader: AnswerReader
) -> ShownAnswer | None:
    """Return the answer to a question, given by id, target and query; the first of several samples."""
    number, target, query = asked
    for given in predictions.answers_to(subset, number, target):
        read = reader.read(given.text, given.asked.of(query), cut=given.cut)
        if read is not None:
            right = read == (given.right or given.asked.right(target))
            return ShownAnswer(read, STATES[not right], given)
        # A trained model's answer, of another world, is wrong.
        state = given.unread if given.probability is None else "wrong"
        return ShownAnswer(textwrap.shorten(given.text, _SHOWN, placeholder=" ..."), state, given)
    return None


@dataclass(frozen=True)
class Picked:
    """A puzzle of the page, and what each run answered."""

    puzzle: Puzzle
    subset: str
    split: str
    answers: tuple[ShownAnswer | None, ...]


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
        columns = [part.table[name].to_pylist() for name in ("id", "target", "query")]
        answers = [
            tuple(answer_to(asked, part.subset, model, reader) for model in models.values())
            for asked in zip(*columns, strict=True)
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
