"""A theory whose parts depend on each other: events, by their place in time and by which lasts longer (INDU).

What happens during something else is shorter, so place and length are no product of two theories. This is a
theory of its own, in 25 kinds, given by events on a line of 18 points; on one of 12, some compositions would be
missing. It prints what `check_theory` finds: the table is whole, and what is drawn is proved. In whole networks
more is left possible than can be, because lengths add up, and the solver only compares them: to state more than
one route, write a solver that adds.
"""

from collections.abc import Sequence
from itertools import combinations

import clutrr
from clutrr.theory import Assumption
from clutrr.theory.models import ModelTheory, presets
from clutrr.theory.time import Time

Event = tuple[int, int]  # from when to when


class PlacesAndLengths(ModelTheory):
    """Events on one line, and which of two lasts longer: `d <` reads "b is during a, and shorter"."""

    name = "places-and-lengths"
    assumptions = (Assumption("line", "on one time line", "Everything happens on one time line."),)
    presets = presets("line")

    @classmethod
    def things(cls, size: int = 18) -> Sequence[Event]:
        return list(combinations(range(size), 2))

    @classmethod
    def relation(cls, a: Event, b: Event) -> str:
        lasts, other = b[1] - b[0], a[1] - a[0]
        length = "<" if lasts < other else ">" if lasts > other else "="
        return f"{Time.relation(a, b)} {length}"


few = PlacesAndLengths.things(8)  # enough to see all kinds
PlacesAndLengths.kinds = tuple(
    dict.fromkeys(PlacesAndLengths.relation(a, b) for a in few for b in few)
)

if __name__ == "__main__":
    print(clutrr.check_theory(PlacesAndLengths))
