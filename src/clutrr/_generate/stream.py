"""Puzzles without end. Item i is a pure function of the settings, the seed and i, and costs what one costs.

Who is related to whom, and how, is drawn in blocks, as for a data set, and comes again after `_DRAWN` items;
names, wording, attributes and order are drawn for each item.
"""

from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from random import Random
from typing import Any, overload

from clutrr._config import Config
from clutrr._generate.blocks import Generator
from clutrr._generate.telling import PuzzleId, Storyteller
from clutrr._lexicon import World
from clutrr._puzzle import SPLITS, Puzzle
from clutrr.errors import ConfigError

_DRAWN = 1 << 17  # all are kept, so this bounds the memory


class Stream:
    """Puzzles without end: `stream[i]`, in any order and any process, is what an iteration finds there."""

    def __init__(self, config: Config, world: World, split: str = SPLITS[0]) -> None:
        if split not in SPLITS:
            raise ConfigError(f"is not one of {', '.join(SPLITS)}", setting="split", value=split)
        generator = Generator(config, world)
        self.config, self.world, self.split = generator.config, world, split
        side = generator.sides[split]
        self._teller = Storyteller(self.config, side, world)
        self._turns = self.config.turns
        self._key = f"{self.config.seed} {split} ".encode()
        self._drawn = cache(lambda *key: generator.questions(split, key))

    def __reduce__(self) -> tuple[Any, ...]:
        return Stream, (self.config, self.world, self.split)

    def __repr__(self) -> str:
        return f"<puzzles of world {self.world.name} without end, {self.split}, seed {self.config.seed}>"

    @property
    def assume(self) -> str:
        """The assumption under which answers are proved."""
        return self.config.assume or ""

    def __iter__(self) -> Iterator[Puzzle]:
        number = 0
        while True:
            yield self[number]
            number += 1

    @overload
    def __getitem__(self, number: int) -> Puzzle: ...
    @overload
    def __getitem__(self, number: slice) -> list[Puzzle]: ...
    def __getitem__(self, number: int | slice) -> Puzzle | list[Puzzle]:
        if isinstance(number, slice):
            if number.stop is None:
                raise IndexError("a slice of a stream needs an end: stream[:100]")
            return [self[i] for i in range(number.start or 0, number.stop, number.step or 1)]
        if number < 0:
            raise IndexError(f"item {number} of a stream, which begins at 0 and has no end")
        turn, place = divmod(number, len(self._turns))
        k, routes = self._turns[place]
        each = len(self._drawn(k, routes, 0)[0])
        block = turn // each % max(1, _DRAWN // (each * len(self._turns)))
        drawn = blake2b(b"%s%d" % (self._key, number), digest_size=16).digest()
        rng, called = Random(int.from_bytes(drawn)), PuzzleId(self.split, number)
        return self._teller.puzzle(*self._drawn(k, routes, block), turn % each, called, rng)
