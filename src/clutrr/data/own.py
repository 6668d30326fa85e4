"""Our own files: Parquet, CSV and JSON lines of the same columns."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from clutrr.data.formats import NESTED
from clutrr.data.part import BATCH, LARGE, Part
from clutrr.data.source import Place, Source
from clutrr.puzzle import SCHEMA

COLUMNS = frozenset(SCHEMA.names)
_Sized = tuple[Place, dict[str, Any], int]  # a row, its place, and its length as text


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
    _check(source, table, [f"row {row + i + 1}" for i in range(len(table))])
    return table


def scan_csv(source: Source) -> Iterator[Part]:
    """The parts of a CSV file; a cell that is a list holds it as JSON."""

    def rows() -> Iterator[_Sized]:
        for line, cells in source.records(COLUMNS):
            row: dict[str, Any] = {name: cells[name] for name in SCHEMA.names}
            for column in (*NESTED, "k"):
                row[column] = _json(source, cells[column], column, line)
            yield line, row, sum(map(len, cells.values()))

    return _gathered(source, rows())


def scan_jsonl(source: Source) -> Iterator[Part]:
    """The parts of a file of JSON lines."""
    return _gathered(source, _sized_lines(source, COLUMNS))


def _gathered(source: Source, rows: Iterator[_Sized]) -> Iterator[Part]:
    """The rows in batches that are neither long nor large."""
    places: list[Place] = []
    batch: list[dict[str, Any]] = []
    size = 0
    for place, row, length in rows:
        places.append(place)
        batch.append(row)
        size += length
        if len(batch) == BATCH or size > LARGE:
            yield from _batch(source, batch, places)
            places, batch, size = [], [], 0
    yield from _batch(source, batch, places)


def json_lines(source: Source, needed: frozenset[str]) -> Iterator[tuple[Place, dict[str, Any]]]:
    """The objects of a file of JSON lines, each with its line; those fields must be there."""
    return ((line, row) for line, row, _ in _sized_lines(source, needed))


def _sized_lines(source: Source, needed: frozenset[str]) -> Iterator[_Sized]:
    for line, text in source.lines():
        if not text.strip():
            continue
        row = _json(source, text, "the line", line)
        if not isinstance(row, dict):
            raise source.error("not a JSON object", line)
        if missing := sorted(needed.difference(row)):
            raise source.error(f"no field {', '.join(map(repr, missing))}", line)
        yield line, row, len(text)


def _halved(value: Any) -> bool:
    """Whether some text in it has a surrogate without its other half."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _json(source: Source, text: str, what: str, line: Place) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise source.error(f"{what} is not JSON: {error}", line) from None
    if "\\ud" in text.lower() and _halved(value):
        raise source.error(f"{what} holds half a character, as an escape", line)
    return value


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
    _check(source, table, lines)
    yield from divided(source, table)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _check(source: Source, table: pa.Table, places: Sequence[Place]) -> None:
    """Nothing may be missing; a query has two names, a fact three words, a pattern k kinds."""

    def refuse(wrong: pa.ChunkedArray, message: str, *lists: pa.ChunkedArray) -> None:
        """Name the first row that is wrong; lists: from the column inwards to what is looked at."""
        if not pc.any(wrong).as_py():
            return
        row = pc.index(wrong, True).as_py()
        for column in reversed(lists):
            row = pc.list_parent_indices(column)[row].as_py()
        raise source.error(message, places[row])

    for column in table.column_names:
        refuse(pc.is_null(table[column]), f"{column} is missing")
    for column in ("query", "pattern", "facts", "people"):
        inner = pc.list_flatten(table[column])
        refuse(pc.is_null(inner), f"{column}: something is missing", table[column])
        for name in ("name", "gender") if column == "people" else ():
            field = pc.struct_field(inner, name)
            refuse(pc.is_null(field), f"people: a {name} is missing", table[column])
    facts = pc.list_flatten(table["facts"])
    refuse(pc.is_null(pc.list_flatten(facts)), "facts: something is missing", table["facts"], facts)
    three = pc.not_equal(pc.list_value_length(facts), 3)
    refuse(three, "facts: not head, relation, tail", table["facts"])
    refuse(pc.not_equal(pc.list_value_length(table["query"]), 2), "query: not two names")
    refuse(pc.not_equal(pc.list_value_length(table["pattern"]), table["k"]), "k: not the length of pattern")


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
