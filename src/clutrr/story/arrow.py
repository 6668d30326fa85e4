"""NumPy arrays as Arrow arrays without a copy (`pa.array` would look for pandas first)."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa


def integers(values: npt.NDArray[np.integer]) -> pa.Array:
    """The values, flat, as an Arrow array of their own width."""
    flat = np.ascontiguousarray(values).reshape(-1)
    kind = pa.from_numpy_dtype(flat.dtype)
    return pa.Array.from_buffers(kind, len(flat), [None, pa.py_buffer(flat)])


def pick(words: pa.StringArray, numbers: npt.NDArray[np.integer]) -> pa.StringArray:
    """The words of these numbers, flat."""
    return words.take(integers(numbers))


def lists(values: pa.Array, each: int) -> pa.ListArray:
    """Lists of that many values each."""
    offsets = np.arange(0, len(values) + 1, each, dtype=np.int32)
    return pa.ListArray.from_arrays(integers(offsets), values)


def ragged(values: pa.Array, sizes: npt.NDArray[np.integer]) -> pa.ListArray:
    """Lists of these many values, one after the other."""
    ends = np.zeros(len(sizes) + 1, np.int32)
    np.cumsum(sizes, out=ends[1:])
    return pa.ListArray.from_arrays(integers(ends), values)


def joined(words: pa.StringArray, each: int) -> pa.StringArray:
    """Strings of that many words each, joined without spaces. The bytes are not copied."""
    _, ends, data = words.buffers()
    offsets = np.frombuffer(ends, np.int32)[: len(words) + 1 : each].copy()
    return pa.StringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), data)
