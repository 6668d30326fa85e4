"""Places on a square grid, where it is known within what bounds they lie apart, in one of several ways.

Along one axis, how far b lies beyond a is at most `far[a, b]`, and every whole number within these bounds fits
some solution (a simple temporal problem: Dechter, Meiri and Pearl, "Temporal constraint networks", 1991). The
two axes have nothing to do with each other. Where a pair can lie apart in several ways, they are tried.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

ANY = 1 << 40  # no bound
Bounds = tuple[int, int]
Box = tuple[Bounds, Bounds]  # how far one place lies from another: to the east, to the north


class Apart(NamedTuple):
    """How place b lies to place a: within one of the boxes."""

    a: int
    b: int
    boxes: tuple[Box, ...]


class TooManyCasesError(Exception):
    """The work allowed is used up, and nothing is decided."""


class Grid:
    """Bounds on how far places lie apart. far: (2 axes, from, to)."""

    def __init__(self, far: npt.NDArray[np.int64]) -> None:
        self.far = far

    @classmethod
    def empty(cls, places: int) -> "Grid":
        """Return a grid of places of which nothing is known."""
        far = np.full((2, places, places), ANY, np.int64)
        far[:, range(places), range(places)] = 0
        return cls(far)

    def allows(self, a: int, b: int, box: Box) -> bool:
        """Return whether b may lie to a like this."""
        return all(
            low <= far[a, b] and high >= -far[b, a]
            for far, (low, high) in zip(self.far, box, strict=True)
        )

    def keep(self, a: int, b: int, box: Box) -> "Grid":
        """Return the grid in which b lies to a like this, which must be allowed."""
        found = []
        for far, (low, high) in zip(self.far, box, strict=True):
            for one, other, most in ((a, b, high), (b, a, -low)):
                if most < far[one, other]:
                    through = far[:, one, None] + most + far[None, other, :]
                    far = np.minimum(far, np.minimum(through, ANY))
            found.append(far)
        return Grid(np.stack(found))

    def places(self) -> list[tuple[int, int]]:
        """Return places within the bounds; those that have nothing to do with each other lie apart."""
        grid = self
        found: list[tuple[int, int]] = [(0, 0)]
        for place in range(1, self.far.shape[1]):
            at = []
            for axis, far in enumerate(grid.far):
                low, high = int(-far[place, 0]), int(far[0, place])
                free = low <= -ANY and high >= ANY
                beyond = max(one[axis] for one in found) + 2 if axis == 0 else 0
                at.append(beyond if free else min(max(0, low), high))
            found.append((at[0], at[1]))
            grid = grid.keep(0, place, ((at[0], at[0]), (at[1], at[1])))
        return found


def solve(places: int, known: Sequence[Apart], most: int) -> tuple[Grid | None, int]:
    """Return a grid in which all that is known holds, None if there is none; and the work it took.

    most: work that is allowed. Raises TooManyCasesError beyond it.
    """
    work = 0
    waiting = [(Grid.empty(places), list(known))]
    while waiting:
        grid, left = waiting.pop()
        while left:
            work += len(left)
            if work > most:
                raise TooManyCasesError
            left = [
                Apart(a, b, tuple(box for box in boxes if grid.allows(a, b, box)))
                for a, b, boxes in left
            ]
            left.sort(key=lambda apart: len(apart.boxes), reverse=True)
            a, b, boxes = left.pop()
            if len(boxes) != 1:
                waiting += [(grid.keep(a, b, box), left) for box in reversed(boxes)]
                break
            grid = grid.keep(a, b, boxes[0])
        else:
            return grid, work
    return None, work
