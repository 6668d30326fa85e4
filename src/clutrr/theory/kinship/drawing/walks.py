"""Drawing paths of a family: from a list of all of them, or person by person.

`PathTable`, `Walks` and `GuidedWalks` share an interface: `choice` chooses what to start with by the target
kind, and `draw` returns paths, and which of the draws each is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from clutrr.theory.kinship.drawing.families import Rows, Shape, alike
from clutrr.theory.kinship.drawing.placements import EntailedPatterns

_IMAGES = 1024  # ways to map a family onto itself

Ints = npt.NDArray[np.int64]
Kinds = npt.NDArray[np.int8]
# Given the last people of some draws, returns which of the draws to continue, in ascending order.
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
        return target + 1 < len(self._bounds) and bool(
            self._bounds[target] < self._bounds[target + 1]
        )

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


@dataclass(frozen=True)
class PathTable:
    """Paths of a regular family, each equally likely.

    The list holds only the paths from one person of each sort (see `enumerate_paths`); a drawn path is
    moved by one of many mappings of the family onto itself. Rows are sorted by target and by how many
    paths each stands for.
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
        return replace(
            self, rows=self.rows[order], weights=self.weights[order], targets=self.targets[order]
        )

    def regrouped(self, groups: Ints) -> Self:
        """Return the same paths, to be drawn by these numbers instead of their targets."""
        return replace(self, targets=groups).sorted()

    @cached_property
    def _group(self) -> Ints:
        """Where each run of rows with the same target and weight starts; and the end of the last."""
        changes = (np.diff(self.targets, prepend=-1) != 0) | (
            np.diff(self.weights, prepend=-1) != 0
        )
        return np.append(np.flatnonzero(changes), len(self.rows))

    @cached_property
    def choice(self) -> ByTarget:
        """Chooses a group."""
        first, count = self._group[:-1], np.diff(self._group)
        return ByTarget(self.targets[first], (self.weights[first] * count).astype(np.float64))

    def draw(
        self,
        rng: np.random.Generator,
        size: int,
        targets: Kinds | Ints | None,
        worth: Worth,
        tries: int = 1,
    ) -> tuple[Rows, Ints]:
        """Draw paths; see `Walks.draw`. tries: unused here, as every draw is a path."""
        group = self.choice.draw(rng, size, targets)
        row = self._group[group] + (rng.random(size) * np.diff(self._group)[group]).astype(np.int64)
        image = rng.integers(0, _IMAGES, size)
        which = worth(self.images[image, self._last[row]])
        return self.images[image[which, None], self.rows[row[which]]], which

    @cached_property
    def _last(self) -> npt.NDArray[np.int16]:
        return np.ascontiguousarray(self.rows[:, -1])


class Walks:
    """Walks of k edges in one family, by edges that each step may use and targets they may have.

    Walks from a to b are counted by dynamic programming, and each neighbour is chosen by how many walks lead
    on from there to b: all walks are equally likely. Those that meet somebody twice are discarded. Few long
    walks are left then, so long ones avoid whom they have met: every path can come up, those through sparse
    parts of the family more often. If one finds nobody, another walk for the same path is split in two.

    related: the kind that b is to a, or -1, for all people of the family.
    steps: for each edge the kind it must be, or None for any.
    target: the kind that the last person must be to the first, or None for any.
    avoiding: whether a walk avoids the people it has met, or is discarded when it meets one again.
    """

    def __init__(
        self,
        related: Kinds,
        steps: Sequence[int | None],
        target: int | None = None,
        avoiding: bool = False,
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
        self,
        rng: np.random.Generator,
        size: int,
        targets: Kinds | Ints | None,
        worth: Worth,
        tries: int = 1,
    ) -> tuple[npt.NDArray[np.int16], Ints]:
        """Draw walks, with these target kinds: the paths among them, and which ones they are.

        worth: see `Worth`. tries: how many walks in a row are for one path, if walks avoid people.
        """
        pair = self.choice.draw(rng, size, targets)
        last = self._last[pair]
        which = worth(last.astype(np.int16))
        path = self._first[pair[which]].astype(np.int16)[:, None]
        last = last[which]
        met = _Met(self._leads[0].shape[1], path[:, 0])
        for i in range(self._edges - 1):
            near = self._neighbours[i][path[:, -1]]  # (walks, neighbours)
            weights = self._leads[i + 1].take(last[:, None] * self._leads[0].shape[1] + near)
            if self._avoiding:
                np.putmask(weights, met.has(near), 0)
            chances = np.cumsum(weights, axis=1)
            at = rng.random(len(path), np.float32) * chances[:, -1]
            choice = np.count_nonzero(chances <= at[:, None], axis=1)
            alive = choice < near.shape[1]
            choice = np.where(alive, choice, 0)
            person = near[np.arange(len(path)), choice]
            alive &= (path != person[:, None]).all(axis=1)
            path = np.column_stack([path, person.astype(np.int16)])
            rows = np.flatnonzero(alive)
            which = which[rows]
            if self._avoiding:
                which, on = refill(rng, which, tries)
                rows = rows[on]
                met.follow(rows, path[rows, -1])
            path, last = path[rows], last[rows]
        return np.column_stack([path, last.astype(np.int16)]), which


def refill(rng: np.random.Generator, which: Ints, tries: int) -> tuple[Ints, Ints]:
    """Let walks continue in place of those that ended, among the same `tries` in a row.

    which: the numbers of those that continue, ascending. Returns the new numbers, and for each its place
    in `which`.
    """
    group = which // tries
    first = np.flatnonzero(np.append(True, group[1:] != group[:-1])) if len(group) else group
    count = np.diff(np.append(first, len(group)))
    ended = tries - count
    chosen = np.repeat(first, ended) + (rng.random(ended.sum()) * np.repeat(count, ended)).astype(
        np.int64
    )
    on = np.repeat(np.arange(len(which)), 1 + np.bincount(chosen, minlength=len(which)))
    return (group[first, None] * tries + np.arange(tries)).reshape(-1), on


class _Met:
    """Whom each walk has met. people: how many there are, and nobody as one more, whom none may meet."""

    def __init__(self, people: int, person: npt.NDArray[np.int16]) -> None:
        self._people = people
        self._known = np.zeros((len(person), people), bool)
        self._known[:, -1] = True
        self._known[np.arange(len(person)), person] = True

    def has(self, near: Ints) -> npt.NDArray[np.bool_]:
        """Return which of these people each walk has met: (walks, people)."""
        # Taken from a flat array, which is faster than by two indices.
        return self._known.take(np.arange(0, self._known.size, self._people)[:, None] + near)

    def follow(self, rows: Ints, person: npt.NDArray[np.int16]) -> None:
        """Keep these walks, each of which meets one more person."""
        self._known = self._known[rows]
        self._known[np.arange(len(person)), person] = True


def _allowed(related: Kinds, kind: int | None) -> npt.NDArray[np.bool_]:
    return related >= 0 if kind is None else related == kind


def neighbours(allowed: npt.NDArray[np.bool_]) -> Ints:
    """Return for each person a list of neighbours, padded with a number that belongs to nobody."""
    people = len(allowed)
    degree = allowed.sum(axis=1)
    lists = np.full((people, max(1, int(degree.max(initial=0)))), people)
    row, neighbour = np.nonzero(allowed)
    lists[row, np.arange(len(row)) - np.repeat(np.cumsum(degree) - degree, degree)] = neighbour
    return lists


class GuidedWalks:
    """Walks of a given number of edges whose pattern entails its answer, in families of one shape.

    Few long paths are of this kind, so walks are guided by the automaton of such patterns: dynamic
    programming counts how many lead to the target from each of its states and each sort of people. A walk
    continues to somebody not yet met, in these proportions; if it finds nobody, another is split in two.

    related: the kind that b is to a, or -1, for all people of the family.
    """

    def __init__(
        self, shape: Shape, related: Kinds, entailed: EntailedPatterns, edges: int
    ) -> None:
        self._after, ends = entailed.automaton
        self._near = neighbours(related >= 0)
        self._kinds = np.take_along_axis(np.pad(related, ((0, 0), (0, 1))), self._near, axis=1)
        self._sorts = np.append(shape.sorts, 0)[self._near]
        targets = range(int(related.max(initial=-1)) + 1)
        sorts = int(shape.sorts.max()) + 1
        onward = _onward(related, shape.sorts)
        # leads[i][state, sort, target]: walks of i edges to where the target is entailed, in proportion.
        self._leads = [np.repeat((ends[:, None, None] == np.array(targets)) * 1.0, sorts, axis=1)]
        for _ in range(edges):
            leads = sum(
                np.einsum("st,nta->nsa", onward[kind], self._leads[-1][self._after[:, kind]])
                for kind in targets
            )
            self._leads.append(leads / max(1.0, leads.max()))
        starts = self._leads[edges][0][shape.sorts]  # (people, targets)
        self._first = np.tile(np.arange(len(related)), len(targets))
        self.choice = ByTarget(
            np.repeat(np.array(targets, np.int8), len(related)), starts.T.reshape(-1)
        )

    def draw(
        self,
        rng: np.random.Generator,
        size: int,
        targets: Kinds | Ints | None,
        worth: Worth,
        tries: int = 1,
    ) -> tuple[npt.NDArray[np.int16], Ints]:
        """Draw walks; see `Walks.draw`."""
        start = self.choice.draw(rng, size, targets)
        path = self._first[start].astype(np.int16)[:, None]
        target = start // (len(self._first) // self._leads[0].shape[2])
        which = np.arange(size)
        state = np.zeros(size, np.int64)
        met = _Met(len(self._near) + 1, path[:, 0])
        for leads in self._leads[-2::-1]:
            person = path[:, -1]
            near = self._near[person]  # (walks, neighbours)
            onward = self._after.take(state[:, None] * self._after.shape[1] + self._kinds[person])
            at = (onward * leads.shape[1] + self._sorts[person]) * leads.shape[2] + target[:, None]
            weights = leads.take(at)
            np.putmask(weights, met.has(near), 0)
            chances = np.cumsum(weights, axis=1)
            choice = np.count_nonzero(
                chances <= (rng.random(len(path)) * chances[:, -1])[:, None], axis=1
            )
            alive = np.flatnonzero(choice < near.shape[1])
            which, on = refill(rng, which[alive], tries)
            rows = alive[on]
            choice = choice[rows]
            path = np.column_stack([path[rows], near[rows, choice].astype(np.int16)])
            state, target = onward[rows, choice], target[rows]
            met.follow(rows, path[:, -1])
        last = np.zeros(size, np.int16)
        last[which] = path[:, -1]
        kept = np.isin(which, worth(last))
        return path[kept], which[kept]


def _onward(related: Kinds, sorts: Ints) -> npt.NDArray[np.float64]:
    """[kind, a, b]: how many people of sort b are that to somebody of sort a, on average."""
    number = np.eye(int(sorts.max()) + 1)[sorts]  # (people, sorts)
    each = [
        number.T @ (related == kind) @ number for kind in range(int(related.max(initial=-1)) + 1)
    ]
    means: npt.NDArray[np.float64] = np.array(each) / number.sum(axis=0)[:, None]
    return means
