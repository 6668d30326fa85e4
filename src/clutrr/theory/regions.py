"""Regions: areas of any shape, related in the eight ways of RCC-8."""

from collections.abc import Sequence, Set
from functools import cache
from itertools import combinations

from clutrr.theory.algebra import RelationAlgebra
from clutrr.theory.areas import place_areas
from clutrr.theory.boxes import BoxScene
from clutrr.theory.models import Facts, ModelTheory, Pairs, presets
from clutrr.theory.solver import Scene
from clutrr.theory.spec import Assumption
from clutrr.theory.tractable import SetClasses

_SHAPE = "Regions may have any shape, and may consist of several pieces. Two names may stand for the same area."
_CELLS = 5


def _around(region: int) -> int:
    """The cells of a region, and those next to it, the outside of the row included."""
    return region | region << 1 | region >> 1


def _closure_decides(kinds: Set[str]) -> bool:
    """Return whether a set is one of the 147 of the class H8-hat that are not empty.

    It is a largest class with all single kinds in which closure decides: Renz, "Maximal tractable fragments of
    the region connection calculus", 1999.
    """
    if "PO" not in kinds and any(
        {part, whole} <= kinds for part in ("TPP", "NTPP") for whole in ("TPPI", "NTPPI")
    ):
        return False
    for inside, at_edge in (("NTPP", "TPP"), ("NTPPI", "TPPI")):
        if {"EQ", inside} <= kinds and at_edge not in kinds:
            return False
    return True


class Regions(ModelTheory):
    """Sets of cells in a row, as bits 1 to 5; neighbouring cells touch, and the last ones the outside."""

    name = "regions"
    kinds = ("DC", "EC", "PO", "TPP", "NTPP", "TPPI", "NTPPI", "EQ")
    assumptions = (Assumption("any", "regions may have any shape", _SHAPE),)
    presets = presets("any")
    distributive = True

    @classmethod
    def things(cls, size: int = _CELLS) -> Sequence[int]:
        return range(2, 2 << size, 2)

    @classmethod
    def relation(cls, a: int, b: int) -> str:
        if a == b:
            return "EQ"
        if not a & b:
            return "EC" if _around(a) & b else "DC"
        if a & b == b:
            return "TPP" if _around(b) & ~a else "NTPP"
        if a & b == a:
            return "TPPI" if _around(a) & ~b else "NTPPI"
        return "PO"

    @classmethod
    @cache
    def set_classes(cls) -> SetClasses:
        arising = SetClasses.arising(RelationAlgebra.of(cls))
        sets = {
            sum(1 << cls.kinds.index(kind) for kind in kinds): kinds
            for size in range(1, len(cls.kinds) + 1)
            for kinds in map(frozenset, combinations(cls.kinds, size))
        }
        tractable = frozenset(number for number, kinds in sets.items() if _closure_decides(kinds))
        return SetClasses(arising.convex, tractable)

    @classmethod
    def realize(cls, facts: Facts, kinds: Pairs, names: Sequence[str]) -> Scene | None:
        boxes = place_areas(facts)
        if boxes is None:
            return None
        words = ", ".join(
            f"{name} {left} to {right} by {low} to {high}"
            for name, (left, right, low, high) in boxes.items()
        )
        return BoxScene(boxes, words, "areas as boxes")
