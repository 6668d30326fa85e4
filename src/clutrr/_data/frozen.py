"""Frozen test sets by name: their settings and checksums, and data recognised as one of them.

A frozen set is generated where it is needed, and is refused if it comes out otherwise than it was frozen. The
checksum of puzzles depends on nothing but their content: that of a row is the SHA-256 of the JSON list `[id,
story, question, query, target]` without spaces, in UTF-8; that of a subset the SHA-256 of those of its rows, in
hexadecimal, sorted, one a line.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

import pyarrow as pa

from clutrr._data.part import Part
from clutrr.errors import ConfigError

_FILE = "frozen.json"
_HASHED = ("id", "story", "question", "query", "target")


@dataclass(frozen=True)
class FrozenSet:
    """A test set that stays as it is for ever.

    - name: as `clutrr generate --set` takes it
    - about: what it is, in a sentence
    - settings: of `clutrr.generate`, with the world; all of it is split test
    - version: of the package that froze it
    - checksums: of each subset
    - canary: a text in every row, by which it can be found where it should not be
    """

    name: str
    about: str
    settings: Mapping[str, Any]
    version: str
    checksums: Mapping[str, str]
    canary: str


@cache
def frozen_sets() -> Mapping[str, FrozenSet]:
    """Return all frozen sets by name."""
    content = json.loads((files("clutrr._data") / _FILE).read_text(encoding="utf-8"))
    return {
        name: FrozenSet(name, canary=content["canary"], **about)
        for name, about in content["sets"].items()
    }


def frozen_set(name: str) -> FrozenSet:
    """Return a frozen set."""
    known = frozen_sets()
    if name not in known:
        raise ConfigError(f"is not one of {', '.join(known)}", setting="set", value=name)
    return known[name]


class Checksum:
    """The checksum of the puzzles of one subset, whatever their order."""

    def __init__(self) -> None:
        self._rows: list[str] = []

    def add(self, table: pa.Table) -> None:
        """Add the puzzles of a table."""
        columns = (table[name].to_pylist() for name in _HASHED)
        for row in zip(*columns, strict=True):
            content = json.dumps(list(row), ensure_ascii=False, separators=(",", ":"))
            self._rows.append(sha256(content.encode()).hexdigest())

    @property
    def text(self) -> str:
        """The checksum, in hexadecimal."""
        return sha256("\n".join(sorted(self._rows)).encode()).hexdigest()


def checksums(parts: Iterable[Part]) -> dict[str, str]:
    """Return the checksum of each subset."""
    found: dict[str, Checksum] = {}
    for part in parts:
        found.setdefault(part.subset, Checksum()).add(part.table)
    return {subset: one.text for subset, one in found.items()}


def checksums_of(tables: Mapping[str, pa.Table]) -> dict[str, str]:
    """Return the checksum of each subset. tables: their puzzles."""
    found = {subset: Checksum() for subset in tables}
    for subset, table in tables.items():
        found[subset].add(table)
    return {subset: one.text for subset, one in found.items()}


def joined_checksum(found: Mapping[str, str]) -> str:
    """Return one checksum of several subsets."""
    lines = (f"{subset} {one}" for subset, one in sorted(found.items()))
    return sha256("\n".join(lines).encode()).hexdigest()


def recognised(found: Mapping[str, str]) -> str:
    """Return which frozen set subsets are, or are some of; "" if they are none.

    - found: the checksum of each subset
    """
    for name, known in frozen_sets().items():
        if found and found.items() <= known.checksums.items():
            whole = len(found) == len(known.checksums)
            return name if whole else f"{', '.join(found)} of {name}"
    return ""
