"""Drawing long paths whose pattern entails their answer.

Few long paths are of this kind, so instead of searching all paths, walks are guided by the automaton of
such patterns (see `entailed`). Dynamic programming counts how many walks lead to the target from each
state of the automaton and each person, for all people of one sort at once: those of the same
generation, born or married into the family, with or without a partner. A walk continues to somebody
not yet met, in these proportions; if it finds nobody, another walk continues in its place (see `walks`).
"""

import numpy as np
import numpy.typing as npt

from clutrr.theory.kinship.choice import ByTarget, Ints, Kinds, Worth
from clutrr.theory.kinship.entailed import EntailedPatterns
from clutrr.theory.kinship.shape import Shape
from clutrr.theory.kinship.walks import Met, neighbours, refill


class GuidedWalks:
    """Walks of a given number of edges in families of one shape.

    related: the kind that b is to a, or -1, for all people of the family.
    """

    def __init__(self, shape: Shape, related: Kinds, entailed: EntailedPatterns, edges: int) -> None:
        self._after = entailed.automaton.after
        self._near = neighbours(related >= 0)
        padded = np.pad(related, ((0, 0), (0, 1)), constant_values=-1)
        self._kinds = np.take_along_axis(padded, self._near.astype(np.int64), axis=1)
        self._sort = np.append(shape.sorts, 0)  # and one more, for padding
        ends = entailed.automaton.ends
        targets = range(int(related.max(initial=-1)) + 1)
        sorts = int(self._sort.max()) + 1
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
        self.choice = ByTarget(np.repeat(np.array(targets, np.int8), len(related)), starts.T.reshape(-1))

    def draw(
        self, rng: np.random.Generator, size: int, targets: Kinds | Ints | None, worth: Worth, tries: int = 1
    ) -> tuple[npt.NDArray[np.int16], Ints]:
        """Draw walks, with these target kinds: the paths among them, and which ones they are.

        worth: says which draws to keep, given their last people. tries: how many walks are for one path.
        """
        start = self.choice.draw(rng, size, targets)
        path = self._first[start].astype(np.int16)[:, None]
        target = start // (len(self._first) // self._leads[0].shape[2])
        which = np.arange(size)
        state = np.zeros(size, np.int64)
        met = Met(size, len(self._sort), path[:, 0])
        for leads in self._leads[-2::-1]:
            near, kinds = self._near[path[:, -1]], self._kinds[path[:, -1]]  # (walks, neighbours)
            onward = self._after[state[:, None], kinds]
            weights = leads[onward, self._sort[near], target[:, None]]
            weights[met.among(near) | (kinds < 0)] = 0
            chances = np.cumsum(weights, axis=1)
            at = rng.random(len(path)) * chances[:, -1]
            choice = np.sum(chances <= at[:, None], axis=1)
            alive = np.flatnonzero(choice < near.shape[1])
            which, on = refill(rng, which[alive], tries)
            rows = alive[on]
            choice = choice[rows]
            path = np.column_stack([path[rows], near[rows, choice]])
            state, target = onward[rows, choice], target[rows]
            met.go_on(rows, path[:, -1])
        last = np.zeros(size, np.int16)
        last[which] = path[:, -1]
        kept = np.isin(which, worth(last))
        return path[kept], which[kept]


def _onward(related: Kinds, sorts: Ints) -> npt.NDArray[np.float64]:
    """[kind, a, b]: how many people of sort b are that to somebody of sort a, on average."""
    number = np.eye(int(sorts.max()) + 1)[sorts]  # (people, sorts)
    each = [number.T @ (related == kind) @ number for kind in range(int(related.max(initial=-1)) + 1)]
    means: npt.NDArray[np.float64] = np.array(each) / number.sum(axis=0)[:, None]
    return means
