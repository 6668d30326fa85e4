"""Parquet files, a bounded piece at a time.

Parquet can be small on the disk and huge in memory. A repeated text is stored once, in a dictionary, and
numbered where it occurs; a run of equal values takes a few bytes, however long it is. Texts are read in
this numbered form, so that the size which they take when written out is known before they are. Whatever is
unpacked counts against the budget of the file (`clutrr._io.limits.UnpackBudget`).
"""

from collections.abc import Iterator, Sequence
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from clutrr._io.limits import LINE, RAISE, UnpackBudget, UnpackedError, limit

MAGIC = b"PAR1"
_PIECE = 1 << 26  # bytes that the rows of a piece may take, written out
_VALUE = 8  # bytes that we count for a value besides its text: its number, its place in lists
_SCANNED = 256  # values of a column at a time
_PER_ROW = 64  # bytes of dictionaries that are unpacked for each row of a batch, at most
_Sizes = npt.NDArray[np.int64]


def plain_table(table: pa.Table) -> pa.Table:
    """Return a table whose texts and lists are of the types that Parquet files have.

    Frames of polars have views of texts and large lists, which pyarrow cannot write, and categories.
    """
    columns = {}
    for field, column in zip(table.schema, table.columns, strict=True):
        kind = _plain(field.type)
        try:
            columns[field.name] = column.cast(kind)
        except pa.ArrowNotImplementedError:
            columns[field.name] = pa.chunked_array([pa.array(column.to_pylist(), kind)])
    return pa.table(columns)


def _plain(kind: pa.DataType) -> pa.DataType:
    """Return the usual type of texts and lists, however deep in a type."""
    if pa.types.is_string_view(kind) or pa.types.is_large_string(kind):
        return pa.string()
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_list_view(kind):
        return pa.list_(_plain(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(one.name, _plain(one.type)) for one in kind])
    return kind


def open_parquet(file: IO[bytes] | Any) -> pq.ParquetFile:
    """Return the file, with its texts numbered; nothing of it is unpacked yet."""
    file.seek(0)
    first = pq.ParquetFile(file)
    leaves = [first.schema.column(i) for i in range(len(first.schema))]
    texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
    file.seek(0)
    return pq.ParquetFile(file, read_dictionary=texts)


def read_batches(
    parquet: pq.ParquetFile, columns: Sequence[str], rows: int, budget: UnpackBudget
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file with their texts written out.

    - columns: those that are read.
    - rows: at most so many at a time.
    - budget: what the file may unpack to; UnpackedError is raised where that is exceeded.
    """
    _check_declared(parquet, columns, budget)
    plain = parquet.schema.to_arrow_schema()
    # A group at a time: pyarrow cannot join nested texts that two groups number differently.
    for group in range(parquet.num_row_groups):
        pa.default_memory_pool().release_unused()  # what the group before took
        for batch in _numbered(parquet, group, columns, rows):
            batch.validate(full=True)
            sizes = sum((_row_sizes(column) for column in batch.columns), np.zeros(len(batch), int))
            budget.spend(int(sizes.sum()) + sum(map(_dictionary_size, batch.columns)))
            schema = pa.schema([plain.field(name) for name in batch.schema.names])
            for start, end in _pieces(sizes, rows):
                yield _written_out(batch, start, end, schema)


def _check_declared(parquet: pq.ParquetFile, columns: Sequence[str], budget: UnpackBudget) -> None:
    """Refuse columns that are too large by what the file says of itself, before any is unpacked.

    Lists may have more values than the file has rows. pyarrow ends the process where the numbers of a broken
    column are looked at; to scan the lists before, a few values at a time, raises an error instead.
    """
    metadata = parquet.metadata
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    leaves = {i: parquet.schema.column(i) for i in range(len(parquet.schema))}
    lists = {
        i: leaf.path
        for i, leaf in leaves.items()
        if leaf.max_repetition_level and any(leaf.path.startswith(f"{name}.") for name in columns)
    }
    wide = sum(
        leaf.length for leaf in leaves.values() if leaf.physical_type == "FIXED_LEN_BYTE_ARRAY"
    )
    each = _VALUE * len(columns) + wide  # a value of fixed length is written out wherever it occurs
    size = sum(group.total_byte_size + each * group.num_rows for group in groups)
    budget.check(size)
    if lists:
        parquet.scan_contents(list(lists.values()), _SCANNED)
        values = sum(group.column(i).num_values for group in groups for i in lists)
        budget.check(size + (_VALUE + wide) * values)


def _numbered(
    parquet: pq.ParquetFile, group: int, columns: Sequence[str], rows: int
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a group with their texts still numbered.

    Each batch unpacks the dictionaries anew. Where these are large, batches have more rows, so that what is
    unpacked grows with the rows that there are, and not with their number times the dictionaries.
    """
    batches = parquet.iter_batches(rows, [group], columns)
    first = next(batches, None)
    if first is None:
        return
    yield first
    enough = sum(map(_dictionary_size, first.columns)) // _PER_ROW
    if enough <= rows:
        yield from batches
        return
    done = len(first)
    for batch in parquet.iter_batches(enough, [group], columns):
        if len(batch) > done:
            yield batch.slice(done)
        done = max(0, done - len(batch))


def _dictionary_size(array: pa.Array) -> int:
    """Return the bytes of the dictionaries of an array, however deep in it."""
    if pa.types.is_dictionary(array.type):
        return int(array.dictionary.nbytes)
    return sum(map(_dictionary_size, _children(array)))


def _children(array: pa.Array) -> list[pa.Array]:
    if _is_list(array.type):
        return [array.values]
    if pa.types.is_struct(array.type):
        return [array.field(i) for i in range(array.type.num_fields)]
    return []


def _is_list(kind: pa.DataType) -> bool:
    tests = pa.types.is_list, pa.types.is_large_list, pa.types.is_map
    return any(test(kind) for test in tests)


def _row_sizes(array: pa.Array) -> _Sizes:
    """Return the bytes that each value takes with its texts written out."""
    kind, size = array.type, len(array)
    if pa.types.is_dictionary(kind):
        lengths = pc.take(pc.binary_length(array.dictionary), array.indices)
        return 4 + np.asarray(pc.fill_null(lengths, 0), np.int64)
    if _is_list(kind):
        until = np.concatenate([[0], np.cumsum(_row_sizes(array.values))])
        sizes: _Sizes = _VALUE + np.diff(until[np.asarray(array.offsets)])
        return sizes
    if pa.types.is_struct(kind):
        return sum(map(_row_sizes, _children(array)), np.zeros(size, np.int64))
    return np.full(size, -(-array.nbytes // max(1, size)), np.int64)


def _pieces(sizes: _Sizes, rows: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the last row, exclusive, of pieces that are limited in rows and in bytes."""
    if len(sizes) and sizes.max() > limit(LINE):
        raise UnpackedError(f"a row of more than {limit(LINE) >> 20} MB: {RAISE}")
    until = np.cumsum(sizes)
    start, before = 0, 0
    while start < len(sizes):
        fit = int(np.searchsorted(until, before + _PIECE, side="right"))
        end = max(start + 1, min(fit, start + rows))
        yield start, end
        start, before = end, int(until[end - 1])


def _written_out(batch: pa.RecordBatch, start: int, end: int, schema: pa.Schema) -> pa.RecordBatch:
    """Return some rows of a batch with their texts written out."""
    if end - start < len(batch):
        # Not a slice: of that, all values of its lists would be written out.
        batch = batch.take(pa.array(np.arange(start, end)))
    plain = batch.cast(schema)
    plain.validate(full=True)
    return plain
