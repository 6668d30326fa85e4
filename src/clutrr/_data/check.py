"""What must be true of rows in our own files, whole columns at a time."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from clutrr._facts import roles
from clutrr._io.limits import FACTS, RAISE, limit
from clutrr._puzzle import ROLES, Fact
from clutrr._statement import Statement, from_record
from clutrr._table import CONTENT, SCHEMA, STATEMENTS

_ROLES = ", ".join(ROLES)


def checked(table: pa.Table) -> pa.Table:
    """Return the table, complete: what a file lacks is worked out from the facts, as far as possible.

    Nothing else may be missing; a query has two names, a fact three words, a pattern k kinds for each route;
    the facts of each route, which come first, lead from the first entity of the query to the second.
    Raises ValueError where a row is wrong.
    """
    for column in CONTENT:
        _refuse_missing(table[column], column)
    three = pc.not_equal(pc.list_value_length(pc.list_flatten(table["facts"])), 3)
    _refuse(three, "facts: not a list of head, relation, tail")
    many = pc.greater(pc.list_value_length(table["facts"]), limit(FACTS))
    _refuse(many, f"facts: more than {limit(FACTS):,}: {RAISE}")
    _refuse(pc.not_equal(pc.list_value_length(table["query"]), 2), "query: not two names")
    routed = pc.list_value_length(table["pattern"])
    none = pc.and_(
        pc.equal(table["k"], 0), pc.equal(routed, 0)
    )  # nothing that was read joins the two
    _refuse(pc.and_(pc.less(table["k"], 1), pc.invert(none)), "k: below 1")
    k = pc.max_element_wise(table["k"], 1)
    routes = pc.divide(routed, k)
    wrong = pc.or_(pc.less(routes, 1), pc.not_equal(pc.multiply(routes, k), routed))
    uneven = pc.and_(wrong, pc.invert(none))
    _refuse(uneven, "k: differs from the length of pattern, which has k kinds for each route")
    statements = _statements_of(table)
    vague = [sum(one.role == ROLES[0] for one in of) for of in statements]
    _refuse(
        pc.less(pc.list_value_length(table["facts"]), pc.subtract(routed, _numbers(vague, table))),
        "facts: fewer than the pattern has kinds",
    )
    _refuse(
        _stray(table, np.array(vague, bool)),
        "facts: those of a route do not lead from the first entity of the query to the second",
    )
    table = _with_roles(table, statements)
    each = pc.equal(pc.list_value_length(table["roles"]), pc.list_value_length(table["facts"]))
    _refuse(pc.invert(each), "roles: not one for each fact")
    known = pc.is_in(pc.list_flatten(table["roles"]), pa.array(ROLES))
    _refuse(pc.invert(known), f"roles: not one of {_ROLES}")
    return _with_sentences(table)


_Given = list[list[Statement]]  # the statements of each row; none where a table has none


def _statements_of(table: pa.Table) -> _Given:
    """Return the statements, unless one lacks what its kind needs, or its place is not in the story."""
    if STATEMENTS.name not in table.column_names:
        return []
    lengths = pc.utf8_length(table["story"]).to_pylist()
    found = []
    for records, length in zip(table[STATEMENTS.name].to_pylist(), lengths, strict=True):
        if len(records or ()) > limit(FACTS):
            raise ValueError(f"statements: more than {limit(FACTS):,}: {RAISE}")
        found.append([_statement(record or {}, length) for record in records or ()])
    return found


def _statement(record: Mapping[str, Any], length: int) -> Statement:
    """Return the statement of a record. length: of the story."""
    try:
        one = from_record(record)
    except ValueError as error:
        raise ValueError(f"statements: {error}") from None
    if one.role not in ("", *ROLES):
        raise ValueError(f"statements: the role {one.role!r} is not one of {_ROLES}")
    if not 0 <= one.start <= one.end <= length:
        raise ValueError("statements: start and end are no place in the story")
    if one.role == ROLES[0] and not one.tail:
        raise ValueError("statements: on the path, one that relates no two entities")
    return one


def _numbers(counts: Sequence[int], table: pa.Table) -> pa.Array:
    """Return a number for each row; 0 where none are counted."""
    return pa.array(counts or np.zeros(len(table), np.int32), pa.int32())


def _refuse(wrong: pa.ChunkedArray, message: str) -> None:
    if pc.any(wrong).as_py():
        raise ValueError(message)


def _refuse_missing(values: pa.ChunkedArray, column: str, what: str = "") -> None:
    """Refuse a column of which something is missing, at any depth."""
    _refuse(pc.is_null(values), f"{what or column} is missing")
    if pa.types.is_list(values.type):
        _refuse_missing(pc.list_flatten(values), column, f"something in {column}")
    for field in values.type if pa.types.is_struct(values.type) else ():
        _refuse_missing(pc.struct_field(values, field.name), column, f"a {field.name} in {column}")


def _stray(table: pa.Table, vague: npt.NDArray[np.bool_]) -> pa.Array:
    """Return which rows have routes that do not lead along the query.

    vague: which of them have steps that are no facts, and are not looked at; none where no row has any.
    """
    size = len(table)
    facts = table["facts"].combine_chunks()
    words = pc.list_flatten(facts.flatten()).cast(pa.string())
    asked = table["query"].combine_chunks().flatten().cast(pa.string())
    codes = pa.concat_arrays([asked, words]).dictionary_encode().indices.to_numpy()
    query, triples = codes[: 2 * size].reshape(size, 2), codes[2 * size :].reshape(-1, 3)
    first = facts.offsets.to_numpy()[:-1] - facts.offsets.to_numpy()[0]
    k, routed = (
        np.maximum(table["k"].to_numpy(), 1),
        pc.list_value_length(table["pattern"]).to_numpy(),
    )
    at, stray = query[:, 0].copy(), np.zeros(size, bool)
    vague = vague if len(vague) else np.zeros(size, bool)
    for step in range(int(routed.max(initial=0))):
        rows = np.flatnonzero((routed > step) & ~stray & ~vague)
        head, _, tail = triples[first[rows] + step].T
        there = at[rows]
        stray[rows] |= (there != head) & (there != tail)
        there = np.where(there == head, tail, head)
        ends = (step + 1) % k[rows] == 0
        stray[rows] |= ends & (there != query[rows, 1])
        at[rows] = np.where(ends, query[rows, 0], there)
    return pa.array(stray)


def _with_roles(table: pa.Table, statements: _Given) -> pa.Table:
    """Return the table with the roles of all facts; what the file lacks follows from how they connect."""
    given = table["roles"]
    if not given.null_count:
        return table
    columns = (table[name].to_pylist() for name in ("roles", "facts", "pattern"))
    found = []
    for role, facts, pattern, others in zip(
        *columns, statements or [[] for _ in range(len(table))], strict=True
    ):
        steps = [one for one in others if one.role == ROLES[0]]
        along = [name for one in steps for name in (one.head, one.tail)]
        routed = len(pattern) - len(steps)
        told = [Fact(*fact) for fact in facts]
        found.append([*roles(told, routed, along)] if role is None else role)
    at = SCHEMA.get_field_index("roles")
    return table.set_column(at, SCHEMA.field(at), pa.array(found, SCHEMA.field(at).type))


def _with_sentences(table: pa.Table) -> pa.Table:
    """Return the table with its sentences, which must follow each other in the story."""
    at = SCHEMA.get_field_index("sentences")
    if table["sentences"].null_count:
        filled = [[] if row is None else row for row in table["sentences"].to_pylist()]
        table = table.set_column(at, SCHEMA.field(at), pa.array(filled, SCHEMA.field(at).type))
    column = table["sentences"]
    _refuse_missing(column, "sentences")
    spans = pc.list_flatten(column)
    row = pc.list_parent_indices(column).to_numpy()
    start, end = (pc.struct_field(spans, name).to_numpy() for name in ("start", "end"))
    length = pc.utf8_length(table["story"]).to_numpy()[row]
    before = np.where(np.diff(row, prepend=-1) == 0, np.append(0, end[:-1]), 0)
    wrong = (start < before) | (end <= start) | (end > length)
    _refuse(pa.array(wrong), "sentences: not in the order of the story")
    numbers = pc.struct_field(spans, "facts")
    facts = pc.list_value_length(table["facts"]).to_numpy()[row][
        pc.list_parent_indices(numbers).to_numpy()
    ]
    values = pc.list_flatten(numbers).to_numpy()
    _refuse(pa.array((values < 0) | (values >= facts)), "sentences: no fact of that number")
    return table
