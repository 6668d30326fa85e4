"""Drawing paths from a list of all of them.

A regular family can be mapped onto itself in many ways, so the list holds only the paths from one
person of each sort (see `enumerate_paths`); a drawn path is then moved by one of these mappings.
Genders and names are random anyway, so a sample of the mappings is enough to treat alike people alike.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from clutrr.theory.kinship.choice import ByTarget, Ints, Kinds, Worth
from clutrr.theory.kinship.paths import Rows
from clutrr.theory.kinship.shape import alike

_IMAGES = 1024


@dataclass(frozen=True)
class PathTable:
    """Paths of a regular family, each equally likely.

    Rows are sorted by target and by how many paths each stands for.
    """

    images: npt.NDArray[np.int16]  # (images, people)
    rows: Rows
    weights: Ints
    targets: Kinds | Ints

    @classmethod
    def listing(cls, levels: int, children: int, related: Kinds, rows: Rows, weights: Ints) -> Self:
        """Return the table of these paths in a regular family."""
        images = alike(levels, children, _IMAGES, np.random.default_rng(0))
        return cls(images, rows, weights, related[rows[:, 0], rows[:, -1]]).sorted()

    def sorted(self) -> Self:
        order = np.lexsort([self.weights, self.targets])
        return replace(self, rows=self.rows[order], weights=self.weights[order], targets=self.targets[order])

    def regrouped(self, groups: Ints) -> Self:
        """Return the same paths, to be drawn by these numbers instead of their targets."""
        return replace(self, targets=groups).sorted()

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
        """Draw paths, with these target kinds.

        worth: tells which draws to continue, given their last people. tries: unused here, as every draw is a
        path.
        """
        group = self.choice.draw(rng, size, targets)
        row = self._group[group] + (rng.random(size) * np.diff(self._group)[group]).astype(np.int64)
        image = rng.integers(0, _IMAGES, size)
        which = worth(self.images[image, self._last[row]])
        return self.images[image[which, None], self.rows[row[which]]], which

    @cached_property
    def _last(self) -> npt.NDArray[np.int16]:
        return np.ascontiguousarray(self.rows[:, -1])
