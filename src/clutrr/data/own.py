"""Our own files: Parquet, CSV and JSON lines of the same columns."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from clutrr.data import before
from clutrr.data.formats import NESTED
from clutrr.data.part import BATCH, LARGE, Part
from clutrr.data.source import Bad, DataFile, Place, refuse
from clutrr.errors import DataError, short
from clutrr.facts import roles
from clutrr.puzzle import CONTENT, EXTRA, LATER, ROLES, SCHEMA, WIDE, Fact

COLUMNS = frozenset(CONTENT)
_Sized = tuple[Place, dict[str, Any], int]  # a row, its place, and its length as text


def scan_parquet(source: DataFile, bad: Bad = refuse, columns: frozenset[str] = COLUMNS) -> Iterator[Part]:
    """Yield the parts of a Parquet file, a few thousand rows at a time.

    - bad: called for rows left out.
    - columns: `COLUMNS`, or those of `clutrr.data.before`.
    """
    row = 0
    for batch in source.batches(columns, BATCH, frozenset((*LATER, EXTRA.name))):
        table = pa.Table.from_batches([batch])
        if columns is before.COLUMNS:
            table = before.table_of_today(table)
        for name in SCHEMA.names:
            if name not in table.column_names:
                table = table.append_column(SCHEMA.field(name), pa.nulls(len(table), SCHEMA.field(name).type))
        cast = _cast(source, table)
        places: list[Place] = [f"row {row + i + 1}" for i in range(len(cast))]
        for whole in _good(source, cast, places, bad):
            yield from divided(source, whole)
        row += len(table)


def _cast(source: DataFile, table: pa.Table) -> pa.Table:
    schema = WIDE if EXTRA.name in table.column_names else SCHEMA
    try:
        return table.select(schema.names).cast(schema)
    except (pa.ArrowException, ValueError) as error:
        raise source.error(f"not the columns of puzzles: {' '.join(str(error).split())}") from None


def _good(source: DataFile, table: pa.Table, places: Sequence[Place], bad: Bad) -> Iterator[pa.Table]:
    """Yield the table, checked; if something in it is wrong, only the correct rows."""
    try:
        checked = _checked(source, table, places)
    except DataError as error:
        if len(table) == 1:
            bad(error)
            return
        for i, place in enumerate(places):
            yield from _good(source, table.slice(i, 1).combine_chunks(), [place], bad)
        return
    yield checked


def scan_csv(source: DataFile, bad: Bad = refuse, columns: frozenset[str] = COLUMNS) -> Iterator[Part]:
    """Yield the parts of a CSV file; lists in cells are JSON. The rest as for `scan_parquet`."""

    def rows() -> Iterator[_Sized]:
        for line, cells in source.records(columns, bad):
            named = before.row_of_today(cells) if columns is before.COLUMNS else cells
            row: dict[str, Any] = {name: named.get(name) for name in SCHEMA.names}
            row[EXTRA.name] = cells.get(EXTRA.name) or None
            try:
                for column in (*NESTED, "k", "outside"):
                    if (
                        row[column] or column not in LATER
                    ):  # empty, or in a file from before this column existed
                        row[column] = _json(source, row[column] or "", column, line)
                    else:
                        row[column] = None
            except DataError as error:
                bad(error)
                continue
            if columns is before.COLUMNS:
                row["entities"] = before.entities_of_today(row["entities"])
            yield line, row, sum(map(len, cells.values()))

    return _gathered(source, rows(), bad)


def scan_jsonl(source: DataFile, bad: Bad = refuse, columns: frozenset[str] = COLUMNS) -> Iterator[Part]:
    """Yield the parts of a file of JSON lines. The rest as for `scan_parquet`."""

    def rows() -> Iterator[_Sized]:
        for line, row, size in _sized_lines(source, columns, bad):
            if columns is before.COLUMNS:
                row = before.row_of_today(row)
                row["entities"] = before.entities_of_today(row["entities"])
            yield line, row, size

    return _gathered(source, rows(), bad)


def _gathered(source: DataFile, rows: Iterator[_Sized], bad: Bad) -> Iterator[Part]:
    """Yield the rows in batches, limited in number and in size."""
    places: list[Place] = []
    batch: list[dict[str, Any]] = []
    size = 0
    for place, row, length in rows:
        places.append(place)
        batch.append(row)
        size += length
        if len(batch) == BATCH or size > LARGE:
            yield from _batch(source, batch, places, bad)
            places, batch, size = [], [], 0
    yield from _batch(source, batch, places, bad)


def json_lines(
    source: DataFile, needed: frozenset[str], bad: Bad = refuse, growing: bool = False
) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield the objects of a file of JSON lines, each with its line number.

    - needed: the fields that each must have.
    - growing: the file may still be written to, or its writer was killed: an incomplete last line is left
    out.
    """
    return ((line, row) for line, row, _ in _sized_lines(source, needed, bad, growing))


def _sized_lines(
    source: DataFile, needed: frozenset[str], bad: Bad, growing: bool = False
) -> Iterator[_Sized]:
    for line, text in source.lines():
        if not text.strip() or (growing and not text.endswith("\n")):
            continue
        try:
            row = _object(source, text, needed, line)
        except DataError as error:
            bad(error)
            continue
        yield line, row, len(text)


def _object(source: DataFile, text: str, needed: frozenset[str], line: Place) -> dict[str, Any]:
    row = _json(source, text, "the line", line)
    if not isinstance(row, dict):
        raise source.error("not a JSON object", line)
    if missing := sorted(needed.difference(row)):
        raise source.error(f"no field {', '.join(map(repr, missing))}", line)
    return row


def _halved(value: Any) -> bool:
    """Return whether some text in it has half of a surrogate pair."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _json(source: DataFile, text: str, what: str, line: Place) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise source.error(f"{what} is not JSON: {error}", line) from None
    if "\\ud" in text.lower() and _halved(value):
        raise source.error(f"{what} holds half a character, as an escape", line)
    return value


def _batch(source: DataFile, rows: list[dict[str, Any]], lines: list[Place], bad: Bad) -> Iterator[Part]:
    if not rows:
        return
    rows = [{name: row.get(name) for name in WIDE.names} for row in rows]
    schema = WIDE if any(row[EXTRA.name] is not None for row in rows) else SCHEMA
    try:
        table = pa.Table.from_pylist(rows, schema)
    except _UNFIT:
        fit = [i for i, line in enumerate(lines) if _fits(source, rows[i], schema, line, bad)]
        if len(fit) == len(rows):
            raise
        rows, lines = [rows[i] for i in fit], [lines[i] for i in fit]
        table = pa.Table.from_pylist(rows, schema)
    for whole in _good(source, table, lines, bad):
        yield from divided(source, whole)


_UNFIT = (pa.ArrowException, ValueError, TypeError, OverflowError, AttributeError)


def _fits(source: DataFile, row: dict[str, Any], schema: pa.Schema, line: Place, bad: Bad) -> bool:
    """Return whether every field is of its type; bad gets the error if one is not."""
    for field in schema:
        try:
            pa.array([row[field.name]], field.type)
        except _UNFIT:
            bad(source.error(f"{field.name}: {short(row[field.name])} is not a valid {field.name}", line))
            return False
    return True


def _checked(source: DataFile, table: pa.Table, places: Sequence[Place]) -> pa.Table:
    """Return the table, complete: what older files lack is worked out from the facts, as far as possible.

    Nothing else may be missing; a query has two names, a fact three words, a pattern k kinds; the first
    k facts lead from the first entity of the query to the second.
    """

    def refuse(wrong: pa.ChunkedArray, message: str, *lists: pa.ChunkedArray) -> None:
        """Name the first row that is wrong; lists: from the column down to what is checked."""
        if not pc.any(wrong).as_py():
            return
        row = pc.index(wrong, True).as_py()
        for column in reversed(lists):
            row = pc.list_parent_indices(column)[row].as_py()
        raise source.error(message, places[row])

    for column in CONTENT:
        refuse(pc.is_null(table[column]), f"{column} is missing")
    for column in ("query", "pattern", "facts", "entities"):
        inner = pc.list_flatten(table[column])
        refuse(pc.is_null(inner), f"{column}: something is missing", table[column])
        for name in ("name", "form") if column == "entities" else ():
            field = pc.struct_field(inner, name)
            refuse(pc.is_null(field), f"entities: a {name} is missing", table[column])
    facts = pc.list_flatten(table["facts"])
    refuse(pc.is_null(pc.list_flatten(facts)), "facts: something is missing", table["facts"], facts)
    three = pc.not_equal(pc.list_value_length(facts), 3)
    refuse(three, "facts: not a list of head, relation, tail", table["facts"])
    refuse(pc.not_equal(pc.list_value_length(table["query"]), 2), "query: not two names")
    refuse(pc.less(table["k"], 1), "k: below 1")
    refuse(
        pc.not_equal(pc.list_value_length(table["pattern"]), table["k"]),
        "k: differs from the length of pattern",
    )
    refuse(pc.less(pc.list_value_length(table["facts"]), table["k"]), "facts: fewer than k")
    refuse(_stray(table), "facts: the first k do not lead from the first entity of the query to the second")
    table = _with_roles(table)
    refuse(
        pc.not_equal(pc.list_value_length(table["roles"]), pc.list_value_length(table["facts"])),
        "roles: not one for each fact",
    )
    inner = pc.list_flatten(table["roles"])
    unknown = pc.invert(pc.is_in(inner, pa.array(ROLES)))
    refuse(unknown, f"roles: not one of {', '.join(ROLES)}", table["roles"])
    return _with_sentences(table, refuse)


def _stray(table: pa.Table) -> pa.ChunkedArray:
    """Return which rows have first k facts that do not lead along the query."""
    size = len(table)
    facts = table["facts"].combine_chunks()
    words = pc.list_flatten(facts.flatten()).cast(pa.string())
    asked = table["query"].combine_chunks().flatten().cast(pa.string())
    codes = pa.concat_arrays([asked, words]).dictionary_encode().indices.to_numpy()
    query, triples = codes[: 2 * size].reshape(size, 2), codes[2 * size :].reshape(-1, 3)
    first = facts.offsets.to_numpy()[:-1] - facts.offsets.to_numpy()[0]
    k = table["k"].to_numpy()
    at, stray = query[:, 0].copy(), np.zeros(size, bool)
    for step in range(int(k.max(initial=0))):
        rows = np.flatnonzero((k > step) & ~stray)
        head, _, tail = triples[first[rows] + step].T
        there = at[rows]
        stray[rows] |= (there != head) & (there != tail)
        at[rows] = np.where(there == head, tail, head)
    stray |= at != query[:, 1]
    return pa.chunked_array([pa.array(stray)])


def _with_roles(table: pa.Table) -> pa.Table:
    """Return the table with the roles of all facts; what the file lacks follows from how they connect."""
    given = table["roles"]
    if not given.null_count:
        return table
    found = [
        [*roles([Fact(*fact) for fact in facts], k)] if role is None else role
        for role, facts, k in zip(*(table[name].to_pylist() for name in ("roles", "facts", "k")), strict=True)
    ]
    at = SCHEMA.get_field_index("roles")
    return table.set_column(at, SCHEMA.field(at), pa.array(found, SCHEMA.field(at).type))


def _with_sentences(table: pa.Table, refuse: Callable[..., None]) -> pa.Table:
    """Return the table with its sentences, which must follow each other in the story."""
    at = SCHEMA.get_field_index("sentences")
    if table["sentences"].null_count:
        filled = [[] if row is None else row for row in table["sentences"].to_pylist()]
        table = table.set_column(at, SCHEMA.field(at), pa.array(filled, SCHEMA.field(at).type))
    column = table["sentences"]
    spans = pc.list_flatten(column)
    for name in ("start", "end", "facts"):
        refuse(pc.is_null(pc.struct_field(spans, name)), f"sentences: a {name} is missing", column)
    row = pc.list_parent_indices(column).to_numpy()
    start, end = (pc.struct_field(spans, name).to_numpy() for name in ("start", "end"))
    length = pc.utf8_length(table["story"]).to_numpy()[row]
    before = np.where(np.diff(row, prepend=-1) == 0, np.append(0, end[:-1]), 0)
    wrong = (start < before) | (end <= start) | (end > length)
    refuse(pa.chunked_array([pa.array(wrong)]), "sentences: not in the order of the story", column)
    numbers = pc.struct_field(spans, "facts")
    facts = pc.list_value_length(table["facts"]).to_numpy()[row]
    of = pc.list_parent_indices(numbers).to_numpy()
    value = pc.list_flatten(numbers)
    refuse(pc.is_null(value), "sentences: the number of a fact is missing", column, numbers)
    values = value.to_numpy()
    wrong = (values < 0) | (values >= facts[of])
    refuse(pa.chunked_array([pa.array(wrong)]), "sentences: no fact of that number", column, numbers)
    return table


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
