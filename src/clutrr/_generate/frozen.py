"""Frozen test sets made: from their settings, and refused if they come out otherwise than they were frozen."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from clutrr._config import Config
from clutrr._data.frozen import Checksum, FrozenSet
from clutrr._data.part import extra_with
from clutrr._data.puzzles import PuzzleSequence
from clutrr._generate.blocks import Generator
from clutrr._generate.shards import with_extra
from clutrr._puzzle import SPLITS
from clutrr._table import from_table
from clutrr._worlds import load_world
from clutrr.errors import DataError

_SPLIT = SPLITS[1]


def frozen_config(settings: dict[str, Any]) -> tuple[Config, str]:
    """Return the config of the settings of a frozen set, and the name of its world."""
    told = dict(settings)
    world, size, k = told.pop("world"), told.pop("size"), tuple(told.pop("k"))
    told |= told.pop("noise", {})
    return Config(**told, k=k, train=0, test=size), world


def tables_of(generator: Generator) -> Iterator[tuple[str, pa.Table]]:
    """Yield the puzzles to test on, with their subset, a block at a time."""
    config = generator.config
    for k in config.k:
        size = generator.block_size(k)
        for number in range(-(-config.test // size)):
            yield f"M{k}", generator.block(_SPLIT, k, number, config.test - number * size)


def subset_checksums(generator: Generator) -> dict[str, str]:
    """Return the checksum of the puzzles to test on of each subset."""
    found: dict[str, Checksum] = {}
    for subset, table in tables_of(generator):
        found.setdefault(subset, Checksum()).add(table)
    return {subset: one.text for subset, one in found.items()}


def check_frozen(generator: Generator, frozen: FrozenSet) -> None:
    """Refuse a set that comes out otherwise than it was frozen."""
    made = subset_checksums(generator)
    for subset, known in frozen.checksums.items():
        if made.get(subset) != known:
            raise DataError(
                f"{subset} comes out otherwise than it was frozen "
                f"(checksum {made.get(subset, 'none')[:16]}..., not {known[:16]}...)",
                setting="set",
                value=frozen.name,
                hint=f"make it with clutrr {frozen.version}, and report this",
            )


def canary_cell(frozen: FrozenSet) -> str:
    """Return what the rows of a frozen set have in their column `extra`."""
    return extra_with(set=frozen.name, canary=frozen.canary) or ""


def puzzles_of(frozen: FrozenSet) -> PuzzleSequence:
    """Return the puzzles of a frozen set."""
    config, named = frozen_config(dict(frozen.settings))
    world = load_world(named)
    generator = Generator(config, world)
    check_frozen(generator, frozen)
    cell = canary_cell(frozen)
    parts = [list(from_table(with_extra(table, cell))) for _, table in tables_of(generator)]
    return PuzzleSequence(parts, world, generator.config.assume)
