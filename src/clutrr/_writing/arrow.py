"""Arrow arrays from their buffers: `pa.array` and `pa.scalar` would import pandas where it is installed."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Floats = npt.NDArray[np.float64]
_Ints = npt.NDArray[np.integer]


def integers(values: _Ints) -> pa.Array:
    """Return the values, flat, as an Arrow array of the same width."""
    flat = np.ascontiguousarray(values).reshape(-1)
    kind = pa.from_numpy_dtype(flat.dtype)
    return pa.Array.from_buffers(kind, len(flat), [None, pa.py_buffer(flat)])


def booleans(values: npt.NDArray[np.bool_]) -> pa.BooleanArray:
    """Return the values as an Arrow array."""
    bits = np.packbits(values, bitorder="little")
    return pa.Array.from_buffers(pa.bool_(), len(values), [None, pa.py_buffer(bits)])


def strings(texts: Iterable[str]) -> pa.StringArray:
    """Return the texts as an Arrow array."""
    encoded = [text.encode() for text in texts]
    offsets = np.zeros(len(encoded) + 1, np.int32)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    return pa.StringArray.from_buffers(
        len(encoded), pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))
    )


def string(text: str) -> pa.StringScalar:
    """Return a text as an Arrow value."""
    return strings([text])[0]


def pick(words: pa.StringArray, numbers: _Ints) -> pa.StringArray:
    """Return the words of these numbers, flat."""
    return words.take(integers(numbers))


def lists(values: pa.Array, each: int) -> pa.ListArray:
    """Return lists of that many values each."""
    offsets = np.arange(0, len(values) + 1, each, dtype=np.int32)
    return pa.ListArray.from_arrays(integers(offsets), values)


def ragged(values: pa.Array, sizes: _Ints) -> pa.ListArray:
    """Return lists of these many values, one after the other."""
    ends = np.zeros(len(sizes) + 1, np.int32)
    np.cumsum(sizes, dtype=np.int32, out=ends[1:])
    return pa.ListArray.from_arrays(integers(ends), values)


def joined(words: pa.StringArray, ends: _Ints) -> pa.StringArray:
    """Return the words up to each end, which are 0 at first, joined without spaces. No byte is copied."""
    kept = _ends(words).take(ends)
    return pa.StringArray.from_buffers(len(kept) - 1, pa.py_buffer(kept), words.buffers()[2])


def _ends(words: pa.StringArray) -> _Ints:
    """Return where each word ends in their bytes, after a 0."""
    return np.frombuffer(words.buffers()[1], np.int32)[: len(words) + 1]


class Stories(NamedTuple):
    """Stories, and the sentences of each: start and end, in characters, and the facts that it states."""

    text: pa.StringArray
    sentences: pa.ListArray


class Texts:
    """Pieces of text by number, of which sentences are made; the last of a sentence ends in a space.

    space: instead, in languages that have none there.
    """

    def __init__(self, texts: pa.StringArray, space: str = " ") -> None:
        self._texts, self._space = texts, len(space)
        length = pc.utf8_length(texts)
        self._length = np.frombuffer(length.buffers()[1], np.int32)
        self._ascii = int(self._length.sum()) == int(_ends(texts)[-1])

    def told(
        self, pieces: _Ints, bounds: _Ints, each: _Ints, facts: _Ints, stated: _Ints
    ) -> Stories:
        """Return stories of these pieces, all in a row.

        bounds: where in the row each sentence begins, and its end. each: how many sentences a story has.
        facts: that sentences state, in a row. stated: where those of each sentence begin, and their end.
        """
        words = pick(self._texts, pieces)
        ends = _ends(words)
        if not self._ascii:
            ends = np.append(np.int32(0), np.cumsum(self._length.take(pieces), dtype=np.int32))
        ends = ends.take(bounds)
        story = np.append(0, np.cumsum(each))  # where its sentences begin
        begin = np.repeat(ends.take(story[:-1]), each)
        numbers = pa.ListArray.from_arrays(
            *(integers(of.astype(np.int32, copy=False)) for of in (stated, facts))
        )
        columns = [integers(ends[:-1] - begin), integers(ends[1:] - begin - self._space), numbers]
        spans = pa.StructArray.from_arrays(columns, ["start", "end", "facts"])
        return Stories(pc.ascii_rtrim(joined(words, bounds.take(story)), " "), ragged(spans, each))
