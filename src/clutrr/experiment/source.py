"""The stories to train or test on, out of any data that can be read."""

import hashlib
import threading
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from clutrr.errors import ConfigError
from clutrr.storage import Where

Tables = dict[str, pa.Table]  # by subset
T = TypeVar("T")


class Once:
    """What several threads need, read or made by the first that asks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: dict[Hashable, Future[Any]] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """What was made for this key; whoever asks while it is being made waits for it."""
        with self._lock:
            there = key in self._made
            future: Future[T] = self._made.setdefault(key, Future())
        if not there:
            try:
                future.set_result(make())
            except BaseException as error:
                future.set_exception(error)
        return future.result()


@dataclass(frozen=True)
class Shared:
    """What trainings in threads of one process have in common.

    once: what is read for one is available to the others. turn: for trainings that each fill the GPU.
    """

    once: Once = field(default_factory=Once)
    turn: AbstractContextManager[Any] = field(default_factory=threading.Lock)


def of_lengths(tables: Tables, ks: Sequence[int], path: Where) -> pa.Table:
    """The stories of these path lengths."""
    table = pa.concat_tables(tables.values())
    there = sorted(table["k"].unique().to_pylist())
    missing = [f"M{k}" for k in ks if k not in there]
    if missing:
        listed = ", ".join(f"M{k}" for k in there)
        raise ConfigError(f"k: {path} has no training stories of {', '.join(missing)}; it has {listed}")
    return table.filter(pc.is_in(table["k"], pa.array(ks, table["k"].type))).combine_chunks()


def only(tables: Tables, ks: Sequence[int] | None) -> Tables:
    """Of each subset the stories of these path lengths; all if none are named."""
    if ks is None:
        return tables
    found = {
        subset: table.filter(pc.is_in(table["k"], pa.array(ks, table["k"].type)))
        for subset, table in tables.items()
    }
    return {subset: table for subset, table in found.items() if table.num_rows}


def digest(tables: Iterable[pa.Table]) -> str:
    """A checksum of the part of the stories that a model sees."""
    found = hashlib.sha256()
    for table in tables:
        for row in zip(*(table[name].to_pylist() for name in ("story", "query", "target")), strict=True):
            found.update(repr(row).encode())
    return found.hexdigest()
