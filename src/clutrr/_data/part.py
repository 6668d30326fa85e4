"""Formats, and the result of reading: tables of puzzles, each of one subset and split, and notes taken on the
way.

The column `extra` of a table holds, as a JSON object by format, the cells or fields that a puzzle has no
place for, and the edges of its graph for which no column gives a relation and none could be read in the text.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from clutrr._data.source import Bad, DataFile, RowPlace, Sized, records
from clutrr._facts import Route, entities_of, roles
from clutrr._io.limits import FACTS, RAISE, limit
from clutrr._io.locations import Location
from clutrr._lexicon import World
from clutrr._puzzle import ROLES, Fact, Puzzle
from clutrr._reading import Readings, Statements
from clutrr._statement import Statement
from clutrr._table import EXTRA, counts, from_table, to_table
from clutrr.errors import DataError, RowError

R = TypeVar("R")
BATCH = 2048  # puzzles in a part, at most
UNSPLIT = (
    "unsplit"  # the name of a split that is not known; on the hub, "all" means every split together
)
UNREAD = "unread"  # the key of edges and sentences that could not be read, in `extra`
_COLUMNS = "own"  # the key of what a file says besides
_SAID = re.compile(r"'[^']*'|\"[^\"]*\"")  # what a reason quotes from a row
LARGE = 1 << 23  # rows of this many characters are enough for a part


@dataclass(frozen=True)
class Part:
    """Some puzzles of one subset and split.

    - subset: "M3", or "1.3" if the data itself names tasks.
    - split: "train", "test", or None if it is not known.
    - table: of `clutrr._table.SCHEMA`.
    - where: the file.
    - readings: by story, what it says, where it was read to make the table; nobody reads it again.
    """

    subset: str
    split: str | None
    table: pa.Table
    where: Location
    readings: Readings = field(default_factory=dict)

    @property
    def puzzles(self) -> Iterable[Puzzle]:
        """The puzzles of the table, one by one."""
        return from_table(self.table)

    def labels(self) -> dict[str, int]:
        """Return how many puzzles have each target."""
        return counts(self.table["target"])


@dataclass(frozen=True)
class PlacedPuzzle:
    """A puzzle that was read, and the subset and split it belongs to.

    reading: what its story says, if that was read.
    """

    subset: str
    split: str | None
    puzzle: Puzzle
    reading: Statements | None = None


Unread = tuple[
    str, str, str
]  # people whom a file joins without saying how they are related; the edge's role
ReadRow = Callable[
    [dict[str, Any], RowPlace], PlacedPuzzle
]  # raises DataError for what cannot be read


def gathered(
    source: DataFile, read: Callable[[dict[str, Any], RowPlace], R], bad: Bad
) -> Iterator[list[R]]:
    """Yield what is read of the rows of a file, in batches limited in number and in size."""
    return gathered_rows(source, records(source, bad), read, bad)


def gathered_rows(
    source: DataFile,
    rows: Iterable[Sized],
    read: Callable[[dict[str, Any], RowPlace], R],
    bad: Bad,
) -> Iterator[list[R]]:
    """Yield what is read of rows, in batches limited in number and in size."""
    batch: list[R] = []
    size = 0
    for place, record, length in rows:
        try:
            batch.append(read(record, place))
        except DataError as error:
            bad(error if isinstance(error, RowError) else source.error(error, place))
            continue
        size += length
        if len(batch) == BATCH or size > LARGE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def isolate_bad_rows(
    items: pa.Table | Sequence[Any], make: Callable[[Any], pa.Table], bad: Bad
) -> Iterator[pa.Table]:
    """Yield what is made of rows; where that fails, of either half. bad: called with why one is left out."""
    try:
        made = make(items)
    except DataError as error:
        if len(items) == 1:
            bad(error)
            return
        half = len(items) // 2
        yield from isolate_bad_rows(items[:half], make, bad)
        yield from isolate_bad_rows(items[half:], make, bad)
    else:
        yield made


def parts(source: DataFile, read: ReadRow, bad: Bad) -> Iterator[Part]:
    """Read the rows of a file and gather them into parts, in order within each subset and split."""
    return parts_of(source, gathered(source, read, bad))


def parts_of(source: DataFile, batches: Iterable[list[PlacedPuzzle]]) -> Iterator[Part]:
    """Gather puzzles into parts, in order within each subset and split."""
    for rows in batches:
        found: defaultdict[tuple[str, str | None], list[PlacedPuzzle]] = defaultdict(list)
        for row in rows:
            found[row.subset, row.split].append(row)
        for (subset, split), placed in found.items():
            table = to_table([one.puzzle for one in placed])
            readings = {one.puzzle.story: one.reading for one in placed if one.reading is not None}
            yield Part(subset, split, table, source.path, readings)


Scan = Callable[[DataFile, World, "Notes"], Iterator[Part]]
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Format:
    """A kind of file.

    - columns: those that it must have.
    - scan: yields its parts one after the other, given a world and where to note things.
    - world: the one of published files of this kind; None for ours.
    - origin: how that world is known, in words.
    - assume: what the authors of such files assume; None if that is not known.
    - extra, statements: whether its puzzles may have the columns of these names.
    - fits: whether a file with these columns is of this kind, by its first row.
    """

    name: str
    columns: frozenset[str]
    scan: Scan
    world: str | None = None
    assume: str | None = None
    extra: bool = False
    statements: bool = False
    fits: Callable[[Record], bool] = lambda record: True
    origin: str = "known by its format"


def by_row(reader: Callable[[DataFile, World, "Notes"], ReadRow]) -> Scan:
    """Return what reads a file row by row. reader: makes what reads a row of it."""
    return lambda source, world, notes: parts(source, reader(source, world, notes), notes.bad_row)


def check_fact_limit(facts: Sequence[Fact]) -> Sequence[Fact]:
    """Return the facts of a story, unless they are too many."""
    if len(facts) > limit(FACTS):
        raise DataError(f"more than {limit(FACTS):,} facts", setting="story", hint=RAISE)
    return facts


def assembled(
    world: World,
    facts: Sequence[Fact],
    routes: Sequence[Route],
    forms: Mapping[str, str],
    statements: Sequence[Statement] = (),
    **said: Any,
) -> Puzzle:
    """Return the puzzle of facts in any order: those of the routes come first. said: its other fields.

    statements: beside the facts. Routes may lead along them; they are numbered after the facts.
    """
    numbers = [number for route in routes for number in route.numbers]
    stated = [facts[i] for i in numbers if i < len(facts)]
    routed = len(stated)
    stated += [fact for i, fact in enumerate(check_fact_limit(facts)) if i not in numbers]
    along = [name for route in routes for name in route.entities] or said["query"]
    others = tuple(
        replace(one, role=ROLES[0]) if i in numbers else one
        for i, one in enumerate(statements, len(facts))
    )
    steps = [*facts, *(Fact(one.head, one.relations[0], one.tail) for one in statements)]
    return Puzzle(
        **{"id": "", "story": "", "abstract": "", "scene": "", **said},
        k=len(routes[0].numbers) if routes else 0,
        pattern=tuple(kind for route in routes for kind in route.pattern(steps, world.labels)),
        facts=tuple(stated),
        entities=entities_of(along, (*stated, *others), forms),
        roles=roles(stated, routed, along if routed < len(numbers) else ()),
        statements=others,
    )


def extra_with(columns: Mapping[str, Any] | None = None, **more: Any) -> str | None:
    """Return what `extra` holds: the columns of a file that a puzzle has no place for, what was not read."""
    content = {name: what for name, what in {_COLUMNS: columns, **more}.items() if what}
    return json.dumps(content, ensure_ascii=False, default=str) if content else None


def extra_of(puzzle: Puzzle) -> dict[str, Any]:
    """Return the object in a puzzle's `extra`; an empty one if there is none."""
    try:
        content = json.loads(puzzle.extra) if puzzle.extra else {}
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def own_cells(puzzle: Puzzle) -> dict[str, str]:
    """Return the cells of the file that a puzzle came from, by their columns, as far as it has no place for them."""
    cells = extra_of(puzzle).get(_COLUMNS)
    if not isinstance(cells, dict):
        return {}
    return {str(name): cell for name, cell in cells.items() if isinstance(cell, str)}


def _unread(puzzle: Puzzle) -> list[Any]:
    if puzzle.extra is None or f'"{UNREAD}"' not in puzzle.extra:
        return []
    found = extra_of(puzzle).get(UNREAD)
    return found if isinstance(found, list) else []


def unread_edges(puzzle: Puzzle) -> tuple[Unread, ...]:
    """Return the edges that could not be read."""
    edges = (one for one in _unread(puzzle) if isinstance(one, list) and len(one) == 3)
    return tuple((str(head), str(tail), str(role)) for head, tail, role in edges)


def unread_sentences(puzzle: Puzzle) -> tuple[str, ...]:
    """Return the sentences that were not read where the facts of a puzzle are those of its text."""
    return tuple(one for one in _unread(puzzle) if isinstance(one, str))


def rows_unread(part: Part) -> int:
    """Return of how many rows of a part some of the text, or of the graph, was not read."""
    if EXTRA.name not in part.table.column_names:
        return 0
    found = pc.match_substring(part.table[EXTRA.name], f'"{UNREAD}"')
    return int(pc.sum(found).as_py() or 0)


@dataclass
class Notes:
    """What could not be read, kept while a data set is read; reading it again adds nothing.

    - skip_bad: leave it out, rows and files, instead of refusing all
    - skip_rows: leave out rows, but refuse files
    """

    skip_bad: bool = False
    skip_rows: bool = False
    _skipped: dict[tuple[str, str], RowError] = field(default_factory=dict)
    _renamed: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def skipped(self) -> tuple[RowError, ...]:
        """What was left out: rows, or whole files."""
        return tuple(self._skipped.values())

    def bad(self, error: DataError) -> None:
        """Note a file that cannot be read."""
        if not self.skip_bad:
            raise error
        self._note(error)

    def bad_row(self, error: DataError) -> None:
        """Note a row that cannot be read."""
        if not (self.skip_bad or self.skip_rows):
            raise error
        self._note(error)

    def _note(self, error: DataError) -> None:
        one = error if isinstance(error, RowError) else RowError("", "", error)
        self._skipped.setdefault((one.file, one.place), one)

    @property
    def new_ids(self) -> dict[str, str]:
        """The ids of rows that had the id of an earlier row of their file, which is what they had."""
        return {new: old for (_, new), old in self._renamed.items()}

    def unusable(self) -> list[dict[str, Any]]:
        """Return why rows could not be read, the most frequent reason first, with how many and the first of them."""
        found: dict[tuple[str, str], list[RowError]] = {}
        for one in self.skipped:
            reason = ": ".join(filter(None, (one.setting, _SAID.sub("...", one.reason))))
            found.setdefault((one.file, reason), []).append(one)
        listed = [
            {"file": file, "reason": reason, "rows": len(errors), "first": str(errors[0])}
            for (file, reason), errors in found.items()
        ]
        return sorted(listed, key=lambda one: -int(str(one["rows"])))

    def tell(self, say: Callable[[str], None]) -> None:
        """Say in one line what was left out, if anything was."""
        if not self.skipped:
            return
        more = f" (and {len(self.skipped) - 1:,} more)" if len(self.skipped) > 1 else ""
        say(f"left out, as it cannot be read: {self.skipped[0]}{more}")

    def to_json(self) -> dict[str, Any]:
        """Return what was left out and renamed, as plain data."""
        skipped = [
            {"file": one.file, "place": one.place, "reason": one.without_place()}
            for one in self.skipped
        ]
        return {"new_ids": self.new_ids, "skipped": skipped}

    def renamed(self, old: str, new: str, file: str) -> None:
        self._renamed[file, new] = old
