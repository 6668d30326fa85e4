"""Drawing paths from a list of all of them.

A regular family can be mapped onto itself in many ways, so the list holds only the paths from one
person of each sort (see `enumerate_paths`); a drawn path is then moved by one of these mappings.
Genders and names are random anyway, so a sample of the mappings is enough to treat alike people alike.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from clutrr.family.choice import ByTarget, Ints, Kinds, Worth
from clutrr.family.paths import Rows
from clutrr.family.shape import alike

_WAYS = 1024


@dataclass(frozen=True)
class PathTable:
    """Paths of a regular family, each equally likely.

    Rows are sorted by target and by how many paths each stands for.
    """

    ways: npt.NDArray[np.int16]  # (ways, people)
    rows: Rows
    weights: Ints
    targets: Kinds | Ints

    @classmethod
    def listing(
        cls, levels: int, children: int, related: Kinds, edges: int, paths: Iterable[tuple[Rows, int]]
    ) -> Self:
        batches = [(np.zeros((0, edges + 1), np.int16), 0), *paths]
        rows = np.concatenate([rows for rows, _ in batches])
        weights = np.concatenate([np.full(len(rows), count) for rows, count in batches])
        targets = related[rows[:, 0], rows[:, -1]]
        order = np.lexsort([weights, targets])
        ways = alike(levels, children, _WAYS, np.random.default_rng(0))
        return cls(ways, rows[order], weights[order], targets[order])

    def keeping(self, kept: npt.NDArray[np.bool_]) -> "PathTable":
        """The table with only those paths."""
        return PathTable(self.ways, self.rows[kept], self.weights[kept], self.targets[kept])

    def regrouped(self, groups: Ints) -> "PathTable":
        """The same paths, to be drawn by these numbers instead of their targets."""
        order = np.lexsort([self.weights, groups])
        return PathTable(self.ways, self.rows[order], self.weights[order], groups[order])

    @cached_property
    def _group(self) -> Ints:
        """Where each run of rows with the same target and weight starts; and the end of the last."""
        changes = (np.diff(self.targets, prepend=-1) != 0) | (np.diff(self.weights, prepend=-1) != 0)
        return np.append(np.flatnonzero(changes), len(self.rows))

    @cached_property
    def choice(self) -> ByTarget:
        """Chooses a group."""
        first, count = self._group[:-1], np.diff(self._group)
        return ByTarget(self.targets[first], (self.weights[first] * count).astype(np.float64))

    def draw(
        self, rng: np.random.Generator, size: int, targets: Kinds | Ints | None, worth: Worth, tries: int = 1
    ) -> tuple[Rows, Ints]:
        """Draw paths, with these target kinds. worth: says which draws to continue, given their last people.
        tries: unused here, as every draw is a path."""
        group = self.choice.draw(rng, size, targets)
        row = self._group[group] + (rng.random(size) * np.diff(self._group)[group]).astype(np.int64)
        way = rng.integers(0, _WAYS, size)
        which = worth(self.ways[way, self._last[row]])
        return self.ways[way[which, None], self.rows[row[which]]], which

    @cached_property
    def _last(self) -> npt.NDArray[np.int16]:
        return np.ascontiguousarray(self.rows[:, -1])
