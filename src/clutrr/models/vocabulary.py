"""What a model can tell apart: words, marks for entities, and the relations it can answer."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

# Numbers that are no words. A sentence that links two entities is read from both ends; the marks
# say which mention is the reader's own, which the other's, and which of them comes first.
PADDING, UNKNOWN, SELF_FIRST, OTHER_SECOND, OTHER_FIRST, SELF_SECOND, BYSTANDER = range(7)
RESERVED = 7


@dataclass(frozen=True)
class Vocabulary:
    """The words of the training stories, and the relations that can be answered.

    A word's number is its place in `words` plus RESERVED; a relation's number is its place.
    """

    words: tuple[str, ...]
    relations: tuple[str, ...]

    @classmethod
    def of(cls, words: Iterable[str], relations: Iterable[str], known: Iterable[str]) -> "Vocabulary":
        """The words in alphabetical order; the known relations, and behind them any others."""
        known = tuple(known)
        return cls(tuple(sorted(set(words))), known + tuple(sorted(set(relations) - set(known))))

    @property
    def size(self) -> int:
        return RESERVED + len(self.words)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: RESERVED + i for i, word in enumerate(self.words)}

    def numbers(self, words: Iterable[str]) -> npt.NDArray[np.int64]:
        """Their numbers; UNKNOWN for words that were not in the training stories."""
        return np.array([self._numbers.get(word, UNKNOWN) for word in words], np.int64)
