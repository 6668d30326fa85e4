"""Questions with several possible answers, drawn to look like those with one.

Each imitates a question with one answer: its pattern starts and ends with the same kinds, and its last
person has the same gender. So neither reveals which sort a question is. If no path of a family is like
that, less is required: first the gender is dropped, then the last kind, then the first.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clutrr.theory.kinship.sources import Bools, Ints, Kinds, Source, cells_of
from clutrr.theory.kinship.table import PathTable

_ROUNDS = 12  # of drawing before less is required
_LAST_ROUNDS = 100  # if nothing is required
_BATCH = 512
_TRIES = 4  # for each question

Genders = npt.NDArray[np.int8]
Rows = npt.NDArray[np.int16]


class Models(NamedTuple):
    """The questions to imitate: their kinds, and the genders of their people."""

    kinds: Kinds
    genders: Genders


@dataclass(frozen=True)
class Imitator:
    """Draws questions with several possible answers from families of one shape.

    families: their numbers. genders_of: gives the genders of the people on paths in families.
    undetermined: tells which patterns with genders have several answers. kinds: how many the world has.
    """

    source: Source
    families: Ints
    genders_of: Callable[[Ints, Rows], Genders]
    undetermined: Callable[[Kinds, Genders], Bools]
    kinds: int

    def draw(self, rng: np.random.Generator, size: int, models: Models | None) -> tuple[Rows, Ints] | None:
        """Return paths, and the family of each; None if too few are found. models: None for any."""
        table = self.source.undetermined
        assert table is not None
        paths = np.empty((size, 0), np.int16)
        family = np.zeros(size, np.int64)
        missing = np.ones(size, bool)
        for ask in range(3 if models is not None else 0, -1, -1):
            for _ in range(_ROUNDS if ask else _LAST_ROUNDS):
                left = np.flatnonzero(missing)
                if not len(left):
                    return paths, family
                count = max(_BATCH, _TRIES * len(left))
                cells = None
                if isinstance(table, PathTable) and models is not None and ask >= 2:
                    wanted = cells_of(models.kinds[left], self.kinds)
                    wanted = wanted[[table.choice.has(int(cell)) for cell in wanted]]
                    if not len(wanted):
                        break
                    cells = np.resize(wanted, count)
                if table.choice.empty:
                    return None
                drawn, _ = table.draw(rng, count, cells, lambda last: np.arange(len(last)))
                home = self.families[rng.integers(0, len(self.families), len(drawn))]
                kinds, genders = self.source.kinds(drawn), self.genders_of(home, drawn)
                asked = np.zeros(len(left), np.int64)
                if models is not None:
                    asked = self._looks(models.kinds[left], models.genders[left], ask)
                mine, theirs = pair(asked, self._looks(kinds, genders, ask))
                good = self.undetermined(kinds[theirs], genders[theirs])
                mine, theirs = left[mine[good]], theirs[good]
                if not paths.shape[1]:
                    paths = np.zeros((size, drawn.shape[1]), np.int16)
                paths[mine], family[mine] = drawn[theirs], home[theirs]
                missing[mine] = False
        return None if missing.any() else (paths, family)

    def _looks(self, kinds: Kinds, genders: Genders, ask: int) -> Ints:
        """Return what is compared, as a number: first and last kind and last gender, or less (3 to 0)."""
        first, cell = kinds[:, 0].astype(np.int64), cells_of(kinds, self.kinds)
        return [np.zeros(len(kinds), np.int64), first, cell, 2 * cell + genders[:, -1]][ask]


def pair(wanted: Ints, offered: Ints) -> tuple[Ints, Ints]:
    """Return places in both lists such that the numbers there are the same, each place once."""
    ranked = []
    for numbers in (wanted, offered):
        order = np.argsort(numbers, kind="stable")
        run = np.flatnonzero(np.diff(numbers[order], prepend=-1))
        rank = np.arange(len(order)) - np.repeat(run, np.diff(np.append(run, len(order))))
        ranked.append((order, numbers[order] * (len(wanted) + len(offered)) + rank))
    _, ours, theirs = np.intersect1d(ranked[0][1], ranked[1][1], assume_unique=True, return_indices=True)
    return ranked[0][0][ours], ranked[1][0][theirs]
