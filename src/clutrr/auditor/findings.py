"""Every row's finding as a file: Parquet, or JSON lines."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from clutrr.auditor.rows import Examined
from clutrr.errors import ConfigError
from clutrr.files import Where, atomic_write, check_kind, writing
from clutrr.limits import LINE, limit
from clutrr.wording.check import Agreement

_VERDICT = pa.struct(
    [
        ("assume", pa.string()),
        ("finding", pa.string()),
        ("entailed", pa.bool_()),
        ("possible", pa.list_(pa.string())),
    ]
)
_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("subset", pa.string()),
        ("split", pa.string()),
        ("k", pa.int32()),
        ("target", pa.string()),
        ("text", pa.string()),
        ("verdicts", pa.list_(_VERDICT)),
        ("roles", pa.list_(pa.string())),
        ("shortest_path", pa.int32()),
        ("unread", pa.list_(pa.string())),
    ]
)
_BATCH = 4096


@contextmanager
def findings_file(path: Where) -> Iterator[Callable[[str, str, Examined], None]]:
    """Yield what takes each puzzle, with its subset and split; only a file of findings is replaced.

    A file that is not finished is not left behind.
    """
    if path.suffix not in (".parquet", ".jsonl"):
        raise ConfigError(f"rows: {path.name}: expected a name that ends in .parquet or .jsonl")
    check_kind(path, "file of findings", _is_ours)
    with writing(path), atomic_write(path) as making, _writer(making, path.suffix) as write:
        waiting: list[dict[str, Any]] = []

        def add(subset: str, split: str, one: Examined) -> None:
            waiting.append(finding_of(subset, split, one))
            if len(waiting) == _BATCH:
                write(waiting)
                waiting.clear()

        yield add
        write(waiting)


@contextmanager
def _writer(path: Path, suffix: str) -> Iterator[Callable[[list[dict[str, Any]]], None]]:
    if suffix == ".parquet":
        with pq.ParquetWriter(path, _SCHEMA, compression="zstd") as table:
            yield lambda rows: table.write_table(pa.Table.from_pylist(rows, _SCHEMA))
    else:
        with path.open("w", encoding="utf-8") as file:
            yield lambda rows: file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _is_ours(file: IO[bytes]) -> bool:
    """Return whether it is a file of findings."""
    parquet = file.read(4) == b"PAR1"
    file.seek(0)
    names = pq.read_schema(file).names if parquet else json.loads(file.readline(limit(LINE)))
    return set(names) == set(_SCHEMA.names)


def finding_of(subset: str, split: str, one: Examined) -> dict[str, Any]:
    """Return what was found about a puzzle, as plain data."""
    row = one.row
    unread = [] if one.told is Agreement.AGREES else [one.why]
    unread += [f"nothing was read of what {tail} is to {head} ({role})" for head, tail, role in one.unread]
    return {
        "id": one.id,
        "subset": subset,
        "split": split,
        "k": row.k,
        "target": row.target,
        "text": one.told.value,
        "verdicts": [
            {
                "assume": assume,
                "finding": judgement.finding.value,
                "entailed": judgement.entailed,
                "possible": list(judgement.possible),
            }
            for assume, judgement in row.judgements.items()
        ],
        "roles": list(one.roles),
        "shortest_path": row.shortest,
        "unread": unread,
    }
