"""Parquet, which can be small on the disk and huge in memory: unpacked a bounded piece at a time.

A repeated text is stored once and numbered. Texts are read in this form, so the size that they will take
when written out is known beforehand.
"""

import os
from collections.abc import Iterator
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from clutrr.data.pages import check_content
from clutrr.limits import LINE, RAISE, limit

_PIECE = 1 << 26  # bytes that the rows at a time may take
_RATIO = 200  # how many times the size of the file its content may have
_FREE = 1 << 26  # bytes that any file may unpack to


def unpacked(size: int) -> int:
    """How many bytes a file of this size may unpack to."""
    return limit(_FREE + _RATIO * size)


def open_parquet(file: IO[bytes] | Any) -> pq.ParquetFile:
    """The file, with its texts numbered; refused if it would unpack to too much."""
    check_content(file, unpacked(file.seek(0, os.SEEK_END)))
    file.seek(0)
    first = pq.ParquetFile(file)
    leaves = [first.schema.column(i) for i in range(len(first.schema))]
    texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
    file.seek(0)
    return pq.ParquetFile(file, read_dictionary=texts)


def pieces(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The rows with their texts written out, fewer at a time if they are large."""
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
    """The bytes that an array takes with its texts written out."""
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
    """The type with texts instead of their numbers."""
    if pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_list(kind):
        return pa.list_(_plain(kind.value_type))
    if pa.types.is_large_list(kind):
        return pa.large_list(_plain(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(kind.field(i).name, _plain(kind.field(i).type)) for i in range(kind.num_fields)])
    return kind
