"""The shape of a family: who is whose partner and child, before anybody has a gender or a name.

People are numbered in depth-first preorder: the head, their partner, then each child's branch.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from clutrr.theory.kinship.steps import Step, Steps

BoolMatrix = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Shape:
    """spouse[p]: the partner of p, or -1. couple[p]: the first of p's two parents, or -1."""

    spouse: tuple[int, ...]
    couple: tuple[int, ...]

    @property
    def people(self) -> int:
        return len(self.spouse)

    @cached_property
    def married_in(self) -> npt.NDArray[np.bool_]:
        """Partners of a member of the family: their gender follows their spouse's."""
        people = np.arange(self.people)
        spouse = np.array(self.spouse)
        return (spouse >= 0) & (spouse < people)

    @cached_property
    def sorts(self) -> npt.NDArray[np.int64]:
        """A number for everybody's sort: their generation, born or married in, with a partner or not."""
        generation: list[int] = []
        for person, parents in enumerate(self.couple):
            joined = bool(self.married_in[person])
            beside = generation[self.spouse[person]] if joined else -1
            generation.append(beside if joined else generation[parents] + 1 if parents >= 0 else 0)
        sort = 4 * np.array(generation) + 2 * self.married_in + (np.array(self.spouse) >= 0)
        return np.unique(sort, return_inverse=True)[1]

    def _step(self, step: Step) -> BoolMatrix:
        """step[a, b]: whether it leads from a to b."""
        n = self.people
        spouse, couple = np.array(self.spouse), np.array(self.couple)
        matrix = np.zeros((n, n), bool)
        match step:
            case Step.SPOUSE:
                married = np.flatnonzero(spouse >= 0)
                matrix[married, spouse[married]] = True
            case Step.SIBLING:
                matrix = (couple[:, None] == couple) & (couple >= 0) & ~np.eye(n, dtype=bool)
            case Step.CHILD:
                born = np.flatnonzero(couple >= 0)
                matrix[couple[born], born] = True
                matrix[spouse[couple[born]], born] = True
            case Step.PARENT:
                matrix = self._step(Step.CHILD).T
        return matrix

    def reached(self, steps: Steps) -> BoolMatrix:
        """reached[a, b]: whether the steps lead from a to b."""
        matrix = np.eye(self.people, dtype=bool)
        for step in steps:
            matrix = matrix @ self._step(step)
        return matrix


def regular(levels: int, children: int) -> Shape:
    """Return a family in which every couple has the same number of children."""
    return _grow(levels, lambda: children)


def sample(levels: int, fewest: int, most: int, limit: int, rng: np.random.Generator) -> Shape | None:
    """Return a family in which every couple has some number of children, each equally likely.

    None if there are more than `limit` people.
    """
    people = 0

    def children() -> int:
        nonlocal people
        count = int(rng.integers(fewest, most + 1))
        people += count
        if people > limit:
            raise OverflowError
        return count

    try:
        return _grow(levels, children)
    except OverflowError:
        return None


def _grow(levels: int, children: Callable[[], int]) -> Shape:
    """Return a family by the paper's first procedure: partners and children, level by level."""
    spouse: list[int] = []
    couple: list[int] = []

    def person(parents: int) -> int:
        spouse.append(-1)
        couple.append(parents)
        return len(spouse) - 1

    def branch(parents: int, level: int) -> None:
        head = person(parents)
        if level == levels:
            return
        partner = person(-1)
        spouse[head], spouse[partner] = partner, head
        for _ in range(children()):
            branch(head, level + 1)

    branch(-1, 0)
    return Shape(tuple(spouse), tuple(couple))


def people_in(levels: int, children: float) -> float:
    """Return the size of a regular family, or the expected size of one with this many children on average."""
    return sum(2 * children**level for level in range(levels)) + children**levels


def relations(shape: Shape, ways: Sequence[Sequence[Steps]], siblings: str = "all") -> npt.NDArray[np.int8]:
    """Return related[a, b]: the kind that b is to a, or -1.

    ways: of each kind. siblings: "all", or "last" for the unmarried only, as in the paper's own counts.
    """
    related = np.full((shape.people, shape.people), -1, np.int8)
    unmarried = np.array(shape.spouse) < 0
    for kind, of_kind in enumerate(ways):
        for steps in of_kind:
            pairs = shape.reached(steps)
            if steps == (Step.SIBLING,) and siblings == "last":
                pairs &= unmarried[:, None] & unmarried
            related[pairs] = kind
    return related


def alike(levels: int, children: int, size: int, rng: np.random.Generator) -> npt.NDArray[np.int16]:
    """Return random ways to map a regular family onto itself: (size, people), each equally likely.

    They permute the branches of each couple's children.
    """
    image = np.empty((size, round(people_in(levels, children))), np.int16)

    def branch(head: int, level: int) -> None:
        if level == levels:
            return
        image[:, head + 1] = image[:, head] + 1  # the partner
        step = round(people_in(levels - level - 1, children))
        order = np.argsort(rng.random((size, children)), axis=1)
        for i in range(children):
            child = head + 2 + i * step
            image[:, child] = image[:, head] + 2 + order[:, i] * step
            branch(child, level + 1)

    image[:, 0] = 0
    branch(0, 0)
    return image
