"""The algebra of a theory given by models: composition and converses of its kinds, as sets of bits.

A set of kinds is a number: bit i stands for kind i. Relations are read along a route: if b is r to a, and c
is s to b, then c can be to a what is in `table[r, s]`.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, reduce
from itertools import product
from operator import and_, or_
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from clutrr.errors import WorldError

if TYPE_CHECKING:
    from clutrr.theory.models import ModelTheory

MOST_KINDS = 62  # bits of a set


@dataclass(frozen=True, eq=False)
class RelationAlgebra:
    """The tables of a theory.

    table: the composition of two kinds, a set: (kinds, kinds). converse: of each kind, its number. identity:
    the kind that holds between a thing and itself. strict: whether it holds nowhere else. Where it does,
    as "a friend of" between friends, it says something, and is stated like any other.
    """

    table: npt.NDArray[np.int64]
    converse: tuple[int, ...]
    identity: int
    strict: bool = True

    @classmethod
    @lru_cache
    def of(cls, theory: "type[ModelTheory]") -> "RelationAlgebra":
        """Return the algebra that the things of a theory show. Raises WorldError if they show none."""
        return cls.shown_by(theory, theory.things())

    @classmethod
    def shown_by(cls, theory: "type[ModelTheory]", things: Sequence[Any]) -> "RelationAlgebra":
        """Return the algebra that these things show. Raises WorldError if they show none."""
        related = relations_of(theory, things)
        alone = np.unique(related.diagonal())
        if len(alone) > 1:
            kinds = " and ".join(theory.kinds[kind] for kind in alone)
            raise WorldError(
                f"theory {theory.name}: what a thing is to itself must be one kind, the same for all; "
                f"here it is {kinds}"
            )
        size, identity = len(theory.kinds), int(alone[0])
        converse = tuple(int(related.T[related == kind][0]) for kind in range(size))
        strict = int((related == identity).sum()) == len(related)
        return cls(_composition(related, size), converse, identity, strict)

    @cached_property
    def size(self) -> int:
        """The number of kinds."""
        return len(self.converse)

    @cached_property
    def every(self) -> int:
        """The set of all kinds."""
        return (1 << self.size) - 1

    @cached_property
    def associative(self) -> bool:
        """Whether three kinds compose in one way, wherever one starts."""
        return self.uneven is None

    @cached_property
    def uneven(self) -> tuple[int, int, int] | None:
        """Three kinds for which it matters where one starts; None if there are none."""
        for r, row in enumerate(self._rows):
            for s, t in product(range(self.size), repeat=2):
                if self.compose(row[s], 1 << t) != self._after(r, self._rows[s][t]):
                    return r, s, t
        return None

    @cached_property
    def _rows(self) -> list[list[int]]:
        """The table as plain numbers, which are quicker to look up one by one."""
        rows: list[list[int]] = self.table.tolist()
        return rows

    @cache  # noqa: B019 (algebras are kept, too)
    def compose(self, first: int, second: int) -> int:
        """Return what c can be to a, if b is to a in the first set, and c to b in the second."""
        return reduce(or_, (self._after(kind, second) for kind in bits(first)), 0)

    @cache  # noqa: B019 (algebras are kept, too)
    def _after(self, kind: int, second: int) -> int:
        """Return what c can be to a, if b is this to a, and c to b in the second set."""
        row = self._rows[kind]
        return reduce(or_, (row[other] for other in bits(second)), 0)

    def route(self, kinds: Sequence[int]) -> int:
        """Return what the last entity of a route can be to the first, wherever one starts to compose."""
        left = [[1 << kind] for kind in kinds]  # left[i][n]: n + 1 facts from place i on
        for n in range(1, len(kinds)):
            for i in range(len(kinds) - n):
                parts = (self.compose(left[i][m], left[i + m + 1][n - m - 1]) for m in range(n))
                left[i].append(reduce(and_, parts))
        return left[0][-1]

    @cache  # noqa: B019 (algebras are kept, too)
    def turn(self, kinds: int) -> int:
        """Return the set of the converses."""
        return sum(1 << self.converse[kind] for kind in bits(kinds))


def relations_of(theory: "type[ModelTheory]", things: Sequence[Any]) -> npt.NDArray[np.int64]:
    """Return the number of the kind that each thing is to each: [a, b] is what b is to a.

    Raises WorldError if these are not the kinds of the theory, or one has several converses.
    """
    if len(theory.kinds) > MOST_KINDS:
        raise WorldError(
            f"theory {theory.name}: {len(theory.kinds)} kinds, more than {MOST_KINDS} are not supported"
        )
    if not len(things):
        raise WorldError(f"theory {theory.name}: things() has none")
    number: dict[Any, int] = {kind: i for i, kind in enumerate(theory.kinds)}
    relation = theory.relation
    found = np.array([[number.get(relation(a, b), -1) for b in things] for a in things], np.int64)
    if (found < 0).any():
        said = {str(relation(things[a], things[b])) for a, b in np.argwhere(found < 0)[:MOST_KINDS]}
        _refuse_kinds(theory, said | {kind for kind, i in number.items() if i not in found})
    if unseen := set(number.values()) - set(np.unique(found).tolist()):
        _refuse_kinds(theory, {theory.kinds[kind] for kind in unseen})
    turned = np.unique(found * len(number) + found.T)
    if len(turned) > len(number):
        named = sorted(
            (theory.kinds[one], theory.kinds[other])
            for one, other in zip(*divmod(turned, len(number)), strict=True)
        )
        pairs = "; ".join(f"{one}, {other}" for one, other in named)
        raise WorldError(f"theory {theory.name}: a kind has several converses, among {pairs}")
    return found


def _refuse_kinds(theory: "type[ModelTheory]", wrong: Collection[str]) -> NoReturn:
    raise WorldError(
        f"theory {theory.name}: kinds and relation differ in {', '.join(sorted(wrong))}"
    )


def _composition(related: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.int64]:
    """Return what c can be to a, for each kind that b is to a and each that c is to b: (size, size) sets.

    related: the kinds of all pairs of things.
    """
    table = np.zeros((size, size), np.int64)
    # Pairs (a, c) sorted by their kind: one sum over each kind's pairs is enough.
    order = np.argsort(related, axis=None, kind="stable")
    start = np.searchsorted(related.reshape(-1)[order], np.arange(size))
    holds = [(related == kind).astype(np.float32) for kind in range(size)]
    for r, first in enumerate(holds):
        for s, second in enumerate(holds):
            joined = (first @ second).reshape(-1)[order]  # how many things lie between a and c
            kinds = np.flatnonzero(np.add.reduceat(joined, start))
            table[r, s] = np.bitwise_or.reduce(1 << kinds)
    return table


def bits(kinds: int) -> Iterator[int]:
    """Yield the numbers of the kinds in a set."""
    while kinds:
        lowest = kinds & -kinds
        yield lowest.bit_length() - 1
        kinds ^= lowest
