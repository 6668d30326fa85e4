"""Shards: the files of a generated data set, each a range of blocks that can be made by itself."""

import hashlib
import os
import platform
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from clutrr.data.own import open_writer
from clutrr.files import Where, atomic_write, load_sealed, replace_sealed, seal
from clutrr.generator import SPLITS, Config, Generator
from clutrr.puzzle import CONTENT
from clutrr.story import string
from clutrr.story.arrow import values_of

SHARD = 32 * 4096  # puzzles in a file, at most: whole blocks
GROUP = 2  # blocks written at once


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


def count(config: Config) -> int:
    """Return how many files a data set has."""
    return len(config.k) * sum(-(-config.size(split) // SHARD) for split in SPLITS)


def shards(config: Config) -> Iterator[Shard]:
    """Yield the files of a data set."""
    for k in config.k:
        for split in SPLITS:
            size = config.size(split)
            files = -(-size // SHARD)
            for number in range(files):
                start = number * SHARD
                yield Shard(k, split, number, files, start, min(start + SHARD, size))


@dataclass(frozen=True)
class Written:
    """What is known of a finished shard."""

    path: str
    k: int
    split: str
    rows: int
    seal: dict[str, Any]  # the size and checksum of the file
    blocks: list[str]  # the content digest of each block, in order
    labels: dict[str, int]
    patterns: dict[str, int]
    sample: dict[str, Any]  # the first row

    @classmethod
    def load(cls, path: Where) -> "Written | None":
        """Return what a record says; None if it is missing or incomplete."""
        content = load_sealed(path)
        return cls(**content) if set(content) == {field.name for field in fields(cls)} else None

    def save(self, path: Where) -> None:
        replace_sealed(path, asdict(self))


def write_shard(
    generator: Generator,
    shard: Shard,
    form: str,
    folder: Where,
    about: dict[str, str],
    tick: Callable[[int], None],
) -> Written:
    """Make the shard's file in the folder; it appears under its name when it is complete."""
    path = folder / shard.path(form)
    path.parent.mkdir(parents=True, exist_ok=True)
    blocks: list[str] = []
    labels: Counter[str] = Counter()
    patterns: Counter[str] = Counter()
    sample: dict[str, Any] = {}
    # Two workers may write the same shard: one that was given up, and its replacement.
    with atomic_write(path, f".{platform.node()}-{os.getpid()}-{threading.get_ident()}") as making:
        with open_writer(making, form, about) as write:
            for tables in _groups(generator, shard):
                group = pa.concat_tables(tables)
                write(group)
                blocks += [content_digest(table).hex() for table in tables]
                labels.update(_counts(group["target"]))
                patterns.update(_counts(pc.binary_join(group["pattern"], string("-"))))
                sample = sample or group.slice(0, 1).to_pylist()[0]
                tick(len(group))
        sealed = seal(making)
    return Written(
        shard.path(form),
        shard.k,
        shard.split,
        shard.rows,
        sealed,
        blocks,
        dict(labels),
        dict(patterns),
        sample,
    )


def _groups(generator: Generator, shard: Shard) -> Iterator[list[pa.Table]]:
    size = generator.block_size(shard.k)
    numbers = range(shard.start // size, -(-shard.stop // size))
    for at in range(0, len(numbers), GROUP):
        yield [
            generator.block(shard.split, shard.k, number, min(size, shard.stop - number * size))
            for number in numbers[at : at + GROUP]
        ]


def _counts(column: pa.ChunkedArray) -> dict[str, int]:
    counts = pc.value_counts(column)
    return dict(zip(counts.field(0).to_pylist(), counts.field(1).to_pylist(), strict=True))


def content_digest(table: pa.Table) -> bytes:
    """SHA-256 over the columns of `CONTENT` in order: of each the CRC-32 of where lists and
    strings end, and of the values. (SHA-256 of the values themselves would take as long as making them.)"""
    digest = hashlib.sha256()
    for name in CONTENT:
        digest.update(name.encode())
        column = table[name]
        _update(digest, column.chunk(0) if column.num_chunks == 1 else column.combine_chunks())
    return digest.digest()


def _update(digest: "hashlib._Hash", array: pa.Array) -> None:
    kind = array.type
    if pa.types.is_list(kind):
        _lengths(digest, values_of(array.offsets))
        _update(digest, array.flatten())
    elif pa.types.is_struct(kind):
        for field in array.flatten():
            _update(digest, field)
    elif pa.types.is_string(kind):
        offsets = np.frombuffer(array.buffers()[1], np.int32)[array.offset :][: len(array) + 1]
        _lengths(digest, offsets)
        data = memoryview(array.buffers()[2] or b"")[offsets[0] : offsets[-1]]
        digest.update(zlib.crc32(data).to_bytes(4, "little"))
    else:
        digest.update(values_of(array).astype("<i8").tobytes())


def _lengths(digest: "hashlib._Hash", offsets: npt.NDArray[np.integer]) -> None:
    ends = np.ascontiguousarray(offsets - offsets[0], "<i4")
    digest.update(zlib.crc32(ends.data).to_bytes(4, "little"))
