"""The placements of a chain one by one, and sets of them as the states of an automaton."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clutrr.theory.kinship.spines import NAMED, NAMELESS, Spine, Spines, State
from clutrr.theory.kinship.steps import Step, Steps

_UNKNOWN, BEYOND = -1, -2  # numbers instead of those of sets
_MANY, _FAR = 4, 2  # limits of what entails: placements; couples on a spine more than the longest way has
_STATED = 3  # what a fact can state of a gender: nothing, or either one

Ints = npt.NDArray[np.integer]
Bools = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.float64]
# Whether what the ends of a chain can be to each other will do; None stands for anything but a kind.
Test = Callable[[Iterable[int | None]], bool]


class Placement(NamedTuple):
    """A single spine, and what is known ahead."""

    spine: Spine
    ahead: int


class Placements:
    """Follows one placement after another. ways: of each kind."""

    def __init__(self, spines: Spines, ways: Sequence[Sequence[Steps]]) -> None:
        self._spines = spines
        self._ways = ways
        self._labels: Mapping[Steps, int] = {steps: kind for kind, of in enumerate(ways) for steps in of}
        self._longest = max(map(len, self._labels))
        self._known: dict[tuple[Spine, int], Spine] = {}
        self._label: dict[Spine, int | None] = {}

    def __len__(self) -> int:
        return len(self._known)

    def start(self) -> Placement:
        """Return x0, of whom nothing is known."""
        return Placement(*self._spines.start())

    def after(self, placement: Placement, kind: int, mark: int) -> Iterator[tuple[int, Placement]]:
        """Yield where a fact can lead, to a person who gets the mark, and the mark of their spouse."""
        for steps in self._ways[kind]:
            between = [placement]
            for step in steps[:-1]:
                between = [after for before in between for after in self._step(before, step, NAMELESS)]
            for before in between:
                for after in self._step(before, steps[-1], mark):
                    (rest,) = after.spine.rests
                    spouse = self._spines.spouse(after.spine.node, after.ahead, rest)
                    if not spouse == mark > NAMED:
                        yield spouse, after

    def label(self, placement: Placement) -> int | None:
        """Return the kind that the last person is to the first; None for something else."""
        spine = placement.spine
        if spine not in self._label:
            way = next(self._spines.ways(spine, self._longest), None)
            self._label[spine] = None if way is None else self._labels.get(way)
        return self._label[spine]

    def state(self, placement: Placement) -> State:
        """Return the placement spelt out."""
        ((couples, origin),) = self._spines.couples(placement.spine)
        return State(couples, self._spines.moves.aheads[placement.ahead], origin)

    def _step(self, placement: Placement, step: Step, mark: int) -> Iterator[Placement]:
        for node, ahead, height, rests in self._spines.after(*placement, step, mark):
            if node < 0:
                yield Placement(self._spines.bottom(node), ahead)
                continue
            (rest,) = rests
            spine = self._known.get((rest, node))
            if spine is None:
                spine = self._known[rest, node] = Spine(node, height, (rest,))
            yield Placement(spine, ahead)


def fact_numbers(kinds: Ints, genders: Ints | None = None) -> Ints:
    """Return numbers for facts of these kinds, that state nothing more or the genders of their people."""
    facts: Ints = kinds.astype(np.int64) * _STATED
    return facts if genders is None else facts + 1 + genders


class PlacementSets:
    """Sets of placements, numbered as they are found: all placements of a chain, read fact by fact.

    Facts are numbers too, see `fact_numbers`. The first set is where every chain starts. sets: of each, the
    numbers of its placements. placements: by number. limits: the most placements of a set, and the most
    couples of a spine; what exceeds them, or has no placements, is `BEYOND`.
    """

    def __init__(self, following: Placements, kinds: int, limits: tuple[int, int] | None = None) -> None:
        self._following = following
        self._limits = limits
        self.placements: list[Placement] = []
        self._onward: dict[int, frozenset[int]] = {}  # by placement and fact, as one number
        self._numbers: dict[Placement, int] = {}
        self._after = np.full((64, kinds * _STATED), _UNKNOWN)  # of each set, by fact
        self.sets = [frozenset([self._number(following.start())])]
        self._set_numbers = {self.sets[0]: 0}
        self._ends: dict[int, frozenset[int | None]] = {}

    def __len__(self) -> int:
        return len(self.sets) + len(self.placements)

    def after(self, number: int, fact: int) -> int:
        """Return the set that a fact leads to."""
        found = int(self._after[number, fact])
        if found == _UNKNOWN:
            onward = [self._led(one, fact) for one in self.sets[number]]
            found = self._set_number(frozenset[int]().union(*onward))
            self._after[number, fact] = found
        return found

    def _set_number(self, placed: frozenset[int]) -> int:
        if self._limits is not None:
            many, far = self._limits
            if not 0 < len(placed) <= many or max(self.placements[i].spine.height for i in placed) > far:
                return BEYOND
        found = self._set_numbers.setdefault(placed, len(self.sets))
        if found == len(self.sets):
            self.sets.append(placed)
            if len(self.sets) > len(self._after):
                self._after = np.pad(self._after, ((0, len(self._after)), (0, 0)), constant_values=_UNKNOWN)
        return found

    def ends(self, number: int) -> frozenset[int | None]:
        """Return what the last person can be to the first; None stands for anything but a kind."""
        found = self._ends.get(number)
        if found is None:
            labels = (self._following.label(self.placements[one]) for one in self.sets[number])
            found = self._ends[number] = frozenset(labels)
        return found

    def last(self, number: int, kind: int) -> Iterator[int | None]:
        """Yield what the person whom a fact leads to can be to the first, one placement after the other."""
        for one in self.sets[number]:
            for _, after in self._following.after(self.placements[one], kind, NAMED):
                yield self._following.label(after)

    def read(self, numbers: Ints, facts: Ints) -> Ints:
        """Return the sets that facts lead to, from many sets at once."""
        each = self._after.shape[1]
        facts = numbers * each + facts
        used = np.unique(facts)
        for fact in used[self._after.reshape(-1)[used] == _UNKNOWN].tolist():
            self.after(*divmod(fact, each))
        after: Ints = self._after.reshape(-1)[facts]
        return after

    def _led(self, one: int, fact: int) -> frozenset[int]:
        """Return the placements that a fact leads to."""
        key = one * self._after.shape[1] + fact
        found = self._onward.get(key)
        if found is None:
            kind, stated = divmod(fact, _STATED)
            after = self._following.after(self.placements[one], kind, NAMED + stated)
            found = self._onward[key] = frozenset([self._number(placement) for _, placement in after])
        return found

    def _number(self, placement: Placement) -> int:
        found = self._numbers.setdefault(placement, len(self.placements))
        if found == len(self.placements):
            self.placements.append(placement)
        return found


class PatternReader:
    """Tells which patterns have ends that pass a test: many at once, fact by fact, from set 0 on."""

    def __init__(self, sets: PlacementSets, test: Test) -> None:
        self._sets = sets
        self._test = test
        self._passed: dict[tuple[int, int], bool] = {}

    def read(self, numbers: Ints, kinds: Ints) -> Ints:
        """Return the numbers of the sets that facts lead to."""
        return self._sets.read(numbers, fact_numbers(kinds))

    def keep(self, numbers: Ints, kinds: Ints) -> Bools:
        """Return which patterns pass, by their last fact and the set before it."""
        each = int(kinds.max(initial=0)) + 1
        facts = numbers * each + kinds
        used = np.flatnonzero(np.bincount(facts))
        passed = np.zeros(int(used.max(initial=0)) + 1, bool)
        passed[used] = [self._passes(*divmod(fact, each)) for fact in used.tolist()]
        kept: Bools = passed[facts]
        return kept

    def keep_all(self, patterns: Ints) -> Bools:
        """Return which patterns pass, one per row."""
        numbers: Ints = np.zeros(len(patterns), np.int64)
        *before, last = patterns.T
        for kinds in before:
            numbers = self.read(numbers, kinds)
        return self.keep(numbers, last)

    def _passes(self, number: int, kind: int) -> bool:
        found = self._passed.get((number, kind))
        if found is None:
            found = self._passed[number, kind] = self._test(self._sets.last(number, kind))
        return found


class Automaton(NamedTuple):
    """after: (states, kinds), the state that a fact leads to; the last state is none. ends: the kind that
    each state entails, or -1. The first is where every chain starts."""

    after: Ints
    ends: Ints


class EntailedPatterns:
    """The patterns that entail their answer, as the words of an automaton. ways: of each kind.

    Its states are sets of placements; a chain entails its answer if all of them end in one kind. Two limits
    make it finite: nobody on the path is ever further than `far` steps from the first person, and there are
    never more than four placements at once. Whatever it contains is entailed; what it leaves out is rare in
    short chains (kinship: 4 of 1338 patterns of 6 facts), and in long ones strays far from the start.
    """

    def __init__(self, ways: Sequence[Sequence[Steps]]) -> None:
        self._ways = ways
        self.far = max(len(steps) for of_kind in ways for steps in of_kind) + _FAR
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
        facts = fact_numbers(np.arange(len(kinds))).tolist()
        sets = PlacementSets(Placements(Spines(), self._ways), len(kinds), (_MANY, self.far))
        rows: list[list[int]] = []
        while len(rows) < len(sets.sets):
            number = len(rows)
            rows.append([sets.after(number, fact) for fact in facts])
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
