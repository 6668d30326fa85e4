"""A checksum of what a table says, whatever file holds it."""

import hashlib

import numpy as np
import pyarrow as pa


def content_digest(table: pa.Table) -> bytes:
    """SHA-256 over the columns in order: of each, the lengths of lists and strings and the values."""
    digest = hashlib.sha256()
    for name in table.column_names:
        digest.update(name.encode())
        for chunk in table[name].chunks:
            _update(digest, chunk)
    return digest.digest()


def _update(digest: "hashlib._Hash", array: pa.Array) -> None:
    kind = array.type
    if pa.types.is_list(kind):
        digest.update(np.diff(array.offsets.to_numpy()).astype("<i4").tobytes())
        _update(digest, array.flatten())
    elif pa.types.is_struct(kind):
        for field in array.flatten():
            _update(digest, field)
    elif pa.types.is_string(kind):
        offsets = np.frombuffer(array.buffers()[1], np.int32)[array.offset :][: len(array) + 1]
        digest.update(np.diff(offsets).astype("<i4").tobytes())
        data = array.buffers()[2]
        if data is not None:
            digest.update(memoryview(data)[offsets[0] : offsets[-1]])
    else:
        digest.update(array.to_numpy().astype("<i8").tobytes())
