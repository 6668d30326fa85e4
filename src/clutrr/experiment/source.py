"""The stories to train or test on, out of any data that can be read."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from clutrr.data import scan
from clutrr.errors import ConfigError, DataError
from clutrr.generator.folder import MANIFEST

Tables = dict[str, pa.Table]  # by subset


def load_split(path: Path, split: str) -> Tables:
    """The stories of a split, by subset; all of them where the data does not tell splits."""
    found: dict[str | None, dict[str, list[pa.Table]]] = {}
    for part in scan(path):
        found.setdefault(part.split, {}).setdefault(part.subset, []).append(part.table)
    chosen = found.get(split) or found.get(None)
    if not chosen:
        raise DataError(f"{path}: no {split} stories, only {', '.join(sorted(filter(None, found)))}")
    return {name: pa.concat_tables(tables).combine_chunks() for name, tables in sorted(chosen.items())}


def of_lengths(tables: Tables, ks: Sequence[int], path: Path) -> pa.Table:
    """The stories of these path lengths."""
    table = pa.concat_tables(tables.values())
    there = sorted(table["k"].unique().to_pylist())
    missing = [f"M{k}" for k in ks if k not in there]
    if missing:
        listed = ", ".join(f"M{k}" for k in there)
        raise ConfigError(f"k: {path} has no training stories of {', '.join(missing)}; it has {listed}")
    return table.filter(pc.is_in(table["k"], pa.array(ks, table["k"].type))).combine_chunks()


def world_of(path: Path) -> dict[str, str] | None:
    """Name and checksum of the world the data was made in, where the folder says so."""
    try:
        manifest: Any = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    world = manifest.get("world") if isinstance(manifest, dict) else None
    return world if isinstance(world, dict) else None


def digest(tables: Iterable[pa.Table]) -> str:
    """A checksum of what a model sees of the stories."""
    found = hashlib.sha256()
    for table in tables:
        for row in zip(*(table[name].to_pylist() for name in ("story", "query", "target")), strict=True):
            found.update(repr(row).encode())
    return found.hexdigest()
