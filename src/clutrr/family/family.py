"""Families: a shape with genders and names, many at a time."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from clutrr.errors import ConfigError
from clutrr.family.shape import Shape
from clutrr.world import World


@dataclass(frozen=True)
class Family:
    """People by number: who is whose partner and child, and everybody's gender and name."""

    shape: Shape
    genders: tuple[int, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Families:
    """Families of one shape.

    names: indices into the women's names followed by the men's. traits: random bits that fix the
    value of each attribute of a person, so that stories of one family agree on it.
    """

    shape: Shape
    genders: npt.NDArray[np.int8]  # (families, people)
    names: npt.NDArray[np.int16]  # (families, people)
    traits: npt.NDArray[np.uint16]  # (families, people, attributes)

    def family(self, index: int, world: World) -> Family:
        names = world.names[0] + world.names[1]
        return Family(
            self.shape,
            tuple(self.genders[index].tolist()),
            tuple(names[name] for name in self.names[index]),
        )


def sample_families(shape: Shape, world: World, size: int, rng: np.random.Generator) -> Families:
    """Random genders, partners of opposite sex, and names that are unique within a family."""
    needed = shape.people
    genders = rng.integers(0, 2, (size, needed), dtype=np.int8)
    joined = np.flatnonzero(shape.married_in)
    genders[:, joined] = 1 - genders[:, np.array(shape.spouse)[joined]]
    names = np.empty((size, needed), np.int16)
    for gender, offset in ((0, 0), (1, len(world.names[0]))):
        mine = genders == gender
        rank = np.cumsum(mine, axis=1) - 1  # the number of each person among those of the same gender
        known = len(world.names[gender])
        if rank.max(initial=0) >= known:
            raise ConfigError(
                f"a family of {needed} people needs more names than the {known} of one gender "
                f"in world {world.name!r}: lower --levels or --children, or add names"
            )
        drawn = _distinct(rng, size, int(rank.max(initial=-1)) + 1, known)
        row, person = np.nonzero(mine)
        names[row, person] = drawn[row, rank[row, person]] + offset
    traits = rng.integers(0, 2**16, (size, needed, len(world.attributes)), np.uint16)
    return Families(shape, genders, names, traits)


def _distinct(rng: np.random.Generator, rows: int, each: int, below: int) -> npt.NDArray[np.int64]:
    """Rows of different numbers below a bound, in random order."""
    keys = rng.random((rows, below), np.float32)
    some = np.argpartition(keys, min(each, below - 1), axis=1)[:, :each]
    order = np.argsort(np.take_along_axis(keys, some, axis=1), axis=1)
    return np.take_along_axis(some, order, axis=1)
