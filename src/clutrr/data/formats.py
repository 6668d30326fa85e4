"""Tables of puzzles to files and back: Parquet, CSV, JSON lines.

CSV and JSON lines hold the same columns; a CSV cell that is a list holds it as JSON.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from clutrr.puzzle import EXTRA, SCHEMA

NESTED = [field.name for field in SCHEMA if pa.types.is_list(field.type)]


class Writer(Protocol):
    """Writes tables of puzzles, one after the other."""

    def write(self, table: pa.Table) -> None: ...
    def close(self) -> None: ...


class _Parquet:
    def __init__(self, path: Path, about: Mapping[str, str], schema: pa.Schema) -> None:
        self._schema = schema
        self._file = pq.ParquetWriter(path, schema.with_metadata(about), compression="zstd")
        self.close = self._file.close

    def write(self, table: pa.Table) -> None:
        self._file.write_table(_fitted(table, self._schema))


class _Csv:
    def __init__(self, path: Path, about: Mapping[str, str], schema: pa.Schema) -> None:
        self._schema = schema
        flat = pa.schema([(f.name, pa.string() if f.name in NESTED else f.type) for f in schema])
        self._file = pa.csv.CSVWriter(path, flat)
        self.close = self._file.close

    def write(self, table: pa.Table) -> None:
        table = _fitted(table, self._schema)
        for column in NESTED:
            cells = [_json(value) for value in table[column].to_pylist()]
            table = table.set_column(
                table.schema.get_field_index(column), column, pa.array(cells, pa.string())
            )
        self._file.write_table(table)


class _Jsonl:
    def __init__(self, path: Path, about: Mapping[str, str], schema: pa.Schema) -> None:
        self._schema = schema
        self._file = path.open("w", encoding="utf-8")
        self.close = self._file.close

    def write(self, table: pa.Table) -> None:
        self._file.writelines(_json(row) + "\n" for row in _fitted(table, self._schema).to_pylist())


def _fitted(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The table with the column `extra`, empty if it has none, or without it."""
    if EXTRA.name in schema.names and EXTRA.name not in table.column_names:
        return table.append_column(EXTRA, pa.nulls(len(table), EXTRA.type))
    return table if len(schema) == len(table.column_names) else table.select(schema.names)


_WRITERS: Mapping[str, Callable[[Path, Mapping[str, str], pa.Schema], Writer]] = {
    "parquet": _Parquet,
    "csv": _Csv,
    "jsonl": _Jsonl,
}
FORMATS = tuple(_WRITERS)


@contextmanager
def open_writer(
    path: Path, form: str, about: Mapping[str, str], schema: pa.Schema = SCHEMA
) -> Iterator[Writer]:
    """A new file of that format; its metadata, if the format has any, says what it is about.

    schema: `SCHEMA`, or `WIDE` to hold the column `extra` too.
    """
    writer = _WRITERS[form](path, about, schema)
    try:
        yield writer
    finally:
        writer.close()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
