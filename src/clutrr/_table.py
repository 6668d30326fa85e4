"""Puzzles as columns: the schema of a table of them, and the way there and back."""

from collections.abc import Iterator, Sequence
from itertools import islice, repeat
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from clutrr._puzzle import Fact, Puzzle, Sentence, shared_entity

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
# A table may have this column after the others.
EXTRA = pa.field("extra", pa.string())
WIDE = SCHEMA.append(EXTRA)
# Columns that a file need not have: they are filled in when it is read.
OPTIONAL_COLUMNS = ("question", "roles", "sentences", "possible", "outside")
# What a puzzle says: all else follows from these columns.
CONTENT = tuple(name for name in SCHEMA.names if name not in OPTIONAL_COLUMNS)


def to_table(puzzles: Sequence[Puzzle]) -> pa.Table:
    """The puzzles as columns; `extra` is one of them where some puzzle has any."""
    schema = WIDE if any(puzzle.extra is not None for puzzle in puzzles) else SCHEMA
    columns = {field.name: [getattr(puzzle, field.name) for puzzle in puzzles] for field in schema}
    for name in ("question", "roles"):  # worked out when they are read
        columns[name] = [value or None for value in columns[name]]
    return pa.table([pa.array(columns[field.name], field.type) for field in schema], schema=schema)


def from_table(table: pa.Table) -> Iterator[Puzzle]:
    """The puzzles of a table of `SCHEMA`, which may have the column `extra`; a column that is not there is
    empty."""
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
        roles, sentences, possible, outside, extra = later
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
        )


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
