"""Sampling paths without enumerating them.

Walks from a to b are counted by dynamic programming, so that a walk of k edges can be drawn with
every such walk equally likely: from each person, a neighbour is chosen by how many walks lead on
from there to b. Walks that meet somebody twice are discarded; what is left are paths, all equally
likely ("uniform"). Few long walks are simple, so long paths are drawn by choosing only among the
neighbours not yet met, in the same proportions ("avoiding"): every path can come up, but those through
sparse parts of the family come up more often. Several such walks are tried for each path that is wanted;
if one finds nobody to continue to, another walk for the same path is split in two and takes its place.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from clutrr.theory.kinship.choice import ByTarget, Ints, Kinds, Worth


class Walks:
    """Walks of k edges in one family, by edges that each step may use and targets they may have.

    related: the kind that b is to a, or -1, for all people of the family.
    steps: for each edge the kind it must be, or None for any.
    target: the kind that the last person must be to the first, or None for any.
    avoiding: whether a walk avoids the people it has met, or is discarded when it meets one again.
    """

    def __init__(
        self, related: Kinds, steps: Sequence[int | None], target: int | None = None, avoiding: bool = False
    ) -> None:
        self._avoiding = avoiding
        self._edges = len(steps)
        self._neighbours = [neighbours(_allowed(related, step)) for step in steps]
        # leads[i][b, v]: walks by the steps from i on, from v to b, that meet b only at the end.
        ending = np.eye(len(related), dtype=np.float64)
        leads = [ending]
        for step in reversed(steps):
            counts = leads[0] @ _allowed(related, step).T.astype(np.float64)
            np.fill_diagonal(counts, 0)
            leads.insert(0, counts / max(1.0, counts.max(initial=0)))  # only proportions matter
        # One more column, for the neighbours that pad a list of them.
        self._leads = [np.pad(counts, ((0, 0), (0, 1))).astype(np.float32) for counts in leads]
        pairs = _allowed(related, target) & (leads[0].T > 0)
        self._first, self._last = np.nonzero(pairs)
        self.choice = ByTarget(related[pairs], leads[0][self._last, self._first])

    def draw(
        self, rng: np.random.Generator, size: int, targets: Kinds | Ints | None, worth: Worth, tries: int = 1
    ) -> tuple[npt.NDArray[np.int16], Ints]:
        """Draw walks, with these target kinds: the paths among them, and which ones they are.

        worth: tells which draws to continue, given their last people. tries: how many walks in a row are for
        one path, if walks avoid people.
        """
        pair = self.choice.draw(rng, size, targets)
        last = self._last[pair]
        which = worth(last.astype(np.int16))
        path = self._first[pair[which]].astype(np.int16)[:, None]
        last = last[which]
        met = Met(len(path), self._leads[0].shape[1], path[:, 0]) if self._avoiding else None
        for i in range(self._edges - 1):
            near = self._neighbours[i][path[:, -1]]  # (walks, neighbours)
            weights = self._leads[i + 1][last[:, None], near]
            if met is not None:
                weights[met.among(near)] = 0
            chances = np.cumsum(weights, axis=1)
            at = rng.random(len(path), np.float32) * chances[:, -1]
            choice = np.sum(chances <= at[:, None], axis=1)
            alive = choice < near.shape[1]
            choice = np.where(alive, choice, 0)
            person = near[np.arange(len(path)), choice]
            alive &= (path != person[:, None]).all(axis=1)
            path = np.column_stack([path, person])
            rows = np.flatnonzero(alive)
            which = which[rows]
            if met is not None:
                which, on = refill(rng, which, tries)
                rows = rows[on]
                met.go_on(rows, path[rows, -1])
            path, last = path[rows], last[rows]
        return np.column_stack([path, last.astype(np.int16)]), which


def refill(rng: np.random.Generator, which: Ints, tries: int) -> tuple[Ints, Ints]:
    """Let walks continue in place of those that ended, among the same `tries` in a row.

    which: the numbers of those that continue, ascending. Returns the new numbers, and for each its place
    in `which`.
    """
    group = which // tries
    first = np.flatnonzero(np.diff(group, prepend=-1))
    count = np.diff(np.append(first, len(group)))
    ended = np.where(count > 0, tries - count, 0)
    chosen = np.repeat(first, ended) + (rng.random(ended.sum()) * np.repeat(count, ended)).astype(np.int64)
    on = np.sort(np.concatenate([np.arange(len(which)), chosen]))
    return np.repeat(group[first] * tries, tries) + np.tile(np.arange(tries), len(first)), on


class Met:
    """The people whom each walk has met."""

    def __init__(self, walks: int, people: int, first: npt.NDArray[np.int16]) -> None:
        self._met = np.zeros((walks, people), bool)
        self._row = np.arange(walks)
        self._met[self._row, first] = True

    def among(self, near: npt.NDArray[np.int16]) -> npt.NDArray[np.bool_]:
        """Return which of these people, a row for each walk, it has met."""
        return self._met[self._row[:, None], near]

    def go_on(self, walks: Ints, person: npt.NDArray[np.int16]) -> None:
        """Continue with these walks, which have now met these people."""
        self._met = self._met[self._row[walks]]
        self._row = np.arange(len(walks))
        self._met[self._row, person] = True


def _allowed(related: Kinds, kind: int | None) -> npt.NDArray[np.bool_]:
    return related >= 0 if kind is None else related == kind


def neighbours(allowed: npt.NDArray[np.bool_]) -> npt.NDArray[np.int16]:
    """Return for each person a list of neighbours, padded with a number that belongs to nobody."""
    people = len(allowed)
    degree = allowed.sum(axis=1)
    lists = np.full((people, max(1, int(degree.max(initial=0)))), people, np.int16)
    row, neighbour = np.nonzero(allowed)
    lists[row, np.arange(len(row)) - np.repeat(np.cumsum(degree) - degree, degree)] = neighbour
    return lists
