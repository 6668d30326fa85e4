"""Paths for a block of puzzles: families, and a path in one of them for each puzzle."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
import numpy.typing as npt

from clutrr.errors import ConfigError
from clutrr.family import Families, PathTable, Shape, regular, sample, sample_families
from clutrr.generator.config import Config
from clutrr.generator.mixing import draw_untold
from clutrr.generator.sources import UNIFORM_EDGES, Ints, Kinds, Source, Sources, changes
from clutrr.story import Cast
from clutrr.world import World
from clutrr.world.assumptions import Assumption

FAMILIES = 64  # in a block
_ROUNDS = 30  # of drawing in the same family before another is tried
_FAMILIES_TRIED = 40
_SHAPES_TRIED = 20 * FAMILIES
_BATCH = 1536  # paths drawn at once, at least
_TRIES = 4  # at least this many for each puzzle in a round, if a path may be of no use
_LONG_BATCH, _LONG_TRIES = 128, 8  # the same for long paths, where walks take over from each other


@dataclass(frozen=True)
class Homes(Cast):
    """The cast of a block, which knows its families."""

    shapes: tuple[Shape, ...]  # of the families

    @classmethod
    def of(cls, groups: list[Families]) -> "Homes":
        return cls(
            np.concatenate([group.names.reshape(-1) for group in groups]),
            np.concatenate([group.genders.reshape(-1) for group in groups]),
            np.concatenate([group.traits.reshape(-1, group.traits.shape[2]) for group in groups]),
            tuple(group.shape for group in groups for _ in range(len(group.names))),
        )

    @property
    def first(self) -> Ints:
        """Of each family, the number of its first person."""
        sizes = np.array([shape.people for shape in self.shapes])
        first: Ints = np.cumsum(sizes) - sizes
        return first


@dataclass(frozen=True)
class Paths:
    """One path per row: its family and people (numbers within the block), kinds, what the ends are."""

    cast: Homes
    family: Ints
    people: Ints
    kinds: Kinds
    targets: Kinds
    told: npt.NDArray[np.bool_]  # whether the facts are known to leave one answer
    untold: npt.NDArray[np.bool_]  # whether they are known to leave several

    @property
    def genders(self) -> npt.NDArray[np.int8]:
        """Of everybody on the paths."""
        return self.cast.genders.take(self.people)

    @property
    def answers(self) -> Ints:
        """A number for each answer: target and gender of the last person; -1 where it cannot be told."""
        answers: Ints = self.targets.astype(np.int64) * 2 + self.cast.genders[self.people[:, -1]]
        return np.where(self.untold, -1, answers)

    def take(self, rows: Ints) -> "Paths":
        """Some of them, in any order."""
        columns = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "cast"}
        return Paths(self.cast, **{name: column[rows] for name, column in columns.items()})


@dataclass(frozen=True)
class _Wanted:
    """What each puzzle of a block must be.

    source: the number of the source of its path. kind, gender: its label, or None for any.
    """

    source: Ints
    kind: Kinds | None
    gender: npt.NDArray[np.int8] | None


class Sampler:
    """Draws the paths of one subset and split."""

    def __init__(self, config: Config, world: World, split: str, k: int) -> None:
        self._config = config
        self._world = world
        self._k = k
        self._levels = config.levels_for(k)
        self._preset = config.benchmark
        self._sources = Sources(config, world, split, k)
        self._regular: tuple[Shape, list[Source]] | None = None
        if config.children[0] == config.children[1]:
            shape = regular(self._levels, config.children[0])
            self._regular = shape, self._sources.of(shape)

    @cached_property
    def targets(self) -> list[int]:
        """The kinds that occur as targets, if labels are balanced.

        `sound` needs all of them. The stricter presets use those that there are.
        """
        every = list(range(len(self._world.kinds)))
        if self._config.assumption is Assumption.TREE and not self._preset.mixed:
            return every
        _, sources = self._regular or (
            None,
            self._sources.of(regular(self._levels, self._config.children[1])),
        )
        found = [kind for kind in every if any(source.paths.choice.has(kind) for source in sources)]
        if not found:
            raise ConfigError(
                f"k: preset {self._config.preset} has no question of {self._k} facts in families of "
                f"{self._levels} levels with {self._config.children[1]} children a couple"
            )
        return found

    @cached_property
    def patterns(self) -> int | None:
        """How many patterns entail their answer, if only such are drawn and they can be counted."""
        if not self._preset.entailed:
            return None
        if self._k > UNIFORM_EDGES:
            return sum(self._world.forced.count(self._k))
        return self._regular[1][0].patterns if self._regular is not None else None

    def draw(self, rng: np.random.Generator, size: int) -> Paths:
        """Draw that many paths."""
        untold = self._choose_untold(rng, size)
        wanted = self._want(rng, ~untold)
        groups = list(self._families(rng))
        cast = Homes.of([families for families, _ in groups])
        group_of = np.concatenate([np.full(len(g.genders), i) for i, (g, _) in enumerate(groups)])
        first = cast.first
        told = np.full(size, self._preset.determined) & ~untold
        family = np.arange(size) * FAMILIES // size
        people = np.empty((size, self._k + 1), np.int64)
        kinds = np.empty((size, self._k), np.int8)
        targets = np.empty(size, np.int8)
        drawn = Paths(cast, family, people, kinds, targets, told, untold)
        missing = ~untold
        waiting = int(missing.sum())
        for _ in range(_FAMILIES_TRIED):
            pending = np.flatnonzero(missing)
            if not len(pending):
                for i, (_, sources) in enumerate(groups):
                    self._fill_untold(rng, sources[0], np.flatnonzero(group_of == i), first, drawn)
                return drawn
            if len(pending) < waiting:  # the rest finds no path in its family
                family[pending] = rng.integers(0, FAMILIES, len(pending))
            for i, (_, sources) in enumerate(groups):
                for s, source in enumerate(sources):
                    mine = pending[(group_of[family[pending]] == i) & (wanted.source[pending] == s)]
                    for done, paths in self._fill(rng, source, cast.genders, first[family], wanted, mine):
                        people[done] = first[family[done], None] + paths
                        kinds[done] = source.kinds(paths)
                        targets[done] = source.related[paths[:, 0], paths[:, -1]]
                        missing[done] = False
        raise self._none_found(wanted, int(np.argmax(missing)))

    def _choose_untold(self, rng: np.random.Generator, size: int) -> npt.NDArray[np.bool_]:
        if not self._config.untold:
            return np.zeros(size, bool)
        return _spread(rng, size, 100) < self._config.untold

    def _fill_untold(
        self,
        rng: np.random.Generator,
        source: Source,
        families: Ints,
        first: Ints,
        drawn: Paths,
    ) -> None:
        """Draw questions of these families that cannot be told, imitating those that can."""
        mine = np.flatnonzero(drawn.untold & np.isin(drawn.family, families))
        if not len(mine):
            return
        told = np.flatnonzero(~drawn.untold)
        models = None
        if len(told):
            like = np.resize(rng.permutation(told), len(mine))
            models = drawn.kinds[like], drawn.cast.genders.take(drawn.people[like])
        found = draw_untold(
            rng,
            source,
            models,
            len(mine),
            lambda home, paths: drawn.cast.genders.take(first[home, None] + paths),
            families,
            self._sources.untold(source),
            len(self._world.kinds),
        )
        if found is None:
            raise ConfigError(
                f"undetermined: found too few questions of {self._k} facts that cannot be told in families "
                f"of {self._levels} levels with {self._config.children[1]} children a couple"
            )
        paths, drawn.family[mine] = found
        drawn.people[mine] = first[drawn.family[mine], None] + paths
        drawn.kinds[mine] = source.kinds(paths)
        drawn.targets[mine] = source.related[paths[:, 0], paths[:, -1]]

    def _fill(
        self,
        rng: np.random.Generator,
        source: Source,
        genders: npt.NDArray[np.int8],
        first: Ints,
        wanted: _Wanted,
        puzzles: Ints,
    ) -> Iterator[tuple[Ints, npt.NDArray[np.int16]]]:
        """Draw until each of the puzzles has a path, or there have been enough rounds.

        genders: of everybody. first: of each puzzle, the first person of its family.
        """
        choice = source.paths.choice
        listed = isinstance(source.paths, PathTable)  # then what is drawn is a path
        sure = listed and wanted.gender is None  # no draw is in vain
        short = self._k <= UNIFORM_EDGES
        batch, least = (_BATCH, _TRIES) if short else (_LONG_BATCH, _LONG_TRIES)
        if wanted.kind is not None:
            possible = np.array([choice.has(kind) for kind in range(len(self._world.kinds))])
            puzzles = puzzles[possible[wanted.kind[puzzles]]]
        for _ in range(_ROUNDS):
            if not len(puzzles) or choice.empty:
                return
            each = 1 if sure else max(least, -(-batch // len(puzzles)))
            tries = np.repeat(puzzles, each)
            kinds = None if wanted.kind is None else wanted.kind[tries]

            def worth(last: npt.NDArray[np.int16], tries: Ints = tries, each: int = each) -> Ints:
                if wanted.gender is None:
                    return np.arange(len(last))
                good = np.flatnonzero(genders[first[tries] + last] == wanted.gender[tries])
                return good[changes(good // each)] if listed else good

            paths, which = source.paths.draw(rng, len(tries), kinds, worth, each)
            place = which // each
            new = source.first_kept(paths, place)
            found = place[new]
            yield puzzles[found], paths[new]
            puzzles = np.delete(puzzles, found)

    def _want(self, rng: np.random.Generator, told: npt.NDArray[np.bool_]) -> _Wanted:
        source = np.searchsorted(self._sources.shares, _spread(rng, len(told), 100), side="right")
        if not self._preset.balanced:
            return _Wanted(source, None, None)
        labels = 2 * len(self.targets)
        label = np.zeros(len(told), np.int8)
        label[told] = (_spread(rng, int(told.sum()), labels) * labels).astype(np.int8)
        return _Wanted(source, np.array(self.targets, np.int8)[label // 2], label % 2)

    def _families(self, rng: np.random.Generator) -> Iterator[tuple[Families, list[Source]]]:
        """The families of a block, grouped by shape."""
        if self._regular is not None:
            shape, sources = self._regular
            yield sample_families(shape, self._world, FAMILIES, rng), sources
            return
        names = min(map(len, self._world.names))
        found = 0
        for _ in range(_SHAPES_TRIED):
            grown = sample(self._levels, *self._config.children, names, rng)
            if grown is not None:
                yield sample_families(grown, self._world, 1, rng), self._sources.of(grown)
                found += 1
                if found == FAMILIES:
                    return
        low, high = self._config.children
        raise ConfigError(
            f"levels, children: most families of {self._levels} levels with {low} to {high} children "
            f"a couple need more names than world {self._world.name!r} has"
        )

    def _none_found(self, wanted: _Wanted, puzzle: int) -> ConfigError:
        low, high = self._config.children
        children = str(low) if low == high else f"{low} to {high}"
        what = "an answer in the label set"
        if wanted.kind is not None and wanted.gender is not None:
            what = "target " + self._world.kinds[wanted.kind[puzzle]].words[wanted.gender[puzzle]]
        return ConfigError(
            f"k: found no path of {self._k} edges with {what} for preset {self._config.preset} in "
            f"families of {self._levels} levels with {children} children a couple"
        )


def _spread(rng: np.random.Generator, size: int, group: int) -> npt.NDArray[np.float64]:
    """Random numbers in [0, 1): every `group` consecutive ones fall into `group` equal parts, one each."""
    rows = -(-size // group)
    cells = rng.permuted(np.tile(np.arange(group), (rows, 1)), axis=1)
    return ((cells + rng.random((rows, group))) / group).reshape(-1)[:size]
