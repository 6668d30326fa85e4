"""Our own files: Parquet, CSV and JSON lines of the same columns; a CSV cell that is a list holds it as JSON."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from clutrr._data.check import checked
from clutrr._data.part import BATCH, Part, gathered, isolate_bad_rows
from clutrr._data.source import Bad, DataFile, RowPlace, parsed, refuse
from clutrr._table import (
    CONTENT,
    EXTRA,
    OPTIONAL_COLUMNS,
    SCHEMA,
    STATEMENTS,
    WIDE,
    schema_with,
)
from clutrr.errors import short

FORMATS = ("parquet", "csv", "jsonl")
COLUMNS = frozenset(CONTENT)
_NESTED = [field.name for field in WIDE if pa.types.is_list(field.type)]
_FURTHER = (STATEMENTS, EXTRA)  # columns that not every file has
_AS_JSON = (*_NESTED, "k", "outside")  # in CSV
_UNFIT = (pa.ArrowException, ValueError, TypeError, OverflowError, AttributeError)


# Writing


@contextmanager
def open_writer(
    path: Path, form: str, about: Mapping[str, str], schema: pa.Schema = SCHEMA
) -> Iterator[Callable[[pa.Table], None]]:
    """Yield what writes tables of puzzles, one after the other, to a new file.

    - about: what the file is about, for its metadata, if the format has any.
    - schema: `SCHEMA`, or one with the columns `statements` and `extra`, too.
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
                f"{_to_json(_brief(row))}\n" for row in _fitted(table, schema).to_pylist()
            )


def _fitted(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return the table with the columns `statements` and `extra`, empty if it has none, or without them."""
    if table.column_names == schema.names:
        return table
    for field in _FURTHER:
        if field.name in schema.names and field.name not in table.column_names:
            table = table.append_column(field, pa.nulls(len(table), field.type))
    return table.select(schema.names)


def _flat(table: pa.Table) -> pa.Table:
    for column in _NESTED:
        if column not in table.column_names:
            continue
        values = (_brief({column: value})[column] for value in table[column].to_pylist())
        cells = pa.array([_to_json(value) for value in values], pa.string())
        table = table.set_column(table.schema.get_field_index(column), column, cells)
    return table


def _brief(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose statements have only the fields that say something."""
    if not row.get(STATEMENTS.name):
        return row
    brief = [
        {name: value for name, value in one.items() if value is not None}
        for one in row[STATEMENTS.name]
    ]
    return {**row, STATEMENTS.name: brief}


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# Reading


def scan_parquet(source: DataFile, bad: Bad = refuse) -> Iterator[Part]:
    """Yield the parts of a Parquet file, a few thousand rows at a time. bad: called for rows left out."""
    first = 1
    for batch in source.batches(BATCH, WIDE.names):
        table = pa.Table.from_batches([batch])
        for field in SCHEMA:
            if field.name not in table.column_names:
                table = table.append_column(field, pa.nulls(len(table), field.type))
        schema = schema_with(table.column_names)
        try:
            table = table.select(schema.names).cast(schema)
        except (pa.ArrowException, ValueError) as error:
            raise source.error(
                f"not the columns of puzzles: {' '.join(str(error).split())}"
            ) from None
        try:
            good = checked(table)
        except ValueError:  # one of the rows is wrong
            rows = [(f"row {number}", row) for number, row in enumerate(table.to_pylist(), first)]
            yield from _parts(source, rows, bad)
        else:
            yield from divided(source, good)
        first += len(table)


def scan_rows(source: DataFile, bad: Bad = refuse) -> Iterator[Part]:
    """Yield the parts of a file of any kind, row by row. bad: called for rows left out."""
    for rows in gathered(source, lambda record, place: (place, _row(source, record, place)), bad):
        yield from _parts(source, rows, bad)


def _row(source: DataFile, record: Mapping[str, Any], place: RowPlace) -> dict[str, Any]:
    """Return a row with the lists that the cells of CSV hold as JSON."""
    row = dict(record)
    for name in _AS_JSON:
        if isinstance(value := row.get(name), str) and (value or name in CONTENT):
            row[name] = parsed(source, value, name, place)
    for name in (*OPTIONAL_COLUMNS, *(field.name for field in _FURTHER)):
        if row.get(name) == "":
            row[name] = None
    return row


def _parts(
    source: DataFile, rows: Sequence[tuple[RowPlace, dict[str, Any]]], bad: Bad
) -> Iterator[Part]:
    """Yield the parts that rows belong to, but for those that are wrong."""
    schema = schema_with({name for _, row in rows for name in row})

    def table_of(some: Sequence[tuple[RowPlace, dict[str, Any]]]) -> pa.Table:
        try:
            return checked(pa.Table.from_pylist([row for _, row in some], schema))
        except _UNFIT as error:
            place, row = some[0]
            raise source.error(_unfit(row, schema) or str(error), place) from None

    for table in isolate_bad_rows(rows, table_of, bad):
        yield from divided(source, table)


def _unfit(row: dict[str, Any], schema: pa.Schema) -> str:
    """Return which field of a row is not of its type, in words; nothing if all are."""
    for field in schema:
        try:
            pa.array([row.get(field.name)], field.type)
        except _UNFIT:
            return f"{field.name}: {short(row[field.name])} is not a valid {field.name}"
    return ""


def divided(source: DataFile, table: pa.Table) -> Iterator[Part]:
    """Yield the rows of each subset and split, known from the path of the file, or else from k and the id."""
    subset, split = source.subset, source.split
    key = pc.struct_field(pc.extract_regex(table["id"], r"^M[0-9]+-(?P<split>train|test)-"), [0])
    splits = (
        pc.fill_null(key, "").combine_chunks() if split is None else pa.repeat(split, len(table))
    )
    names = pc.binary_join_element_wise("M", table["k"].cast(pa.string()), "")
    subsets = names.combine_chunks() if subset is None else pa.repeat(subset, len(table))
    both = pa.StructArray.from_arrays([subsets, splits], ["subset", "split"])
    groups = {tuple(group.values()): None for group in both.to_pylist()}
    for subset, split in groups:
        rows = table
        if len(groups) > 1:
            rows = table.filter(pc.and_(pc.equal(subsets, subset), pc.equal(splits, split)))
        yield Part(subset, split or None, rows, source.path)
