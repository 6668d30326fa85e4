"""Paths for a block of puzzles: families, and a path in one of them for each puzzle."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from clutrr.errors import ConfigError
from clutrr.family import (
    Families,
    PathTable,
    Shape,
    Walks,
    enumerate_paths,
    regular,
    relations,
    sample,
    sample_families,
)
from clutrr.family.choice import Worth
from clutrr.generator.config import Config
from clutrr.generator.patterns import PatternRule
from clutrr.world import World

UNIFORM_EDGES = 6  # up to here every path is equally likely; beyond, walks are guided
FAMILIES = 64  # in a block
_LISTED = 30_000_000  # walks in a family whose paths are listed rather than looked for
_ROUNDS = 30  # of drawing in the same family before another is tried
_FAMILIES_TRIED = 40
_SHAPES_TRIED = 20 * FAMILIES
_BATCH = 1536  # paths drawn at once, at least
_TRIES = 4  # for each puzzle in a round, at least, where a path may be of no use

Ints = npt.NDArray[np.int64]
Kinds = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Cast:
    """Everybody in the families of a block, one family after the other: see `Families`."""

    names: npt.NDArray[np.int16]
    genders: npt.NDArray[np.int8]
    traits: npt.NDArray[np.uint16]  # (people, attributes)

    @classmethod
    def of(cls, groups: list[Families]) -> "Cast":
        return cls(
            np.concatenate([group.names.reshape(-1) for group in groups]),
            np.concatenate([group.genders.reshape(-1) for group in groups]),
            np.concatenate([group.traits.reshape(-1, group.traits.shape[2]) for group in groups]),
        )


@dataclass(frozen=True)
class Paths:
    """One path a row: its family and people (numbers within the block), and kinds."""

    cast: Cast
    family: Ints
    people: Ints
    kinds: Kinds
    targets: Kinds


@dataclass(frozen=True)
class _Wanted:
    """What each puzzle of a block must be.

    source: the number of the source of its path. kind, gender: its label, or None for any.
    """

    source: Ints
    kind: Kinds | None
    gender: npt.NDArray[np.int8] | None


@dataclass(frozen=True)
class _Source:
    """Where paths in families of one shape are drawn from, and which of them may be used."""

    related: Kinds
    paths: PathTable | Walks
    rule: PatternRule | None  # None: all

    def draw(
        self, rng: np.random.Generator, size: int, targets: Kinds | None, worth: Worth
    ) -> tuple[npt.NDArray[np.int16], Ints]:
        paths, which = self.paths.draw(rng, size, targets, worth)
        if self.rule is not None:
            good = self.rule.keep(self.kinds(paths))
            paths, which = paths[good], which[good]
        return paths, which

    def kinds(self, paths: npt.NDArray[np.int16]) -> Kinds:
        return self.related[paths[:, :-1], paths[:, 1:]]


class Sampler:
    """Draws the paths of one subset and split."""

    def __init__(self, config: Config, world: World, split: str, k: int) -> None:
        self._config = config
        self._world = world
        self._k = k
        self._levels = config.levels_for(k)
        self._preset = config.benchmark
        self._rule = PatternRule(config, world, split, k)
        # What each source must give: the kinds of its steps and its target; and its share.
        self._steps: list[tuple[list[int | None], int | None]] = [([None] * k, None)]
        self._shares = np.ones(1)
        if self._preset.patterns is not None:
            rows = [
                ([world.index[kind] for kind in pattern], world.index[target], share)
                for pattern, target, share in self._preset.patterns[k]
            ]
            rows = [row for row in rows if self._rule.allows(tuple(row[0]))]
            self._steps = [(list(steps), target) for steps, target, _ in rows]
            shares = np.cumsum([share for *_, share in rows])
            self._shares = shares / shares[-1]
        self._regular: tuple[Shape, list[_Source]] | None = None
        if config.children[0] == config.children[1]:
            shape = regular(self._levels, config.children[0])
            self._regular = shape, self._sources(shape)

    def draw(self, rng: np.random.Generator, size: int) -> Paths:
        """Draw that many paths."""
        wanted = self._want(rng, size)
        groups = list(self._families(rng))
        cast = Cast.of([families for families, _ in groups])
        group_of = np.concatenate([np.full(len(g.genders), i) for i, (g, _) in enumerate(groups)])
        sizes = np.array([g.shape.people for g, _ in groups])[group_of]
        first = np.cumsum(sizes) - sizes  # of each family, the number of its first person
        family = np.arange(size) * FAMILIES // size
        people = np.empty((size, self._k + 1), np.int64)
        kinds = np.empty((size, self._k), np.int8)
        targets = np.empty(size, np.int8)
        missing = np.ones(size, bool)
        for _ in range(_FAMILIES_TRIED):
            pending = np.flatnonzero(missing)
            if not len(pending):
                return Paths(cast, family, people, kinds, targets)
            if len(pending) < size:  # what is left finds no path in its family
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

    def _fill(
        self,
        rng: np.random.Generator,
        source: _Source,
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
        if wanted.kind is not None:
            possible = np.array([choice.has(kind) for kind in range(len(self._world.kinds))])
            puzzles = puzzles[possible[wanted.kind[puzzles]]]
        for _ in range(_ROUNDS):
            if not len(puzzles) or choice.empty:
                return
            each = 1 if sure else max(_TRIES, -(-_BATCH // len(puzzles)))
            tries = np.repeat(puzzles, each)
            kinds = None if wanted.kind is None else wanted.kind[tries]

            def worth(last: npt.NDArray[np.int16], tries: Ints = tries, each: int = each) -> Ints:
                if wanted.gender is None:
                    return np.arange(len(last))
                good = np.flatnonzero(genders[first[tries] + last] == wanted.gender[tries])
                return good[_changes(good // each)] if listed else good

            paths, which = source.draw(rng, len(tries), kinds, worth)
            place = which // each
            new = _changes(place)  # the first success of each puzzle
            found = place[new]
            yield puzzles[found], paths[new]
            puzzles = np.delete(puzzles, found)

    def _want(self, rng: np.random.Generator, size: int) -> _Wanted:
        source = np.searchsorted(self._shares, _spread(rng, size, 100), side="right")
        if not self._preset.balanced:
            return _Wanted(source, None, None)
        labels = 2 * len(self._world.kinds)
        label = (_spread(rng, size, labels) * labels).astype(np.int8)
        return _Wanted(source, label // 2, label % 2)

    def _families(self, rng: np.random.Generator) -> Iterator[tuple[Families, list[_Source]]]:
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
                yield sample_families(grown, self._world, 1, rng), self._sources(grown)
                found += 1
                if found == FAMILIES:
                    return
        low, high = self._config.children
        raise ConfigError(
            f"levels, children: most families of {self._levels} levels with {low} to {high} children "
            f"a couple need more names than world {self._world.name!r} has"
        )

    def _sources(self, shape: Shape) -> list[_Source]:
        related = relations(shape, self._world, self._preset.siblings)
        return [self._source(shape, related, steps, target) for steps, target in self._steps]

    def _source(self, shape: Shape, related: Kinds, steps: list[int | None], target: int | None) -> _Source:
        rule = None if self._rule.keeps_all else self._rule
        children, most = self._config.children
        adjacent = (related >= 0).astype(np.float64)
        walks = (np.linalg.matrix_power(adjacent, self._k) * adjacent).sum()
        if children != most or self._k > UNIFORM_EDGES or (walks > _LISTED and target is None):
            return _Source(related, Walks(related, steps, target, guided=self._k > UNIFORM_EDGES), rule)
        paths = enumerate_paths(related, shape, steps, target)
        table = PathTable.listing(self._levels, children, related, self._k, paths)
        if rule is not None:
            table = table.keeping(rule.keep(related[table.rows[:, :-1], table.rows[:, 1:]]))
        return _Source(related, table, None)

    def _none_found(self, wanted: _Wanted, puzzle: int) -> ConfigError:
        low, high = self._config.children
        children = str(low) if low == high else f"{low} to {high}"
        what = "an answer in the label set"
        if wanted.kind is not None and wanted.gender is not None:
            what = "target " + self._world.kinds[wanted.kind[puzzle]].relations[wanted.gender[puzzle]]
        return ConfigError(
            f"k: found no path of {self._k} edges with {what} for preset {self._config.preset} in "
            f"families of {self._levels} levels with {children} children a couple"
        )


def _changes(numbers: Ints) -> Ints:
    """Where each run of the same number starts."""
    return np.flatnonzero(np.diff(numbers, prepend=-1))


def _spread(rng: np.random.Generator, size: int, group: int) -> npt.NDArray[np.float64]:
    """Random numbers in [0, 1) of which every `group` in a row have one in each group-th."""
    rows = -(-size // group)
    cells = rng.permuted(np.tile(np.arange(group), (rows, 1)), axis=1)
    return ((cells + rng.random((rows, group))) / group).reshape(-1)[:size]
