"""Puzzles as columns: the schema of a table of them, and the way there and back."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice, repeat
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from clutrr._puzzle import Fact, Puzzle, Sentence, shared_entity
from clutrr._statement import Statement, from_record, to_record

_SENTENCE = pa.struct([("start", pa.int32()), ("end", pa.int32()), ("facts", pa.list_(pa.int32()))])
SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("story", pa.string()),
        ("question", pa.string()),
        ("abstract", pa.string()),
        ("query", pa.list_(pa.string())),
        ("target", pa.string()),
        ("k", pa.int32()),
        ("pattern", pa.list_(pa.string())),
        ("facts", pa.list_(pa.list_(pa.string()))),
        ("entities", pa.list_(pa.struct([("name", pa.string()), ("form", pa.string())]))),
        ("scene", pa.string()),
        ("roles", pa.list_(pa.string())),
        ("sentences", pa.list_(_SENTENCE)),
        ("possible", pa.list_(pa.string())),
        ("outside", pa.bool_()),
    ]
)
_STATEMENT = pa.struct(
    [
        ("head", pa.string()),
        ("relations", pa.list_(pa.string())),
        ("tail", pa.string()),
        ("status", pa.string()),
        ("closure", pa.string()),
        ("relation", pa.string()),
        ("entities", pa.list_(pa.string())),
        ("role", pa.string()),
        ("start", pa.int32()),
        ("end", pa.int32()),
    ]
)
# A table may have these columns after the others.
STATEMENTS = pa.field("statements", pa.list_(_STATEMENT))
EXTRA = pa.field("extra", pa.string())
WIDE = SCHEMA.append(STATEMENTS).append(EXTRA)
# Columns that a file need not have: they are filled in when it is read.
OPTIONAL_COLUMNS = ("question", "roles", "sentences", "possible", "outside")
# What a puzzle says: all else follows from these columns.
CONTENT = tuple(name for name in SCHEMA.names if name not in OPTIONAL_COLUMNS)


def schema_with(columns: Collection[str]) -> pa.Schema:
    """Return the schema of a table with those of these columns that not every table has."""
    return pa.schema([*SCHEMA, *(one for one in (STATEMENTS, EXTRA) if one.name in columns)])


def further_columns(puzzles: Iterable[Puzzle]) -> set[str]:
    """Return which of the columns that not every table has these puzzles need."""
    found = set()
    for puzzle in puzzles:
        if puzzle.statements:
            found.add(STATEMENTS.name)
        if puzzle.extra is not None:
            found.add(EXTRA.name)
    return found


def to_table(puzzles: Sequence[Puzzle]) -> pa.Table:
    """The puzzles as columns; `statements` and `extra` are among them where some puzzle has any."""
    schema = schema_with(further_columns(puzzles))
    columns = {field.name: [getattr(puzzle, field.name) for puzzle in puzzles] for field in schema}
    for name in ("question", "roles"):  # worked out when they are read
        columns[name] = [value or None for value in columns[name]]
    if STATEMENTS.name in columns:
        columns[STATEMENTS.name] = [
            [to_record(one) for one in given] for given in columns[STATEMENTS.name]
        ]
    return pa.table([pa.array(columns[field.name], field.type) for field in schema], schema=schema)


def from_table(table: pa.Table) -> Iterator[Puzzle]:
    """The puzzles of a table of `SCHEMA`, which may have the columns `statements` and `extra`; a column that is
    not there is empty."""
    columns = {name: _values(table[name].combine_chunks()) for name in table.column_names}
    nothing = [None] * len(table)
    rows = zip(*(columns.get(name, nothing) for name in WIDE.names), strict=True)
    for (
        id_,
        story,
        question,
        abstract,
        query,
        target,
        k,
        pattern,
        facts,
        entities,
        scene,
        *later,
    ) in rows:
        roles, sentences, possible, outside, statements, extra = later
        yield Puzzle(
            id_,
            story or "",
            abstract or "",
            query,
            target,
            k,
            pattern,
            tuple(map(tuple.__new__, repeat(Fact), facts)),
            tuple([shared_entity(*entity) for entity in entities]),
            scene,
            roles or (),
            tuple(map(Sentence._make, sentences or ())),
            possible,
            outside,
            extra,
            question or "",
            tuple(map(_statement, statements or ())),
        )


_FIELDS = tuple(field.name for field in _STATEMENT)


def _statement(values: Sequence[Any]) -> Statement:
    """The statement of a row of the column `statements`."""
    return from_record(dict(zip(_FIELDS, values, strict=True)))


def counts(column: pa.ChunkedArray) -> dict[str, int]:
    """Return how often each value occurs."""
    found = pc.value_counts(column)
    return dict(zip(found.field(0).to_pylist(), found.field(1).to_pylist(), strict=True))


def _values(column: pa.Array) -> list[Any]:
    """The values of a column, lists and records as tuples; level by level, several times as fast as
    `to_pylist`."""
    if pa.types.is_list(column.type):
        flat = iter(_values(column.flatten()))
        return [
            None if n is None else tuple(islice(flat, n))
            for n in column.value_lengths().to_pylist()
        ]
    if pa.types.is_struct(column.type):
        return list(zip(*map(_values, column.flatten()), strict=True))
    values = column.to_numpy(zero_copy_only=False) if pa.types.is_string(column.type) else column
    return list(values.tolist())
