"""Families: shapes with the form and the name of everybody, many at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from clutrr.errors import ConfigError
from clutrr.theory.kinship.shape import Shape
from clutrr.theory.questions import Cast, Supply

FEMALE, MALE = 0, 1  # forms


@dataclass(frozen=True)
class FamilyCast(Cast):
    """The people of some families, one family after the other. shapes: of the families."""

    shapes: tuple[Shape, ...]

    @classmethod
    def joined(cls, casts: Sequence[Self]) -> Self:
        """Return the families of all of them."""
        if len(casts) == 1:
            return casts[0]
        names, forms, traits = (
            np.concatenate([getattr(cast, column) for cast in casts])
            for column in ("names", "forms", "traits")
        )
        return cls(names, forms, traits, 2, tuple(shape for cast in casts for shape in cast.shapes))

    @cached_property
    def first(self) -> npt.NDArray[np.int64]:
        """The number of the first person of each family."""
        sizes = np.array([shape.people for shape in self.shapes])
        first: npt.NDArray[np.int64] = np.cumsum(sizes) - sizes
        return first


def sample_families(shape: Shape, supply: Supply, size: int, rng: np.random.Generator) -> FamilyCast:
    """Return families of one shape: random genders, partners of opposite sex, no name twice in a family."""
    needed = shape.people
    genders = rng.integers(0, 2, (size, needed), dtype=np.int8)
    joined = np.flatnonzero(shape.married_in)
    genders[:, joined] = 1 - genders[:, np.array(shape.spouse)[joined]]
    names = np.empty((size, needed), np.int16)
    for gender, offset in ((FEMALE, 0), (MALE, supply.names[FEMALE])):
        mine = genders == gender
        rank = np.cumsum(mine, axis=1) - 1  # the number of each person among those of the same gender
        known = supply.names[gender]
        if rank.max(initial=0) >= known:
            raise ConfigError(
                f"scene: a family of {needed} people needs more names than the {known} of one gender "
                f"in world {supply.world!r}: ask for fewer levels or children, or add names"
            )
        drawn = _distinct(rng, size, int(rank.max(initial=-1)) + 1, known)
        row, person = np.nonzero(mine)
        names[row, person] = drawn[row, rank[row, person]] + offset
    traits = rng.integers(0, 2**16, (size * needed, supply.attributes), np.uint16)
    return FamilyCast(names.reshape(-1), genders.reshape(-1), traits, 2, (shape,) * size)


def _distinct(rng: np.random.Generator, rows: int, each: int, below: int) -> npt.NDArray[np.int64]:
    """Return rows of different numbers below a bound, in random order."""
    keys = rng.random((rows, below), np.float32)
    some = np.argpartition(keys, min(each, below - 1), axis=1)[:, :each]
    order = np.argsort(np.take_along_axis(keys, some, axis=1), axis=1)
    return np.take_along_axis(some, order, axis=1)
