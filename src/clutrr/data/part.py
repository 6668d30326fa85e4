"""The result of reading: tables of puzzles, each of one subset and split, and where they came from."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from clutrr.puzzle import Puzzle, from_table, to_table
from clutrr.storage import Where

BATCH = 2048  # puzzles in a part, at most
UNSPLIT = "unsplit"  # the name of a split that is not known; on the hub, "all" means every split together
LARGE = 1 << 23  # a part with this many characters takes no more puzzles


@dataclass(frozen=True)
class Part:
    """Some puzzles of one subset and split.

    subset: "M3", or "1.3" if the data itself names tasks. split: "train", "test", or None if it is not
    known. table: of `clutrr.puzzle.SCHEMA`. where: the file. made_of: the table that was made of
    puzzles, and these, where they are at hand.
    """

    subset: str
    split: str | None
    table: pa.Table
    where: Where
    made_of: tuple[pa.Table, Sequence[Puzzle]] | None = field(default=None, compare=False, repr=False)

    @property
    def puzzles(self) -> Iterable[Puzzle]:
        """The puzzles of the table, one by one."""
        if self.made_of is not None and self.made_of[0] is self.table:
            return self.made_of[1]
        return from_table(self.table)


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
        table = to_table(gathered)
        yield Part(subset, split, table, where, (table, gathered))
