"""Families that are given, such as those of a file: as scenes, and what can be asked about them.

A family is a text, person by person: "f1. m0. f.0" is a woman whose partner is person 1, her husband, and their
daughter (`.0`: a child of person 0 and of that person's partner). Families are separated by ";".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from clutrr.errors import ConfigError
from clutrr.theory.kinship.drawing.families import FEMALE, MALE, Shape

_PERSON = re.compile(r"([fm])(\d{0,6})\.(\d{0,6})")
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ToldShape(Shape):
    """A family as it is told. forms: of everybody."""

    forms: tuple[int, ...] = ()

    @cached_property
    def married_in(self) -> npt.NDArray[np.bool_]:
        """Nobody: all forms are told."""
        return np.zeros(self.people, bool)

    @cached_property
    def sorts(self) -> Ints:
        """A number for everybody's sort: their generation, and whether they have parents and a partner."""
        generation: dict[int, int] = {}
        for begin in range(self.people):
            if begin in generation:
                continue
            generation[begin] = 0
            waiting = [begin]
            for one in waiting:
                for other, down in self._near[one]:
                    if other not in generation:
                        generation[other] = generation[one] + down
                        waiting.append(other)
        level = np.array([generation[one] for one in range(self.people)])
        parents, partner = np.array(self.couple) >= 0, np.array(self.spouse) >= 0
        return np.unique(4 * level + 2 * parents + partner, return_inverse=True)[1]

    @cached_property
    def _near(self) -> Sequence[Sequence[tuple[int, int]]]:
        """Partners, children and parents of everybody, each with how many generations further down."""
        found: list[list[tuple[int, int]]] = [[] for _ in range(self.people)]
        for one, (partner, parent) in enumerate(zip(self.spouse, self.couple, strict=True)):
            if partner >= 0:
                found[one].append((partner, 0))
            if parent >= 0:
                found[parent].append((one, 1))
                found[one].append((parent, -1))
        return found

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the family of a text. Raises ConfigError."""
        found = [_PERSON.fullmatch(person) for person in text.split()]
        if not found or None in found:
            raise ConfigError("is not a family as clutrr writes it", setting="families")
        people = [person.groups() for person in found if person is not None]
        spouse = tuple(int(partner) if partner else -1 for _, partner, _ in people)
        couple = tuple(int(parent) if parent else -1 for *_, parent in people)
        forms = tuple(FEMALE if sex == "f" else MALE for sex, *_ in people)
        size = len(people)
        paired = all(
            partner < 0 or (partner < size and spouse[partner] == one != partner)
            for one, partner in enumerate(spouse)
        )
        if not paired or any(one >= size or (one >= 0 and spouse[one] < 0) for one in couple):
            raise ConfigError("is not a family as clutrr writes it", setting="families")
        return cls(spouse, couple, forms)


@dataclass(frozen=True)
class ToldFamilies:
    """The families of a file, in the place of `FamilySettings`."""

    shapes: tuple[ToldShape, ...]
    levels: None = None
    regular: bool = False

    @classmethod
    def parse(cls, text: str) -> Self:
        return cls(tuple(ToldShape.parse(family) for family in text.split(";")))

    @property
    def people(self) -> int:
        """How many people the largest has."""
        return max(shape.people for shape in self.shapes)

    def levels_for(self, k: int) -> int:
        """Return the same whatever the length: families of a file are as they are."""
        return 0

    def settings(self, k: int) -> dict[str, str]:
        people = sum(shape.people for shape in self.shapes)
        return {"families": str(len(self.shapes)), "people": str(people)}

    def described(self, k: int) -> str:
        return "the families of the file"
