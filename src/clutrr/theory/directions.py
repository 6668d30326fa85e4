"""Directions: places on a map, at any distance (`free`) or with every fact one step (`unit`)."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

from clutrr.labels import Labels
from clutrr.puzzle import Fact
from clutrr.theory.boxes import BoxScene, ranks
from clutrr.theory.models import Facts, ModelTheory, Pairs, presets
from clutrr.theory.solver import Query, Scene, Solver, query_named
from clutrr.theory.states import RouteStates
from clutrr.theory.theory import Assumption, FreeReader
from clutrr.theory.verdict import Verdict

if TYPE_CHECKING:
    from clutrr.config import Config

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

    def solver(self, labels: Labels, assume: str) -> Solver:
        if assume == "unit":
            return UnitSolver(labels, assume)
        return super().solver(labels, assume)

    def states(self, config: "Config", k: int) -> RouteStates:
        if config.assume == "unit":
            return RouteStates.of_steps(list(STEPS.values()), self.stated_in(config, k), k)
        return super().states(config, k)

    def free_reader(self, labels: Labels, synonyms: Mapping[str, str]) -> FreeReader | None:
        from clutrr.theory.plane_words import PlaneReader

        return PlaneReader(labels, _KINDS)

    @classmethod
    def things(cls) -> Sequence[Place]:
        return list(product(range(5), range(5)))

    @classmethod
    def relation(cls, a: Place, b: Place) -> str:
        return kind_of(b[0] - a[0], b[1] - a[1])

    @classmethod
    def realize(cls, facts: Facts, kinds: Pairs, names: Sequence[str]) -> Scene | None:
        east, north = (
            ranks(names, {pair: _SIGNS[STEPS[kind][axis]] for pair, kind in kinds.items()}) for axis in (0, 1)
        )
        return _map_scene({name: (east[name], north[name]) for name in names})


class UnitSolver(Solver):
    """Decides questions where every fact is one step on a grid: positions add up, from wherever it starts."""

    def verdict(self, facts: Sequence[Fact], query: Query) -> Verdict:
        query_named(facts, query)
        groups = self._groups(facts)
        if groups is None:
            return Verdict((), False, self.assume)
        first, last = query
        for places in groups:
            if first in places and last in places:
                return Verdict((self._word(places[first], places[last]),), False, self.assume)
        return Verdict(self.labels.relations, False, self.assume)

    def _step(self, word: str) -> Place:
        return STEPS[self.labels.meaning[word].kind.name]

    def _word(self, a: Place, b: Place) -> str:
        """Return what is at b, to what is at a."""
        return self.labels.kind(kind_of(b[0] - a[0], b[1] - a[1])).words[0]

    def consistent(self, facts: Sequence[Fact]) -> bool | None:
        return self._groups(facts) is not None

    def rivals(self, answer: str) -> list[str]:
        return []

    def scene(self, facts: Sequence[Fact], query: Query, relation: str) -> Scene | None:
        first, last = query
        groups = self._groups(facts) or []
        shown: dict[str, Place] = {}
        for places in sorted(groups, key=lambda places: (first not in places, last not in places)):
            east = north = 0
            if shown and last in places:
                # Far enough in the direction asked for, from everything that is there.
                (x, y), (u, v) = shown[first], places[last]
                far = 2 + sum(len(group) for group in groups)
                east, north = (x - u + far * self._step(relation)[0], y - v + far * self._step(relation)[1])
            elif shown:
                east = 2 + max(x for x, _ in shown.values()) - min(x for x, _ in places.values())
            shown |= {name: (x + east, y + north) for name, (x, y) in places.items()}
        return _map_scene(shown)

    def _groups(self, facts: Sequence[Fact]) -> list[dict[str, Place]] | None:
        """Return the places of entities, by groups that facts join; None if facts contradict each other."""
        self.spent += len(facts)
        near: dict[str, list[tuple[str, Place]]] = {}
        for head, word, tail in facts:
            east, north = self._step(word)
            near.setdefault(head, []).append((tail, (east, north)))
            near.setdefault(tail, []).append((head, (-east, -north)))
        groups: list[dict[str, Place]] = []
        seen: set[str] = set()
        for start in near:
            if start in seen:
                continue
            places = {start: (0, 0)}
            waiting = [start]
            for name in waiting:
                x, y = places[name]
                for other, (east, north) in near[name]:
                    if other not in places:
                        places[other] = x + east, y + north
                        waiting.append(other)
                    elif places[other] != (x + east, y + north):
                        return None
            seen |= places.keys()
            groups.append(places)
        return groups
