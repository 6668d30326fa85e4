"""The choice of the puzzles of a page."""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from clutrr.data import Dataset, Part
from clutrr.errors import ConfigError, DataError
from clutrr.explore.runs import Read, Run
from clutrr.puzzle import Puzzle, from_table
from clutrr.scoring import Answer, AnswerReader
from clutrr.world import World

LIMIT = 10_000
Item = TypeVar("Item")
_SHOWN = 60  # characters of an answer that was not read


class Even(Generic[Item]):
    """Keeps at most `limit` of the items that come, evenly spaced, in their order.

    It keeps every n-th item and doubles n whenever it holds too many, so that memory is bounded.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._every = 1
        self._kept: list[Item] = []
        self.seen = 0

    def next(self, count: int) -> range:
        """Return which of the next `count` items are wanted; `keep` those."""
        first = -self.seen % self._every
        self.seen += count
        return range(first, count, self._every)

    def keep(self, items: Sequence[Item]) -> None:
        self._kept += items
        while len(self._kept) > 2 * self._limit:
            self._kept = self._kept[::2]
            self._every *= 2

    def chosen(self, most: int | None = None) -> list[Item]:
        """Return the items; at most `most`, if even fewer are wanted."""
        size = min(len(self._kept), self._limit if most is None else most)
        return [self._kept[i * len(self._kept) // size] for i in range(size)]


@dataclass(frozen=True)
class Picked:
    """A puzzle of the page, what each run answered, and what it read, if that is known."""

    puzzle: Puzzle
    subset: str
    split: str
    answers: tuple[Answer | None, ...]
    read: tuple[Read | None, ...] = ()


@dataclass(frozen=True)
class Selection:
    """The puzzles of the page in the order of the data.

    assume: the name of an assumption. total: how many puzzles the data has. runs: names.
    """

    data: str
    world: World
    about_world: str
    assume: str
    total: int
    runs: tuple[str, ...]
    picked: tuple[Picked, ...]


def pick(
    data: Dataset,
    runs: Sequence[Run] = (),
    limit: int = LIMIT,
    assume: str | None = None,
    tick: Callable[[int], None] = lambda stories: None,
) -> Selection:
    """Return all puzzles of a data set, or an even sample if they are more than the limit.

    Puzzles that a run answers come first; others fill the rest.
    """
    if limit < 1:
        raise ConfigError(f"limit: {limit} is below 1")
    reader = AnswerReader(data.world)
    answered: Even[tuple[int, Picked]] = Even(limit)
    others: Even[tuple[int, Picked]] = Even(limit)
    total = 0
    for part in data.parts():
        answers = [_answers(part, row, runs, reader) for row in _asked(part)]
        for sample, of_run in ((answered, True), (others, False)):
            rows = [row for row, given in enumerate(answers) if any(given) is of_run]
            wanted = [rows[i] for i in sample.next(len(rows))]
            if wanted:
                picked = _picked(replace(part, table=part.table.take(wanted)))
                numbered = zip(wanted, picked, strict=True)
                sample.keep([(total + row, _answered(one, answers[row], runs)) for row, one in numbered])
        total += len(answers)
        tick(len(answers))
    if not total:
        raise DataError(f"{data.path}: contains no puzzles")
    if runs and not answered.seen:
        raise DataError(f"{runs[0].path}: holds no answer to a story of {data.path}")
    first = answered.chosen()
    chosen = sorted([*first, *others.chosen(limit - len(first))], key=lambda pair: pair[0])
    return Selection(
        data.path.resolve().name,
        data.world,
        data.about_world,
        data.world.theory.assumption(assume or data.assume).name,
        total,
        tuple(run.name for run in runs),
        tuple(one for _, one in chosen),
    )


def _answered(one: Picked, answers: tuple[Answer | None, ...], runs: Sequence[Run]) -> Picked:
    read = tuple(run.readings.get((one.subset, one.puzzle.id)) for run in runs)
    return replace(one, answers=answers, read=read if any(read) else ())


def _asked(part: Part) -> list[tuple[str, str]]:
    return list(zip(part.table["id"].to_pylist(), part.table["target"].to_pylist(), strict=True))


def _answers(
    part: Part, row: tuple[str, str], runs: Sequence[Run], reader: AnswerReader
) -> tuple[Answer | None, ...]:
    number, target = row
    found = tuple(run.answer(part.subset, number) for run in runs)
    for run, answer in zip(runs, found, strict=True):
        if answer and answer.target not in (None, target):
            raise DataError(
                f"{run.path}: the target of {number!r} is {answer.target!r} there and {target!r} in the "
                "data: these are answers to other stories"
            )
    return tuple(given and replace(given, text=_shown(given, reader)) for given in found)


def _shown(given: Answer, reader: AnswerReader) -> str:
    """Return the relation that an answer names; the beginning of a reply that could not be read."""
    return reader.read(given.text, given.asked) or textwrap.shorten(given.text, _SHOWN, placeholder=" ...")


def _picked(part: Part) -> list[Picked]:
    return [Picked(puzzle, part.subset, part.split or "", ()) for puzzle in from_table(part.table)]
