"""What a network of any sets of kinds leaves possible: closure, and cases where closure does not decide.

Closure keeps, of what two entities can be to each other, only what agrees with every third one. Pairs whose
set is not tractable (tractable.py) are split into sets that are, one pair after the other, until closure
decides.
"""

from collections.abc import Mapping, Sequence

from clutrr.theory.algebra import RelationAlgebra, bits
from clutrr.theory.tractable import SetClasses

Cells = list[list[int]]  # what each entity can be to each other one


class TooMuchWorkError(Exception):
    """The work allowed is used up, and nothing is decided."""


class Cases:
    """Decides a network by closure and by cases. work: the compositions so far, of which `most` are allowed."""

    def __init__(self, algebra: RelationAlgebra, classes: SetClasses, most: int) -> None:
        self._algebra, self._classes, self._most = algebra, classes, most
        self.work = 0

    def possible(self, near: Mapping[str, Mapping[str, int]], query: Sequence[str]) -> int:
        """Return what the second entity of a query can be to the first; no query: whether a scene is possible.

        near: what is known of pairs. Raises TooMuchWorkError.
        """
        names = [*query, *(name for name in near if name not in query)]
        cells, pairs = self._cells(near, names)
        if not self._close(cells, pairs):
            return 0
        if not query:
            return int(self._fits(cells))
        if all(one in self._classes.convex for row in cells for one in row):
            return cells[0][1]
        found = 0
        for kind in bits(cells[0][1]):
            case = self._narrowed(cells, 0, 1, 1 << kind)
            if case is not None and self._fits(case):
                found |= 1 << kind
        return found

    def scenario(self, near: Mapping[str, Mapping[str, int]]) -> dict[tuple[str, str], int] | None:
        """Return one kind for each pair, such that all can hold together; None if there is no such choice.

        The sets of all pairs must be convex: then the first kind that closure leaves of a pair can be kept.
        near: as in `possible`. Raises TooMuchWorkError.
        """
        names = list(near)
        cells, pairs = self._cells(near, names)
        if not self._close(cells, pairs):
            return None
        chosen = {}
        for i, first in enumerate(names):
            for j, last in enumerate(names[i + 1 :], i + 1):
                kind = next(bits(cells[i][j]))
                chosen[first, last] = kind
                cells[i][j], cells[j][i] = 1 << kind, self._algebra.turn(1 << kind)
                if not self._close(cells, [(i, j)]):
                    return None
        return chosen

    def _cells(
        self, near: Mapping[str, Mapping[str, int]], names: Sequence[str]
    ) -> tuple[Cells, list[tuple[int, int]]]:
        """Return what is known of all pairs, by place among the names, and the pairs of which something is."""
        every, same = self._algebra.every, 1 << self._algebra.identity
        cells = [
            [same if a == b else near[a].get(b, every) if a in near else every for b in names]
            for a in names
        ]
        pairs = [(i, j) for i, row in enumerate(cells) for j in range(i) if row[j] != every]
        return cells, pairs

    def _fits(self, cells: Cells) -> bool:
        """Return whether some scene has a closed network."""
        waiting = [cells]
        while waiting:
            case = waiting.pop()
            self.work += len(case) ** 2
            open_pairs = [
                (len(self._classes.split(one)), i, j)
                for i, row in enumerate(case)
                for j, one in enumerate(row[:i])
                if one not in self._classes.tractable
            ]
            if not open_pairs:
                return True
            _, i, j = min(open_pairs)
            for part in reversed(self._classes.split(case[i][j])):
                narrowed = self._narrowed(case, i, j, part)
                if narrowed is not None:
                    waiting.append(narrowed)
        return False

    def _narrowed(self, cells: Cells, i: int, j: int, kinds: int) -> Cells | None:
        """Return a closed network in which only these kinds are left of a pair; None if there is none."""
        found = [row.copy() for row in cells]
        found[i][j], found[j][i] = kinds, self._algebra.turn(kinds)
        return found if self._close(found, [(i, j)]) else None

    def _close(self, cells: Cells, pairs: Sequence[tuple[int, int]]) -> bool:
        """Narrow a network down to what agrees with every third entity; return whether no pair is left empty.

        pairs: those that were narrowed down since it was closed.
        """
        compose, turn = self._algebra.compose, self._algebra.turn
        if any(cells[i][j] == 0 for i, j in pairs):
            return False
        waiting = dict.fromkeys(pairs)
        while waiting:
            i, j = waiting.popitem()[0]
            self.work += len(cells)
            if self.work > self._most:
                raise TooMuchWorkError
            for k in range(len(cells)):
                if k in (i, j):
                    continue
                for a, b, c in ((i, j, k), (j, i, k)):
                    left = cells[a][c] & compose(cells[a][b], cells[b][c])
                    if left == cells[a][c]:
                        continue
                    if not left:
                        return False
                    cells[a][c], cells[c][a] = left, turn(left)
                    waiting[max(a, c), min(a, c)] = None
        return True
