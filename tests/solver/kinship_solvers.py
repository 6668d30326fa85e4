"""Solvers of the kinship worlds for the tests."""

from typing import Any

from clutrr.theory.kinship.solver import KinshipSolver
from clutrr.world import World, load_world

ASSUMPTIONS = ("tree", "open")


def kinship_solver(world: World | str, assume: str, **options: Any) -> KinshipSolver:
    found = load_world(world) if isinstance(world, str) else world
    return KinshipSolver(found.labels, assume, found.theory.ways, **options)
