"""Every row's finding as a file: Parquet, or JSON lines."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from clutrr.auditor.rows import Row
from clutrr.data.part import unread_edges
from clutrr.errors import ConfigError, OutputError
from clutrr.files import Where, atomic_write, is_there, writing
from clutrr.limits import LINE, limit
from clutrr.wording.check import Agreement

_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("subset", pa.string()),
        ("split", pa.string()),
        ("k", pa.int32()),
        ("target", pa.string()),
        ("text", pa.string()),
        (
            "verdicts",
            pa.list_(
                pa.struct(
                    [
                        ("assume", pa.string()),
                        ("finding", pa.string()),
                        ("entailed", pa.bool_()),
                        ("possible", pa.list_(pa.string())),
                    ]
                )
            ),
        ),
        ("roles", pa.list_(pa.string())),
        ("shortest_path", pa.int32()),
        ("unread", pa.list_(pa.string())),
    ]
)
_BATCH = 4096


class FindingsFile:
    """Takes rows one after the other. A file that is not finished is not left behind."""

    def __init__(self, path: Where | None) -> None:
        self._path = path
        self._waiting: list[dict[str, Any]] = []

    def add(self, subset: str, split: str, row: Row) -> None:
        if self._path is None:
            return
        self._waiting.append(finding_of(subset, split, row))
        if len(self._waiting) == _BATCH:
            self._flush()

    def _flush(self) -> None:
        """Write the rows that are waiting, if there is a file."""

    def close(self) -> None:
        """End the file."""

    @staticmethod
    @contextmanager
    def maybe(path: Where | None) -> "Iterator[FindingsFile]":
        """A file of findings, or nothing if no path is given. Only a file of findings is replaced."""
        if path is None:
            yield FindingsFile(None)
            return
        kinds: dict[str, type[_Parquet] | type[_JsonLines]] = {".parquet": _Parquet, ".jsonl": _JsonLines}
        if path.suffix not in kinds:
            raise ConfigError(f"rows: {path.name}: expected a name that ends in .parquet or .jsonl")
        _check_replaced(path)
        with writing(path), atomic_write(path) as making:
            file = kinds[path.suffix](making)
            try:
                yield file
                file._flush()
            finally:
                file.close()


def _check_replaced(path: Where) -> None:
    """Refuse to overwrite anything but a file of findings."""
    if not is_there(path):
        return
    try:
        if path.suffix == ".parquet":
            with path.open("rb") as file:
                names = pq.read_schema(file).names
        else:
            with path.open("rb") as file:
                names = list(json.loads(file.readline(limit(LINE))))
    except (OSError, ValueError, TypeError, RecursionError, pa.ArrowException):
        names = []
    if set(names) != set(_SCHEMA.names):
        raise OutputError(f"{path} already exists and is not a file of findings: choose another name")


class _Parquet(FindingsFile):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._file = pq.ParquetWriter(path, _SCHEMA, compression="zstd")

    def close(self) -> None:
        self._file.close()

    def _flush(self) -> None:
        self._file.write_table(pa.Table.from_pylist(self._waiting, _SCHEMA))
        self._waiting = []


class _JsonLines(FindingsFile):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._file = path.open("w", encoding="utf-8")

    def close(self) -> None:
        self._file.close()

    def _flush(self) -> None:
        self._file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in self._waiting)
        self._waiting = []


def finding_of(subset: str, split: str, row: Row) -> dict[str, Any]:
    """What was found about a row, as plain data."""
    puzzle = row.puzzle
    unread = [] if row.told is Agreement.AGREES else [row.why]
    unread += [
        f"nothing was read of what {edge.tail} is to {edge.head} ({edge.role})"
        for edge in unread_edges(puzzle)
    ]
    return {
        "id": puzzle.id,
        "subset": subset,
        "split": split,
        "k": puzzle.k,
        "target": puzzle.target,
        "text": row.told.value,
        "verdicts": [
            {
                "assume": assume,
                "finding": judgement.finding.value,
                "entailed": judgement.entailed,
                "possible": list(judgement.possible),
            }
            for assume, judgement in row.judgements.items()
        ],
        "roles": list(puzzle.roles),
        "shortest_path": row.shortest,
        "unread": unread,
    }
