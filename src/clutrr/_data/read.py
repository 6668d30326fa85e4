"""The data files of a path, and the format of each, which its content shows, not its name."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path, PurePosixPath

from clutrr._data import own, published, v1
from clutrr._data.asked import HELP, Columns, asked_reader, columns_of, world_of_rows
from clutrr._data.babi import COLUMNS as BABI_COLUMNS
from clutrr._data.babi import babi_format, babi_rows, is_babi
from clutrr._data.part import Format, Part, Record, by_row
from clutrr._data.source import Bad, DataFile, RowPlace, records
from clutrr._io.files import PARTIAL, files_in
from clutrr._io.locations import Location
from clutrr._io.manifests import MANIFEST
from clutrr._table import EXTRA, STATEMENTS
from clutrr.errors import DataError, short

OWN = "own columns"
_SUFFIXES = (".csv", ".jsonl", ".parquet")
_LESS_USUAL = (".tsv", ".json")  # taken for data where a folder has no other
_TEXTS = (".txt",)  # and these where it has none of those either
_NAMED = 12  # columns in a message
_FIRST_LINES = 20  # that tell a text in the format of bAbI
_UNFINISHED = "not finished: run the command that writes it again"


def _own(name: str, scan: Callable[[DataFile, Bad], Iterator[Part]]) -> Format:
    """Return a format of ours, which can be read without a world."""
    return Format(
        name, own.COLUMNS, lambda source, world, notes: scan(source, notes.bad_row), fits=_has_facts
    )


def _has_facts(record: Record) -> bool:
    """Return whether a row of ours names its facts; otherwise they are read in its story."""
    return record.get("facts", "") not in ("", "[]", [], None) or not record


_PARQUET = [_own("parquet", own.scan_parquet), v1.HUB, *published.SETS]
_CSV = [_own("csv", own.scan_rows), v1.V1, v1.HUB, *published.STAR, published.V01]
_JSON = [_own("jsonl", own.scan_rows), published.V13, *published.SETS]


def sources(path: Location) -> list[DataFile]:
    """Return the data files of a folder, or the one file.

    Nothing is skipped silently, and what a command is still writing, or left unfinished, is refused.
    """
    try:
        if isinstance(path, Path):
            path.stat()
        if path.is_file():
            return [DataFile(path, path.name)]
        there = files_in(path) if isinstance(path, Path) else path.files()
    except FileNotFoundError:
        raise DataError("no such file or folder", place=path) from None
    except OSError as error:
        raise DataError(
            f"cannot be read: {error.strerror or error}", place=error.filename or path
        ) from None
    except ValueError as error:  # for example, a zero byte
        raise DataError(f"not the name of a file: {error}", place=repr(str(path))) from None
    if path.absolute().name.endswith(PARTIAL):
        raise DataError(_UNFINISHED, place=path)
    if not there and not isinstance(path, Path):
        raise DataError("no such file or folder", place=path)
    for name, size in there.items():
        above = [one.as_posix() for one in PurePosixPath(name).parents]
        work = next((one for one in above if one.endswith(PARTIAL)), None)
        if work is not None and not (work == PARTIAL and MANIFEST in there):
            raise DataError(_UNFINISHED, place=path / work)
        if size < 0 and (path / name).is_dir() and not _is_hidden(name):
            raise DataError(
                "a link to another folder", place=path / name, hint="name that folder itself"
            )
    for suffixes in (_SUFFIXES, _LESS_USUAL, _TEXTS):
        if files := [name for name in sorted(there) if _is_data(name, suffixes)]:
            return [DataFile(path / name, name) for name in files]
    known = ", ".join((*_SUFFIXES, *_LESS_USUAL, *_TEXTS))
    raise DataError(f"no data file in this folder ({known}, gzipped or not)", place=path)


def _is_data(file: str, suffixes: tuple[str, ...]) -> bool:
    return (
        file.lower().removesuffix(".gz").endswith(suffixes)
        and not file.endswith(MANIFEST)
        and not _is_hidden(file)
    )


def _is_hidden(file: str) -> bool:
    return any(step.startswith(".") for step in file.split("/"))


def detect(source: DataFile, columns: Columns | None = None) -> Format:
    """Return the format of the file, by its first lines. columns: where a story, query and target are."""
    if source.parquet:
        return _choose(source, _PARQUET, source.parquet_schema().names, None, columns)
    for line, text in source.lines():
        if text.lstrip()[:1] in ("{", "["):
            place, record, _ = next(records(source), (line, {}, 0))
            return _choose(source, _JSON, list(record), place, columns)
        if text.strip() and not text.startswith("#"):
            break
    if is_babi([text for _, text in islice(source.lines(), _FIRST_LINES)]):
        rows = (record for _, record, _ in babi_rows(source, lambda error: None))
        return babi_format(source, lambda: world_of_rows(rows, BABI_COLUMNS).world.name)
    line, header = next(source.cells(), (0, []))
    if not line:
        raise source.error("empty: no header and no row")
    return _choose(source, _CSV, header, line, columns)


def _choose(
    source: DataFile,
    formats: Sequence[Format],
    columns: Sequence[str],
    line: RowPlace | None,
    named: Columns | None,
) -> Format:
    """Return the format that has these columns; or else that of a story, a question and an answer."""
    found = frozenset(columns)
    if named is None:
        for form in formats:
            if form.columns <= found and form.fits(_first(source)):
                return replace(
                    form,
                    extra=form.extra or EXTRA.name in found,
                    statements=form.statements or STATEMENTS.name in found,
                )
    elif missing := sorted(
        {name for names in named.values() for name in names}.difference(columns)
    ):
        there = ", ".join(short(name, quote=False) for name in columns[:_NAMED])
        raise source.error(f"no column {short(missing[0])}, only {there}", line)
    if where := columns_of(columns, named):
        # A row that is none is noted when the rows are read.
        rows = (record for _, record, _ in records(source, lambda error: None))
        world, origin = world_of_rows(rows, where)
        scan = by_row(asked_reader(where))
        return Format(
            OWN, frozenset(), scan, world.name, extra=True, statements=True, origin=origin
        )
    there = ", ".join(short(name, quote=False) for name in columns[:_NAMED])
    reason = (
        f"not a known kind of data file: no story, question and answer among its columns ({there})"
    )
    raise source.error(DataError(reason, hint=HELP), line)


def _first(source: DataFile) -> Record:
    """Return the first row; an empty one if there is none, or if it is broken."""
    try:
        return next((record for _, record, _ in records(source, at_once=1)), {})
    except DataError:
        return {}
