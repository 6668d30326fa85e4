"""Arrow arrays from their buffers: `pa.array` and `pa.scalar` would import pandas where it is installed."""

import re
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
    return pa.StringArray.from_buffers(len(encoded), pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded)))


def values_of(values: pa.Array) -> _Ints:
    """Return the values of an Arrow array of integers, none of which is missing."""
    found = np.frombuffer(values.buffers()[1] or b"", values.type.to_pandas_dtype())
    return found[values.offset : values.offset + len(values)]


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
    _, offsets, data = words.buffers()
    kept = np.frombuffer(offsets, np.int32)[: len(words) + 1].take(ends)
    return pa.StringArray.from_buffers(len(kept) - 1, pa.py_buffer(kept), data)


def filled(phrase: str, first: pa.Array, second: pa.Array) -> pa.StringArray:
    """Return the phrase with texts in the places of {a}, which are the first, and of {b}."""
    texts = {"a": first, "b": second}
    before, one, between, other, after = re.split(r"\{([ab])\}", phrase)
    start, middle, end, nothing = map(string, (before, between, after, ""))
    return pc.binary_join_element_wise(start, texts[one], middle, texts[other], end, nothing)


class Stories(NamedTuple):
    """Stories, and the sentences of each: start and end, in characters, and the facts that it states."""

    text: pa.StringArray
    sentences: pa.ListArray


def told(sentences: pa.StringArray, each: _Ints, facts: _Ints, stated: _Ints) -> Stories:
    """Return stories. sentences: of all, each with a space behind it. each: how many a story has.

    facts: that they state, in a row. stated: how many a sentence states.
    """
    ends = np.append(0, np.cumsum(each))
    ascii_only = np.frombuffer(sentences.buffers()[2], np.int8).min(initial=0) >= 0
    length = values_of((pc.binary_length if ascii_only else pc.utf8_length)(sentences))
    end = np.cumsum(length, dtype=np.int32)
    start = end - length
    begin = np.repeat(start.take(ends[:-1]), each)
    start -= begin
    end -= begin + 1
    columns = [integers(start), integers(end), ragged(integers(facts.astype(np.int32, copy=False)), stated)]
    spans = pa.StructArray.from_arrays(columns, ["start", "end", "facts"])
    return Stories(pc.ascii_rtrim(joined(sentences, ends), " "), ragged(spans, each))
