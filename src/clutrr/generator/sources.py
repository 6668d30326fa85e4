"""Where the paths of a subset come from: lists of all paths of a family, or walks through it.

Up to `UNIFORM_EDGES` facts all paths of a regular family are listed, and each that may be used is
equally likely. Longer paths are drawn person by person; those whose pattern entails its answer are so
rare that walks have to be led to them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from clutrr.family import LedWalks, PathTable, Shape, Walks, enumerate_paths, relations
from clutrr.generator.config import Config
from clutrr.generator.patterns import PatternRule
from clutrr.world import World

UNIFORM_EDGES = 6  # up to this length every path is equally likely; beyond, walks are guided
_LISTED = 30_000_000  # walks in a family whose paths are listed rather than looked for

Ints = npt.NDArray[np.int64]
Kinds = npt.NDArray[np.int8]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Source:
    """Where paths in families of one shape are drawn from, and which of them may be used.

    untold: draws paths whose question has several possible answers. If they are listed, it draws by `cells`
    (see `cells_of`); if not, it draws any path, whose pattern has to be checked.
    """

    related: Kinds
    paths: PathTable | Walks | LedWalks
    rule: PatternRule | None  # None: all
    untold: PathTable | Walks | None = None

    def first_kept(self, paths: npt.NDArray[np.int16], place: Ints) -> Ints:
        """For each place, the first of its paths that may be used; places ascend."""
        at = changes(place)
        if self.rule is None:
            return at
        end = np.append(at[1:], len(place))
        found = [at[:0]]
        while len(at):
            good = self.rule.keep(self.kinds(paths[at]))
            found.append(at[good])
            at, end = at[~good] + 1, end[~good]
            at, end = at[at < end], end[at < end]
        return np.sort(np.concatenate(found))

    def kinds(self, paths: npt.NDArray[np.int16]) -> Kinds:
        return self.related[paths[:, :-1], paths[:, 1:]]

    @cached_property
    def patterns(self) -> int | None:
        """How many patterns its paths have, where they are listed."""
        if not isinstance(self.paths, PathTable):
            return None
        return len(np.unique(self.kinds(self.paths.rows), axis=0))


class Sources:
    """Makes the sources of a subset and split, by the shape of the families."""

    def __init__(self, config: Config, world: World, split: str, k: int) -> None:
        self._config = config
        self._world = world
        self._k = k
        self._preset = config.benchmark
        self._rule = PatternRule(config, world, split, k)
        # What each source must give: the kinds of its steps and its target; and its share.
        self._steps: list[tuple[list[int | None], int | None]] = [([None] * k, None)]
        self.shares = np.ones(1)
        if self._preset.patterns is not None:
            rows = [
                ([world.index[kind] for kind in pattern], world.index[target], share)
                for pattern, target, share in self._preset.patterns[k]
            ]
            rows = [row for row in rows if self._rule.allows(tuple(row[0]))]
            self._steps = [(list(steps), target) for steps, target, _ in rows]
            shares = np.cumsum([share for *_, share in rows])
            self.shares = shares / shares[-1]

    def of(self, shape: Shape) -> list[Source]:
        related = relations(shape, self._world, self._preset.siblings)
        return [self._source(shape, related, steps, target) for steps, target in self._steps]

    def untold(self, source: Source) -> Callable[[Kinds, Kinds], Bools]:
        """Which patterns of its untold paths, with genders, have several possible answers."""
        if isinstance(source.untold, PathTable):  # all of them
            return lambda kinds, genders: np.ones(len(kinds), bool)
        if self._k <= UNIFORM_EDGES:
            return lambda kinds, genders: self._rule.keep_untold(kinds)
        return self._rule.keep_untold_given

    def _source(self, shape: Shape, related: Kinds, steps: list[int | None], target: int | None) -> Source:
        rule = None if self._rule.keeps_all else self._rule
        children, most = self._config.children
        long = self._k > UNIFORM_EDGES
        adjacent = (related >= 0).astype(np.float64)
        walks = (np.linalg.matrix_power(adjacent, self._k) * adjacent).sum()
        if long and self._preset.entailed:
            led = LedWalks(shape, related, self._world.forced, self._k)
            return Source(related, led, None if self._rule.keeps_forced else self._rule)
        if children != most or long or (walks > _LISTED and target is None):
            any_path = Walks(related, steps, target, guided=long)
            return Source(related, any_path, rule, any_path if self._config.untold else None)
        paths = enumerate_paths(related, shape, steps, target)
        table = PathTable.listing(self._config.levels_for(self._k), children, related, self._k, paths)
        return self._listed(related, table)

    def _listed(self, related: Kinds, table: PathTable) -> Source:
        if self._rule.keeps_all:
            return Source(related, table, None)
        kinds = related[table.rows[:, :-1], table.rows[:, 1:]]
        told = self._rule.keep(kinds)
        if not self._config.untold:
            return Source(related, table.keeping(told), None)
        untold = np.zeros(len(kinds), bool)
        untold[~told] = self._rule.keep_untold(kinds[~told])
        cells = cells_of(kinds, len(self._world.kinds))
        shared = np.isin(cells, np.intersect1d(cells[told], cells[untold]))
        if shared.any():  # so that the ends of a pattern do not reveal its sort
            told, untold = told & shared, untold & shared
        others = table.keeping(untold).regrouped(cells[untold])
        return Source(related, table.keeping(told), None, others)


def cells_of(kinds: Kinds, size: int) -> Ints:
    """A number for the first and the last kind of each pattern."""
    return kinds[:, 0].astype(np.int64) * size + kinds[:, -1]


def changes(numbers: Ints) -> Ints:
    """Where each run of the same number starts."""
    return np.flatnonzero(np.diff(numbers, prepend=-1))
