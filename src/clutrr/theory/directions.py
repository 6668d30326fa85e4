"""Directions: places on a map, at any distance (`free`) or with every fact one step (`unit`)."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

from clutrr.labels import Labels
from clutrr.theory.boxes import BoxScene, ranks
from clutrr.theory.grid import GridSolver
from clutrr.theory.models import Facts, ModelTheory, Pairs, presets
from clutrr.theory.solver import Scene, Solver
from clutrr.theory.states import RouteStates
from clutrr.theory.theory import Assumption, FreeReader

if TYPE_CHECKING:
    from clutrr.config import Config

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


def map_scene(places: Mapping[str, tuple[int, int]]) -> Scene:
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
            return GridSolver(labels, assume, STEPS, kind_of, map_scene)
        return super().solver(labels, assume)

    def states(self, config: "Config", k: int) -> RouteStates:
        if config.assume == "unit":
            return RouteStates.of_steps(list(STEPS.values()), self.stated_in(config, k), k)
        return super().states(config, k)

    def free_reader(self, labels: Labels, synonyms: Mapping[str, str]) -> FreeReader | None:
        from clutrr.theory.plane_words import PlaneReader

        return PlaneReader(labels, _KINDS)

    @classmethod
    def things(cls) -> Sequence[tuple[int, int]]:
        return list(product(range(5), range(5)))

    @classmethod
    def relation(cls, a: tuple[int, int], b: tuple[int, int]) -> str:
        return kind_of(b[0] - a[0], b[1] - a[1])

    @classmethod
    def realize(cls, facts: Facts, kinds: Pairs, names: Sequence[str]) -> Scene | None:
        east, north = (
            ranks(names, {pair: _SIGNS[STEPS[kind][axis]] for pair, kind in kinds.items()}) for axis in (0, 1)
        )
        return map_scene({name: (east[name], north[name]) for name in names})
