"""Our own files: Parquet, CSV and JSON lines of the same columns; a CSV cell that is a list holds it as JSON.

Before version 0.3, entities and the scene had other names. Files of then are read, with the names of today.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from clutrr.data.check import checked
from clutrr.data.part import BATCH, LARGE, Part
from clutrr.data.published import FORM_BEFORE, NAMES_BEFORE
from clutrr.data.source import Bad, DataFile, Place, Sized, json_lines, parsed, records, refuse
from clutrr.errors import DataError, short
from clutrr.table import CONTENT, EXTRA, LATER, SCHEMA, WIDE

FORMATS = ("parquet", "csv", "jsonl")
COLUMNS = frozenset(CONTENT)
_NESTED = [field.name for field in SCHEMA if pa.types.is_list(field.type)]
_UNFIT = (pa.ArrowException, ValueError, TypeError, OverflowError, AttributeError)


# Writing


@contextmanager
def open_writer(
    path: Path, form: str, about: Mapping[str, str], schema: pa.Schema = SCHEMA
) -> Iterator[Callable[[pa.Table], None]]:
    """Yield what writes tables of puzzles, one after the other, to a new file.

    - about: what the file is about, for its metadata, if the format has any.
    - schema: `SCHEMA`, or `WIDE` to hold the column `extra` too.
    """
    if form == "parquet":
        with pq.ParquetWriter(path, schema.with_metadata(about), compression="zstd") as file:
            yield lambda table: file.write_table(_fitted(table, schema))
    elif form == "csv":
        flat = pa.schema([(f.name, pa.string() if f.name in _NESTED else f.type) for f in schema])
        with pa.csv.CSVWriter(path, flat) as file:
            yield lambda table: file.write_table(_flat(_fitted(table, schema)))
    else:
        with path.open("w", encoding="utf-8") as lines:
            yield lambda table: lines.writelines(
                f"{_to_json(row)}\n" for row in _fitted(table, schema).to_pylist()
            )


def _fitted(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return the table with the column `extra`, empty if it has none, or without it."""
    if EXTRA.name in schema.names and EXTRA.name not in table.column_names:
        return table.append_column(EXTRA, pa.nulls(len(table), EXTRA.type))
    return table if len(schema) == len(table.column_names) else table.select(schema.names)


def _flat(table: pa.Table) -> pa.Table:
    for column in _NESTED:
        cells = pa.array([_to_json(value) for value in table[column].to_pylist()], pa.string())
        table = table.set_column(table.schema.get_field_index(column), column, cells)
    return table


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# Reading


def names_of_today(names: Iterable[str]) -> list[str]:
    """Return the names of columns, those of before version 0.3 by their names of today."""
    return [NAMES_BEFORE.get(name, name) for name in names]


def scan_parquet(source: DataFile, bad: Bad = refuse) -> Iterator[Part]:
    """Yield the parts of a Parquet file, a few thousand rows at a time. bad: called for rows left out."""
    if not NAMES_BEFORE.keys().isdisjoint(source.parquet_schema().names):
        yield from _gathered(
            source, ((place, row, len(str(row))) for place, row in records(source, bad)), bad
        )
        return
    row = 0
    for batch in source.batches(frozenset(), BATCH, frozenset(WIDE.names)):
        table = pa.Table.from_batches([batch])
        for name in SCHEMA.names:
            if name not in table.column_names:
                table = table.append_column(SCHEMA.field(name), pa.nulls(len(table), SCHEMA.field(name).type))
        schema = WIDE if EXTRA.name in table.column_names else SCHEMA
        try:
            table = table.select(schema.names).cast(schema)
        except (pa.ArrowException, ValueError) as error:
            raise source.error(f"not the columns of puzzles: {' '.join(str(error).split())}") from None
        places: list[Place] = [f"row {row + i + 1}" for i in range(len(table))]
        for good in _good(source, table, places, bad):
            yield from divided(source, good)
        row += len(table)


def _row_of_today(row: dict[str, Any]) -> dict[str, Any]:
    row = {NAMES_BEFORE.get(name, name): value for name, value in row.items()}
    if isinstance(row.get("entities"), list):
        row["entities"] = [
            {"form": one[FORM_BEFORE], **one} if isinstance(one, dict) and FORM_BEFORE in one else one
            for one in row["entities"]
        ]
    return row


def scan_csv(source: DataFile, bad: Bad = refuse) -> Iterator[Part]:
    """Yield the parts of a CSV file. bad: called for rows left out."""

    def rows() -> Iterator[Sized]:
        for line, cells in records(source, bad):
            row: dict[str, Any] = dict(zip(names_of_today(cells), cells.values(), strict=True))
            try:
                for column in (*_NESTED, "k", "outside"):
                    if row.get(column) or column not in LATER:
                        row[column] = parsed(source, row[column], column, line)
                    else:  # empty, or in a file from before this column existed
                        row[column] = None
            except DataError as error:
                bad(error)
                continue
            for column in {"question", EXTRA.name}.intersection(row):
                row[column] = row[column] or None
            yield line, row, sum(map(len, cells.values()))

    return _gathered(source, rows(), bad)


def scan_jsonl(source: DataFile, bad: Bad = refuse) -> Iterator[Part]:
    """Yield the parts of a file of JSON lines. bad: called for rows left out."""
    return _gathered(source, json_lines(source, bad), bad)


def _gathered(source: DataFile, rows: Iterator[Sized], bad: Bad) -> Iterator[Part]:
    """Yield the rows in batches, limited in number and in size."""
    places: list[Place] = []
    batch: list[dict[str, Any]] = []
    size = 0
    for place, row, length in rows:
        places.append(place)
        batch.append(_row_of_today(row))
        size += length
        if len(batch) == BATCH or size > LARGE:
            yield from _batch(source, batch, places, bad)
            places, batch, size = [], [], 0
    if batch:
        yield from _batch(source, batch, places, bad)


def _batch(source: DataFile, rows: list[dict[str, Any]], lines: list[Place], bad: Bad) -> Iterator[Part]:
    schema = WIDE if any(EXTRA.name in row for row in rows) else SCHEMA
    rows = [{name: row.get(name) for name in schema.names} for row in rows]
    try:
        table = pa.Table.from_pylist(rows, schema)
    except _UNFIT:
        fit = [i for i, line in enumerate(lines) if _fits(source, rows[i], schema, line, bad)]
        if len(fit) == len(rows):
            raise
        rows, lines = [rows[i] for i in fit], [lines[i] for i in fit]
        table = pa.Table.from_pylist(rows, schema)
    for good in _good(source, table, lines, bad):
        yield from divided(source, good)


def _fits(source: DataFile, row: dict[str, Any], schema: pa.Schema, line: Place, bad: Bad) -> bool:
    """Return whether every field is of its type; bad gets the error if one is not."""
    for field in schema:
        try:
            pa.array([row[field.name]], field.type)
        except _UNFIT:
            bad(source.error(f"{field.name}: {short(row[field.name])} is not a valid {field.name}", line))
            return False
    return True


def _good(source: DataFile, table: pa.Table, places: Sequence[Place], bad: Bad) -> Iterator[pa.Table]:
    """Yield the table, checked; if something in it is wrong, only the correct rows."""
    try:
        yield checked(source, table, places)
    except DataError as error:
        if len(table) == 1:
            bad(error)
            return
        for i, place in enumerate(places):
            yield from _good(source, table.slice(i, 1).combine_chunks(), [place], bad)


def divided(source: DataFile, table: pa.Table) -> Iterator[Part]:
    """Yield the rows of each subset and split, known from the path of the file, or else from k and the id."""
    subset, split = source.subset, source.split
    key = pc.struct_field(pc.extract_regex(table["id"], r"^M[0-9]+-(?P<split>train|test)-"), [0])
    splits = pc.fill_null(key, "").combine_chunks() if split is None else pa.repeat(split, len(table))
    names = pc.binary_join_element_wise("M", table["k"].cast(pa.string()), "")
    subsets = names.combine_chunks() if subset is None else pa.repeat(subset, len(table))
    both = pa.StructArray.from_arrays([subsets, splits], ["subset", "split"])
    groups = {tuple(group.values()): None for group in both.to_pylist()}
    for subset, split in groups:
        rows = table
        if len(groups) > 1:
            rows = table.filter(pc.and_(pc.equal(subsets, subset), pc.equal(splits, split)))
        yield Part(subset, split or None, rows, source.path)
