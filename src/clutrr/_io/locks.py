"""One process at a time: locks that end with whoever holds them."""

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from clutrr._io.locations import Location
from clutrr.errors import OutputError

LOCK = "lock"
_LOCKING = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW


@contextmanager
def locked(path: Location) -> Iterator[None]:
    """Hold a lock, a file that exists only meanwhile; refused while another process holds it.

    At URLs nothing is locked: what is written there may be written twice.
    """
    if not isinstance(path, Path):
        yield
        return
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock = os.fdopen(os.open(path, _LOCKING, 0o666), "ab")
        except FileNotFoundError:  # whoever held the lock before has just removed the folder
            continue
        with lock:
            lock_or_fail(lock, f"{path.parent}: another process is at work there")
            there = False  # unless whoever held it before has removed it
            with contextlib.suppress(FileNotFoundError):
                there = os.path.samestat(os.fstat(lock.fileno()), path.stat())
            if not there:
                continue
            try:
                yield
            finally:
                with contextlib.suppress(OSError):
                    path.unlink()
        return


def lock_or_fail(lock: IO[bytes], busy: str) -> None:
    """Hold an open file as a lock until it is closed. busy: the error if another process holds it."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            raise
        raise OutputError(busy) from None
