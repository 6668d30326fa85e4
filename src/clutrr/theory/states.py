"""The states of routes: counted by the length of the routes that lead to them, and drawn from these counts.

After each fact, a route is in a state: what it leaves possible between its ends. Routes are drawn backwards
from the state in which they are to end: every route of that length and state is drawn alike, and none is
thrown away. A question of several routes is made of states that agree in what they leave possible together.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clutrr.theory.algebra import RelationAlgebra

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
SEVERAL, ANY = -1, -2  # instead of a target: a question with several answers; any question
_BELOW_1 = 1 - 1e-9


class RouteStates:
    """The states of routes; a route starts in state 0.

    after: the state after one more fact, (states, stated kinds). kinds: the numbers of the stated kinds.
    masks: what a state leaves possible, a set of kinds. places: whether a state is a place, so that routes
    between the same two entities end in the same one. still: whether a route may say "the same" and nothing
    else.
    """

    def __init__(
        self, after: Ints, kinds: Ints, masks: Ints, places: bool = False, still: bool = True
    ) -> None:
        self.after, self.kinds, self.masks = after, kinds, masks
        self.places, self.still = places, still
        # Which states leave one kind possible.
        self.decided = np.array([int(mask).bit_count() == 1 for mask in masks])
        self._reached: list[Floats] = [np.eye(1, len(masks))[0]]
        # Every state with every fact, sorted by the state it leads to; and where those of each start.
        into = after.reshape(-1)
        self._before = np.argsort(into, kind="stable")
        self._start = np.searchsorted(np.sort(into), np.arange(len(masks) + 1))

    @classmethod
    def of_sets(cls, algebra: RelationAlgebra, stated: Sequence[int], still: bool) -> "RouteStates":
        """Return states that are sets of kinds.

        A route that says "the same" and nothing else stays where it starts, in state 0. If it may not do
        that, other routes that lead back to "the same", as six hours on and six more, have a state of their
        own.
        """
        masks, after = [1 << algebra.identity], []
        number = {masks[0]: 0} if still and algebra.strict else {}
        for state, mask in enumerate(masks):
            row = []
            for kind in stated:
                to = algebra.compose(mask, 1 << kind) if state else 1 << kind
                if not state and kind == algebra.identity and algebra.strict:
                    row.append(0)
                    continue
                if to not in number:
                    number[to] = len(masks)
                    masks.append(to)
                row.append(number[to])
            after.append(row)
        return cls(np.array(after), np.array(stated), np.array(masks), still=still)

    @classmethod
    def of_steps(
        cls, steps: Sequence[tuple[int, int]], stated: Sequence[int], k: int
    ) -> "RouteStates":
        """Return states that are places on a grid, where every fact is one step. steps: of each kind."""
        # Places k steps away at most (two, for a way around a fact), numbered around from the middle: -1 is
        # the last number of an axis.
        far = max(k, 2)
        side = 2 * far + 1
        east, north = np.divmod(np.arange(side**2), side)
        across, upwards = np.array(steps)[list(stated)].T
        after = (east[:, None] + across) % side * side + (north[:, None] + upwards) % side
        signs = zip(
            *((axis > 0).astype(int) - 2 * (axis > far) for axis in (east, north)), strict=True
        )
        masks = np.array([1 << steps.index((int(x), int(y))) for x, y in signs])
        return cls(after, np.array(stated), masks, places=True)

    def reached(self, k: int) -> Floats:
        """Return the share of the routes of k facts that lead to each state."""
        while len(self._reached) <= k:
            weights = np.repeat(self._reached[-1] / len(self.kinds), len(self.kinds))
            into = np.bincount(self.after.reshape(-1), weights, len(self.masks))
            self._reached.append(into.astype(np.float64))
        return self._reached[k]

    def facts(self, rng: np.random.Generator, ends: Ints, k: int) -> Ints:
        """Draw routes of k facts that lead to these states; return their kinds: (routes, k)."""
        pairs, start = self._before, self._start
        state, found = ends, np.empty((len(ends), k), np.int64)
        for place in range(k - 1, -1, -1):
            weights = self.reached(place)[pairs // len(self.kinds)]
            total = np.add.reduceat(np.append(weights, 0), np.minimum(start[:-1], len(weights)))
            total[start[:-1] == start[1:]] = 0
            # Those that lead to one state add up to 1, so that rare states are drawn as exactly as others.
            each = np.repeat(
                np.divide(1, total, out=np.zeros_like(total), where=total > 0), np.diff(start)
            )
            below = np.concatenate([[0], np.cumsum(weights * each)])
            chance = below[start[state]] + rng.random(len(ends)) * _BELOW_1
            chosen = pairs[np.searchsorted(below, chance, side="right") - 1]
            found[:, place] = chosen % len(self.kinds)
            state = chosen // len(self.kinds)
        return self.kinds[found]

    def follow(self, kinds: Ints) -> Ints:
        """Return the states that routes lead to. kinds: of their facts, (routes, k)."""
        state = np.zeros(len(kinds), np.int64)
        for column in self.places_of(kinds).T:
            state = self.after[state, column]
        return state

    def places_of(self, kinds: Ints) -> Ints:
        """Return the place of each kind among those that are stated."""
        place = np.zeros(self.kinds.max() + 1, np.int64)
        place[self.kinds] = np.arange(len(self.kinds))
        found: Ints = place[kinds]
        return found

    def around(self) -> list[Ints]:
        """Return for each stated kind the kinds of two facts in a row whose ends can be related like this."""
        twice = self.after[self.after[0]]
        holds = (
            twice == self.after[0, place] if self.places else self.masks[twice] >> kind & 1
            for place, kind in enumerate(self.kinds)
        )
        return [self.kinds[np.argwhere(pairs)] for pairs in holds]

    def meetings(self, k: int, routes: int) -> "SetMeetings | PlaceMeetings":
        """Return how routes of k facts can meet."""
        return (PlaceMeetings if self.places else SetMeetings)(self, k, routes)


class PlaceMeetings:
    """Draws the states of routes that end at the same place: each of them decides. See `SetMeetings`."""

    open = False

    def __init__(self, states: RouteStates, k: int, routes: int) -> None:
        self._routes = routes
        self._share = states.reached(k) ** routes
        self._kind = np.array([int(mask).bit_length() - 1 for mask in states.masks])
        self.labels = tuple(int(kind) for kind in np.unique(self._kind[self._share > 0]))

    def draw(self, rng: np.random.Generator, asked: Ints) -> Ints:
        ends = np.empty(len(asked), np.int64)
        for kind in np.unique(asked):
            rows = np.flatnonzero(asked == kind)
            share = np.where((self._kind == kind) | (kind == ANY), self._share, 0)
            ends[rows] = rng.choice(len(share), len(rows), p=share / share.sum())
        return np.repeat(ends[:, None], self._routes, axis=1)


class _Ways(NamedTuple):
    """How the last of some routes can lead to what they leave possible together.

    before: what the others leave possible. states: of the last one. below: cumulated shares.
    """

    before: Ints
    states: Ints
    below: Floats


class SetMeetings:
    """Draws the states of several routes between the same two entities.

    labels: the kinds that can be the only answer. open: whether there are questions with several answers.
    """

    def __init__(self, states: RouteStates, k: int, routes: int) -> None:
        self._masks, self._routes = states.masks, routes
        self._share = states.reached(k).copy()
        if not states.still:
            self._share[0] = 0
        there = np.flatnonzero(self._share)
        single = states.decided[there]
        self._decided = {int(self._masks[state]).bit_length() - 1: state for state in there[single]}
        # The states to use, and the share of each meeting of 0, 1, ... routes by what they leave possible
        # together: of any routes, and of several of which none decides alone.
        self._states = {False: there, True: there[~single] if routes > 1 else there}
        self._counts = {shared: self._count(allowed) for shared, allowed in self._states.items()}
        together = {
            mask.bit_length() - 1 for mask in self._counts[True][-1] if mask.bit_count() == 1
        }
        self.labels = tuple(sorted(together | set(self._decided)))
        self._alone = [
            kind for kind in self.labels if kind not in together
        ]  # one route has to decide
        self.open = any(mask.bit_count() > 1 for mask in self._counts[False][-1])
        self._ways = cache(self._find_ways)

    def _count(self, allowed: Ints) -> list[dict[int, float]]:
        counts: list[dict[int, float]] = [{-1: 1.0}]
        for _ in range(self._routes):
            found: dict[int, float] = {}
            for before, weight in counts[-1].items():
                for state in allowed:
                    met = before & int(self._masks[state])
                    if met:
                        found[met] = found.get(met, 0.0) + weight * float(self._share[state])
            counts.append(found)
        return counts

    def _find_ways(self, shared: bool, routes: int, met: int) -> _Ways:
        """Return how so many routes can leave this possible. shared: none of them decides alone."""
        ways = [
            (before, state, weight * self._share[state])
            for before, weight in self._counts[shared][routes - 1].items()
            for state in self._states[shared]
            if before & int(self._masks[state]) == met
        ]
        before, states, weights = zip(*ways, strict=True)
        return _Ways(np.array(before), np.array(states), np.cumsum(weights) / np.sum(weights))

    def draw(self, rng: np.random.Generator, asked: Ints) -> Ints:
        """Draw the states of the routes: (questions, routes). asked: the target, `SEVERAL` or `ANY`."""
        ends = np.empty((len(asked), self._routes), np.int64)
        by_one = np.isin(asked, self._alone)
        for shared in (True, False):
            rows = np.flatnonzero(((asked >= 0) == shared) & ~by_one)
            met = self._met(rng, asked[rows])
            for routes in range(self._routes, 0, -1):
                wanted = met.copy()
                for mask in np.unique(wanted):
                    here = np.flatnonzero(wanted == mask)
                    ways = self._ways(shared, routes, int(mask))
                    chosen = np.searchsorted(
                        ways.below, rng.random(len(here)) * _BELOW_1, side="right"
                    )
                    ends[rows[here], routes - 1] = ways.states[chosen]
                    met[here] = ways.before[chosen]
        for kind in np.unique(asked[by_one]):
            rows = np.flatnonzero(asked == kind)
            ends[rows] = self._with_one(rng, int(kind), len(rows))
        return ends

    def _met(self, rng: np.random.Generator, asked: Ints) -> Ints:
        """Return what the routes leave possible together."""
        met, meetings = np.left_shift(1, np.maximum(asked, 0)), self._counts[False][-1]
        for wanted, least in ((SEVERAL, 2), (ANY, 1)):
            rows = np.flatnonzero(asked == wanted)
            if len(rows):
                found = {
                    mask: share for mask, share in meetings.items() if mask.bit_count() >= least
                }
                shares = np.array(list(found.values()))
                met[rows] = rng.choice(np.array(list(found)), len(rows), p=shares / shares.sum())
        return met

    def _with_one(self, rng: np.random.Generator, kind: int, rows: int) -> Ints:
        """Draw routes of which one decides, at a random place."""
        others = [state for state in self._states[True] if self._masks[state] >> kind & 1]
        others = others or [self._decided[kind]]
        shares = self._share[others]
        ends = rng.choice(np.array(others), (rows, self._routes), p=shares / shares.sum())
        ends[np.arange(rows), rng.integers(0, self._routes, rows)] = self._decided[kind]
        return ends
