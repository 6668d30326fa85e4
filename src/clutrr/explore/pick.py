"""Which puzzles of the data are on the page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from clutrr.auditor.rows import WorldFinder
from clutrr.data import Part, scan
from clutrr.errors import ConfigError, DataError
from clutrr.explore.runs import Answer, Run
from clutrr.explore.sample import Even
from clutrr.puzzle import Puzzle, from_table
from clutrr.world import World

LIMIT = 10_000


@dataclass(frozen=True)
class Picked:
    """A puzzle of the page, how to read it, and what each run answered."""

    puzzle: Puzzle
    subset: str
    split: str
    world: World
    by_facts: bool
    answers: tuple[Answer | None, ...]


@dataclass(frozen=True)
class Selection:
    """The puzzles of the page in the order of the data. total: how many the data has. runs: names."""

    data: str
    total: int
    runs: tuple[str, ...]
    picked: tuple[Picked, ...]


def pick(
    data: Path,
    runs: Sequence[Run] = (),
    limit: int = LIMIT,
    world: str | None = None,
    tick: Callable[[int], None] = lambda stories: None,
) -> Selection:
    """All puzzles of a file or folder, or an even sample if they are more than the limit.

    Those that a run answers come first; the others fill what is left.
    """
    if limit < 1:
        raise ConfigError(f"limit: {limit} is below 1")
    finder = WorldFinder(world)
    answered: Even[tuple[int, Picked]] = Even(limit)
    others: Even[tuple[int, Picked]] = Even(limit)
    total = 0
    for part in scan(data):
        answers = [_answers(part, row, runs) for row in _asked(part)]
        for sample, of_run in ((answered, True), (others, False)):
            rows = [row for row, given in enumerate(answers) if any(given) is of_run]
            wanted = [rows[i] for i in sample.next(len(rows))]
            if wanted:
                picked = _picked(replace(part, table=part.table.take(wanted)), finder)
                numbered = zip(wanted, picked, strict=True)
                sample.keep([(total + row, replace(one, answers=answers[row])) for row, one in numbered])
        total += len(answers)
        tick(len(answers))
    if not total:
        raise DataError(f"{data}: holds no puzzle")
    if runs and not answered.seen:
        raise DataError(f"{runs[0].path}: answers no story of {data}")
    first = answered.chosen()
    chosen = sorted([*first, *others.chosen(limit - len(first))], key=lambda pair: pair[0])
    return Selection(
        data.resolve().name, total, tuple(run.name for run in runs), tuple(one for _, one in chosen)
    )


def _asked(part: Part) -> list[tuple[str, str]]:
    return list(zip(part.table["id"].to_pylist(), part.table["target"].to_pylist(), strict=True))


def _answers(part: Part, row: tuple[str, str], runs: Sequence[Run]) -> tuple[Answer | None, ...]:
    number, target = row
    found = tuple(run.answer(part.subset, number) for run in runs)
    for run, answer in zip(runs, found, strict=True):
        if answer and answer.target not in (None, target):
            raise DataError(
                f"{run.path}: the target of {number!r} is {answer.target!r} there and {target!r} in the "
                "data: these are answers to other stories"
            )
    return found


def _picked(part: Part, finder: WorldFinder) -> list[Picked]:
    world = finder.world(part)
    by_facts = finder.by_facts(part, world)
    return [
        Picked(puzzle, part.subset, part.split or "", world, by_facts, ())
        for puzzle in from_table(part.table)
    ]
