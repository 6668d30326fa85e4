"""Files as lines, cells and tables, with the place of everything in them.

A file is opened again for each pass, and unzipped on the way. Lines, rows and cells are bounded, and so is
what a Parquet file may unpack to: no file is ever read into memory as a whole. The limits are those of
`clutrr.limits`, which says how to raise them.

Parquet can be small on the disk and huge in memory. A repeated text is stored once and numbered there; texts
are read in this form, so the size that they will take when written out is known beforehand.
"""

import csv
import gzip
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from clutrr.errors import DataError, RowError, short
from clutrr.files import Where, open_file, parse_json
from clutrr.limits import CELL, COLUMNS, LINE, RAISE, limit

_ROWS = 512  # of a Parquet file at a time
_PIECE = 1 << 26  # bytes that the rows of a Parquet file may take at a time
_RATIO = 200  # how many times the size of the file its content may have
_FREE = 1 << 26  # bytes that any file may unpack to
_VALUE = 8  # bytes that we count for a value besides its text: its number, its place in lists
_SCANNED = 256  # values of a column at a time
_GZIP = b"\x1f\x8b"
_PARQUET = b"PAR1"
_SPLIT = re.compile(r"(?:^|[^a-z])(train|test|valid|validation|dev)(?:[^a-z]|$)")
SPLITS = {"train": "train", "test": "test"} | dict.fromkeys(("valid", "validation", "dev"), "validation")

Place = int | str  # a line, or in words
Sized = tuple[Place, dict[str, Any], int]  # a row, its place, and its length as text
Bad = Callable[[DataError], None]  # called with what cannot be read; it may raise


def refuse(error: DataError) -> None:
    """Raise: nothing bad is skipped."""
    raise error


@dataclass(frozen=True)
class DataFile:
    """A data file. named: the part of its path that may name a subset and a split."""

    path: Where
    named: str

    @property
    def split(self) -> str | None:
        """The split that the file name says, or else the name of the nearest folder."""
        for name in reversed(Path(self.named).parts):
            for found in _SPLIT.findall(name.lower())[-1:]:
                return SPLITS[found]
        return None

    @property
    def subset(self) -> str | None:
        """The subset whose folder in a data set this is: data/M3/..."""
        parts = Path(self.named).parts
        return parts[-2] if len(parts) > 2 and parts[-3] == "data" else None

    def id_of(self, place: Place) -> str:
        """Return the id of a row that has none: the name of the file, and its line, number or key there."""
        return f"{Path(self.named).name.partition('.')[0]}-{str(place).removeprefix('row ')}"

    def error(self, message: str, place: Place | None = None) -> RowError:
        """An error that names the file and the place."""
        where = "" if place is None else f"line {place}" if isinstance(place, int) else place
        return RowError(str(self.path), where, message)

    @contextmanager
    def open(self) -> Iterator[IO[bytes] | gzip.GzipFile]:
        """The bytes, without gzip."""
        try:
            with open_file(self.path) as plain:
                zipped = plain.read(2) == _GZIP
                plain.seek(0)
                if zipped:
                    with gzip.open(plain) as file:
                        yield file
                else:
                    yield plain
        except (OSError, EOFError, zlib.error) as error:
            if isinstance(error, gzip.BadGzipFile | EOFError | zlib.error):
                raise self.error(f"broken gzip: {error}") from None
            raise self.error(f"cannot be read: {error.strerror or error}") from None

    @property
    def parquet(self) -> bool:
        with self.open() as file:
            return file.read(4) == _PARQUET

    def lines(self) -> Iterator[tuple[int, str]]:
        """The lines, numbered from 1, each with its end."""
        longest = limit(LINE)
        with self.open() as file:
            number, blank = 0, 0
            while raw := file.readline(longest + 1):
                number += 1
                if raw.isspace():
                    blank += len(raw)
                if len(raw) > longest or blank > longest:
                    what = "a line" if len(raw) > longest else "blank lines"
                    raise self.error(f"{what} of more than {longest >> 20} MB: {RAISE}", number)
                if number == 1 and b"\0" in raw:
                    raise self.error(
                        "a zero byte: this is not a text file; save a spreadsheet as CSV", number
                    )
                try:
                    text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError as error:
                    raise self.error(
                        f"not UTF-8 text (byte {error.start + 1} of the line): save it as UTF-8", number
                    ) from None
                yield number, text

    def cells(self) -> Iterator[tuple[int, list[str]]]:
        """The rows of a CSV or TSV file from its header on, each with the line it starts on.

        What separates cells is what the header has most of: spreadsheets write semicolons in some countries.
        """
        before, comments, size, most = 1, True, 0, limit(LINE)
        header = next((text for _, text in self.lines() if text.strip() and not text.startswith("#")), "")

        def content() -> Iterator[str]:
            nonlocal before, comments, size
            for number, line in self.lines():
                if comments and (line.startswith("#") or not line.strip()):
                    before = number + 1
                    continue
                comments = False
                size += len(line)
                if size > most:
                    raise self.error(f"a row of more than {most >> 20} MB: {RAISE}", number)
                yield line

        csv.field_size_limit(limit(CELL))
        mark = max(",;\t", key=header.count)
        reader = csv.reader(content(), strict=True, delimiter=mark)
        line = before
        try:
            for row in reader:
                line, size = before if line < before else line, 0
                if row:
                    yield line, row
                line = before + reader.line_num
        except csv.Error as error:
            raise self.error(f"broken CSV: {error}", line) from None

    def parquet_schema(self) -> pa.Schema:
        """The columns of a Parquet file, and what it says of itself."""
        with self._open_parquet() as parquet:
            return parquet.schema_arrow

    def batches(self, size: int, columns: Iterable[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Some rows at a time of a Parquet file, of those of the columns that it has, or of all."""
        with self._open_parquet() as parquet:
            there = parquet.schema_arrow.names
            check_columns(self, there, None)
            wanted = sorted(there if columns is None else set(there).intersection(columns))
            check_size(parquet, wanted, self.path.stat().st_size)
            written = parquet.schema.to_arrow_schema()
            # A group at a time: pyarrow cannot join nested texts that two groups number differently.
            for group in range(parquet.num_row_groups):
                pa.default_memory_pool().release_unused()  # what the group before took
                for batch in parquet.iter_batches(size, [group], wanted):
                    yield from _pieces(batch, pa.schema([written.field(name) for name in batch.schema.names]))

    @contextmanager
    def _open_parquet(self) -> Iterator[pq.ParquetFile]:
        with self.open() as file:
            if isinstance(file, gzip.GzipFile):
                raise self.error("a gzipped Parquet file: unpack it first")
            try:
                yield open_parquet(file)
            except MemoryError:
                raise
            except (pa.ArrowException, OSError, ValueError) as error:
                if "bad_alloc" in str(error):
                    raise MemoryError from None
                raise self.error(f"broken Parquet: {' '.join(str(error).split())}") from None


def check_columns(source: DataFile, columns: list[str], line: int | None) -> None:
    """No column may appear twice, and there may not be too many."""
    if len(columns) > limit(COLUMNS):
        raise source.error(f"{len(columns):,} columns, more than {limit(COLUMNS):,}: {RAISE}", line)
    for column, times in Counter(columns).items():
        if times > 1:
            raise source.error(f"the column {short(column)} appears twice in the header", line)


def records(source: DataFile, bad: Bad = refuse, at_once: int = _ROWS) -> Iterator[Sized]:
    """Yield the rows of a CSV, TSV, Parquet, JSON or JSON lines file, by the names of their columns.

    bad: called for what is no row of its header, or no JSON object; it is left out unless bad raises.
    at_once: how many rows of a Parquet file are unpacked at a time.
    """
    if source.parquet:
        number = count(1)
        for batch in source.batches(at_once):
            yield from ((f"row {next(number)}", row, len(str(row))) for row in batch.to_pylist())
        return
    opening = next((text for _, text in source.lines() if text.strip()), "").strip()
    if opening[:1] not in ("{", "["):
        rows = source.cells()
        at, header = next(rows, (1, []))
        check_columns(source, header, at)
        for line, cells in rows:
            if len(cells) == len(header):
                yield line, dict(zip(header, cells, strict=True)), sum(map(len, cells))
            else:
                bad(source.error(f"{len(cells)} cells where the header has {len(header)}", line))
    elif opening[0] + opening[-1] == "{}" and not _of_rows(parsed(source, opening, "the line", 1)):
        yield from json_lines(source, bad)
    else:
        for key, row in _whole(source):
            if isinstance(row, dict):
                yield f"row {key}", row, len(str(row))
            else:
                bad(source.error("not a JSON object", f"row {key}"))


def _of_rows(value: dict[str, Any]) -> bool:
    """Return whether an object holds rows, by their keys: objects that have fields in common."""
    rows = list(value.values())
    return all(isinstance(row, dict) and row.keys() & rows[0].keys() for row in rows)


def _whole(source: DataFile) -> Iterable[tuple[object, Any]]:
    """Return the rows of a file that is one JSON list, or an object of objects, with their keys."""
    size, most, text = 0, limit(LINE), []
    for number, line in source.lines():
        size += len(line)
        if size > most:
            raise source.error(f"JSON of more than {most >> 20} MB: {RAISE}", number)
        text.append(line)
    content = parsed(source, "".join(text), "the file", 1)
    return content.items() if isinstance(content, dict) else enumerate(content, 1)


def json_lines(source: DataFile, bad: Bad = refuse, growing: bool = False) -> Iterator[Sized]:
    """Yield the objects of a file of JSON lines, each with its line number and its length.

    growing: the file may still be written to, or its writer was killed: an incomplete last line is left out.
    """
    for line, text in source.lines():
        if not text.strip() or (growing and not text.endswith("\n")):
            continue
        try:
            row = parsed(source, text, "the line", line)
            if not isinstance(row, dict):
                raise source.error("not a JSON object", line)
        except DataError as error:
            bad(error)
            continue
        yield line, row, len(text)


def parsed(source: DataFile, text: str, what: str, line: Place) -> Any:
    """Return the value of a JSON text; refused if some text in it has half of a surrogate pair."""
    try:
        value = parse_json(text)
        if "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise source.error(f"{what} holds half a character, as an escape", line) from None
    except ValueError as error:
        raise source.error(f"{what} is not JSON: {error}", line) from None
    return value


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
    metadata, most = parquet.metadata, limit(_FREE + _RATIO * size)
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    leaves = {i: parquet.schema.column(i) for i in range(len(parquet.schema))}
    lists = {
        i: leaf.path
        for i, leaf in leaves.items()
        if leaf.max_repetition_level and any(leaf.path.startswith(f"{name}.") for name in columns)
    }
    wide = sum(leaf.length for leaf in leaves.values() if leaf.physical_type == "FIXED_LEN_BYTE_ARRAY")
    each = _VALUE * len(columns) + wide  # a value of fixed length is written out wherever it occurs
    takes = sum(group.total_byte_size + each * group.num_rows for group in groups)
    if lists and takes <= most:
        parquet.scan_contents(list(lists.values()), _SCANNED)
        takes += sum((_VALUE + wide) * group.column(i).num_values for group in groups for i in lists)
    if takes > most:
        raise ValueError(f"it unpacks to more than {most >> 20} MB: {RAISE}")


def _pieces(batch: pa.RecordBatch, written: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield the rows with their texts written out, fewer at a time if they are large."""
    batch.validate(full=True)
    takes = sum(_written_out(column) for column in batch.columns)
    if len(batch) > 1 and takes > _PIECE:
        half = len(batch) // 2
        yield from _pieces(batch.slice(0, half), written)
        yield from _pieces(batch.slice(half), written)
        return
    if len(batch) == 1 and takes > limit(LINE):
        raise ValueError(f"a row of more than {limit(LINE) >> 20} MB: {RAISE}")
    plain = batch.cast(written)
    plain.validate(full=True)
    yield plain


def _written_out(array: pa.Array) -> int:
    """Return the bytes that an array takes with its texts written out."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        lengths = pc.take(pc.binary_length(array.dictionary), array.indices)
        return int(pc.sum(lengths).as_py() or 0) + 4 * len(array)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _written_out(array.flatten()) + 8 * len(array)
    if pa.types.is_struct(kind):
        return sum(_written_out(array.field(i)) for i in range(kind.num_fields))
    return int(array.nbytes)
