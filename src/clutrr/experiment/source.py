"""The stories to train or test on, out of any data that can be read."""

import hashlib
from collections.abc import Iterable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from clutrr.errors import ConfigError
from clutrr.storage import Where

Tables = dict[str, pa.Table]  # by subset


def of_lengths(tables: Tables, ks: Sequence[int], path: Where) -> pa.Table:
    """Return the stories of these path lengths."""
    table = pa.concat_tables(tables.values())
    there = sorted(table["k"].unique().to_pylist())
    missing = [f"M{k}" for k in ks if k not in there]
    if missing:
        listed = ", ".join(f"M{k}" for k in there)
        raise ConfigError(f"k: {path} has no training stories of {', '.join(missing)}; it has {listed}")
    return table.filter(pc.is_in(table["k"], pa.array(ks, table["k"].type))).combine_chunks()


def only(tables: Tables, ks: Sequence[int] | None) -> Tables:
    """Return the stories of these path lengths, by subset; all if none are named."""
    if ks is None:
        return tables
    found = {
        subset: table.filter(pc.is_in(table["k"], pa.array(ks, table["k"].type)))
        for subset, table in tables.items()
    }
    return {subset: table for subset, table in found.items() if table.num_rows}


def digest(tables: Iterable[pa.Table]) -> str:
    """Return a checksum of the part of the stories that a model sees."""
    found = hashlib.sha256()
    for table in tables:
        for row in zip(*(table[name].to_pylist() for name in ("story", "query", "target")), strict=True):
            found.update(repr(row).encode())
    return found.hexdigest()
