"""What stories are to say, and stories with their sentences: many at once."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Ints = npt.NDArray[np.integer]


@dataclass(frozen=True)
class Cast:
    """Everybody in some families, one after the other: see `Families`."""

    names: npt.NDArray[np.int16]
    genders: npt.NDArray[np.int8]
    traits: npt.NDArray[np.uint16]  # (people, attributes)


@dataclass(frozen=True)
class Facts:
    """Related pairs, one per element: tail is head's `relation`.

    head, tail: numbers of names (the women's, then the men's). relation: number of a label.
    """

    head: Ints
    relation: Ints
    tail: Ints


@dataclass(frozen=True)
class Script:
    """The facts of stories, the same number in each: first the k of the path, then those beside it.

    people: numbers in the cast, those of the path first. head, tail: of each fact, places among the
    people. relation: numbers of labels. first: of each of the people, the fact that brings them in.
    """

    cast: Cast
    k: int
    people: Ints  # (stories, people)
    head: Ints  # (stories, facts)
    relation: Ints
    tail: Ints
    first: Ints  # (people,)

    @cached_property
    def names(self) -> Ints:
        """The names of the people, by their numbers."""
        return self.cast.names.take(self.people)

    @cached_property
    def genders(self) -> npt.NDArray[np.int8]:
        return self.cast.genders.take(self.people)

    @property
    def stories(self) -> int:
        return len(self.people)

    @property
    def noisy(self) -> bool:
        """Whether there are facts beside the path."""
        return bool(self.head.shape[1] > self.k)

    @cached_property
    def facts(self) -> Facts:
        """The facts by names, flat."""
        head, tail = (np.take_along_axis(self.names, at, axis=1) for at in (self.head, self.tail))
        return Facts(head.reshape(-1), self.relation.reshape(-1), tail.reshape(-1))

    def told(self, distractors: int) -> Ints:
        """How many sentences are about each person alone.

        If there are facts beside the path, each fact that names somebody replaces one of them. Then
        everybody is in equally many sentences, and counting them says nothing about the path.
        """
        if not self.noisy:
            return np.full(self.people.shape, distractors)
        named = np.zeros(self.people.shape, np.int64)
        rows = np.arange(self.stories)
        for at in (self.head, self.tail):
            for fact in range(at.shape[1]):
                named[rows, at[:, fact]] += 1
        return np.maximum(distractors + 1 - named, 0)


@dataclass(frozen=True)
class Stories:
    """Stories and their sentences, one story's after the other's.

    sentences: how many each story has. start, end: of each sentence, in characters. facts: the numbers of
    the facts that the sentences state; stated: how many each does.
    """

    text: pa.StringArray
    sentences: npt.NDArray[np.int32]
    start: npt.NDArray[np.int32]
    end: npt.NDArray[np.int32]
    facts: npt.NDArray[np.int32]
    stated: npt.NDArray[np.int32]
