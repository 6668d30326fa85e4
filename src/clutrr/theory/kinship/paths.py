"""Counting and enumerating paths: simple paths whose two ends are related.

A path of k edges has k+1 distinct people, each related to the next, and a target: what the last
person is to the first. Two paths are the same if pattern and target are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from clutrr.errors import ConfigError
from clutrr.theory.kinship.families import Shape, people_in, regular, relations
from clutrr.theory.kinship.placements import PatternReader
from clutrr.theory.kinship.steps import Steps

_MOST_EDGES, _MOST_PEOPLE = 12, 2000  # of what is counted
_ROWS = 20_000  # how many partial paths are extended at a time
Rows = npt.NDArray[np.int16]
Matrix = npt.NDArray[np.bool_]
Ways = Sequence[Sequence[Steps]]  # of each kind


@dataclass(frozen=True)
class Patterns:
    """The patterns of all paths of k edges in a family.

    patterns: kinds, one row per pattern. targets: its target kind. paths: how many paths have it,
    each walked both ways. forward: whether one of them leads from the first to the last in
    preorder, which is how the paper counts.
    """

    patterns: npt.NDArray[np.int8]
    targets: npt.NDArray[np.int8]
    paths: npt.NDArray[np.int64]
    forward: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Count:
    """One row of the paper's Table 2."""

    edges: int
    unique: int
    paths: int

    @property
    def nodes(self) -> int:
        return self.edges + 1

    @property
    def with_gender(self) -> int:
        """Every target has a word for either gender of the last person."""
        return 2 * self.unique


def enumerate_paths(
    related: npt.NDArray[np.int8],
    shape: Shape,
    steps: Sequence[int | None],
    target: int | None = None,
    reader: PatternReader | None = None,
) -> Iterator[tuple[Rows, int]]:
    """Yield all paths in a regular family, in batches, from one person of each sort.

    steps: for each edge the kind it must be, or None for any. target: likewise, between the ends.
    reader: tells which patterns to keep.

    Brothers and sisters of a regular family are alike, so the paths from the first of each sort stand
    for all; each batch comes with how many people are of its sort. Seen from the first of its sort, a
    sibling always comes later in preorder.
    """
    allowed = [related >= 0 if kind is None else related == kind for kind in steps]
    closing = related >= 0 if target is None else related == target
    search = _Search(related, allowed, closing, reader)
    for start, alike in _sorts(shape):
        for rows in search.extend(np.array([[start]], np.int16), np.zeros(1, np.int64)):
            yield rows, alike


def list_paths(
    related: npt.NDArray[np.int8],
    shape: Shape,
    steps: Sequence[int | None],
    target: int | None = None,
    reader: PatternReader | None = None,
) -> tuple[Rows, npt.NDArray[np.int64]]:
    """Return the paths of `enumerate_paths`, and how many each stands for."""
    batches = [
        (np.zeros((0, len(steps) + 1), np.int16), 0),
        *enumerate_paths(related, shape, steps, target, reader),
    ]
    sizes = [len(rows) for rows, _ in batches]
    return np.concatenate([rows for rows, _ in batches]), np.repeat([each for _, each in batches], sizes)


def enumerate_patterns(ways: Ways, levels: int, children: int, edges: int, siblings: str) -> Patterns:
    """Return all patterns of paths of that many edges in a regular family."""
    base = len(ways)
    shape = regular(levels, children)
    related = relations(shape, ways, siblings)
    columns: list[npt.NDArray[np.int64]] = []
    weights: list[npt.NDArray[np.int64]] = []
    for rows, alike in enumerate_paths(related, shape, [None] * edges):
        first, last = rows[:, 0], rows[:, -1]
        code = related[first, last].astype(np.int64) * 2 + (first < last)
        for i in range(edges):
            code = code * base + related[rows[:, i], rows[:, i + 1]]
        codes, counts = np.unique(code, return_counts=True)
        columns.append(codes)
        weights.append(counts * alike)
    return _decode(columns, weights, edges, base)


def _decode(
    columns: list[npt.NDArray[np.int64]], weights: list[npt.NDArray[np.int64]], edges: int, base: int
) -> Patterns:
    empty = np.zeros(0, np.int64)
    codes, inverse = np.unique(np.concatenate([empty, *columns]), return_inverse=True)
    counts = np.bincount(inverse, np.concatenate([empty, *weights]), len(codes)).astype(np.int64)
    digits = np.empty((len(codes), edges), np.int8)
    rest = codes
    for i in reversed(range(edges)):
        rest, digits[:, i] = np.divmod(rest, base)
    forward = rest % 2 == 1
    targets = (rest // 2).astype(np.int8)
    # One row for each pattern and target, in either direction of its paths.
    same = np.column_stack([targets, digits])
    rows, group = np.unique(same, axis=0, return_inverse=True)
    group = group.reshape(-1)
    return Patterns(
        rows[:, 1:],
        rows[:, 0],
        np.bincount(group, counts, len(rows)).astype(np.int64),
        np.bincount(group, forward, len(rows)) > 0,
    )


def _sorts(shape: Shape) -> Iterator[tuple[int, int]]:
    """Yield one person of each sort, and how many there are."""
    _, first, count = np.unique(shape.sorts, return_index=True, return_counts=True)
    for i in np.argsort(first):
        yield int(first[i]), int(count[i])


@dataclass(frozen=True)
class _Search:
    """A search for simple paths. allowed: who may follow whom at each edge. closing: how ends are related."""

    related: npt.NDArray[np.int8]
    allowed: Sequence[Matrix]
    closing: Matrix
    reader: PatternReader | None

    def extend(self, rows: Rows, read: npt.NDArray[np.integer]) -> Iterator[Rows]:
        """Yield all paths that continue these, in bounded memory. read: what the reader has made of them."""
        edge = rows.shape[1] - 1
        last = edge == len(self.allowed) - 1
        for at in range(0, len(rows), _ROWS):
            part = rows[at : at + _ROWS]
            onward = self.allowed[edge][part[:, -1]]
            if last:
                onward &= self.closing[part[:, 0]]
            np.put_along_axis(onward, part.astype(np.int64), False, axis=1)
            row, person = np.divmod(np.flatnonzero(onward), onward.shape[1])  # as nonzero, but faster
            states = read[at : at + _ROWS][row]
            if self.reader is not None:
                kinds = self.related[part[row, -1], person]
                if last:
                    kept = self.reader.keep(states, kinds)
                    row, person = row[kept], person[kept]
                else:
                    states = self.reader.read(states, kinds)
            longer = np.column_stack([part[row], person.astype(np.int16)])
            if last:
                yield longer
            else:
                yield from self.extend(longer, states)


def count_paths(ways: Ways, levels: int, children: int, max_edges: int, siblings: str) -> Iterator[Count]:
    """Table 2 of the paper: unique paths by their number of edges, from 2 up."""
    if max_edges > _MOST_EDGES:
        raise ConfigError(f"max-edges: {max_edges} is above {_MOST_EDGES}: their paths are too many to count")
    if people_in(levels, children) > _MOST_PEOPLE:
        raise ConfigError(
            f"levels, children: a family of {levels} levels with {children} children a couple has more than "
            f"{_MOST_PEOPLE:,} people, too many to count its paths"
        )
    for edges in range(2, max_edges + 1):
        found = enumerate_patterns(ways, levels, children, edges, siblings)
        yield Count(edges, int(found.forward.sum()), int(found.paths.sum()) // 2)
