"""Questions: what a theory draws, a block at a time and column by column."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clutrr._statement import Statement

Ints = npt.NDArray[np.integer]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Cast:
    """The entities of the scenes of a block, one scene after the other.

    names: numbers of names, those of the first form first. forms: numbers of forms, of `each` that there are
    (1 in a theory without forms). traits: random bits that fix the value of each attribute of an entity.
    """

    names: npt.NDArray[np.int16]  # (entities,)
    forms: npt.NDArray[np.int8]  # (entities,)
    traits: npt.NDArray[np.uint16]  # (entities, attributes)
    each: int


class Facts(NamedTuple):
    """Related pairs, one per element: tail is head's `relation`. All are numbers, of names and of labels."""

    head: Ints
    relation: Ints
    tail: Ints


class Stated(NamedTuple):
    """A statement of a question, about places among its entities, "0" and so on.

    fact: the number of the fact that it states vaguely; -1 if it is beside the facts.
    """

    statement: Statement
    fact: int = -1


@dataclass(frozen=True)
class QuestionBlock:
    """Questions about stories with the same number of facts: first those of the routes, then others.

    k: facts of a route. scene: numbers within the block. entities: numbers in the cast, those of the routes
    first; the two that are asked about are at 0 and k. head, tail: of each fact, places among the entities.
    kinds: of each fact. first: of each entity, the fact that brings it in. roles: of each fact, a number in
    `ROLES`. targets: the kind of each answer, -1 where the question is known to have several.

    stated: of each question, what is no fact; none where there are facts alone. verdicts: then, of each
    question the labels that are possible, and whether something else is.
    """

    cast: Cast
    k: int
    scene: Ints  # (questions,)
    entities: Ints  # (questions, entities)
    head: Ints  # (questions, facts)
    tail: Ints
    kinds: Ints
    first: Ints  # (entities,)
    roles: Ints  # (facts,)
    targets: Ints  # (questions,)
    stated: tuple[tuple[Stated, ...], ...] = ()
    verdicts: tuple[tuple[tuple[str, ...], bool], ...] = ()

    def __len__(self) -> int:
        return len(self.entities)

    @cached_property
    def routed(self) -> int:
        """The number of facts of all routes."""
        return int((self.roles == 0).sum())

    @property
    def noisy(self) -> bool:
        """Whether there are facts beside the routes."""
        return len(self.roles) > self.routed

    @cached_property
    def names(self) -> Ints:
        """The names of the entities: (questions, entities)."""
        return self.cast.names.take(self.entities)

    @cached_property
    def forms(self) -> Ints:
        """The forms of the entities: (questions, entities)."""
        return self.cast.forms.take(self.entities)

    @cached_property
    def relation(self) -> Ints:
        """The labels of the facts: (questions, facts)."""
        forms = np.take_along_axis(self.forms, self.tail, axis=1)
        return (self.kinds.astype(np.int32) * self.cast.each + forms).astype(np.int32)

    @cached_property
    def target(self) -> Ints:
        """The labels of the answers: (questions,); -1 where there are several."""
        labels = self.targets.astype(np.int32) * self.cast.each + self.forms[:, self.k]
        return np.where(self.targets < 0, -1, labels)

    @cached_property
    def facts(self) -> Facts:
        """The facts by names, flat."""
        head, tail = (np.take_along_axis(self.names, at, axis=1) for at in (self.head, self.tail))
        return Facts(head.reshape(-1), self.relation.reshape(-1), tail.reshape(-1))

    def take(self, rows: int) -> "QuestionBlock":
        """Return the first of them."""
        if rows >= len(self):
            return self
        of_rows: tuple[str, ...] = ("scene", "entities", "head", "tail", "kinds", "targets")
        of_rows += ("stated", "verdicts")
        return replace(self, **{name: getattr(self, name)[:rows] for name in of_rows})

    def sentences_alone(self, distractors: int) -> Ints:
        """Return how many sentences are about each entity alone.

        If there are facts beside the routes, each fact that names an entity replaces one of them. Then every
        entity is in equally many sentences, and counting them says nothing about the routes.
        """
        if not self.noisy:
            return np.full(self.entities.shape, distractors)
        named = np.zeros(self.entities.shape, np.int64)
        rows = np.arange(len(self))
        for at in (self.head, self.tail):
            for fact in range(at.shape[1]):
                named[rows, at[:, fact]] += 1
        return np.maximum(distractors + 1 - named, 0)


class PossibleKinds(NamedTuple):
    """What the facts of questions allow.

    possible: which kinds. outside: whether something else. known: where each of the two was worked out.
    """

    possible: Bools  # (questions, kinds)
    outside: Bools  # (questions,)
    possible_known: Bools
    outside_known: Bools


class QuestionSource(ABC):
    """Draws the questions of one subset and split, block by block.

    block: how many questions a block has, a divisor of 4096. scenes: how many scenes.
    """

    block: int = 4096
    scenes: int = 64

    @abstractmethod
    def draw(self, rng: np.random.Generator) -> QuestionBlock:
        """Draw a block. Raises ConfigError where there is no such question."""

    @abstractmethod
    def judge(self, questions: QuestionBlock) -> PossibleKinds:
        """Return what is possible in these questions, some of a block."""

    def notes(self) -> Iterator[str]:
        """Yield remarks for users, each after its subset ("M3: "): labels that no such question has, patterns
        so few that they repeat."""
        return iter(())
