"""Files as lines, cells and tables, with the place of everything in them.

A file is opened again for each pass, and unzipped on the way. Lines, rows and cells are bounded, and so is
what a file may unpack to (`UnpackBudget`): no file is ever read into memory as a whole. The limits are those
of `clutrr._io.limits`, which says how to raise them.
"""

import csv
import gzip
import io
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
import pyarrow.parquet as pq

from clutrr._data.parquet import MAGIC, open_parquet, read_batches
from clutrr._io.files import open_file
from clutrr._io.limits import CELL, COLUMNS, LINE, RAISE, UnpackBudget, UnpackedError, limit
from clutrr._io.locations import Location
from clutrr._io.records import parse_json
from clutrr.errors import DataError, RowError, short

# The names of lists that hold the questions of a passage, or passages.
_HOLDERS = ("questions", "qas", "qa_pairs", "paragraphs", "passages", "data")
_ROWS = 512  # of a Parquet file at a time
_GZIP = b"\x1f\x8b"
_SPLIT = re.compile(r"(?:^|[^a-z])(train|test|valid|validation|dev)(?:[^a-z]|$)")
SPLITS = {"train": "train", "test": "test"} | dict.fromkeys(
    ("valid", "validation", "dev"), "validation"
)

RowPlace = int | str  # a line, or in words
Sized = tuple[RowPlace, dict[str, Any], int]  # a row, its place, and its length as text
Bad = Callable[[DataError], None]  # called with what cannot be read; it may raise


def refuse(error: DataError) -> None:
    """Raise: nothing bad is skipped."""
    raise error


@dataclass(frozen=True)
class DataFile:
    """A data file. named: the part of its path that may name a subset and a split."""

    path: Location
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

    def id_of(self, place: RowPlace) -> str:
        """Return the id of a row that has none: the name of the file, and its line, number or key there."""
        return f"{Path(self.named).name.partition('.')[0]}-{str(place).removeprefix('row ')}"

    def error(self, what: str | DataError, place: RowPlace | None = None) -> RowError:
        """Return an error that names the file and the place."""
        where = "" if place is None else f"line {place}" if isinstance(place, int) else place
        return RowError(self.path, where, what)

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The bytes, without gzip."""
        try:
            with open_file(self.path) as stored:
                zipped = stored.read(2) == _GZIP
                stored.seek(0)
                if zipped:
                    with gzip.open(stored) as unzipped:
                        yield io.BufferedReader(_Counted(unzipped, self._budget()))
                else:
                    yield stored
        except (OSError, EOFError, zlib.error) as error:
            if isinstance(error, gzip.BadGzipFile | EOFError | zlib.error):
                raise self.error(f"broken gzip: {error}") from None
            raise self.error(f"cannot be read: {error.strerror or error}") from None
        except UnpackedError as error:
            raise self.error(str(error)) from None

    def _budget(self) -> UnpackBudget:
        return UnpackBudget(self.path.stat().st_size)

    @property
    def parquet(self) -> bool:
        with self.open() as file:
            return file.read(len(MAGIC)) == MAGIC

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
                        f"not UTF-8 text (byte {error.start + 1} of the line): save it as UTF-8",
                        number,
                    ) from None
                yield number, text

    def cells(self) -> Iterator[tuple[int, list[str]]]:
        """The rows of a CSV or TSV file from its header on, each with the line it starts on.

        What separates cells is what the header has most of: spreadsheets write semicolons in some countries.
        """
        before, comments, size, most = 1, True, 0, limit(LINE)
        header = next(
            (text for _, text in self.lines() if text.strip() and not text.startswith("#")), ""
        )

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
            yield from read_batches(parquet, wanted, size, self._budget())

    @contextmanager
    def _open_parquet(self) -> Iterator[pq.ParquetFile]:
        with self.open() as file:
            if isinstance(getattr(file, "raw", None), _Counted):
                raise self.error("a gzipped Parquet file: unpack it first")
            try:
                yield open_parquet(file)
            except (MemoryError, UnpackedError):
                raise
            except (pa.ArrowException, OSError, ValueError) as error:
                if "bad_alloc" in str(error):
                    raise MemoryError from None
                raise self.error(f"broken Parquet: {' '.join(str(error).split())}") from None


class _Counted(io.RawIOBase):
    """What comes out of a zipped file, counted."""

    def __init__(self, unzipped: gzip.GzipFile, budget: UnpackBudget) -> None:
        self._unzipped, self._budget = unzipped, budget

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = self._unzipped.readinto(buffer)
        self._budget.spend(size)
        return size


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
        for place, row, size in json_lines(source, bad):
            yield from _questions_of(place, row, size)
    else:
        for key, content in _whole(source):
            if isinstance(content, dict):
                yield from _questions_of(f"row {key}", content, len(str(content)))
            else:
                bad(source.error("not a JSON object", f"row {key}"))


def _questions_of(place: RowPlace, row: dict[str, Any], size: int) -> Iterator[Sized]:
    """Yield a row; or, of a passage with a list of questions, a row for each of them."""
    found = list(_nested(row))
    if len(found) == 1 and found[0] is row:
        yield place, row, size
        return
    where = f"line {place}" if isinstance(place, int) else place
    for number, one in enumerate(found, 1):
        yield f"{where}, question {number}", one, size // len(found) + 1


def _nested(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the rows that are nested in lists of a row, at any depth, with what stands around them."""
    for name, value in row.items():
        if name in _HOLDERS and isinstance(value, list) and value:
            if not all(isinstance(one, dict) for one in value):
                continue
            around = {key: one for key, one in row.items() if key != name}
            for one in value:
                yield from _nested({**around, **one})
            return
    answers = row.get("answers")
    if isinstance(answers, list) and "answer" not in row:
        texts = [one.get("text") if isinstance(one, dict) else one for one in answers]
        if len({*map(str, texts)}) == 1:  # several annotators who agree
            row = {**row, "answer": texts[0]}
    yield row


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
    if isinstance(content, dict) and any(isinstance(content.get(one), list) for one in _HOLDERS):
        content = [content]
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


def parsed(source: DataFile, text: str, what: str, line: RowPlace) -> Any:
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
