"""Drawing questions of a theory given by models, by counting the states that routes of facts lead to.

After each fact, a route is in a state: what it leaves possible between its ends. Routes are counted by their
length and state, and drawn from these counts, backwards from the state in which they are to end: every route
of that length and state is drawn alike, and none is thrown away. A question of several routes is made of
states that agree in what they leave possible together.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from clutrr.errors import ConfigError
from clutrr.puzzle import ROLES
from clutrr.theory.algebra import Algebra
from clutrr.theory.questions import Cast, PossibleKinds, QuestionBlock, QuestionSource
from clutrr.theory.theory import Supply

if TYPE_CHECKING:
    from clutrr.config import Config

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
SEVERAL, ANY = -1, -2  # instead of a target: a question with several answers; any question
_BELOW_1 = 1 - 1e-9
_SHORT = 4  # facts of a route of which larger blocks are made
_FEW = 1 << 16  # patterns that can be listed
_TEST = 0.2  # the share of patterns that only test uses
_SELDOM = 0.03  # a target whose questions are on one side's patterns less often is left out
_ROUNDS = 1000  # tries to draw a pattern of one's own side


class RouteStates(ABC):
    """The states of routes.

    after: the state after one more fact, (states, stated kinds). kinds: the numbers of the stated kinds.
    masks: what a state leaves possible, a set of kinds. A route starts in state 0.
    """

    after: Ints
    kinds: Ints
    masks: Ints

    def reached(self, k: int) -> Floats:
        """Return the share of the routes of k facts that lead to each state."""
        while len(self._reached) <= k:
            share = self._reached[-1][:, None] / len(self.kinds)
            weights = np.broadcast_to(share, self.after.shape).reshape(-1)
            into: Floats = np.bincount(self.after.reshape(-1), weights, len(self.masks)).astype(np.float64)
            self._reached.append(into)
        return self._reached[k]

    @cached_property
    def _reached(self) -> list[Floats]:
        start = np.zeros(len(self.masks))
        start[0] = 1
        return [start]

    @cached_property
    def decided(self) -> npt.NDArray[np.bool_]:
        """Which states leave one kind possible."""
        return np.array([int(mask).bit_count() == 1 for mask in self.masks])

    @cached_property
    def _before(self) -> tuple[Ints, Ints]:
        """Every state with every fact, sorted by the state it leads to; and where those of each start."""
        into = self.after.reshape(-1)
        return np.argsort(into, kind="stable"), np.searchsorted(np.sort(into), np.arange(len(self.masks) + 1))

    def facts(self, rng: np.random.Generator, ends: Ints, k: int) -> Ints:
        """Draw routes of k facts that lead to these states; return their kinds: (routes, k)."""
        pairs, start = self._before
        state, found = ends, np.empty((len(ends), k), np.int64)
        for place in range(k - 1, -1, -1):
            weights = self.reached(place)[pairs // len(self.kinds)]
            total = np.add.reduceat(np.append(weights, 0), np.minimum(start[:-1], len(weights)))
            total[start[:-1] == start[1:]] = 0
            # Those that lead to one state add up to 1, so that rare states are drawn as exactly as others.
            each = np.repeat(np.divide(1, total, out=np.zeros_like(total), where=total > 0), np.diff(start))
            below = np.concatenate([[0], np.cumsum(weights * each)])
            chance = below[start[state]] + rng.random(len(ends)) * _BELOW_1
            chosen = pairs[np.searchsorted(below, chance, side="right") - 1]
            found[:, place] = chosen % len(self.kinds)
            state = chosen // len(self.kinds)
        return self.kinds[found]

    def follow(self, kinds: Ints) -> Ints:
        """Return the states that routes lead to. kinds: of their facts, (routes, k)."""
        place = np.zeros(self.kinds.max() + 1, np.int64)
        place[self.kinds] = np.arange(len(self.kinds))
        state = np.zeros(len(kinds), np.int64)
        for column in place[kinds].T:
            state = self.after[state, column]
        return state

    @abstractmethod
    def around(self, kind: int) -> list[tuple[int, int]]:
        """Return the kinds of two facts in a row whose ends can be related like this."""

    @abstractmethod
    def meetings(self, k: int, routes: int) -> "Meetings":
        """Return how routes of k facts can meet."""


class Meetings(ABC):
    """Draws the states of several routes between the same two entities.

    labels: the kinds that can be the only answer. alone: those of them that one route must decide by itself.
    open: whether there are questions with several answers.
    """

    labels: tuple[int, ...]
    alone: tuple[int, ...]
    open: bool

    @abstractmethod
    def draw(self, rng: np.random.Generator, asked: Ints) -> Ints:
        """Draw the states of the routes: (questions, routes). asked: the target, `SEVERAL` or `ANY`."""


class SetStates(RouteStates):
    """States that are sets of kinds. still: whether a route may say "the same" and nothing else."""

    def __init__(self, algebra: Algebra, stated: Sequence[int], still: bool = False) -> None:
        self._algebra, self.still = algebra, still
        self.kinds = np.array(stated)
        masks, after = [1 << algebra.identity], []
        number = {masks[0]: 0}
        for mask in masks:
            row = []
            for kind in stated:
                to = algebra.compose(mask, 1 << kind)
                if to not in number:
                    number[to] = len(masks)
                    masks.append(to)
                row.append(number[to])
            after.append(row)
        self.after, self.masks = np.array(after), np.array(masks)

    def around(self, kind: int) -> list[tuple[int, int]]:
        table = self._algebra.table
        return [(r, s) for r in self.kinds for s in self.kinds if table[r, s] >> kind & 1]

    def meetings(self, k: int, routes: int) -> Meetings:
        return _SetMeetings(self, k, routes)


class _Ways(NamedTuple):
    """How the last of some routes can lead to what they leave possible together.

    before: what the others leave possible. states: of the last one. below: cumulated shares.
    """

    before: Ints
    states: Ints
    below: Floats


class _SetMeetings(Meetings):
    def __init__(self, states: SetStates, k: int, routes: int) -> None:
        self._masks, self._routes = states.masks, routes
        share = states.reached(k).copy()
        if not states.still:
            share[0] = 0
        self._there = np.flatnonzero(share)
        self._share = share
        self._known: dict[tuple[bool, int, int], _Ways] = {}
        single = states.decided
        self._undecided = self._there[~single[self._there]]
        self._decided = {
            int(mask).bit_length() - 1: i for i, mask in enumerate(self._masks) if single[i] and share[i]
        }
        self._all = self._counts(self._there)
        self._shared = self._all if routes == 1 else self._counts(self._undecided)
        free = {mask.bit_length() - 1 for mask in self._shared[-1] if mask.bit_count() == 1}
        self.labels = tuple(sorted(free | set(self._decided)))
        self.alone = tuple(sorted(set(self.labels) - free)) if routes > 1 else ()
        self.open = any(mask.bit_count() > 1 for mask in self._all[-1])

    def _counts(self, allowed: Ints) -> list[dict[int, float]]:
        """Return the share of each meeting of 0, 1, ... routes, by what they leave possible together."""
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

    def _ways(self, shared: bool, routes: int, met: int) -> _Ways:
        """Return how so many routes can leave this possible. shared: none of them decides alone."""
        if (shared, routes, met) not in self._known:
            self._known[shared, routes, met] = self._ways_to(shared, routes, met)
        return self._known[shared, routes, met]

    def _ways_to(self, shared: bool, routes: int, met: int) -> _Ways:
        counts = self._shared if shared else self._all
        ways = [
            (before, state, weight * self._share[state])
            for before, weight in counts[routes - 1].items()
            for state in (self._undecided if shared and self._routes > 1 else self._there)
            if before & int(self._masks[state]) == met
        ]
        before, states, weights = zip(*ways, strict=True)
        return _Ways(np.array(before), np.array(states), np.cumsum(weights) / np.sum(weights))

    def draw(self, rng: np.random.Generator, asked: Ints) -> Ints:
        ends = np.empty((len(asked), self._routes), np.int64)
        by_one = np.isin(asked, self.alone)
        for shared in (True, False):
            rows = np.flatnonzero(((asked >= 0) == shared) & ~by_one)
            met = self._met(rng, asked[rows])
            for routes in range(self._routes, 0, -1):
                wanted = met.copy()
                for mask in np.unique(wanted):
                    here = np.flatnonzero(wanted == mask)
                    ways = self._ways(shared, routes, int(mask))
                    chosen = np.searchsorted(ways.below, rng.random(len(here)) * _BELOW_1, side="right")
                    ends[rows[here], routes - 1] = ways.states[chosen]
                    met[here] = ways.before[chosen]
        for kind in np.unique(asked[by_one]):
            rows = np.flatnonzero(asked == kind)
            ends[rows] = self._with_one(rng, int(kind), len(rows))
        return ends

    def _met(self, rng: np.random.Generator, asked: Ints) -> Ints:
        """Return what the routes leave possible together."""
        met = np.left_shift(1, np.maximum(asked, 0))
        for wanted, least in ((SEVERAL, 2), (ANY, 1)):
            rows = np.flatnonzero(asked == wanted)
            if len(rows):
                found = {mask: share for mask, share in self._all[-1].items() if mask.bit_count() >= least}
                shares = np.array(list(found.values()))
                met[rows] = rng.choice(np.array(list(found)), len(rows), p=shares / shares.sum())
        return met

    def _with_one(self, rng: np.random.Generator, kind: int, rows: int) -> Ints:
        """Draw routes of which one decides, at a random place."""
        others = [state for state in self._undecided if self._masks[state] >> kind & 1]
        others = others or [self._decided[kind]]
        shares = self._share[others]
        ends = rng.choice(np.array(others), (rows, self._routes), p=shares / shares.sum())
        ends[np.arange(rows), rng.integers(0, self._routes, rows)] = self._decided[kind]
        return ends


class StepStates(RouteStates):
    """States that are places on a grid, where every fact is one step. steps: of each kind."""

    def __init__(self, steps: Sequence[tuple[int, int]], stated: Sequence[int], k: int) -> None:
        self.kinds = np.array(stated)
        self._steps = steps
        # Places k steps away at most, numbered around from the middle: -1 is the last number of an axis.
        side = 2 * k + 1
        east, north = np.divmod(np.arange(side**2), side)
        across, upwards = np.array(steps)[self.kinds].T
        self.after = (east[:, None] + across) % side * side + (north[:, None] + upwards) % side
        number = {step: kind for kind, step in enumerate(steps)}
        signs = zip(*((axis > 0).astype(int) - 2 * (axis > k) for axis in (east, north)), strict=True)
        self.masks = np.array([1 << number[int(x), int(y)] for x, y in signs])

    def around(self, kind: int) -> list[tuple[int, int]]:
        x, y = self._steps[kind]
        return [
            (r, s)
            for r in self.kinds
            for s in self.kinds
            if (self._steps[r][0] + self._steps[s][0], self._steps[r][1] + self._steps[s][1]) == (x, y)
        ]

    def meetings(self, k: int, routes: int) -> Meetings:
        return _StepMeetings(self, k, routes)


class _StepMeetings(Meetings):
    """Routes that end at the same place: each of them decides."""

    open = False

    def __init__(self, states: RouteStates, k: int, routes: int) -> None:
        self._routes = routes
        self._share = states.reached(k) ** routes
        self._kind = np.array([int(mask).bit_length() - 1 for mask in states.masks])
        self.labels = tuple(int(kind) for kind in np.unique(self._kind[self._share > 0]))
        self.alone = self.labels if routes > 1 else ()

    def draw(self, rng: np.random.Generator, asked: Ints) -> Ints:
        ends = np.empty(len(asked), np.int64)
        for kind in np.unique(asked):
            rows = np.flatnonzero(asked == kind)
            share = np.where((self._kind == kind) | (kind == ANY), self._share, 0)
            ends[rows] = rng.choice(len(share), len(rows), p=share / share.sum())
        return np.repeat(ends[:, None], self._routes, axis=1)


class RouteSource(QuestionSource):
    """Draws the questions of one subset and split: every question is a scene of its own."""

    def __init__(
        self, config: "Config", supply: Supply, k: int, split: str, states: RouteStates, algebra: Algebra
    ) -> None:
        (self._routes,) = config.routes
        self._config, self._supply, self._k = config, supply, k
        self._states, self._algebra = states, algebra
        self.block = self.scenes = 4096 if k <= _SHORT else 1024
        self._needed = names_needed(config, k, self._routes)
        if self._needed > sum(supply.names):
            raise ConfigError(f"k: M{k} needs {self._needed} names, and {split} has {sum(supply.names)}")
        self._meetings = states.meetings(k, self._routes)
        self._sides = _PatternSides(states, k, split) if "patterns" in config.disjoint else None
        self._labels = np.array([kind for kind in self._meetings.labels if self._divided(kind)], np.int64)
        keeps_all = config.preset == "described"
        if not keeps_all and not len(self._labels) and config.undetermined != 1:
            few = f"disjoint: M{k} has too few patterns for train and test to share none"
            none = f"k: no question of M{k} has exactly one possible answer"
            raise ConfigError(few if self._meetings.labels else none)
        if config.undetermined and not self._meetings.open:
            raise ConfigError(
                f"undetermined: no question of M{k} has several possible answers, assuming {config.assume}"
            )

    def _divided(self, kind: int) -> bool:
        """Whether train and test both have patterns that lead to this target."""
        if self._sides is None:
            return True
        tried = self._draw_facts(np.random.default_rng(0), np.full(self.block, kind))
        share = float(self._sides.mine(tried).mean())
        return _SELDOM < share < 1 - _SELDOM

    def draw(self, rng: np.random.Generator) -> QuestionBlock:
        k, routes, rows = self._k, self._routes, self.block
        asked = self._asked(rng)
        kinds = self._facts(rng, asked)
        placed = np.arange(k + 1)
        head = [placed[:-1]]
        tail = [placed[1:]]
        for route in range(1, routes):
            inner = 1 + k + (route - 1) * (k - 1) + np.arange(k - 1)
            head.append(np.concatenate([[0], inner]))
            tail.append(np.concatenate([inner, [k]]))
        first = np.zeros(2 + routes * (k - 1), np.int64)
        for number in range(routes * k - 1, -1, -1):
            route, place = divmod(number, k)
            first[tail[route][place]] = number
        first[0] = 0
        draft = _RouteDraft(np.concatenate(head), np.concatenate(tail), kinds, first, rng)
        self._add_noise(draft)
        entities = len(draft.first)
        cast = Cast(
            self._names(rng, entities).reshape(-1),
            np.zeros(rows * entities, np.int8),
            rng.integers(0, 2**16, (rows * entities, self._supply.attributes), np.uint16),
            each=1,
        )
        return QuestionBlock(
            cast=cast,
            k=k,
            scene=np.arange(rows),
            entities=np.arange(rows * entities).reshape(rows, entities),
            head=np.stack(draft.head, axis=1),
            tail=np.stack(draft.tail, axis=1),
            kinds=np.stack(draft.kinds, axis=1),
            first=np.array(draft.first),
            roles=np.array(draft.roles),
            targets=self._targets(rng, asked, kinds),
        )

    def _asked(self, rng: np.random.Generator) -> Ints:
        """Return what to ask for: targets, `SEVERAL` or `ANY`, in any order."""
        rows = self.block
        if self._config.preset == "described":
            return np.full(rows, ANY)
        several = round((self._config.undetermined or 0) * rows)
        asked = np.concatenate(
            [np.full(several, SEVERAL), np.resize(rng.permutation(self._labels), rows - several)]
        )
        return rng.permutation(asked)

    def _facts(self, rng: np.random.Generator, asked: Ints) -> Ints:
        """Draw the kinds of the facts of all routes: (questions, routes * k)."""
        kinds = self._draw_facts(rng, asked)
        if self._sides is not None:
            wrong = np.flatnonzero(~self._sides.mine(kinds))
            for _ in range(_ROUNDS):
                if not len(wrong):
                    break
                kinds[wrong] = self._draw_facts(rng, asked[wrong])
                wrong = wrong[~self._sides.mine(kinds[wrong])]
            else:
                raise ConfigError(
                    f"disjoint: M{self._k} has too few patterns for train and test to share none"
                )
        return kinds

    def _draw_facts(self, rng: np.random.Generator, asked: Ints) -> Ints:
        ends = self._meetings.draw(rng, asked)
        return self._states.facts(rng, ends.reshape(-1), self._k).reshape(len(asked), -1)

    def _possible(self, kinds: Ints) -> Ints:
        """Return what the routes leave possible, as sets. kinds: of their facts."""
        states = self._states.follow(kinds.reshape(-1, self._k))
        found: Ints = np.bitwise_and.reduce(self._states.masks[states].reshape(len(kinds), -1), axis=1)
        return found

    def _targets(self, rng: np.random.Generator, asked: Ints, kinds: Ints) -> Ints:
        if self._config.preset != "described":
            return np.where(asked == SEVERAL, -1, asked)
        chance = rng.random((len(asked), self._algebra.size))
        found: Ints = np.argmax(np.where(self._listed(self._possible(kinds)), chance, -1), axis=1)
        return found

    def _listed(self, masks: Ints) -> npt.NDArray[np.bool_]:
        listed: npt.NDArray[np.bool_] = (masks[:, None] >> np.arange(self._algebra.size) & 1).astype(bool)
        return listed

    def judge(self, questions: QuestionBlock) -> PossibleKinds:
        possible = self._listed(self._possible(questions.kinds[:, : questions.routed].astype(np.int64)))
        known = np.ones(len(questions), bool)
        return PossibleKinds(possible, ~known, known, known)

    def _names(self, rng: np.random.Generator, entities: int) -> npt.NDArray[np.int16]:
        """Draw different names for the entities of each question, by the first steps of a shuffle."""
        names = np.tile(np.arange(sum(self._supply.names), dtype=np.int16), (self.block, 1))
        rows = np.arange(self.block)
        for place in range(entities):
            other = rng.integers(place, names.shape[1], self.block)
            names[rows, other], names[:, place] = names[:, place].copy(), names[rows, other]
        return names[:, :entities]

    def _add_noise(self, draft: "_RouteDraft") -> None:
        config, stated = self._config, self._states.kinds
        pairs, odd = divmod(config.supporting, 2)
        if odd:
            draft.restate(np.array(self._algebra.converse))
        for _ in range(pairs):
            draft.go_around([self._states.around(kind) for kind in range(self._algebra.size)])
        for _ in range(config.irrelevant):
            draft.branch(stated)
        if config.disconnected:
            draft.apart(stated, config.disconnected)

    def notes(self) -> Iterator[str]:
        if self._config.preset == "described":
            return
        words = [kind.words[0] for kind in self._supply.labels.kinds]
        where = f"M{self._k}: with " + ("one route" if self._routes == 1 else f"{self._routes} routes")
        if missing := [word for kind, word in enumerate(words) if kind not in self._meetings.labels]:
            yield (
                f"{where}, no question with one answer has the target {_either(missing)}: the facts leave "
                "something else possible, too, unless all say that two are the same, which is not asked"
            )
        if undivided := [words[kind] for kind in self._meetings.labels if kind not in self._labels]:
            yield (
                f"{where}, too few patterns lead to the target {_either(undivided)} for train and test to "
                "share none: it is left out"
            )
        asked = np.resize(self._labels, self.block)
        alone = self._states.decided[self._meetings.draw(np.random.default_rng(0), asked)].any(axis=1)
        if self._routes > 1 and alone.any():
            which = _either([words[kind] for kind in np.unique(asked[alone])])
            yield (
                f"{where}, one of the routes proves the target by itself in {100 * alone.mean():.0f} % of "
                f"the questions with one answer, those with the target {which}"
            )


class _RouteDraft:
    """The facts of the questions of a block as they come together, and who is brought in by which fact.

    head, tail, kinds: a column for each fact. first: of each entity, the fact that brings it in.
    """

    def __init__(self, head: Ints, tail: Ints, kinds: Ints, first: Ints, rng: np.random.Generator) -> None:
        rows, self._routed = kinds.shape
        self._rng, self._rows = rng, np.arange(rows)
        self._on_routes = len(first)
        self._branches = list(range(len(first)))
        self.head = [np.full(rows, place) for place in head]
        self.tail = [np.full(rows, place) for place in tail]
        self.kinds = list(kinds.T)
        self.first = first.tolist()
        self.roles = [0] * self._routed

    def _add(self, head: Ints, tail: Ints, kind: Ints, role: str) -> None:
        self.head.append(head)
        self.tail.append(tail)
        self.kinds.append(kind)
        self.roles.append(ROLES.index(role))

    def _newcomer(self) -> Ints:
        """Return a new entity, brought in by the next fact."""
        self.first.append(len(self.roles))
        return np.full(len(self._rows), len(self.first) - 1)

    def _any_fact(self) -> tuple[Ints, Ints, Ints]:
        """Return a fact of the routes for each question."""
        number = self._rng.integers(0, self._routed, len(self._rows))
        columns = (
            np.stack(column[: self._routed])[number, self._rows]
            for column in (self.head, self.kinds, self.tail)
        )
        head, kind, tail = columns
        return head, kind, tail

    def restate(self, converse: Ints) -> None:
        """State a fact of the routes from its other end."""
        head, kind, tail = self._any_fact()
        self._add(tail, head, converse[kind], "supporting")

    def go_around(self, ways: Sequence[Sequence[tuple[int, int]]]) -> None:
        """Add two facts: a way through somebody new around a fact of the routes. ways: for each kind."""
        head, kind, tail = self._any_fact()
        count = np.array([len(way) for way in ways])
        chosen = (self._rng.random(len(kind)) * count[kind]).astype(np.int64)
        flat = np.array([pair for way in ways for pair in way]).reshape(-1, 2)
        one, other = flat[(np.cumsum(count) - count)[kind] + chosen].T
        through = self._newcomer()
        self._add(head, through, one, "supporting")
        self._add(through, tail, other, "supporting")

    def branch(self, stated: Ints) -> None:
        """Add one fact: somebody new, related to somebody of the routes or of a branch."""
        head = self._rng.choice(np.array(self._branches), len(self._rows))
        tail = self._newcomer()
        self._branches.append(len(self.first) - 1)
        self._add(head, tail, self._rng.choice(stated, len(self._rows)), "irrelevant")

    def apart(self, stated: Ints, facts: int) -> None:
        """Add facts in a row about entities that nothing joins to the routes."""
        head = self._newcomer()
        for _ in range(facts):
            tail = self._newcomer()
            self._add(head, tail, self._rng.choice(stated, len(self._rows)), "disconnected")
            head = tail


class _PatternSides:
    """Which patterns are a split's own."""

    def __init__(self, states: RouteStates, k: int, split: str) -> None:
        self._k, self._test = k, split == "test"
        self._stated = len(states.kinds)
        self._place = np.zeros(int(states.kinds.max()) + 1, np.uint64)
        self._place[states.kinds] = np.arange(self._stated, dtype=np.uint64)
        self._few: npt.NDArray[np.bool_] | None = None
        if self._stated**k <= _FEW:
            self._few = self._divide(states)

    def _divide(self, states: RouteStates) -> npt.NDArray[np.bool_]:
        """Return which of all routes belong to test: a share of those with the same answers, at least one."""
        digits = np.indices((self._stated,) * self._k).reshape(self._k, -1).T
        masks = states.masks[states.follow(states.kinds[digits])]
        hashed = _mixed(self._numbers(states.kinds[digits])[:, 0])
        test = np.zeros(len(digits), bool)
        for mask in np.unique(masks):
            here = np.flatnonzero(masks == mask)
            if len(here) > 1:
                test[here[np.argsort(hashed[here])[: max(1, round(_TEST * len(here)))]]] = True
        return test

    def _numbers(self, kinds: Ints) -> npt.NDArray[np.uint64]:
        """Return a number for each route: (questions, routes)."""
        places = self._place[kinds].reshape(len(kinds), -1, self._k)
        number = np.zeros(places.shape[:2], np.uint64)
        for place in range(self._k):
            number = number * np.uint64(self._stated) + places[..., place]
        return number

    def mine(self, kinds: Ints) -> npt.NDArray[np.bool_]:
        """Return which questions have a pattern of this split, whatever the order of their routes."""
        numbers = self._numbers(kinds)
        if numbers.shape[1] == 1 and self._few is not None:
            few: npt.NDArray[np.bool_] = self._few[numbers[:, 0].astype(np.int64)] == self._test
            return few
        hashed = _mixed(_mixed(numbers).sum(axis=1, dtype=np.uint64))
        mine: npt.NDArray[np.bool_] = (hashed % np.uint64(1000) < 1000 * _TEST) == self._test
        return mine


def _mixed(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return a number that looks random for each number (the finalizer of splitmix64)."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def names_needed(config: "Config", k: int, routes: int) -> int:
    """Return how many entities a story of k facts a route names."""
    apart = config.disconnected + 1 if config.disconnected else 0
    return 2 + routes * (k - 1) + config.supporting // 2 + config.irrelevant + apart


def _either(words: Sequence[str]) -> str:
    *others, last = (f"`{word}`" for word in words)
    return f"{', '.join(others)} or {last}" if others else last
