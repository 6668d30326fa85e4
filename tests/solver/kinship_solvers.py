"""Solvers of the kinship worlds for the tests."""

from typing import Any

from clutrr import load_world
from clutrr._lexicon import World
from clutrr.theory.kinship.deciding.solver import KinshipSolver

ASSUMPTIONS = ("tree", "open")


def kinship_solver(world: World | str, assume: str, **options: Any) -> KinshipSolver:
    found = load_world(world) if isinstance(world, str) else world
    return KinshipSolver(found.labels, assume, found.theory.ways, **options)
