"""Weighted random choice among things that each have a target kind."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Kinds = npt.NDArray[np.int8]
# Given the last people of some draws, says which of the draws to continue, in ascending order.
Worth = Callable[[npt.NDArray[np.int16]], Ints]


class ByTarget:
    """Things with a weight and a target; draws them freely, or with given targets."""

    def __init__(self, targets: Kinds | Ints, weights: npt.NDArray[np.float64]) -> None:
        self._order = np.argsort(targets, kind="stable")
        self._upto = np.concatenate([[0.0], np.cumsum(weights[self._order])])
        kinds = np.arange(int(targets.max(initial=-1)) + 2)
        # bounds[kind], bounds[kind + 1]: where the things with that target lie in `upto`.
        self._bounds = self._upto[np.searchsorted(targets[self._order], kinds)]

    @property
    def empty(self) -> bool:
        return not self._upto[-1] > 0

    def has(self, target: int) -> bool:
        return target + 1 < len(self._bounds) and bool(self._bounds[target] < self._bounds[target + 1])

    def draw(self, rng: np.random.Generator, size: int, targets: Kinds | Ints | None) -> Ints:
        """Return numbers of things, by weight."""
        if targets is None:
            low, high = self._upto[0], self._upto[-1]
        else:
            low, high = self._bounds[targets], self._bounds[targets + 1]
        at = low + rng.random(size) * (high - low)
        found = np.searchsorted(self._upto, at, side="right") - 1
        chosen: Ints = self._order[np.minimum(found, len(self._order) - 1)]
        return chosen
