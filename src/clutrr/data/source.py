"""Files as lines and cells, with the place of everything in them.

A source is opened again for each pass, and unzipped on the way. Lines, rows and cells are bounded, and so
is what a packed file may unpack to: no file is ever read into memory as a whole. The
limits are those of `clutrr.limits`, which says how to raise them.
"""

import csv
import gzip
import re
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from clutrr.data.unpack import check_size, open_parquet, pieces, unpacked
from clutrr.errors import DataError, RowError, short
from clutrr.limits import CELL, COLUMNS, LINE, RAISE, limit
from clutrr.storage import Where

_ROWS = 512  # of a Parquet file at a time
_COPIED = 1 << 20  # bytes at a time
_GZIP = b"\x1f\x8b"
_PARQUET = b"PAR1"
_SPLIT = re.compile(r"(?:^|[^a-z])(train|test|valid|validation|dev)(?:[^a-z]|$)")
_SPLITS = {"train": "train", "test": "test"} | dict.fromkeys(("valid", "validation", "dev"), "validation")

Place = int | str  # a line, or in words
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
                return _SPLITS[found]
        return None

    @property
    def subset(self) -> str | None:
        """The subset whose folder in a data set this is: data/M3/..."""
        parts = Path(self.named).parts
        return parts[-2] if len(parts) > 2 and parts[-3] == "data" else None

    def error(self, message: str, place: Place | None = None) -> RowError:
        """An error that names the file and the place."""
        where = "" if place is None else f"line {place}" if isinstance(place, int) else place
        return RowError(str(self.path), where, message)

    @contextmanager
    def open(self) -> Iterator[IO[bytes] | gzip.GzipFile]:
        """The bytes, without gzip."""
        try:
            with self.path.open("rb") as plain:
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

    @contextmanager
    def seekable(self) -> Iterator[Any]:
        """The bytes without gzip, in any order."""
        with self.open() as file:
            if not isinstance(file, gzip.GzipFile):
                yield file
                return
            with tempfile.TemporaryFile() as plain:
                most = unpacked(self.path.stat().st_size)
                while block := file.read(_COPIED):
                    plain.write(block)
                    if plain.tell() > most:
                        raise self.error(f"unpacks to more than {most >> 20} MB: {RAISE}")
                plain.seek(0)
                yield plain

    @property
    def parquet(self) -> bool:
        with self.open() as file:
            return file.read(4) == _PARQUET

    def lines(self) -> Iterator[tuple[int, str]]:
        """The lines, numbered from 1, each with its end."""
        longest = limit(LINE)
        with self.open() as file:
            number = 0
            while raw := file.readline(longest + 1):
                number += 1
                if len(raw) > longest:
                    raise self.error(f"a line of more than {longest >> 20} MB: {RAISE}", number)
                if number == 1 and b"\0" in raw:
                    raise self.error("a zero byte: this is not a text file", number)
                try:
                    text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError as error:
                    raise self.error(f"not UTF-8 text (byte {error.start + 1} of the line)", number) from None
                yield number, text

    def cells(self) -> Iterator[tuple[int, list[str]]]:
        """The rows of a CSV file from its header on, each with the line it starts on."""
        before, comments, size, most = 1, True, 0, limit(LINE)

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
        reader = csv.reader(content(), strict=True)
        line = before
        try:
            for row in reader:
                line, size = before if line < before else line, 0
                if row:
                    yield line, row
                line = before + reader.line_num
        except csv.Error as error:
            raise self.error(f"broken CSV: {error}", line) from None

    def records(
        self, needed: frozenset[str], bad: "Bad | None" = None
    ) -> Iterator[tuple[Place, dict[str, str]]]:
        """The rows of a CSV or Parquet file with their places, by the names of their columns.

        - bad: called for a row with too few or too many cells, which is left out unless it raises.
        """
        if self.parquet:
            yield from self._parquet_records(needed)
        else:
            yield from self._csv_records(needed, bad or refuse)

    def _csv_records(self, needed: frozenset[str], bad: "Bad") -> Iterator[tuple[Place, dict[str, str]]]:
        rows = self.cells()
        at, header = next(rows, (1, []))
        check_columns(self, header, needed, at)
        for line, row in rows:
            if len(row) != len(header):
                bad(self.error(f"{len(row)} cells where the header has {len(header)}", line))
                continue
            yield line, dict(zip(header, row, strict=True))

    def _parquet_records(self, needed: frozenset[str]) -> Iterator[tuple[Place, dict[str, str]]]:
        number = 0
        others = frozenset(self.parquet_columns())
        for batch in self.batches(needed, _ROWS, others):
            for row in batch.to_pylist():
                number += 1
                yield f"row {number}", {name: "" if v is None else str(v) for name, v in row.items()}

    def parquet_columns(self) -> list[str]:
        """The names of the columns of a Parquet file."""
        with self._open_parquet() as parquet:
            return list(parquet.schema_arrow.names)

    def batches(
        self, needed: frozenset[str], size: int, wanted: frozenset[str] = frozenset()
    ) -> Iterator[pa.RecordBatch]:
        """The needed columns of a Parquet file, and the wanted ones that it has, some rows at a time."""
        with self._open_parquet() as parquet:
            there = parquet.schema_arrow.names
            check_columns(self, there, needed, None)
            columns = sorted(needed | wanted.intersection(there))
            check_size(parquet, columns, self.path.stat().st_size)
            # A group at a time: pyarrow cannot join nested texts that two groups number differently.
            for group in range(parquet.num_row_groups):
                for batch in parquet.iter_batches(size, [group], columns):
                    yield from pieces(batch)

    @contextmanager
    def _open_parquet(self) -> Iterator[pq.ParquetFile]:
        with self.seekable() as file:
            try:
                yield open_parquet(file)
            except (pa.ArrowException, OSError, ValueError) as error:
                raise self.error(f"broken Parquet: {' '.join(str(error).split())}") from None


def check_columns(source: DataFile, columns: list[str], needed: frozenset[str], line: int | None) -> None:
    """No column may appear twice or be missing, and there may not be too many."""
    if len(columns) > limit(COLUMNS):
        raise source.error(f"{len(columns):,} columns, more than {limit(COLUMNS):,}: {RAISE}", line)
    for column, times in Counter(columns).items():
        if times > 1:
            raise source.error(f"the column {short(column)} appears twice in the header", line)
    missing = sorted(needed.difference(columns))
    if missing:
        raise source.error(f"no column {', '.join(map(repr, missing))}", line)
