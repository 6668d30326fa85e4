"""The file of replies: JSON lines, one per reply, appended and never changed.

A line is written in one piece when its reply has arrived. A killed process leaves whole lines and at most
one incomplete line, which is dropped before the next is written.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from clutrr.errors import DataError
from clutrr.files import hold, writing

_BEGIN = b'{"id": "'  # of every line
Key = tuple[str, str, int]  # subset, id, number of the sample


class Record:
    """A file of replies, open for more. Only one process at a time."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path = path
        self._file = file

    def lines(self) -> Iterator[Mapping[str, Any]]:
        """Yield the replies that the file holds."""
        self._file.seek(0)
        for number, raw in enumerate(self._file, 1):
            if not raw.endswith(b"\n") and raw[: len(_BEGIN)] == _BEGIN[: len(raw)]:
                self._file.truncate(self._file.tell() - len(raw))
                return
            try:
                line = json.loads(raw)
                key_of(line)
            except (ValueError, KeyError, TypeError, RecursionError):
                raise DataError(
                    f"{self._path}: line {number}: not a reply that `clutrr ask` wrote; choose another file"
                ) from None
            yield line

    def add(self, line: Mapping[str, Any]) -> None:
        raw = json.dumps(line, ensure_ascii=False).encode() + b"\n"
        with writing(self._path):
            self._file.seek(0, os.SEEK_END)
            self._file.write(raw)
            self._file.flush()
            os.fsync(self._file.fileno())


def key_of(line: Mapping[str, Any]) -> Key:
    """The question and sample that a line answers."""
    subset, number, sample = line["subset"], line["id"], line["sample"]
    if not (isinstance(subset, str) and isinstance(number, str) and isinstance(sample, int)):
        raise TypeError
    return subset, number, sample


@contextmanager
def recording(path: Path) -> Iterator[Record]:
    """Open a file of replies to add to it; it is created if there is none."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        file = path.open("r+b")
    with file:
        hold(file, f"{path}: another process is writing to it")
        yield Record(path, file)
