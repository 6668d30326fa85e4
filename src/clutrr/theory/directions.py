"""Directions: places on a map, at any distance (`free`) or with every fact one step (`unit`)."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import product

from clutrr._labels import Labels
from clutrr._puzzle import Fact
from clutrr._statement import Statement, StatementKind
from clutrr.theory.algebra import bits
from clutrr.theory.apart import groups_apart
from clutrr.theory.boxes import BoxScene, ranks
from clutrr.theory.given import Given, names_in, names_of
from clutrr.theory.grid import ANY, Apart, Bounds, Box, Grid, TooManyCasesError, solve
from clutrr.theory.models import Facts, ModelTheory, Pairs, presets
from clutrr.theory.solver import Query, Scene, Solver, query_named
from clutrr.theory.spec import Assumption, QuestionSpec
from clutrr.theory.states import RouteStates
from clutrr.theory.tractable import SetClasses, next_by_signs
from clutrr.theory.verdict import Verdict

Place = tuple[int, int]

# How b lies to a: to the east, to the north.
STEPS = {
    "N": (0, 1),
    "NE": (1, 1),
    "E": (1, 0),
    "SE": (1, -1),
    "S": (0, -1),
    "SW": (-1, -1),
    "W": (-1, 0),
    "NW": (-1, 1),
    "Eq": (0, 0),
}
_KINDS = {step: kind for kind, step in STEPS.items()}
_SIGNS = {-1: "<", 0: "=", 1: ">"}
_FREE = (
    "Places are points on a map. North means due north, at any distance; north-east means anywhere further "
    "east and further north, and so on."
)
_UNIT = (
    "Places are points of a square grid, and every statement is about one step: north means one step to the "
    "north, north-east one step to the north and one to the east. The question is about the direction alone."
)


def kind_of(east: int, north: int) -> str:
    """Return the kind of a direction, whatever the distance."""
    return _KINDS[(east > 0) - (east < 0), (north > 0) - (north < 0)]


def _within(steps: Sequence[Place], steps_only: bool) -> Box:
    """Return the box of some steps that form one. steps_only: one step; else any distance that way."""
    (west, east), (south, north) = ((min(line), max(line)) for line in zip(*steps, strict=True))
    if steps_only:
        return (west, east), (south, north)
    return _far(west, east), _far(south, north)


def _far(low: int, high: int) -> Bounds:
    return (low if low >= 0 else -ANY), (high if high <= 0 else ANY)


def _map_scene(places: Mapping[str, Place]) -> Scene:
    """Return the scene of places, each so far to the east and to the north."""
    words = ", ".join(f"{name} ({east}, {north})" for name, (east, north) in places.items())
    boxes = {name: (east, east, north, north) for name, (east, north) in places.items()}
    return BoxScene(boxes, words, "north is up")


class Directions(ModelTheory):
    """Points of the plane."""

    name = "directions"
    kinds = tuple(STEPS)
    assumptions = (
        Assumption("unit", "every fact is one step on a grid", _UNIT),
        Assumption("free", "a fact gives the direction, at any distance", _FREE),
    )
    presets = presets("free")
    distributive = True

    def solver(self, labels: Labels, assume: str) -> Solver:
        if assume == "unit":
            return UnitSolver(labels, assume)
        return super().solver(labels, assume)

    def states(self, spec: QuestionSpec) -> RouteStates:
        if spec.assume == "unit":
            return RouteStates.of_steps(list(STEPS.values()), self.stated_in(spec), spec.k)
        return super().states(spec)

    @classmethod
    def things(cls, size: int = 5) -> Sequence[Place]:
        return list(product(range(size), range(size)))

    @classmethod
    def relation(cls, a: Place, b: Place) -> str:
        return kind_of(b[0] - a[0], b[1] - a[1])

    @classmethod
    @cache
    def set_classes(cls) -> SetClasses:
        return SetClasses.of_signs(cls.kinds, STEPS)

    def neighbours(self) -> Mapping[str, Collection[str]]:
        return next_by_signs(STEPS)

    @classmethod
    def realize(cls, facts: Facts, kinds: Pairs, names: Sequence[str]) -> Scene | None:
        east, north = (
            ranks(names, {pair: _SIGNS[STEPS[kind][axis]] for pair, kind in kinds.items()})
            for axis in (0, 1)
        )
        return _map_scene({name: (east[name], north[name]) for name in names})


class UnitSolver(Solver):
    """Decides questions where every fact is one step on a grid: positions add up, from wherever it starts.

    An alternative is one of several steps. A denial denies the direction at any distance.
    """

    takes = frozenset({StatementKind.FACT, StatementKind.ALTERNATIVES, StatementKind.DENIAL})

    def verdict(self, given: Sequence[Given], query: Query) -> Verdict:
        facts, others = self.sort(given)
        query_named(names_in([*facts, *others]) if others else names_of(facts), query)
        if others:
            return self._verdict_by_cases(facts, others, query)
        groups = self._groups(facts)
        if groups is None:
            return Verdict((), False, self.assume)
        first, last = query
        for places in groups:
            if first in places and last in places:
                return Verdict((self._word(places[first], places[last]),), False, self.assume)
        return Verdict(self.labels.relations, False, self.assume)

    def _verdict_by_cases(
        self, facts: Sequence[Fact], others: Sequence[Statement], query: Query
    ) -> Verdict:
        try:
            words = tuple(
                word for word in self.labels.relations if self._grid(facts, others, (query, word))
            )
        except TooManyCasesError:
            return Verdict((), False, self.assume, decided=False)
        return Verdict(words, False, self.assume)

    def _grid(
        self,
        facts: Sequence[Fact],
        others: Sequence[Statement],
        asked: tuple[Query, str] | None = None,
    ) -> Grid | None:
        """Return a grid with all that is given. asked: two places, and a direction at any distance."""
        number = {name: i for i, name in enumerate(names_in([*facts, *others]))}
        known = [
            Apart(number[a], number[b], (_within([self._step(word)], steps_only=True),))
            for a, word, b in facts
        ]
        for one in others:
            boxes = self._boxes(one)
            known.append(Apart(number[one.head], number[one.tail], boxes))
        if asked is not None:
            (first, last), word = asked
            box = _within([self._step(word)], steps_only=False)
            known.append(Apart(number[first], number[last], (box,)))
        grid, work = solve(len(number), known, self.allowance)
        self.spent += work
        return grid

    def _boxes(self, one: Statement) -> tuple[Box, ...]:
        """Return where the tail of a statement can lie as seen from its head."""
        steps = set(map(self._step, one.relations))
        denial = one.kind is StatementKind.DENIAL
        every = list(STEPS.values())
        left = sum(1 << i for i, step in enumerate(every) if (step in steps) != denial)
        parts = Directions.set_classes().split_convex(left)
        return tuple(
            _within([every[kind] for kind in bits(part)], steps_only=not denial) for part in parts
        )

    def _step(self, word: str) -> Place:
        return STEPS[self.labels.meaning[word].kind.name]

    def _word(self, a: Place, b: Place) -> str:
        """Return what is at b, to what is at a."""
        return self.labels.kind(kind_of(b[0] - a[0], b[1] - a[1])).words[0]

    def consistent(self, given: Sequence[Given]) -> bool | None:
        facts, others = self.sort(given)
        if not others:
            return self._groups(facts) is not None
        try:
            return self._grid(facts, others) is not None
        except TooManyCasesError:
            return None

    def rivals(self, answer: str) -> list[str]:
        return []

    def scene(self, given: Sequence[Given], query: Query, relation: str) -> Scene | None:
        facts, others = self.sort(given)
        if others:
            grid = self._grid(facts, others, (query, relation))
            names = names_in([*facts, *others])
            return _map_scene(dict(zip(names, grid.places(), strict=True))) if grid else None
        first, last = query
        groups = self._groups(facts) or []
        shown: dict[str, Place] = {}
        for places in sorted(groups, key=lambda places: (first not in places, last not in places)):
            east = north = 0
            if shown and last in places:
                # Far enough in the direction asked for, from everything that is there.
                (x, y), (u, v) = shown[first], places[last]
                far = 2 + sum(len(group) for group in groups)
                east, north = (
                    x - u + far * self._step(relation)[0],
                    y - v + far * self._step(relation)[1],
                )
            elif shown:
                east = 2 + max(x for x, _ in shown.values()) - min(x for x, _ in places.values())
            shown |= {name: (x + east, y + north) for name, (x, y) in places.items()}
        return _map_scene(shown)

    def _groups(self, facts: Sequence[Fact]) -> list[dict[str, Place]] | None:
        """Return the places of entities, by groups that facts join; None if facts contradict each other."""
        steps = [(head, tail, self._step(word)) for head, word, tail in facts]
        (across, agree), (upwards, also) = (
            groups_apart((head, tail, step[axis]) for head, tail, step in steps) for axis in (0, 1)
        )
        self.spent += len(facts)
        if not (agree and also):
            return None
        return [
            {name: (east, up[name]) for name, east in along.items()}
            for along, up in zip(across, upwards, strict=True)
        ]
