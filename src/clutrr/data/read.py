"""The data files of a path, and the format of each, which its content shows, not its name."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath

from clutrr.data import before, own, v01, v1, v13
from clutrr.data.part import Notes, Part, PlacedPuzzle, parts
from clutrr.data.source import Bad, DataFile
from clutrr.errors import DataError
from clutrr.files import INSIDE, MANIFEST, files_in
from clutrr.storage import Where
from clutrr.world import World

_SUFFIXES = (".csv", ".jsonl", ".parquet")
_NO_FILE = f"no data file in this folder ({', '.join(_SUFFIXES)}, gzipped or not)"


@dataclass(frozen=True)
class Format:
    """A kind of file. columns: those that it must have. scan: gives its parts one after the other, given a
    world and where to note things. world: the one of published files of this kind; None for ours."""

    name: str
    columns: frozenset[str]
    scan: Callable[[DataFile, World, Notes], Iterator[Part]]
    world: str | None = None


def _own(name: str, scan: Callable[[DataFile, Bad, frozenset[str]], Iterator[Part]]) -> list[Format]:
    """Return a format of ours, as it is and as it was before version 0.3. It can be read without a world."""

    def of(columns: frozenset[str]) -> Format:
        return Format(name, columns, lambda source, world, notes: scan(source, notes.bad, columns))

    return [of(own.COLUMNS), of(before.COLUMNS)]


def _by_row(
    rows: Callable[[DataFile, World, Notes], Iterator[PlacedPuzzle]],
) -> Callable[[DataFile, World, Notes], Iterator[Part]]:
    return lambda source, world, notes: parts(rows(source, world, notes), source.path)


_HUB = Format("v1.0-hub", v1.HUB_COLUMNS, _by_row(v1.hub_rows), v1.WORLD)
_PARQUET = [*_own("parquet", own.scan_parquet), _HUB]
_CSV = [
    *_own("csv", own.scan_csv),
    Format("v1.0", v1.COLUMNS, _by_row(v1.rows), v1.WORLD),
    _HUB,
    Format("v0.1", v01.COLUMNS, _by_row(v01.rows), v01.WORLD),
]
_JSONL = [
    *_own("jsonl", own.scan_jsonl),
    Format("v1.3", v13.COLUMNS, _by_row(v13.rows), v13.WORLD),
]


def sources(path: Where) -> list[DataFile]:
    """The data files of a folder, or the one file."""
    if not isinstance(path, Path):
        return _sources_at(path)
    try:
        path.stat()
    except OSError as error:
        if not isinstance(error, FileNotFoundError):
            raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # for example, a zero byte
        raise DataError(f"{str(path)!r}: not the name of a file: {error}") from None
    if path.is_file():
        return [DataFile(path, path.name)]
    if not path.is_dir():
        raise DataError(f"{path}: no such file or folder")
    check_finished(path)
    files = sorted(file for file in _inside(path) if _is_data(file) and (path / file).is_file())
    if not files:
        raise DataError(f"{path}: {_NO_FILE}")
    return [DataFile(path / file, str(file)) for file in files]


def _sources_at(url: Where) -> list[DataFile]:
    """The same at a URL."""
    try:
        if url.is_file():
            return [DataFile(url, url.name)]
        there = files_in(url)
    except OSError as error:
        raise DataError(f"{url}: cannot be read: {error.strerror or error}") from None
    if not there:
        raise DataError(f"{url}: no such file or folder")
    if MANIFEST not in there and any(name.startswith(f"{INSIDE}/") for name in there):
        raise DataError(f"{url}: not finished: run the command that writes it again")
    files = [name for name in there if _is_data(PurePosixPath(name))]
    if not files:
        raise DataError(f"{url}: {_NO_FILE}")
    return [DataFile(url / name, name) for name in files]


def check_finished(path: Path) -> None:
    """Refuse what a command is still writing, or left unfinished."""
    for part in (path.absolute(), path / ".partial"):
        if part.name.endswith(".partial") and part.exists():
            raise DataError(f"{part}: not finished: run the command that writes it again")


def _inside(folder: Path) -> Iterator[Path]:
    """Everything below the folder, by its path there; nothing is skipped silently."""

    def refuse(error: OSError) -> None:
        raise DataError(f"{error.filename}: cannot be read: {error.strerror}")

    for at, folders, files in os.walk(folder, onerror=refuse):
        here = Path(at).relative_to(folder)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in folders:
            if (Path(at) / name).is_symlink():
                raise DataError(f"{Path(at) / name}: a link to another folder: name that folder itself")
            if name.endswith(".partial"):
                check_finished(Path(at) / name)
        yield from (here / name for name in files)


def _is_data(file: PurePath) -> bool:
    name = file.name.lower().removesuffix(".gz")
    return name.endswith(_SUFFIXES) and not any(part.startswith(".") for part in file.parts)


def detect(source: DataFile) -> Format:
    """The format of the file, by its first lines."""
    if source.parquet:
        return _choose(source, _PARQUET, source.parquet_columns(), None)
    for line, text in source.lines():
        if text.lstrip().startswith("{"):
            return _choose(source, _JSONL, _json_fields(source, text, line), line)
        if text.strip() and not text.startswith("#"):
            break
    line, header = next(source.cells(), (0, []))
    if not line:
        raise source.error("empty: no header and no row")
    return _choose(source, _CSV, header, line)


def _choose(source: DataFile, formats: Sequence[Format], columns: Sequence[str], line: int | None) -> Format:
    """The format that has these columns; else say what the nearest one lacks."""
    found = frozenset(columns)
    for form in formats:
        if form.columns <= found:
            return form
    nearest = max(formats, key=lambda form: len(form.columns & found) / len(form.columns))
    if not nearest.columns & found:
        raise source.error("not a known kind of data file: no column or field of one is in it", line)
    missing = ", ".join(map(repr, sorted(nearest.columns - found)))
    raise source.error(f"no column {missing}, so it is not a {nearest.name} file", line)


def _json_fields(source: DataFile, text: str, line: int) -> list[str]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        if text.strip() == "{":
            raise source.error(
                "a JSON object over several lines; a data file has one object a line", line
            ) from None
        raise source.error(f"not JSON: {error}", line) from None
    return list(content) if isinstance(content, Mapping) else []
