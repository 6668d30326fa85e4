"""Our own files: Parquet, CSV and JSON lines of the same columns."""

import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from clutrr.data.formats import NESTED
from clutrr.data.part import BATCH, Part
from clutrr.data.source import Place, Source
from clutrr.puzzle import SCHEMA

COLUMNS = frozenset(SCHEMA.names)
_TEXTS = [field.name for field in SCHEMA if field.type == pa.string()]


def scan_parquet(source: Source) -> Iterator[Part]:
    """The parts of a Parquet file, a few thousand rows at a time."""
    row = 0
    for batch in source.batches(COLUMNS, BATCH):
        table = pa.Table.from_batches([batch]).select(SCHEMA.names)
        yield from divided(source, _cast(source, table, row))
        row += len(table)


def _cast(source: Source, table: pa.Table, row: int) -> pa.Table:
    try:
        table = table.cast(SCHEMA)
    except (pa.ArrowException, ValueError) as error:
        raise source.error(f"not the columns of puzzles: {' '.join(str(error).split())}") from None
    rows = _Rows(source, [f"row {row + i + 1}" for i in range(len(table))])
    rows.check(table)
    return table


def scan_csv(source: Source) -> Iterator[Part]:
    """The parts of a CSV file; a cell that is a list holds it as JSON."""
    lines: list[Place] = []
    rows: list[dict[str, Any]] = []
    for line, cells in source.records(COLUMNS):
        row: dict[str, Any] = {name: cells[name] for name in SCHEMA.names}
        for column in NESTED:
            row[column] = _json(source, cells[column], column, line)
        row["k"] = _json(source, cells["k"], "k", line)
        lines.append(line)
        rows.append(row)
        if len(rows) == BATCH:
            yield from _batch(source, rows, lines)
            lines, rows = [], []
    yield from _batch(source, rows, lines)


def scan_jsonl(source: Source) -> Iterator[Part]:
    """The parts of a file of JSON lines."""
    lines: list[Place] = []
    rows: list[dict[str, Any]] = []
    for line, row in json_lines(source, COLUMNS):
        lines.append(line)
        rows.append(row)
        if len(rows) == BATCH:
            yield from _batch(source, rows, lines)
            lines, rows = [], []
    yield from _batch(source, rows, lines)


def json_lines(source: Source, needed: frozenset[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file of JSON lines, each with its line; those fields must be there."""
    for line, text in source.lines():
        if not text.strip():
            continue
        row = _json(source, text, "the line", line)
        if "\\ud" in text.lower() and _halved(row):
            raise source.error("half a character, as an escape", line)
        if not isinstance(row, dict):
            raise source.error("not a JSON object", line)
        if missing := sorted(needed.difference(row)):
            raise source.error(f"no field {', '.join(map(repr, missing))}", line)
        yield line, row


def _halved(value: Any) -> bool:
    """Whether some text in it has a surrogate without its other half."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _json(source: Source, text: str, what: str, line: Place) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise source.error(f"{what} is not JSON: {error}", line) from None


def _batch(source: Source, rows: list[dict[str, Any]], lines: list[Place]) -> Iterator[Part]:
    if not rows:
        return
    try:
        table = pa.Table.from_pylist(rows, SCHEMA)
    except (pa.ArrowException, ValueError, TypeError, OverflowError, AttributeError):
        for row, line in zip(rows, lines, strict=True):
            for field in SCHEMA:
                try:
                    pa.array([row[field.name]], field.type)
                except (pa.ArrowException, ValueError, TypeError, OverflowError, AttributeError):
                    raise source.error(
                        f"{field.name}: {_short(row[field.name])} is no {field.name}", line
                    ) from None
        raise
    _Rows(source, [f"line {line}" for line in lines]).check(table)
    yield from divided(source, table)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


class _Rows:
    """Says which row is wrong."""

    def __init__(self, source: Source, places: list[str]) -> None:
        self._source = source
        self._places = places

    def check(self, table: pa.Table) -> None:
        """Nothing is missing; a query has two people, a fact three words."""
        for column in table.column_names:
            self._refuse(pc.is_null(table[column]), f"{column} is empty")
        for column in ("query", "pattern"):
            self._refuse_inside(table[column], column)
        self._refuse(pc.not_equal(pc.list_value_length(table["query"]), 2), "query: not two names")
        self._refuse_inside(table["people"], "people")
        self._refuse_inside(table["facts"], "facts")
        sizes = pc.list_value_length(pc.list_flatten(table["facts"]))
        wrong = pc.not_equal(sizes, 3)
        self._refuse_at(table["facts"], wrong, "facts: not head, relation, tail")
        k = pc.not_equal(pc.list_value_length(table["pattern"]), table["k"])
        self._refuse(k, "k is not the length of pattern")

    def _refuse(self, wrong: pa.ChunkedArray, message: str) -> None:
        if pc.any(wrong).as_py():
            row = pc.index(wrong, True).as_py()
            raise self._source.error(f"{self._places[row]}: {message}")

    def _refuse_inside(self, column: pa.ChunkedArray, name: str) -> None:
        inner = pc.list_flatten(column)
        if pa.types.is_list(inner.type):
            self._refuse_at(column, pc.is_null(inner), f"{name}: something is empty")
            deeper = pc.is_null(pc.list_flatten(inner))
            if pc.any(deeper).as_py():
                raise self._source.error(f"{self._places[0]} or below: {name}: something is empty")
            return
        wrong = pc.is_null(inner)
        if pa.types.is_struct(inner.type):
            for i in range(inner.type.num_fields):
                wrong = pc.or_(wrong, pc.is_null(pc.struct_field(inner, [i])))
        self._refuse_at(column, wrong, f"{name}: something is empty")

    def _refuse_at(self, column: pa.ChunkedArray, wrong: pa.ChunkedArray, message: str) -> None:
        if pc.any(wrong).as_py():
            parent = pc.list_parent_indices(column).to_pylist()[pc.index(wrong, True).as_py()]
            raise self._source.error(f"{self._places[parent]}: {message}")


def divided(source: Source, table: pa.Table) -> Iterator[Part]:
    """The rows of each subset and split, which the file's place tells, or else k and the id."""
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
