"""The placements of a chain, one by one, and sets of them as the states of an automaton."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clutrr.theory.kinship.placing import NAMED, NAMELESS, State
from clutrr.theory.kinship.spines import Spine, Spines
from clutrr.theory.kinship.steps import Step, Steps

_UNKNOWN, BEYOND = -1, -2  # numbers instead of those of sets

Ints = npt.NDArray[np.integer]
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


class PlacementSets:
    """Sets of placements, numbered as they are found: all placements of a chain, read fact by fact.

    The first set is where every chain starts. sets: of each, the numbers of its placements. placements: by
    number. limits: the most placements of a set, and the most couples of a spine; what exceeds them, or has
    no placements, is `BEYOND`.
    """

    def __init__(self, following: Placements, kinds: int, limits: tuple[int, int] | None = None) -> None:
        self._following = following
        self._limits = limits
        self.placements: list[Placement] = []
        self._onward: dict[int, frozenset[int]] = {}  # by placement and kind, as one number
        self._numbers: dict[Placement, int] = {}
        self._after = np.full((64, kinds), _UNKNOWN)  # of each set, by kind
        self.sets = [frozenset([self._number(following.start())])]
        self._set_numbers = {self.sets[0]: 0}
        self._ends: dict[int, frozenset[int | None]] = {}

    def __len__(self) -> int:
        return len(self.sets) + len(self.placements)

    def after(self, number: int, kind: int) -> int:
        """Return the set that a fact leads to."""
        found = int(self._after[number, kind])
        if found == _UNKNOWN:
            onward = [self._led(one, kind) for one in self.sets[number]]
            found = self._set_number(frozenset[int]().union(*onward))
            self._after[number, kind] = found
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

    def read(self, numbers: Ints, kinds: Ints) -> Ints:
        """Return the sets that facts lead to, from many sets at once."""
        each = self._after.shape[1]
        facts = numbers * each + kinds
        used = np.flatnonzero(np.bincount(facts))
        for fact in used[self._after.reshape(-1)[used] == _UNKNOWN].tolist():
            self.after(*divmod(fact, each))
        after: Ints = self._after.reshape(-1)[facts]
        return after

    def _led(self, one: int, kind: int) -> frozenset[int]:
        """Return the placements that a fact leads to."""
        key = one * self._after.shape[1] + kind
        found = self._onward.get(key)
        if found is None:
            after = self._following.after(self.placements[one], kind, NAMED)
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
        return self._sets.read(numbers, kinds)

    def keep(self, numbers: Ints, kinds: Ints) -> npt.NDArray[np.bool_]:
        """Return which patterns pass, by their last fact and the set before it."""
        each = int(kinds.max(initial=0)) + 1
        facts = numbers * each + kinds
        used = np.flatnonzero(np.bincount(facts))
        passed = np.zeros(int(used.max(initial=0)) + 1, bool)
        passed[used] = [self._passes(*divmod(fact, each)) for fact in used.tolist()]
        kept: npt.NDArray[np.bool_] = passed[facts]
        return kept

    def keep_all(self, patterns: Ints) -> npt.NDArray[np.bool_]:
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
