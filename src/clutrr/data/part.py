"""What reading gives: tables of puzzles, each of one subset and split, and where they stood."""

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from clutrr.puzzle import Puzzle, to_table
from clutrr.storage import Where

BATCH = 2048  # puzzles in a part, at most
LARGE = 1 << 23  # characters from which on a part takes no more puzzles


@dataclass(frozen=True)
class Part:
    """Some puzzles of one subset and split.

    subset: "M3", or "1.3" where the data itself names tasks. split: "train", "test", or None where
    it is not known. table: of `clutrr.puzzle.SCHEMA`. where: the file.
    """

    subset: str
    split: str | None
    table: pa.Table
    where: Where


@dataclass(frozen=True)
class Row:
    """A puzzle that was read, and the subset and split it belongs to."""

    subset: str
    split: str | None
    puzzle: Puzzle


def parts(rows: Iterator[Row], where: Where) -> Iterator[Part]:
    """Gather rows into parts, in order within each subset and split."""
    waiting: dict[tuple[str, str | None], list[Puzzle]] = {}
    size = 0
    for row in rows:
        key = row.subset, row.split
        gathered = waiting.setdefault(key, [])
        gathered.append(row.puzzle)
        size += len(row.puzzle.story) + len(row.puzzle.abstract) + 100 * len(row.puzzle.facts)
        if len(gathered) == BATCH or size > LARGE:
            yield from _tables(waiting, where)
            waiting, size = {}, 0
    yield from _tables(waiting, where)


def _tables(waiting: dict[tuple[str, str | None], list[Puzzle]], where: Where) -> Iterator[Part]:
    for (subset, split), gathered in waiting.items():
        yield Part(subset, split, to_table(gathered), where)
