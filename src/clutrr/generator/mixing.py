"""Questions that cannot be told, drawn to look like those that can.

Each imitates a question with one answer: its pattern starts and ends with the same kinds, and its last
person has the same gender. So neither reveals which sort a question is. If no path of a family is like
that, less is required: first the gender is dropped, then the last kind, then the first.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from clutrr.family import PathTable
from clutrr.generator.sources import Bools, Ints, Kinds, Source, cells_of

_ROUNDS = 12  # of drawing before less is required
_LAST_ROUNDS = 100  # if nothing is required
_BATCH = 512
_TRIES = 4  # for each question


def looks(kinds: Kinds, genders: npt.NDArray[np.int8], size: int, ask: int) -> Ints:
    """What is compared, as a number: first and last kind and last gender, or less of it (level 3 to 0)."""
    first, cell = kinds[:, 0].astype(np.int64), cells_of(kinds, size)
    return [np.zeros(len(kinds), np.int64), first, cell, 2 * cell + genders[:, -1]][ask]


def pair(wanted: Ints, offered: Ints) -> tuple[Ints, Ints]:
    """Places in both lists such that the numbers there are the same, each place once."""
    ranked = []
    for numbers in (wanted, offered):
        order = np.argsort(numbers, kind="stable")
        run = np.flatnonzero(np.diff(numbers[order], prepend=-1))
        rank = np.arange(len(order)) - np.repeat(run, np.diff(np.append(run, len(order))))
        ranked.append((order, numbers[order] * (len(wanted) + len(offered)) + rank))
    _, ours, theirs = np.intersect1d(ranked[0][1], ranked[1][1], assume_unique=True, return_indices=True)
    return ranked[0][0][ours], ranked[1][0][theirs]


def draw_untold(
    rng: np.random.Generator,
    source: Source,
    models: tuple[Kinds, npt.NDArray[np.int8]] | None,
    size: int,
    genders_of: Callable[[Ints, npt.NDArray[np.int16]], npt.NDArray[np.int8]],
    families: Ints,
    untold: Callable[[Kinds, npt.NDArray[np.int8]], Bools],
    kinds_in_world: int,
) -> tuple[npt.NDArray[np.int16], Ints] | None:
    """Paths that cannot be told, and the family of each; None if too few are found.

    models: kinds and genders of the questions to imitate; None for any. genders_of: gives the genders of the
    people on paths. families: to draw from. untold: which patterns with genders cannot be told.
    """
    assert source.untold is not None
    paths = np.empty((size, 0), np.int16)
    family = np.zeros(size, np.int64)
    missing = np.ones(size, bool)
    for ask in range(3 if models is not None else 0, -1, -1):
        for _ in range(_ROUNDS if ask else _LAST_ROUNDS):
            left = np.flatnonzero(missing)
            if not len(left):
                return paths, family
            cells = None
            count = max(_BATCH, _TRIES * len(left))
            if isinstance(source.untold, PathTable) and models is not None and ask >= 2:
                wanted = cells_of(models[0][left], kinds_in_world)
                wanted = wanted[[source.untold.choice.has(int(cell)) for cell in wanted]]
                if not len(wanted):
                    break
                cells = np.resize(wanted, count)
            if source.untold.choice.empty:
                return None
            drawn, _ = source.untold.draw(rng, count, cells, lambda last: np.arange(len(last)))
            home = families[rng.integers(0, len(families), len(drawn))]
            kinds, genders = source.kinds(drawn), genders_of(home, drawn)
            offered = looks(kinds, genders, kinds_in_world, ask)
            asked = np.zeros(len(left), np.int64)
            if models is not None:
                asked = looks(models[0][left], models[1][left], kinds_in_world, ask)
            mine, theirs = pair(asked, offered)
            good = untold(kinds[theirs], genders[theirs])
            mine, theirs = left[mine[good]], theirs[good]
            if not paths.shape[1]:
                paths = np.zeros((size, drawn.shape[1]), np.int16)
            paths[mine], family[mine] = drawn[theirs], home[theirs]
            missing[mine] = False
    return None if missing.any() else (paths, family)
