"""Families, and the paths in them.

A family is a shape, who is whose partner and child; then everybody has a form and a name. People are numbered
in depth-first preorder: the head, their partner, then each child's branch.

A path of k edges has k+1 distinct people, each related to the next, and a target: what the last person is to
the first. Two paths are the same if pattern and target are.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from clutrr.errors import ConfigError, Give, Hint
from clutrr.theory.kinship.steps import Step, Steps
from clutrr.theory.questions import Cast
from clutrr.theory.spec import Supply

FEMALE, MALE = 0, 1  # forms
Bools = npt.NDArray[np.bool_]

_OF_ONE_GENDER = 0.75  # of a family, at most, nearly always


@dataclass(frozen=True)
class Shape:
    """spouse[p]: the partner of p, or -1. couple[p]: the first of p's two parents, or -1."""

    spouse: tuple[int, ...]
    couple: tuple[int, ...]

    @property
    def people(self) -> int:
        return len(self.spouse)

    @cached_property
    def married_in(self) -> Bools:
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

    def _step(self, step: Step) -> Bools:
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

    def reached(self, steps: Steps) -> Bools:
        """reached[a, b]: whether the steps lead from a to b."""
        matrix = np.eye(self.people, dtype=bool)
        for step in steps:
            matrix = matrix @ self._step(step)
        return matrix


def regular(levels: int, children: int) -> Shape:
    """Return a family in which every couple has the same number of children."""
    return _grow(levels, lambda: children)


def sample(
    levels: int, fewest: int, most: int, limit: int, rng: np.random.Generator
) -> Shape | None:
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


def relations(
    shape: Shape, ways: Sequence[Sequence[Steps]], siblings: str = "all"
) -> npt.NDArray[np.int8]:
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


@dataclass(frozen=True)
class FamilyCast(Cast):
    """The people of some families, one family after the other. shapes: of the families."""

    shapes: tuple[Shape, ...]

    @classmethod
    def joined(cls, casts: Sequence[Self]) -> Self:
        """Return the families of all of them."""
        names, forms, traits = (
            np.concatenate([getattr(cast, column) for cast in casts])
            for column in ("names", "forms", "traits")
        )
        return cls(names, forms, traits, 2, tuple(shape for cast in casts for shape in cast.shapes))

    @cached_property
    def first(self) -> npt.NDArray[np.int64]:
        """The number of the first person of each family."""
        sizes = np.array([shape.people for shape in self.shapes])
        first: npt.NDArray[np.int64] = np.cumsum(sizes) - sizes
        return first


def sample_families(
    shape: Shape,
    supply: Supply,
    size: int,
    rng: np.random.Generator,
    told: Sequence[int] | None = None,
) -> FamilyCast:
    """Return families of one shape: random genders, partners of opposite sex, no name twice in a family.

    told: the genders, where they are known.
    """
    needed = shape.people
    if told is not None:
        genders = np.tile(np.array(told, np.int8), (size, 1))
    else:
        genders = rng.integers(0, 2, (size, needed), dtype=np.int8)
        joined = np.flatnonzero(shape.married_in)
        genders[:, joined] = 1 - genders[:, np.array(shape.spouse)[joined]]
    names = np.empty((size, needed), np.int16)
    for gender, offset in ((FEMALE, 0), (MALE, supply.names[FEMALE])):
        mine = genders == gender
        rank = (
            np.cumsum(mine, axis=1) - 1
        )  # the number of each person among those of the same gender
        known = supply.names[gender]
        if rank.max(initial=0) >= known:
            raise names_needed(needed, supply, "scene")
        drawn = _distinct(rng, size, int(rank.max(initial=-1)) + 1, known)
        row, person = np.nonzero(mine)
        names[row, person] = drawn[row, rank[row, person]] + offset
    traits = rng.integers(0, 2**16, (size * needed, supply.attributes), np.uint16)
    return FamilyCast(names.reshape(-1), genders.reshape(-1), traits, 2, (shape,) * size)


def names_needed(people: int, supply: Supply, setting: str) -> ConfigError:
    """Return the error where families of so many people take more names than there are."""
    needed = math.ceil(_OF_ONE_GENDER * people)
    return ConfigError(
        f"families of {people} people need about {needed} names of each gender, and "
        f"world {supply.world!r} has {' and '.join(map(str, supply.names))}",
        setting=setting,
        hint=Hint(
            "add names, or ask for smaller families: {}", (Give("scene", "levels=3,children=2"),)
        ),
    )


def _distinct(rng: np.random.Generator, rows: int, each: int, below: int) -> npt.NDArray[np.int64]:
    """Return rows of different numbers below a bound, in random order."""
    keys = rng.random((rows, below), np.float32)
    some = np.argpartition(keys, min(each, below - 1), axis=1)[:, :each]
    order = np.argsort(np.take_along_axis(keys, some, axis=1), axis=1)
    return np.take_along_axis(some, order, axis=1)


_MOST_EDGES, _MOST_PEOPLE = 12, 2000  # of what is counted
_ROWS = 20_000  # how many partial paths are extended at a time
Rows = npt.NDArray[np.int16]
Ways = Sequence[Sequence[Steps]]  # of each kind


@dataclass(frozen=True)
class Patterns:
    """The patterns of all paths of k edges in a family.

    patterns: kinds, one row per pattern. targets: its target kind. paths: how many paths have it,
    each walked both ways. forward: whether one of them leads from the first to the last in
    preorder, which is how the paper counts.
    """

    patterns: npt.NDArray[np.int8]
    targets: npt.NDArray[np.int8]
    paths: npt.NDArray[np.int64]
    forward: npt.NDArray[np.bool_]


def enumerate_paths(
    related: npt.NDArray[np.int8],
    shape: Shape,
    steps: Sequence[int | None],
    target: int | None = None,
) -> Iterator[tuple[Rows, int]]:
    """Yield all paths in a regular family, in batches, from one person of each sort.

    steps: for each edge the kind it must be, or None for any. target: likewise, between the ends.

    Brothers and sisters of a regular family are alike, so the paths from the first of each sort stand
    for all; each batch comes with how many people are of its sort. Seen from the first of its sort, a
    sibling always comes later in preorder.
    """
    allowed = [related >= 0 if kind is None else related == kind for kind in (*steps, target)]

    def extend(rows: Rows) -> Iterator[Rows]:
        """Yield all paths that continue these, in bounded memory."""
        edge = rows.shape[1] - 1
        last = edge == len(steps) - 1
        for at in range(0, len(rows), _ROWS):
            part = rows[at : at + _ROWS]
            onward = allowed[edge][part[:, -1]]
            if last:
                onward &= allowed[-1][part[:, 0]]
            np.put_along_axis(onward, part.astype(np.int64), False, axis=1)
            row, person = np.divmod(
                np.flatnonzero(onward), onward.shape[1]
            )  # as nonzero, but faster
            longer = np.column_stack([part[row], person.astype(np.int16)])
            if last:
                yield longer
            else:
                yield from extend(longer)

    _, first, count = np.unique(shape.sorts, return_index=True, return_counts=True)
    for i in np.argsort(first):
        for rows in extend(np.array([[first[i]]], np.int16)):
            yield rows, int(count[i])


def list_paths(
    related: npt.NDArray[np.int8],
    shape: Shape,
    steps: Sequence[int | None],
    target: int | None = None,
) -> tuple[Rows, npt.NDArray[np.int64]]:
    """Return the paths of `enumerate_paths`, and how many each stands for."""
    batches = [
        (np.zeros((0, len(steps) + 1), np.int16), 0),
        *enumerate_paths(related, shape, steps, target),
    ]
    sizes = [len(rows) for rows, _ in batches]
    return np.concatenate([rows for rows, _ in batches]), np.repeat(
        [each for _, each in batches], sizes
    )


def enumerate_patterns(
    ways: Ways, levels: int, children: int, edges: int, siblings: str
) -> Patterns:
    """Return all patterns of paths of that many edges in a regular family."""
    shape = regular(levels, children)
    related = relations(shape, ways, siblings)
    found: list[tuple[npt.NDArray[np.int64], ...]] = [(np.zeros(0, np.int64),) * 3]
    for rows, alike in enumerate_paths(related, shape, [None] * edges):
        code = related[rows[:, 0], rows[:, -1]].astype(np.int64)  # the target, and then the pattern
        for i in range(edges):
            code = code * len(ways) + related[rows[:, i], rows[:, i + 1]]
        codes, which, counts = np.unique(code, return_inverse=True, return_counts=True)
        forward = np.bincount(which, rows[:, 0] < rows[:, -1], len(codes)).astype(np.int64)
        found.append((codes, counts * alike, forward))
    batches, paths, forward = map(np.concatenate, zip(*found, strict=True))
    codes, which = np.unique(batches, return_inverse=True)
    digits = codes[:, None] // len(ways) ** np.arange(edges, -1, -1) % len(ways)
    return Patterns(
        digits[:, 1:].astype(np.int8),
        digits[:, 0].astype(np.int8),
        np.bincount(which, paths, len(codes)).astype(np.int64),
        np.bincount(which, forward, len(codes)) > 0,
    )


def count_paths(
    ways: Ways, levels: int, children: int, max_edges: int, siblings: str
) -> Iterator[dict[str, int]]:
    """Table 2 of the paper: unique paths by their number of edges, from 2 up.

    With gender, every target has a word for either gender of the last person.
    """
    if max_edges > _MOST_EDGES:
        raise ConfigError(
            f"is above {_MOST_EDGES}: their paths are too many to count",
            setting="max_edges",
            value=max_edges,
        )
    if people_in(levels, children) > _MOST_PEOPLE:
        raise ConfigError(
            f"a family of {levels} levels with {children} children a couple has more than "
            f"{_MOST_PEOPLE:,} people, too many to count its paths",
            setting="levels, children",
        )
    for edges in range(2, max_edges + 1):
        found = enumerate_patterns(ways, levels, children, edges, siblings)
        unique, paths = int(found.forward.sum()), int(found.paths.sum()) // 2
        sizes = {"edges": edges, "nodes": edges + 1}
        yield {**sizes, "unique": unique, "with_gender": 2 * unique, "paths": paths}
