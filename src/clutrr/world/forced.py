"""The patterns that entail their answer, as the words of an automaton: counted, and drawn.

A state of the automaton is the set of all ways in which a chain can sit (see `sittings`), read fact by
fact. A chain entails its answer if all of them end in one kind. Two limits make the automaton finite:
nobody on the path is ever further from the first person than `far` steps, and there are never more
than `MANY` ways at once. Whatever it contains is entailed; what it leaves out is rare in short chains
(kinship: nothing up to 3 facts, 4 of 1338 patterns of 6 facts), and in long chains strays far from the start.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clutrr.world.moves import Moves
from clutrr.world.placing import NAMED
from clutrr.world.sittings import Sitting, Sittings
from clutrr.world.steps import Steps

MANY = 4
_BEYOND = 2  # couples on a spine more than the longest way has

Ints = npt.NDArray[np.int64]
Kinds = npt.NDArray[np.int8]
Counts = npt.NDArray[np.float64]


class Automaton(NamedTuple):
    """after: (states, kinds), the state that a fact leads to; the last state is none. ends: the kind that
    each state entails, or -1. The first is where every chain starts."""

    after: Ints
    ends: Ints


class Forced:
    """Patterns that entail their answer."""

    def __init__(self, kinds: Sequence[Sequence[Steps]]) -> None:
        self._kinds = kinds
        self._labels = {steps: kind for kind, ways in enumerate(kinds) for steps in ways}
        self._longest = max(map(len, self._labels))
        self.far = self._longest + _BEYOND
        self._counts: list[Counts] = []

    def count(self, edges: int) -> list[int]:
        """How many patterns of this many facts entail each kind."""
        return [int(count) for count in self._upto(edges)[edges][0]]

    def draw(self, rng: np.random.Generator, edges: int, targets: Kinds) -> Kinds:
        """A pattern for each of the targets; all patterns that entail it are equally likely."""
        counts = self._upto(edges)
        after = self.automaton.after
        state = np.zeros(len(targets), np.int64)
        patterns = np.empty((len(targets), edges), np.int8)
        for i in range(edges):
            onward = after[state]  # (patterns, kinds)
            chances = np.cumsum(counts[edges - 1 - i][onward, targets[:, None]], axis=1)
            at = rng.random(len(targets)) * chances[:, -1]
            kind = np.minimum(np.sum(chances <= at[:, None], axis=1), len(self._kinds) - 1)
            patterns[:, i] = kind
            state = onward[np.arange(len(targets)), kind]
        return patterns

    def _upto(self, edges: int) -> list[Counts]:
        """[n][state, kind]: how many ways of n facts lead from the state to where the kind is entailed."""
        after, ends = self.automaton
        if not self._counts:
            self._counts.append((ends[:, None] == np.arange(len(self._kinds))).astype(np.float64))
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
        """All states within the limits; whatever lies beyond them is the last state, which leads nowhere."""
        sittings = Sittings(Moves())
        known: dict[tuple[Sitting, int], frozenset[Sitting]] = {}

        def led(sitting: Sitting, kind: int) -> frozenset[Sitting]:
            found = known.get((sitting, kind))
            if found is None:
                ways = self._kinds[kind]
                found = frozenset(
                    after for steps in ways for _, after in sittings.after(sitting, steps, NAMED)
                )
                known[sitting, kind] = found
            return found

        states = [frozenset([sittings.start()])]
        number = {states[0]: 0}
        rows: list[list[int]] = []
        while len(rows) < len(states):
            state = states[len(rows)]
            row = []
            for kind in range(len(self._kinds)):
                after = frozenset[Sitting]().union(*(led(sitting, kind) for sitting in state))
                if not after or len(after) > MANY or max(map(sittings.height, after)) > self.far:
                    row.append(-1)
                    continue
                if after not in number:
                    number[after] = len(states)
                    states.append(after)
                row.append(number[after])
            rows.append(row)
        ends = [self._end(sittings, state) for state in states]
        table = np.array([*rows, [-1] * len(self._kinds)])
        table[table < 0] = len(states)
        return table, np.array([*ends, -1])

    def _end(self, sittings: Sittings, state: frozenset[Sitting]) -> int:
        ways = (sittings.steps(sitting, self._longest) for sitting in state)
        kinds = {-1 if steps is None else self._labels.get(steps, -1) for steps in ways}
        return kinds.pop() if len(kinds) == 1 else -1


def _leads_to(after: Ints, there: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which states lead to one of those."""
    while not np.array_equal(there, wider := there | there[after].any(axis=1)):
        there = wider
    return there
