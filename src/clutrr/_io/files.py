"""Files and folders: read with limits, written aside, synced, put in place whole."""

import contextlib
import errno
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import IO, Any

from clutrr._io.limits import RAISE, limit
from clutrr._io.locations import Location
from clutrr._io.locks import LOCK, lock_or_fail
from clutrr.errors import OutputError

PARTIAL = ".partial"  # where work goes on inside OUT
_MAKING = ".making"
_MADE = re.compile(r"\A\.(.+)\.[a-z0-9_]{8}\.making\Z")  # where a file is made, by its name
_SHOWN = 40  # letters of a file's name in that of such a folder
Seal = dict[str, Any]  # size and checksum of a file


@contextmanager
def writing(out: Location) -> Iterator[None]:
    """Turn what goes wrong with the disk into one line that names the output."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT) or "No space left" in str(error):
            raise OutputError("the disk is full; nothing was completed there", place=out) from error
        reason = error.strerror or " ".join(str(error).split())
        if not isinstance(out, Path):
            reason += "; run the same command again to go on"
        raise OutputError(f"cannot be written: {reason}", place=out) from error


@contextmanager
def atomic_write(path: Location) -> Iterator[Path]:
    """Yield a name to write a file under; when the block ends, the file is synced and takes its place.

    The name is in a folder that is this writer's alone, so that several may write the same file: the last
    one stays, whole. What goes to a URL is written here first; there, a file is either complete or absent.
    """
    if not isinstance(path, Path):
        with tempfile.TemporaryDirectory(prefix="clutrr-") as folder:
            yield Path(folder) / path.name
            path.put(Path(folder) / path.name)
        return
    begin = f".{path.name[:_SHOWN]}."
    for left in path.parent.iterdir():
        if left.name.startswith(begin) and left.name.endswith(_MAKING):
            with contextlib.suppress(OSError, OutputError), (left / LOCK).open("r+b") as lock:
                lock_or_fail(lock, "its writer is at work")
                shutil.rmtree(left)
    own = Path(tempfile.mkdtemp(_MAKING, begin, path.parent))
    try:
        with (own / LOCK).open("xb") as lock:
            with contextlib.suppress(OSError):  # not every file system has locks
                lock_or_fail(lock, "its writer is at work")
            yield own / path.name
            sync(own / path.name)
            os.replace(own / path.name, path)
            sync(path.parent)
    finally:
        shutil.rmtree(own, ignore_errors=True)


@contextmanager
def local_copy(path: Location) -> Iterator[Path]:
    """Yield a file or folder for what reads only local ones: one at a URL is fetched for so long."""
    if isinstance(path, Path):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="clutrr-") as folder:
        here = Path(folder) / path.name
        path.get(here)
        yield here


def replace_text(path: Location, text: str) -> Seal:
    """Write a file so that it is there whole or not at all; return its size and checksum."""
    content = text.encode("utf-8")
    with atomic_write(path) as making:
        making.write_bytes(content)
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    except OSError as error:
        if error.errno not in (
            errno.EINVAL,
            errno.ENOTSUP,
            errno.EBADF,
        ):  # there is nothing to wait for
            raise
    finally:
        os.close(number)


def is_empty(folder: Location, *but: str) -> bool:
    """Return whether a folder is empty except for these names and half-written files of theirs.

    At a URL, a folder that is not there is empty.
    """
    if isinstance(folder, Path):
        return folder.is_dir() and all(
            _MADE.sub(r"\1", entry.name) in but for entry in folder.iterdir()
        )
    return all(name.partition("/")[0] in but for name in folder.files())


def is_there(path: Location) -> bool:
    """Return whether anything has this name, be it a link that leads nowhere."""
    return os.path.lexists(path) if isinstance(path, Path) else path.exists()


def open_file(path: Location | Traversable) -> IO[bytes]:
    """Open a file to read. A pipe or a device, which may have no end, is none."""
    if isinstance(path, Path) and path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "not a file", str(path))
    return path.open("rb")


def file_digest(path: Location) -> str:
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]


def files_in(folder: Location) -> dict[str, int]:
    """Return the size of whatever is there but folders and work in progress, by its path there, in order.

    No link to a folder is followed. What is no file has no size, -1. A folder that cannot be read is refused.
    """
    if not isinstance(folder, Path):
        there = folder.files()
    else:
        found = []
        for at, folders, files in os.walk(folder, onerror=_refuse_unread):
            found += [Path(at, name) for name in files]
            found += [Path(at, name) for name in folders if os.path.islink(Path(at, name))]
        there = {
            entry.relative_to(folder).as_posix(): entry.stat().st_size if entry.is_file() else -1
            for entry in sorted(found)
        }
    return {name: size for name, size in there.items() if not name.startswith(f"{PARTIAL}/")}


def _refuse_unread(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error


def read_whole(path: Location | Traversable, most: int) -> bytes:
    """Return the content of a file of limited size. Raises OSError or ValueError where it cannot be read."""
    with open_file(path) as file:
        raw = file.read(limit(most) + 1)
    if len(raw) > limit(most):
        raise ValueError(f"more than {limit(most) >> 20} MB: {RAISE}")
    return raw


def replace_files(folder: Location, files: Mapping[str, str | bytes]) -> list[Location]:
    """Write files by name into a folder: all are written before one takes its place, the last named first."""
    with writing(folder), contextlib.ExitStack() as together:
        folder.mkdir(parents=True, exist_ok=True)
        for name, new in files.items():
            making = together.enter_context(atomic_write(folder / name))
            making.write_bytes(new.encode() if isinstance(new, str) else new)
    return [folder / name for name in files]
