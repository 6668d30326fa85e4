"""Shards: the files of a generated data set, each a range of blocks that can be made by itself."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from clutrr._data.own import open_writer
from clutrr._generate import Config, Generator
from clutrr._io.files import atomic_write
from clutrr._io.locations import Location
from clutrr._io.manifests import seal
from clutrr._io.records import load_sealed, replace_sealed
from clutrr._puzzle import SPLITS
from clutrr._statement import from_record
from clutrr._table import EXTRA, STATEMENTS, counts, schema_with
from clutrr._writing.arrow import string

SHARD = 32 * 4096  # puzzles in a file, at most: whole blocks
_SHOWN = ["story", "question", "target"]  # of the first row, on the card


@dataclass(frozen=True)
class Shard:
    """One file: puzzles start to stop of a subset and split."""

    k: int
    split: str
    number: int
    of: int
    start: int
    stop: int

    def path(self, form: str) -> str:
        """Return where the file lies in the folder of the data set."""
        return f"data/M{self.k}/{self.split}-{self.number:05d}-of-{self.of:05d}.{form}"

    @property
    def rows(self) -> int:
        return self.stop - self.start


def shards(config: Config) -> Iterator[Shard]:
    """Yield the files of a data set."""
    several = len(config.routes)
    most = (
        SHARD // several // 4096 * 4096 * several
    )  # whole blocks, whatever their number of routes
    for k in config.k:
        for split in SPLITS:
            size = config.size(split)
            files = -(-size // most)
            for number in range(files):
                start = number * most
                yield Shard(k, split, number, files, start, min(start + most, size))


@dataclass(frozen=True)
class Written:
    """What is known of a finished shard."""

    seal: dict[str, Any]  # the size and checksum of the file
    labels: dict[str, int]
    patterns: dict[str, int]
    sample: dict[str, Any]  # what is shown of the first row
    statements: dict[str, int] = field(default_factory=dict)  # by role and kind

    @classmethod
    def load(cls, path: Location) -> "Written | None":
        """Return what a record says; None if it is missing or incomplete."""
        content = load_sealed(path)
        return cls(**content) if set(content) == {one.name for one in fields(cls)} else None

    def save(self, path: Location) -> None:
        replace_sealed(path, vars(self))


def write_shard(
    generator: Generator,
    shard: Shard,
    form: str,
    folder: Location,
    about: dict[str, str],
    extra: str | None = None,
) -> Written:
    """Make the shard's file in the folder; it appears under its name when it is complete.

    extra: what every row has in that column, if there is one.
    """
    columns = generator.schema.names
    schema = schema_with(columns if extra is None else [*columns, EXTRA.name])
    path = folder / shard.path(form)
    path.parent.mkdir(parents=True, exist_ok=True)
    labels: Counter[str] = Counter()
    statements: Counter[str] = Counter()
    patterns: Counter[str] = Counter()
    sample: dict[str, Any] = {}
    with atomic_write(path) as making:
        with open_writer(making, form, about, schema) as write:
            for block in _blocks(generator, shard):
                write(block if extra is None else with_extra(block, extra))
                labels.update(counts(block["target"]))
                statements.update(_roles_and_kinds(block))
                patterns.update(counts(pc.binary_join(block["pattern"], string("-"))))
                sample = sample or block.select(_SHOWN).slice(0, 1).to_pylist()[0]
        sealed = seal(making)
    return Written(sealed, dict(labels), dict(patterns), sample, dict(statements))


def _roles_and_kinds(block: pa.Table) -> Iterator[str]:
    """Yield of each statement that is no fact what it is for, and its kind."""
    if STATEMENTS.name in block.column_names:
        for record in pc.list_flatten(block[STATEMENTS.name]).to_pylist():
            one = from_record(record)
            yield f"{one.role}: {one.kind.value}"


def with_extra(table: pa.Table, extra: str) -> pa.Table:
    """Return a table whose rows all have the same in the column `extra`."""
    return table.append_column(EXTRA, pa.repeat(pa.scalar(extra), len(table)))


def _blocks(generator: Generator, shard: Shard) -> Iterator[pa.Table]:
    size = generator.block_size(shard.k)
    for number in range(shard.start // size, -(-shard.stop // size)):
        yield generator.block(shard.split, shard.k, number, shard.stop - number * size)
