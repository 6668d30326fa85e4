"""Where the paths of a subset come from: lists of all paths of a family, or walks through it.

Up to `UNIFORM_EDGES` facts all paths of a regular family are listed, and each that may be used is
equally likely. Longer paths are drawn person by person. Where few have one answer, walks are guided to those
whose pattern entails it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
import numpy.typing as npt

from clutrr.theory.kinship.drawing.families import Rows, Shape, list_paths, relations
from clutrr.theory.kinship.drawing.subset import FamilySettings, PatternRule, Subset
from clutrr.theory.kinship.drawing.walks import GuidedWalks, Ints, Kinds, PathTable, Walks

UNIFORM_EDGES = 6  # up to this length every path is equally likely; beyond, walks are guided
_LISTED = 30_000_000  # walks in a family whose paths are listed rather than looked for
_PROBED, _ENOUGH = 1024, 16  # of so many walks, how many must have one answer, or walks are guided

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Source:
    """Where paths in families of one shape are drawn from, and which of them may be used.

    undetermined: draws paths whose question has several possible answers. If they are listed, it draws by
    `cells` (see `cells_of`); if not, it draws any path, whose pattern has to be checked.
    """

    related: Kinds
    paths: PathTable | Walks | GuidedWalks
    rule: PatternRule | None  # None: all
    undetermined: PathTable | Walks | None = None

    def first_kept(self, paths: Rows, place: Ints) -> Ints:
        """Return for each place the first of its paths that may be used; places ascend."""
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

    def kinds(self, paths: Rows) -> Kinds:
        return _kinds(self.related, paths)


class Sources:
    """Makes the sources of a subset, by the shape of the families."""

    def __init__(self, subset: Subset) -> None:
        self._subset = subset
        self._long = subset.k > UNIFORM_EDGES
        self._rule = PatternRule(subset)
        # What each source must give: the kinds of its steps and its target; and its share.
        self._steps: list[tuple[Sequence[int | None], int | None]] = [([None] * subset.k, None)]
        self.shares = np.ones(1)
        if subset.preset.patterns is not None:
            index = subset.supply.labels.index
            rows = [
                (tuple(index[kind] for kind in pattern), index[target], share)
                for pattern, target, share in subset.preset.patterns[subset.k]
            ]
            rows = [row for row in rows if self._rule.keep(np.array([row[0]], np.int8))[0]]
            self._steps = [(steps, target) for steps, target, _ in rows]
            shares = np.cumsum([share for *_, share in rows])
            self.shares = shares / shares[-1]

    def of(self, shape: Shape) -> list[Source]:
        related = relations(shape, self._subset.ways, self._subset.preset.siblings)
        return [self._source(shape, related, steps, target) for steps, target in self._steps]

    @cached_property
    def rare(self) -> bool:
        """Whether few paths of the largest families have one answer: then walks are guided."""
        subset = self._subset
        if not subset.determined or subset.preset.patterns is not None:
            return False
        if self._long and subset.entailed:
            return True
        shape = subset.largest
        related = relations(shape, subset.ways)
        if subset.families.regular and not self._long and _walks(related, subset.k) <= _LISTED:
            return False
        walks = Walks(related, [None] * subset.k, avoiding=self._long)
        targets = [kind for kind in range(len(subset.ways)) if walks.choice.has(kind)]
        if not targets:
            return False
        rng, wanted = np.random.default_rng(0), np.resize(targets, _PROBED)
        paths, _ = walks.draw(rng, _PROBED, wanted, lambda last: np.arange(len(last)))
        answered = (self._rule.answered(tuple(row)) for row in _kinds(related, paths).tolist())
        return len(list(islice(filter(None, answered), _ENOUGH))) < _ENOUGH

    def undetermined(self, source: Source, kinds: Kinds, genders: Kinds) -> Bools:
        """Return which of its undetermined paths, by pattern and genders, have several answers."""
        if isinstance(source.undetermined, PathTable):  # all of them
            return np.ones(len(kinds), bool)
        return self._rule.keep_undetermined(kinds, genders if self._long else None)

    def _source(
        self, shape: Shape, related: Kinds, steps: Sequence[int | None], target: int | None
    ) -> Source:
        subset = self._subset
        rule: PatternRule | None = self._rule
        listed = subset.families.regular and not self._long
        if listed and (target is not None or _walks(related, subset.k) <= _LISTED):
            return self._listed(related, *list_paths(related, shape, steps, target))
        paths: Walks | GuidedWalks
        if self.rare:
            paths = GuidedWalks(shape, related, subset.entailing, subset.k)
            rule = None if self._rule.keeps_entailed else rule
        else:
            paths = Walks(related, steps, target, avoiding=self._long)
        others = Walks(related, steps, target, avoiding=self._long) if subset.undetermined else None
        return Source(related, paths, rule, others)

    def _listed(self, related: Kinds, rows: Rows, weights: Ints) -> Source:
        """Return the source of these paths. weights: how many each stands for."""
        subset = self._subset

        def table(kept: Bools) -> PathTable:
            assert isinstance(subset.families, FamilySettings)
            family = subset.levels, subset.families.children[0]
            return PathTable.listing(*family, related, rows[kept], weights[kept])

        kinds = _kinds(related, rows)
        determined = self._rule.keep(kinds)
        if not subset.undetermined:
            return Source(related, table(determined), None)
        others = np.zeros(len(kinds), bool)
        others[~determined] = self._rule.keep_undetermined(kinds[~determined])
        size = len(subset.ways)
        cells = cells_of(kinds, size)
        shared = np.isin(cells, np.intersect1d(cells[determined], cells[others]))
        if shared.any():  # so that the ends of a pattern do not reveal its sort
            determined, others = determined & shared, others & shared
        alternative = table(others)
        alternative = alternative.regrouped(cells_of(_kinds(related, alternative.rows), size))
        return Source(related, table(determined), None, alternative)


def _kinds(related: Kinds, paths: Rows) -> Kinds:
    """Return the patterns of paths, one per row."""
    return related[paths[:, :-1], paths[:, 1:]]


def _walks(related: Kinds, edges: int) -> float:
    """Return how many walks of that many edges have related ends."""
    adjacent = (related >= 0).astype(np.float64)
    return float((np.linalg.matrix_power(adjacent, edges) * adjacent).sum())


def cells_of(kinds: Kinds, size: int) -> Ints:
    """Return a number for the first and the last kind of each pattern."""
    return kinds[:, 0].astype(np.int64) * size + kinds[:, -1]


def changes(numbers: Ints) -> Ints:
    """Return where each run of the same number starts."""
    return np.flatnonzero(np.diff(numbers, prepend=-1))


def pair(wanted: Ints, offered: Ints) -> tuple[Ints, Ints]:
    """Return places in both lists such that the numbers there are the same, each place once."""
    ranked = []
    for numbers in (wanted, offered):
        order = np.argsort(numbers, kind="stable")
        run = np.flatnonzero(np.diff(numbers[order], prepend=-1))
        rank = np.arange(len(order)) - np.repeat(run, np.diff(np.append(run, len(order))))
        ranked.append((order, numbers[order] * (len(wanted) + len(offered)) + rank))
    _, ours, theirs = np.intersect1d(
        ranked[0][1], ranked[1][1], assume_unique=True, return_indices=True
    )
    return ranked[0][0][ours], ranked[1][0][theirs]
