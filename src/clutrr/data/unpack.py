"""Parquet, which can be small on the disk and huge in memory: unpacked a bounded piece at a time.

A repeated text is stored once and numbered. Texts are read in this form, so the size that they will take
when written out is known beforehand.
"""

from collections.abc import Iterator
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from clutrr.limits import LINE, RAISE, limit

_PIECE = 1 << 26  # bytes that the rows at a time may take
_RATIO = 200  # how many times the size of the file its content may have
_FREE = 1 << 26  # bytes that any file may unpack to
_VALUE = 8  # bytes that we count for a value besides its text: its number, its place in lists
_SCANNED = 256  # values of a column at a time


def unpacked(size: int) -> int:
    """Return the most bytes that a file of this size may unpack to."""
    return limit(_FREE + _RATIO * size)


def open_parquet(file: IO[bytes] | Any) -> pq.ParquetFile:
    """Return the file, with its texts numbered; nothing of it is unpacked yet."""
    file.seek(0)
    first = pq.ParquetFile(file)
    leaves = [first.schema.column(i) for i in range(len(first.schema))]
    texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
    file.seek(0)
    return pq.ParquetFile(file, read_dictionary=texts)


def check_size(parquet: pq.ParquetFile, columns: list[str], size: int) -> None:
    """Raise ValueError if these columns of a file of this size unpack to too much.

    A run of equal values takes a few bytes, however long it is, so values count as well as bytes; lists may
    have more of them than the file has rows. pyarrow ends the process where the numbers of a broken column
    are looked at; to scan the lists before, a few values at a time, raises an error instead.
    """
    metadata, most = parquet.metadata, unpacked(size)
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    takes = sum(group.total_byte_size + _VALUE * group.num_rows * len(columns) for group in groups)
    _refuse_above(most, takes)
    leaves = {i: parquet.schema.column(i) for i in range(len(parquet.schema))}
    lists = {
        i: leaf.path
        for i, leaf in leaves.items()
        if leaf.max_repetition_level and any(leaf.path.startswith(f"{name}.") for name in columns)
    }
    if lists:
        parquet.scan_contents(list(lists.values()), _SCANNED)
    takes += sum(_VALUE * group.column(i).num_values for group in groups for i in lists)
    _refuse_above(most, takes)


def _refuse_above(most: int, takes: int) -> None:
    if takes > most:
        raise ValueError(f"it unpacks to more than {most >> 20} MB: {RAISE}")


def pieces(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Yield the rows with their texts written out, fewer at a time if they are large."""
    batch.validate(full=True)
    takes = sum(_written_out(column) for column in batch.columns)
    if len(batch) > 1 and takes > _PIECE:
        half = len(batch) // 2
        yield from pieces(batch.slice(0, half))
        yield from pieces(batch.slice(half))
        return
    if len(batch) == 1 and takes > limit(LINE):
        raise ValueError(f"a row of more than {limit(LINE) >> 20} MB: {RAISE}")
    plain = pa.RecordBatch.from_arrays(
        [column.cast(_plain(column.type)) for column in batch.columns], batch.schema.names
    )
    plain.validate(full=True)
    yield plain


def _written_out(array: pa.Array) -> int:
    """Return the bytes that an array takes with its texts written out."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        lengths = pc.fill_null(pc.binary_length(array.dictionary), 0).cast(pa.int64())
        return int(pc.sum(pc.take(lengths, array.indices)).as_py() or 0) + 4 * len(array)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _written_out(array.flatten()) + 8 * len(array)
    if pa.types.is_struct(kind):
        return sum(_written_out(array.field(i)) for i in range(kind.num_fields))
    return int(array.nbytes)


def _plain(kind: pa.DataType) -> pa.DataType:
    """Return the type with texts instead of their numbers."""
    if pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_list(kind):
        return pa.list_(_plain(kind.value_type))
    if pa.types.is_large_list(kind):
        return pa.large_list(_plain(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(kind.field(i).name, _plain(kind.field(i).type)) for i in range(kind.num_fields)])
    return kind
