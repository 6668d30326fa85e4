"""A checksum of the content of a table, independent of the file that holds it."""

import hashlib
import zlib

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from clutrr.puzzle import CONTENT
from clutrr.story import values_of


def content_digest(table: pa.Table) -> bytes:
    """SHA-256 over the columns of `CONTENT` in order: of each the CRC-32 of where lists and
    strings end, and of the values. (SHA-256 of the values themselves would take as long as making them.)"""
    digest = hashlib.sha256()
    for name in CONTENT:
        digest.update(name.encode())
        column = table[name]
        _update(digest, column.chunk(0) if column.num_chunks == 1 else column.combine_chunks())
    return digest.digest()


def _update(digest: "hashlib._Hash", array: pa.Array) -> None:
    kind = array.type
    if pa.types.is_list(kind):
        _lengths(digest, values_of(array.offsets))
        _update(digest, array.flatten())
    elif pa.types.is_struct(kind):
        for field in array.flatten():
            _update(digest, field)
    elif pa.types.is_string(kind):
        offsets = np.frombuffer(array.buffers()[1], np.int32)[array.offset :][: len(array) + 1]
        _lengths(digest, offsets)
        data = memoryview(array.buffers()[2] or b"")[offsets[0] : offsets[-1]]
        digest.update(zlib.crc32(data).to_bytes(4, "little"))
    else:
        digest.update(values_of(array).astype("<i8").tobytes())


def _lengths(digest: "hashlib._Hash", offsets: npt.NDArray[np.integer]) -> None:
    ends = np.ascontiguousarray(offsets - offsets[0], "<i4")
    digest.update(zlib.crc32(ends.data).to_bytes(4, "little"))
