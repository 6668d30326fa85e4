"""How much a Parquet file holds, by its own headers, before any of it is unpacked.

Each column of a row group is stored in pages. A page's header says how many bytes and values it unpacks to,
and readers rely on that; the table of contents at the end of the file may say something else. A run of
equal values takes a few bytes, however long it is, so the number of values has to be checked too.

pyarrow shows these numbers of a column only if they are valid (if not, it ends the process), and does not
show the headers of pages, so we read them ourselves. They are structures of Thrift's compact protocol.
https://parquet.apache.org/docs/file-format/ names their fields by the numbers that are used here.
"""

import os
from collections.abc import Iterator
from typing import Any

from clutrr.limits import DEPTH, RAISE

_MAGIC = b"PAR1"
_TAIL = 8  # bytes: the length of the table of contents, and the magic
_VALUE = 8  # bytes that we count for a value besides its text: its number, its place in lists
_HEADER = 1 << 24  # bytes of the header of a page, at most
_GUESS = 1 << 10  # bytes that hold most headers of pages
_SHARED = 7  # the encoding that stores a text by what it shares with the one before
# Types of Thrift's compact protocol.
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12


def check_content(file: Any, most: int) -> None:
    """Raise ValueError for a file that unpacks to more than this many bytes, or whose headers are broken."""
    size = file.seek(0, os.SEEK_END)
    contents = _contents(file, size)
    left = most
    for group in _structs(contents.get(4)):
        for column in _structs(group.get(1)):
            for bytes_, values in _pages(file, size, column.get(3)):
                left -= bytes_ + _VALUE * values
                if left < 0:
                    raise ValueError(f"it unpacks to more than {most >> 20} MB: {RAISE}")


def _contents(file: Any, size: int) -> dict[int, Any]:
    """The table of contents, at the end of the file."""
    file.seek(max(0, size - _TAIL))
    tail = file.read(_TAIL)
    length = int.from_bytes(tail[:4], "little")
    if tail[4:] != _MAGIC or length + _TAIL > size:
        raise ValueError("no table of contents at its end")
    file.seek(size - _TAIL - length)
    try:
        return _Compact(file.read(length)).struct()
    except IndexError:
        raise ValueError("its table of contents is cut off") from None


def _pages(file: Any, size: int, column: Any) -> Iterator[tuple[int, int]]:
    """What each page of a column's part unpacks to: bytes and values."""
    if not isinstance(column, dict):
        raise ValueError("a column without a description")
    values, length, start = (_number(column.get(field)) for field in (5, 7, 9))
    dictionary = _number(column.get(11, 0))
    if 0 < dictionary < start:
        start = dictionary
    stop = min(size, start + length)
    while start < stop and values > 0:
        header, header_length = _page_header(file, start, min(_HEADER, size - start))
        unpacked, packed = _number(header.get(2)), _number(header.get(3))
        data = header.get(5) or header.get(8)
        about = data or header.get(7)
        if not isinstance(about, dict):  # a page of another kind, which is skipped
            about = {}
        number = _number(about.get(1, 0))
        encoding = about.get(4 if 8 in header else 2)
        yield unpacked * (max(1, number) if encoding == _SHARED else 1), number
        values -= number if data else 0
        start += header_length + packed


def _page_header(file: Any, start: int, longest: int) -> tuple[dict[int, Any], int]:
    """The header that starts there, and its length."""
    length = min(_GUESS, longest)
    while True:
        file.seek(start)
        compact = _Compact(file.read(length))
        try:
            return compact.struct(), compact.at
        except IndexError:
            if length == longest:
                raise ValueError("a page whose header is cut off") from None
            length = min(longest, length * 16)


def _structs(value: Any) -> list[dict[int, Any]]:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise ValueError("its table of contents is broken")
    return value


def _number(value: Any) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError("a number in its table of contents is missing or below zero")
    return value


class _Compact:
    """Reads values of Thrift's compact protocol. IndexError: the bytes end too early."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self.at = 0

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Its fields by their numbers."""
        fields: dict[int, Any] = {}
        number = 0
        while kind := self._byte():
            number = number + (kind >> 4) if kind >> 4 else self._integer()
            fields[number] = self._value(kind & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth > DEPTH:
            raise ValueError("its headers are nested too deeply")
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind == _BYTE:
            return self._byte()
        if kind < _DOUBLE:
            return self._integer()
        if kind == _DOUBLE:
            return self._skip(8)
        if kind == _BINARY:
            return self._skip(self._unsigned())
        if kind in (_LIST, _SET):
            return self._list(depth)
        if kind == _MAP:
            return self._map(depth)
        if kind == _STRUCT:
            return self.struct(depth + 1)
        raise ValueError("its headers hold a value of no known type")

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        length = head >> 4 if head >> 4 < 15 else self._unsigned()
        kind = _BYTE if head & 15 in (_TRUE, _FALSE) else head & 15
        return [self._value(kind, depth + 1) for _ in range(length)]

    def _map(self, depth: int) -> None:
        length = self._unsigned()
        kinds = self._byte() if length else 0
        for _ in range(length):
            self._value(kinds >> 4, depth + 1)
            self._value(kinds & 15, depth + 1)

    def _skip(self, length: int) -> None:
        """Texts are skipped: they do not matter here."""
        self.at += length
        if self.at > len(self._content):
            raise IndexError

    def _byte(self) -> int:
        value = self._content[self.at]
        self.at += 1
        return value

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise ValueError("its headers hold a number of no end")

    def _integer(self) -> int:
        value = self._unsigned()
        return -(value & 1) ^ (value >> 1)
