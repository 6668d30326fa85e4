"""The patterns that entail their answer, as the words of an automaton.

A state of the automaton is the set of all placements of a chain (see `placements`), read fact by fact.
A chain entails its answer if all of them end in one kind. Two limits make the automaton finite: nobody
on the path is ever further from the first person than `far` steps, and there are never more than `MANY`
placements at once. Whatever it contains is entailed; what it leaves out is rare in short chains
(kinship: nothing up to 3 facts, 4 of 1338 patterns of 6 facts), and in long chains strays far from the start.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clutrr.theory.kinship.placements import BEYOND, Placements, PlacementSets
from clutrr.theory.kinship.spines import Spines
from clutrr.theory.kinship.steps import Steps

MANY = 4
_BEYOND = 2  # couples on a spine more than the longest way has

Ints = npt.NDArray[np.int64]
Counts = npt.NDArray[np.float64]


class Automaton(NamedTuple):
    """after: (states, kinds), the state that a fact leads to; the last state is none. ends: the kind that
    each state entails, or -1. The first is where every chain starts."""

    after: Ints
    ends: Ints


class EntailedPatterns:
    """Patterns that entail their answer. ways: of each kind."""

    def __init__(self, ways: Sequence[Sequence[Steps]]) -> None:
        self._ways = ways
        self.far = max(len(steps) for of_kind in ways for steps in of_kind) + _BEYOND
        self._counts: list[Counts] = []

    def count(self, edges: int) -> list[int]:
        """Return how many patterns of this many facts entail each kind."""
        return [int(count) for count in self._upto(edges)[edges][0]]

    def _upto(self, edges: int) -> list[Counts]:
        """[n][state, kind]: how many ways of n facts lead from the state to where the kind is entailed."""
        after, ends = self.automaton
        if not self._counts:
            self._counts.append((ends[:, None] == np.arange(len(self._ways))).astype(np.float64))
        while len(self._counts) <= edges:
            self._counts.append(self._counts[-1][after].sum(axis=1))
        return self._counts

    @cached_property
    def automaton(self) -> Automaton:
        """Made when first asked for."""
        after, ends = self._explore()
        useful = _leads_to(after, ends >= 0)
        number = np.full(len(after), useful.sum())
        number[useful] = np.arange(useful.sum())
        nowhere = np.full((1, after.shape[1]), useful.sum())
        return Automaton(np.concatenate([number[after[useful]], nowhere]), np.append(ends[useful], -1))

    def _explore(self) -> tuple[Ints, Ints]:
        """Return the states within the limits; the last state is whatever lies beyond, and leads nowhere."""
        kinds = range(len(self._ways))
        sets = PlacementSets(Placements(Spines(), self._ways), len(kinds), (MANY, self.far))
        rows: list[list[int]] = []
        while len(rows) < len(sets.sets):
            number = len(rows)
            rows.append([sets.after(number, kind) for kind in kinds])
        table = np.array([*rows, [BEYOND] * len(kinds)])
        table[table == BEYOND] = len(rows)
        ends = (sets.ends(number) for number in range(len(rows)))
        entailed = (next(iter(one)) if len(one) == 1 else None for one in ends)
        return table, np.array([*(-1 if kind is None else kind for kind in entailed), -1])


def _leads_to(after: Ints, there: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return which states lead to one of those."""
    while not np.array_equal(there, wider := there | there[after].any(axis=1)):
        there = wider
    return there
