"""Blocks of puzzles. Block b of a subset and split is a pure function of config, world and b."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from clutrr.errors import ConfigError
from clutrr.generator.config import SPLITS, Config
from clutrr.generator.disjoint import sides
from clutrr.generator.noise import NoiseSource, script_of
from clutrr.generator.sampler import FAMILIES, Paths, Sampler
from clutrr.generator.sources import UNIFORM_EDGES, Ints
from clutrr.generator.verdicts import Verdicts
from clutrr.puzzle import CANNOT_BE_TOLD, ROLES, SCHEMA, Puzzle, from_table
from clutrr.story import Facts, ProseRenderer, Renderer, Stories, integers, lists, pick, ragged
from clutrr.world import GENDERS, World

BLOCK = 4096  # puzzles
_SMALL_BLOCK = 256  # of long chains, which take longer to draw
_DIGITS = 9  # of the number in an id


def block_size(k: int) -> int:
    """How many puzzles a block of this length has."""
    return BLOCK if k <= UNIFORM_EDGES else _SMALL_BLOCK


class _Voice:
    """How the stories of a split are told, and the names in them."""

    def __init__(self, config: Config, world: World) -> None:
        order = config.benchmark.order
        self.renderer = Renderer(world, config.distractors, order, config.brackets)
        self.teller: Renderer | ProseRenderer = self.renderer
        if config.style == "prose" and world.prose is not None:
            self.teller = ProseRenderer(world, world.prose, config.distractors, order, config.brackets)
        self.names = pa.array([name for names in world.names for name in names])
        self.words = pa.concat_arrays([self.names, pa.array(world.relations)])


class Generator:
    """Makes the blocks of a data set."""

    def __init__(self, config: Config, world: World) -> None:
        config.check_world(world)
        self.config = config
        self.world = world
        self._sides = sides(config, world)
        train, test = (self._sides[split] for split in SPLITS)
        voice = _Voice(config, train)
        self._voices = {SPLITS[0]: voice, SPLITS[1]: voice if test is train else _Voice(config, test)}
        self._kinds = pa.array([kind.name for kind in world.kinds])
        self._relations = pa.array(world.relations)
        self._labels = pa.array([*world.relations, CANNOT_BE_TOLD])
        self._genders = pa.array(GENDERS)
        self._roles = pa.array(ROLES)
        self._verdicts = Verdicts(config, world)
        self._noise = NoiseSource(config, world)
        self._samplers: dict[tuple[str, int], Sampler] = {}
        self._made: dict[tuple[str, int, int], pa.Table] = {}  # the first that was checked, till it is used

    def block(self, split: str, k: int, number: int, rows: int | None = None) -> pa.Table:
        """A table of `block_size(k)` puzzles, or of the first of them."""
        size = block_size(k) if rows is None else min(rows, block_size(k))
        made = self._made.pop((split, k, number), None)
        return made if made is not None and len(made) == size else self._block(split, k, number, size)

    def _block(self, split: str, k: int, number: int, rows: int) -> pa.Table:
        seed = np.random.SeedSequence(self.config.seed, spawn_key=(SPLITS.index(split), k, number))
        rng = np.random.default_rng(seed)
        paths = self._sampler(split, k).draw(rng, block_size(k))
        return self._table(self._voices[split], f"M{k}-{split}", number, paths, rng, rows)

    def check(self) -> None:
        """Make sure that there are puzzles in every subset and split that is asked for."""
        for key in [(split, k, 0) for k in self.config.k for split in SPLITS if self.config.size(split)]:
            made = self._block(*key, rows=min(self.config.size(key[0]), block_size(key[1])))
            self._made = self._made or {key: made}

    def notes(self) -> Iterator[str]:
        """Remarks on the subsets: labels that they lack, and patterns that are so few that they repeat."""
        for k in self.config.k:
            split = max(SPLITS, key=self.config.size)
            sampler = self._sampler(split, k)
            lacking = [
                relation
                for i, kind in enumerate(self.world.kinds)
                if self.config.benchmark.balanced and i not in sampler.targets
                for relation in kind.words
            ]
            if lacking:
                yield f"M{k}: no such question of {k} facts has the answer {', '.join(lacking)}"
            if sampler.patterns is not None and sampler.patterns < self.config.size(split):
                yield self._few_patterns(k, sampler.patterns, split)

    def _few_patterns(self, k: int, patterns: int, split: str) -> str:
        """A remark on a subset with few patterns. split: the larger one, in which they repeat most."""
        times, apart = self.config.size(split) / patterns, "patterns" in self.config.disjoint
        note = f"M{k}: only {patterns:,} distinct patterns of {k} facts entail their answer"
        note += f" and are kept for {split}, so it has " if apart else f", so {split} has "
        note += f"each about {times:,.0f} times" if times >= 2 else "some of them twice"
        if all(map(self.config.size, SPLITS)) and not apart:
            note += ", and test has the same ones as train (--disjoint patterns keeps them apart)"
        return note

    def _sampler(self, split: str, k: int) -> Sampler:
        # Unless they divide the patterns or the names, train and test draw from the same paths.
        apart = {"patterns", "names"} & set(self.config.disjoint)
        key = (split if apart else SPLITS[0], k)
        if key not in self._samplers:
            world = self._sides[split] if "names" in apart else self.world
            self._samplers[key] = Sampler(self.config, world, *key)
        return self._samplers[key]

    def _table(
        self, voice: _Voice, prefix: str, number: int, paths: Paths, rng: np.random.Generator, rows: int
    ) -> pa.Table:
        """The first rows of a block; everything is drawn for all of it, so that they are always the same."""
        size, k = paths.kinds.shape
        paths, noise = self._noise.draw(paths, rng) if self.config.noise else (paths, None)
        script = script_of(paths, noise, self.world)
        people, facts = script.names, script.facts
        target = self.world.labels(paths.targets, script.genders[:, k])
        ends = Facts(people[:, 0], target, people[:, k])
        triples = np.stack([facts.head, facts.relation + len(voice.names), facts.tail], axis=1)
        described = [pick(voice.names, people), pick(self._genders, script.genders)]
        roles = np.zeros(k, np.int64) if noise is None else np.append(np.zeros(k, np.int64), noise.roles)
        stories = voice.teller.stories(script, rng)
        columns = {
            "id": _numbered(prefix, number * size + np.arange(size)),
            "story": stories.text,
            "abstract": pc.if_else(paths.untold, "", voice.renderer.facts(ends, rng)),
            "query": lists(pick(voice.names, people[:, [0, k]]), 2),
            "target": pick(self._labels, np.where(paths.untold, len(self._relations), target)),
            "k": integers(np.full(size, k, np.int32)),
            "pattern": lists(pick(self._kinds, paths.kinds), k),
            "facts": lists(lists(pick(voice.words, triples), 3), len(roles)),
            "people": lists(pa.StructArray.from_arrays(described, ["name", "gender"]), people.shape[1]),
            "family": pick(
                _numbered(f"{prefix}-family", number * FAMILIES + np.arange(FAMILIES)), paths.family
            ),
            "roles": lists(pick(self._roles, np.tile(roles, size)), len(roles)),
            "sentences": _sentences(stories),
        }
        first = [column.slice(0, rows) for column in columns.values()]
        judged = self._judge(paths if rows == size else paths.take(np.arange(rows)))
        return pa.Table.from_arrays([*first, *judged], schema=SCHEMA)

    def _judge(self, paths: Paths) -> tuple[pa.Array, pa.Array]:
        """The relations that each puzzle's facts allow, and whether they allow something else."""
        genders = paths.genders
        possible, outside = self._verdicts.judge(paths.kinds, genders, paths.targets, paths.told)
        row, kind = np.nonzero(possible)
        ends = np.concatenate([[0], np.cumsum(possible.sum(axis=1))]).astype(np.int32)
        relations = pick(self._relations, 2 * kind + genders[row, -1])
        found, other = pa.ListArray.from_arrays(integers(ends), relations), pa.array(outside)
        if self.config.supporting or self.config.irrelevant:
            # More facts can only rule out more; of what the path alone leaves open, this is not worked out.
            open_ = possible.sum(axis=1) > 1
            found = pc.if_else(pa.array(open_), None, found)
            other = pc.if_else(pa.array(open_ | outside), None, other)
        return found, other


def _sentences(stories: Stories) -> pa.ListArray:
    """The spans of the sentences and the facts that each states, story by story."""
    facts = ragged(integers(stories.facts), stories.stated)
    columns = [integers(stories.start), integers(stories.end), facts]
    return ragged(pa.StructArray.from_arrays(columns, ["start", "end", "facts"]), stories.sentences)


def _numbered(prefix: str, numbers: Ints) -> pa.StringArray:
    """The prefix and each number, with leading zeros."""
    start = np.frombuffer(f"{prefix}-".encode(), np.uint8)
    text = np.empty((len(numbers), len(start) + _DIGITS), np.uint8)
    text[:, : len(start)] = start
    rest = numbers.astype(np.int32)
    for place in range(text.shape[1] - 1, len(start) - 1, -1):
        rest, digit = np.divmod(rest, np.int32(10))
        text[:, place] = digit + ord("0")
    offsets = np.arange(len(numbers) + 1, dtype=np.int32) * text.shape[1]
    return pa.StringArray.from_buffers(len(numbers), pa.py_buffer(offsets), pa.py_buffer(text))


class Puzzles(Sequence[Puzzle]):
    """The first `size` puzzles of a subset and split, made a block at a time when asked for."""

    def __init__(self, generator: Generator, split: str, k: int, size: int) -> None:
        self._split, self._k, self._size = split, k, size

        @lru_cache(maxsize=4)
        def block(number: int) -> tuple[Puzzle, ...]:
            return tuple(from_table(generator.block(split, k, number)))

        self._block = block

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, at: int) -> Puzzle: ...
    @overload
    def __getitem__(self, at: slice) -> list[Puzzle]: ...
    def __getitem__(self, at: int | slice) -> Puzzle | list[Puzzle]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(self._size))]
        if not -self._size <= at < self._size:
            raise IndexError(f"puzzle {at} of {self._size}")
        number, row = divmod(at % self._size, block_size(self._k))
        return self._block(number)[row]

    def __iter__(self) -> Iterator[Puzzle]:
        for i in range(self._size):
            yield self[i]

    def __repr__(self) -> str:
        return f"<{self._size} puzzles of M{self._k}, {self._split}>"


def puzzles(config: Config, world: World, split: str, size: int) -> Puzzles:
    """The puzzles of the one subset of a config."""
    if len(config.k) != 1:
        raise ConfigError("k: give one k for a sequence of puzzles")
    return Puzzles(Generator(config, world), split, config.k[0], size)
