"""Every row's finding as a file: Parquet, or JSON lines."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from clutrr._audit.rows import Examined
from clutrr._data.own import open_writer
from clutrr._io.files import atomic_write, writing
from clutrr._io.limits import LINE, limit
from clutrr._io.locations import Location
from clutrr._io.manifests import check_file_kind
from clutrr._reading.agreement import Agreement
from clutrr.errors import ConfigError, RowError

_TEXT, _TEXTS = pa.string(), pa.list_(pa.string())
_VERDICT = pa.struct(
    {"assume": _TEXT, "finding": _TEXT, "entailed": pa.bool_(), "possible": _TEXTS}
)
_SCHEMA = pa.schema(
    {
        **dict.fromkeys(("id", "subset", "split"), _TEXT),
        "k": pa.int32(),
        "target": _TEXT,
        "text": _TEXT,
        "verdicts": pa.list_(_VERDICT),
        "roles": _TEXTS,
        "shortest_path": pa.int32(),
        "unread": _TEXTS,
    }
)
_BATCH = 4096
UNUSABLE = "unusable"  # what the text of a row is that could not be read


class FindingsWriter:
    """Writes findings a few thousand at a time.

    to: what writes a table of them
    """

    def __init__(self, to: Callable[[pa.Table], None]) -> None:
        self._to = to
        self._waiting: list[dict[str, Any]] = []

    def add(self, subset: str, split: str, one: Examined) -> None:
        """Add what was found about a puzzle of a subset and split."""
        self._put(_finding(subset, split, one))

    def add_unusable(self, error: RowError) -> None:
        """Add a row that could not be read: its file and place for its id, and why."""
        self._put(
            {
                **dict.fromkeys(_SCHEMA.names),
                "id": error.location,
                "text": UNUSABLE,
                "verdicts": [],
                "roles": [],
                "unread": [error.without_place()],
            }
        )

    def _put(self, row: dict[str, Any]) -> None:
        self._waiting.append(row)
        if len(self._waiting) == _BATCH:
            self.flush()

    def flush(self) -> None:
        """Write what is waiting."""
        self._to(pa.Table.from_pylist(self._waiting, _SCHEMA))
        self._waiting.clear()


@contextmanager
def findings_file(path: Location) -> Iterator[FindingsWriter]:
    """Yield what takes each finding; only a file of findings is replaced.

    A file that is not finished is not left behind.
    """
    if path.suffix not in (".parquet", ".jsonl"):
        raise ConfigError(
            f"{path.name}: expected a name that ends in .parquet or .jsonl", setting="rows"
        )
    check_file_kind(path, "file of findings", _is_ours)
    with (
        writing(path),
        atomic_write(path) as making,
        open_writer(making, path.suffix[1:], {}, _SCHEMA) as to,
    ):
        writer = FindingsWriter(to)
        yield writer
        writer.flush()


def _is_ours(file: IO[bytes]) -> bool:
    """Return whether it is a file of findings."""
    parquet = file.read(4) == b"PAR1"
    file.seek(0)
    names = pq.read_schema(file).names if parquet else json.loads(file.readline(limit(LINE)))
    return set(names) == set(_SCHEMA.names)


def _finding(subset: str, split: str, one: Examined) -> dict[str, Any]:
    """Return what was found about a puzzle, as plain data."""
    unread = [] if one.told is Agreement.AGREES else [one.why]
    unread += [
        f"nothing was read of what {tail} is to {head} ({role})" for head, tail, role in one.unread
    ]
    return {
        "id": one.id,
        "subset": subset,
        "split": split,
        "k": one.asked.k,
        "target": one.asked.target,
        "text": one.told.value,
        "verdicts": [
            {"assume": assume, **vars(judgement), "finding": judgement.finding.value}
            for assume, judgement in one.judgements.items()
        ],
        "roles": [role for role, _ in one.read],
        "shortest_path": one.shortest,
        "unread": unread,
    }
