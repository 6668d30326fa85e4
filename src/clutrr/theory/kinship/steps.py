"""Primitive steps between people, the ways that they form, and what these are in words.

Vocabulary
    couple    two people and all their children
    role      what a person is in a couple: a `child` of it, or a `partner` in it
    step      from one person to another person of the same couple, named by their two roles:
              parent  (child -> partner)      child    (partner -> child)
              spouse  (partner -> partner)    sibling  (child -> child)
    way       a sequence of steps in which no two neighbours pass through the same couple

Everybody is a child of exactly one couple and a partner in at most one. Under the assumption `tree`
(see `presets`) no marriage links families that are already linked, so that at most one way leads
from one person to another. A relation kind is a set of ways.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Self

from clutrr._labels import Labels


class Role(Enum):
    """What a person is in a couple."""

    CHILD = "child"
    PARTNER = "partner"

    __hash__ = object.__hash__  # quicker than by name


class Step(Enum):
    """One step through a couple; the value is (role of the start, role of the end)."""

    PARENT = (Role.CHILD, Role.PARTNER)
    CHILD = (Role.PARTNER, Role.CHILD)
    SPOUSE = (Role.PARTNER, Role.PARTNER)
    SIBLING = (Role.CHILD, Role.CHILD)

    __hash__ = object.__hash__

    def __init__(self, start: Role, end: Role) -> None:
        self.start = start
        self.end = end
        # How many generations the step leads up.
        self.rise = (end is Role.PARTNER) - (start is Role.PARTNER)

    @classmethod
    def between(cls, start: Role, end: Role) -> "Step":
        """Return the step from one role to another."""
        return _BY_ROLES[start, end]

    @property
    def inverse(self) -> "Step":
        return Step.between(self.end, self.start)

    @classmethod
    def named(cls, name: str) -> Self:
        return cls[name.upper()]


_BY_ROLES = {(step.start, step.end): step for step in Step}
_PLAIN = (((Step.PARENT,),), ((Step.CHILD,),), ((Step.SPOUSE,),))  # what needs no explanation
Steps = tuple[Step, ...]


def inverse(steps: Steps) -> Steps:
    """Return the steps that lead back."""
    return tuple(step.inverse for step in reversed(steps))


def rise(steps: Steps) -> int:
    """Return how many generations the steps lead up."""
    return sum(step.rise for step in steps)


def reduce(steps: Sequence[Step]) -> Steps:
    """Join neighbouring steps through one couple: a parent's (other) child is a sibling.

    Raises ValueError if two steps can only lead back to the person they left.
    """
    found: list[Step] = []
    for step in steps:
        if found and found[-1].end is step.start:
            first = found.pop()
            if first is Step.SPOUSE and step is Step.SPOUSE:
                raise ValueError("the spouse of a spouse is the same person again")
            step = Step.between(first.start, step.end)
        found.append(step)
    return tuple(found)


def meanings(labels: Labels, ways: Sequence[tuple[Steps, ...]]) -> str:
    """Return what those labels mean whose words do not make it plain; "" if there are none.

    ways: of each kind, in the order of the label set.
    """
    found = [
        f"{' or '.join(dict.fromkeys(kind.words))}: {' or '.join(map(_meaning, steps))}"
        for kind, steps in zip(labels.kinds, ways, strict=True)
        if steps not in _PLAIN
    ]
    return f"What is meant: {'; '.join(found)}." if found else ""


def _meaning(steps: Steps) -> str:
    return "another child of both parents" if steps == (Step.SIBLING,) else way_in_words(steps)


def way_in_words(steps: Steps | None) -> str:
    """Return the way to a relative in words, the nearest person last; None: there is no way."""
    if steps is None:
        return "no relative"
    return " of a ".join(step.name.lower() for step in reversed(steps))
