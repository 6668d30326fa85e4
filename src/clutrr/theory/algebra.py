"""The algebra of a theory given by models: composition and converses of its kinds, as sets of bits.

A set of kinds is a number: bit i stands for kind i. Relations are read along a route: if b is r to a, and c
is s to b, then c can be to a what is in `table[r, s]`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from operator import or_
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from clutrr.errors import WorldError

if TYPE_CHECKING:
    from clutrr.theory.models import ModelTheory


@dataclass(frozen=True, eq=False)
class RelationAlgebra:
    """The tables of a theory.

    table: the composition of two kinds, a set: (kinds, kinds). converse: of each kind, its number. identity:
    the kind that holds between a thing and itself.
    """

    table: npt.NDArray[np.int64]
    converse: tuple[int, ...]
    identity: int

    @classmethod
    @lru_cache
    def of(cls, theory: "type[ModelTheory]") -> "RelationAlgebra":
        """Return the algebra that the things of a theory show. Raises WorldError if they show none."""
        things, number = theory.things(), {kind: i for i, kind in enumerate(theory.kinds)}
        said = [[theory.relation(a, b) for b in things] for a in things]
        turned = {
            (str(kind), str(said[b][a])) for a, row in enumerate(said) for b, kind in enumerate(row)
        }
        if wrong := {kind for kind, _ in turned} ^ set(number):
            raise WorldError(
                f"theory {theory.name}: kinds and relation differ in {', '.join(sorted(wrong))}"
            )
        if len(turned) > len(number):
            pairs = "; ".join(f"{one}, {other}" for one, other in sorted(turned))
            raise WorldError(f"theory {theory.name}: a kind has several converses, among {pairs}")
        related = np.array([[number[kind] for kind in row] for row in said])
        holds = [(related == kind).astype(np.float32) for kind in range(len(number))]
        table = np.zeros((len(number), len(number)), np.int64)
        for r, first in enumerate(holds):
            for s, second in enumerate(holds):
                joined = related[first @ second > 0]  # of the pairs with something between them
                table[r, s] = np.bitwise_or.reduce(1 << np.unique(joined))
        converse = tuple(int(related.T[related == kind][0]) for kind in range(len(number)))
        return cls(table, converse, int(related[0, 0]))

    @property
    def size(self) -> int:
        """The number of kinds."""
        return len(self.converse)

    @property
    def every(self) -> int:
        """The set of all kinds."""
        return (1 << self.size) - 1

    @cache  # noqa: B019 (algebras are kept, too)
    def compose(self, first: int, second: int) -> int:
        """Return what c can be to a, if b is to a in the first set, and c to b in the second."""
        return reduce(or_, (int(self.table[r, s]) for r in bits(first) for s in bits(second)), 0)

    @cache  # noqa: B019 (algebras are kept, too)
    def turn(self, kinds: int) -> int:
        """Return the set of the converses."""
        return sum(1 << self.converse[kind] for kind in bits(kinds))


def bits(kinds: int) -> Iterator[int]:
    """Yield the numbers of the kinds in a set."""
    while kinds:
        lowest = kinds & -kinds
        yield lowest.bit_length() - 1
        kinds ^= lowest
