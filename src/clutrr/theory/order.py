"""Order: things on one line, each before, level with or after every other."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache

from clutrr.theory.boxes import BoxScene, in_a_row, ranks
from clutrr.theory.models import Facts, ModelTheory, Pairs, presets
from clutrr.theory.solver import Scene
from clutrr.theory.spec import Assumption
from clutrr.theory.tractable import SetClasses, next_by_signs

_LINE = "All are on one line: of any two, one comes before the other, or both are level."
_SIGNS = {"<": (-1,), "=": (0,), ">": (1,)}


class Order(ModelTheory):
    """Numbers, compared.

    Facts may state that two are level, too: without it, the only pattern that decides is the same kind again
    and again.
    """

    name = "order"
    kinds = ("<", "=", ">")
    stated = ("<", "=", ">")
    assumptions = (Assumption("line", "all are on one line", _LINE),)
    presets = presets("line")
    distributive = True

    @classmethod
    def things(cls, size: int = 5) -> Sequence[int]:
        return range(size)

    @classmethod
    def relation(cls, a: int, b: int) -> str:
        return "<" if b < a else ">" if b > a else "="

    @classmethod
    @cache
    def set_classes(cls) -> SetClasses:
        return SetClasses.of_signs(cls.kinds, _SIGNS)

    def neighbours(self) -> Mapping[str, Collection[str]]:
        return next_by_signs(_SIGNS)

    @classmethod
    def realize(cls, facts: Facts, kinds: Pairs, names: Sequence[str]) -> Scene | None:
        place = ranks(names, kinds)
        boxes = {name: (rank, rank, 0, 0) for name, rank in place.items()}
        return BoxScene(boxes, in_a_row(place), "from left to right", stacked=True)
