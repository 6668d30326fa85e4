"""Drawing questions of a theory given by models: routes by the states they lead to, and facts beside them."""

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import and_

import numpy as np
import numpy.typing as npt

from clutrr._puzzle import ROLES
from clutrr.errors import ConfigError
from clutrr.theory.algebra import RelationAlgebra
from clutrr.theory.questions import Cast, PossibleKinds, QuestionBlock, QuestionSource
from clutrr.theory.spec import QuestionSpec, Supply
from clutrr.theory.states import ANY, SEVERAL, Ints, RouteStates

Bools = npt.NDArray[np.bool_]
_SHORT = 4  # facts of a route of which larger blocks are made
_FEW = 1 << 16  # patterns that can be listed
_TEST = 0.2  # the share of patterns that only test uses
_SELDOM = 0.03  # a target whose questions are on one side's patterns less often is left out
_ROUNDS = 1000  # tries to draw a pattern of one's own side


class RouteSource(QuestionSource):
    """Draws the questions of one subset and split: every question is a scene of its own."""

    def __init__(
        self,
        spec: QuestionSpec,
        supply: Supply,
        states: RouteStates,
        algebra: RelationAlgebra,
    ) -> None:
        k = spec.k
        self._spec, self._supply = spec, supply
        self._states, self._algebra = states, algebra
        self.block = self.scenes = 4096 if k <= _SHORT else 1024
        apart = spec.disconnected + 1 if spec.disconnected else 0
        needed = 2 + spec.routes * (k - 1) + spec.supporting // 2 + spec.irrelevant + apart
        if needed > sum(supply.names):
            raise ConfigError(
                f"stories of M{k} with these settings name {needed} entities, "
                f"but world {supply.world!r} has {sum(supply.names)} names for {spec.split}",
                setting="k",
            )
        self._meetings = states.meetings(k, spec.routes)
        self._sides = _PatternSides(states, k, spec.split) if spec.disjoint_patterns else None
        self._labels = np.array(
            [kind for kind in self._meetings.labels if self._divided(kind)], np.int64
        )
        self._keeps_all = spec.preset.keeps == "all"
        if not self._keeps_all and not len(self._labels) and spec.undetermined != 1:
            if self._meetings.labels:
                few = f"M{k} has too few patterns for train and test to share none"
                raise ConfigError(few, setting="disjoint")
            raise ConfigError(f"no question of M{k} has exactly one possible answer", setting="k")
        if spec.undetermined and not self._meetings.open:
            raise ConfigError(
                f"no question of M{k} has several possible answers, assuming {spec.assume}",
                setting="undetermined",
            )

    def _divided(self, kind: int) -> bool:
        """Whether train and test both have patterns that lead to this target."""
        if self._sides is None:
            return True
        tried = self._draw_facts(np.random.default_rng(0), np.full(self.block, kind))
        share = float(self._sides.mine(tried).mean())
        return _SELDOM < share < 1 - _SELDOM

    def draw(self, rng: np.random.Generator) -> QuestionBlock:
        k, routes, rows = self._spec.k, self._spec.routes, self.block
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
        if self._keeps_all:
            return np.full(rows, ANY)
        several = round(self._spec.undetermined * rows)
        asked = np.concatenate(
            [np.full(several, SEVERAL), np.resize(rng.permutation(self._labels), rows - several)]
        )
        return rng.permutation(asked)

    def _facts(self, rng: np.random.Generator, asked: Ints) -> Ints:
        """Draw the kinds of the facts of all routes: (questions, routes * k)."""
        kinds = self._draw_facts(rng, asked)
        if self._sides is None and self._algebra.associative:
            return kinds
        wrong = np.flatnonzero(~self._fitting(kinds, asked))
        for _ in range(_ROUNDS):
            if not len(wrong):
                return kinds
            kinds[wrong] = self._draw_facts(rng, asked[wrong])
            wrong = wrong[~self._fitting(kinds[wrong], asked[wrong])]
        if self._sides is None:
            raise ConfigError(f"M{self._spec.k} has too few such questions", setting="k")
        raise ConfigError(
            f"M{self._spec.k} has too few patterns for train and test to share none",
            setting="disjoint",
        )

    def _fitting(self, kinds: Ints, asked: Ints) -> Bools:
        """Return which questions have a pattern of this split, and the answers that are asked for."""
        fits = np.ones(len(kinds), bool) if self._sides is None else self._sides.mine(kinds)
        if not self._algebra.associative:  # the state of a route is more than is possible
            possible = self._possible(kinds)
            several = (possible & (possible - 1)) != 0
            decided = possible == np.left_shift(1, np.maximum(asked, 0))
            fits &= np.where(asked >= 0, decided, np.where(asked == ANY, possible != 0, several))
        return fits

    def _draw_facts(self, rng: np.random.Generator, asked: Ints) -> Ints:
        ends = self._meetings.draw(rng, asked)
        return self._states.facts(rng, ends.reshape(-1), self._spec.k).reshape(len(asked), -1)

    def _possible(self, kinds: Ints) -> Ints:
        """Return what the routes leave possible, as sets. kinds: of their facts."""
        if not self._algebra.associative:
            routes = kinds.reshape(len(kinds), -1, self._spec.k).tolist()
            return np.array([reduce(and_, map(self._algebra.route, one)) for one in routes])
        states = self._states.follow(kinds.reshape(-1, self._spec.k))
        found: Ints = np.bitwise_and.reduce(
            self._states.masks[states].reshape(len(kinds), -1), axis=1
        )
        return found

    def _targets(self, rng: np.random.Generator, asked: Ints, kinds: Ints) -> Ints:
        if not self._keeps_all:
            return np.where(asked == SEVERAL, -1, asked)
        chance = rng.random((len(asked), self._algebra.size))
        found: Ints = np.argmax(np.where(self._listed(self._possible(kinds)), chance, -1), axis=1)
        return found

    def _listed(self, masks: Ints) -> Bools:
        listed: Bools = (masks[:, None] >> np.arange(self._algebra.size) & 1).astype(bool)
        return listed

    def judge(self, questions: QuestionBlock) -> PossibleKinds:
        possible = self._listed(
            self._possible(questions.kinds[:, : questions.routed].astype(np.int64))
        )
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
        spec, stated = self._spec, self._states.kinds
        pairs, odd = divmod(spec.supporting, 2)
        if odd:
            draft.restate(np.array(self._algebra.converse))
        for _ in range(pairs):
            draft.go_around(self._states)
        for _ in range(spec.irrelevant):
            draft.branch(stated)
        if spec.disconnected:
            draft.apart(stated, spec.disconnected)

    def notes(self) -> Iterator[str]:
        if self._keeps_all:
            return
        words = [kind.words[0] for kind in self._supply.labels.kinds]
        routes = self._spec.routes
        where = f"M{self._spec.k}: with " + ("one route" if routes == 1 else f"{routes} routes")
        missing = [kind for kind in range(len(words)) if kind not in self._meetings.labels]
        allowed = np.bitwise_or.reduce(self._states.masks[self._states.reached(self._spec.k) > 0])
        if never := [words[kind] for kind in missing if not allowed >> kind & 1]:
            yield f"{where}, no facts leave the target {_either(never)} possible"
        if open_ := [words[kind] for kind in missing if allowed >> kind & 1]:
            yield (
                f"{where}, no question with one answer has the target {_either(open_)}: the facts always "
                "leave something else possible, too (facts that all say that two are the same are not asked)"
            )
        if undivided := [words[kind] for kind in self._meetings.labels if kind not in self._labels]:
            yield (
                f"{where}, too few patterns lead to the target {_either(undivided)} for train and test to "
                "share none: it is left out"
            )
        asked = np.resize(self._labels, self.block)
        alone = self._states.decided[self._meetings.draw(np.random.default_rng(0), asked)].any(
            axis=1
        )
        if routes > 1 and alone.any():
            which = _either([words[kind] for kind in np.unique(asked[alone])])
            yield (
                f"{where}, one of the routes proves the target by itself in {100 * alone.mean():.0f} % of "
                f"the questions with one answer, those with the target {which}"
            )


class _RouteDraft:
    """The facts of the questions of a block as they come together, and who is brought in by which fact.

    head, tail, kinds: a column for each fact. first: of each entity, the fact that brings it in.
    """

    def __init__(
        self, head: Ints, tail: Ints, kinds: Ints, first: Ints, rng: np.random.Generator
    ) -> None:
        rows, self._routed = kinds.shape
        self._rng, self._rows = rng, np.arange(rows)
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
        head, kind, tail = (
            np.stack(column[: self._routed])[number, self._rows]
            for column in (self.head, self.kinds, self.tail)
        )
        return head, kind, tail

    def restate(self, converse: Ints) -> None:
        """State a fact of the routes from its other end."""
        head, kind, tail = self._any_fact()
        self._add(tail, head, converse[kind], "supporting")

    def go_around(self, states: RouteStates) -> None:
        """Add two facts: a way through somebody new around a fact of the routes."""
        head, kind, tail = self._any_fact()
        ways, place = states.around(), states.places_of(kind)
        count = np.array([len(way) for way in ways])
        chosen = (self._rng.random(len(kind)) * count[place]).astype(np.int64)
        one, other = np.concatenate(ways)[(np.cumsum(count) - count)[place] + chosen].T
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
        self._states, self._k, self._test = states, k, split == "test"
        self._few = self._divide() if len(states.kinds) ** k <= _FEW else None

    def _divide(self) -> Bools:
        """Return which of all routes belong to test: a share of those with the same answers, at least one."""
        states, k = self._states, self._k
        kinds = states.kinds[np.indices((len(states.kinds),) * k).reshape(k, -1).T]
        masks = states.masks[states.follow(kinds)]
        hashed = _mixed(self._numbers(kinds)[:, 0])
        test = np.zeros(len(kinds), bool)
        for mask in np.unique(masks):
            here = np.flatnonzero(masks == mask)
            if len(here) > 1:
                test[here[np.argsort(hashed[here])[: max(1, round(_TEST * len(here)))]]] = True
        return test

    def _numbers(self, kinds: Ints) -> npt.NDArray[np.uint64]:
        """Return a number for each route: (questions, routes)."""
        places = self._states.places_of(kinds).astype(np.uint64).reshape(len(kinds), -1, self._k)
        number = np.zeros(places.shape[:2], np.uint64)
        for place in range(self._k):
            number = number * np.uint64(len(self._states.kinds)) + places[..., place]
        return number

    def mine(self, kinds: Ints) -> Bools:
        """Return which questions have a pattern of this split, whatever the order of their routes."""
        numbers = self._numbers(kinds)
        if numbers.shape[1] == 1 and self._few is not None:
            few: Bools = self._few[numbers[:, 0].astype(np.int64)] == self._test
            return few
        hashed = _mixed(_mixed(numbers).sum(axis=1, dtype=np.uint64))
        mine: Bools = (hashed % np.uint64(1000) < 1000 * _TEST) == self._test
        return mine


def _mixed(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return a number that looks random for each number (the finalizer of splitmix64)."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _either(words: Sequence[str]) -> str:
    *others, last = (f"`{word}`" for word in words)
    return f"{', '.join(others)} or {last}" if others else last
