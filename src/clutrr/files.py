"""Files written whole, folders put in place whole, and one process at a time."""

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clutrr.errors import OutputError


def file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def replace_text(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all."""
    making = path.with_name(path.name + ".making")
    making.write_text(text, encoding="utf-8")
    os.replace(making, path)


def is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


def move(made: Path, out: Path) -> None:
    """Put the finished folder in its place; what was there before goes last."""
    if not out.exists() or is_empty(out):
        made.rename(out)
        return
    old = out.with_name(f"{out.name}.replaced-{os.getpid()}")
    out.rename(old)
    made.rename(out)
    if old.is_dir():
        shutil.rmtree(old)
    else:
        old.unlink()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of this file; refused while another process holds it."""
    import fcntl

    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OutputError(f"{path.parent}: another process is at work there") from None
        yield
