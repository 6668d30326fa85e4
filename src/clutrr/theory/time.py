"""Time: proper intervals on one line, related in Allen's thirteen ways."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import combinations

from clutrr.theory.boxes import BoxScene, ranks
from clutrr.theory.models import Facts, ModelTheory, Pairs, presets
from clutrr.theory.solver import Scene
from clutrr.theory.spec import Assumption
from clutrr.theory.tractable import SetClasses, next_by_signs

_LINE = (
    "Everything happens on one time line, and everything takes some time: it ends after it begins."
)

# How the start and the end of b lie to the start and the end of a, for each kind: b's start to a's start,
# b's end to a's end, b's start to a's end, b's end to a's start.
_ENDS = {
    "=": "==<>",
    "<": "<<<<",
    ">": ">>>>",
    "d": "><<>",
    "di": "<><>",
    "o": "<<<>",
    "oi": ">><>",
    "m": "<<<=",
    "mi": ">>=>",
    "s": "=<<>",
    "si": "=><>",
    "f": ">=<>",
    "fi": "<=<>",
}
_KINDS = {ends: kind for kind, ends in _ENDS.items()}


def _sign(a: int, b: int) -> str:
    return "<" if b < a else ">" if b > a else "="


def _signs() -> dict[str, list[int]]:
    """Return the comparisons of ends of each kind as numbers."""
    return {kind: ["<=>".index(sign) - 1 for sign in ends] for kind, ends in _ENDS.items()}


class Time(ModelTheory):
    """Pairs of numbers, the first one lower: `d` reads "b is during a"."""

    name = "time"
    kinds = tuple(_ENDS)
    assumptions = (Assumption("line", "everything takes some time, on one time line", _LINE),)
    presets = presets("line")
    distributive = True

    @classmethod
    def things(cls, size: int = 6) -> Sequence[tuple[int, int]]:
        return list(combinations(range(size), 2))

    @classmethod
    def relation(cls, a: tuple[int, int], b: tuple[int, int]) -> str:
        signs = _sign(a[0], b[0]), _sign(a[1], b[1]), _sign(a[1], b[0]), _sign(a[0], b[1])
        return _KINDS["".join(signs)]

    @classmethod
    @cache
    def set_classes(cls) -> SetClasses:
        return SetClasses.of_signs(cls.kinds, _signs())

    def neighbours(self) -> Mapping[str, Collection[str]]:
        return next_by_signs(_signs())

    @classmethod
    def realize(cls, facts: Facts, kinds: Pairs, names: Sequence[str]) -> Scene | None:
        ends = {}
        for (a, b), kind in kinds.items():
            starts, finishes, to_end, to_start = list(_ENDS[kind])
            ends[f"{a} ", f"{b} "], ends[a, b] = starts, finishes
            ends[a, f"{b} "], ends[f"{a} ", b] = to_end, to_start
        for name in names:
            ends[f"{name} ", name] = ">"  # a name with a space behind it stands for the start
        place = ranks([point for name in names for point in (f"{name} ", name)], ends)
        boxes = {name: (place[f"{name} "], place[name], 0, 0) for name in names}
        words = ", ".join(f"{name} {start} to {end}" for name, (start, end, _, _) in boxes.items())
        return BoxScene(boxes, words, "time runs from left to right", stacked=True)
