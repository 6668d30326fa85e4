"""What a model can tell apart: words, marks for entities, and the relations it can answer."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

# Numbers that stand for no word. A sentence that links two entities is read from both ends; the marks
# say which mention is the reader's own, which the other's, and which of them comes first.
PADDING, UNKNOWN, SELF_FIRST, OTHER_SECOND, OTHER_FIRST, SELF_SECOND, BYSTANDER = range(7)
RESERVED = 7
ANY = -1  # the gender of a relation that tells none


@dataclass(frozen=True)
class Vocabulary:
    """The words of the training stories, and the relations that can be answered.

    A word's number is its place in `words` plus RESERVED; a relation's number is its place.
    forms: for each relation the number of its kind and the gender of whom it names, such as (0, 1)
    for a son where (0, 0) is a daughter; a relation that no world has is of a kind of its own, with the
    gender ANY. Without forms, that goes for every relation.
    """

    words: tuple[str, ...]
    relations: tuple[str, ...]
    forms: tuple[tuple[int, int], ...] = field(default=(), compare=False)  # they follow from the world

    def __post_init__(self) -> None:
        kinds, genders = ({form[place] for form in self.forms} for place in (0, 1))
        fits = len(self.forms) in (0, len(self.relations)) and genders <= {ANY, 0, 1}
        if not fits or kinds != set(range(len(kinds))):
            raise ValueError("forms: not a kind and a gender for each relation")

    @classmethod
    def of(
        cls, words: Iterable[str], relations: Iterable[str], kinds: Iterable[Sequence[str]]
    ) -> "Vocabulary":
        """The words in alphabetical order; the relations of these kinds, by gender, then any others."""
        forms = {
            word: (kind, gender)
            for kind, by_gender in enumerate(kinds)
            for gender, word in enumerate(by_gender)
        }
        for other in sorted(set(relations) - set(forms)):
            forms[other] = (max((kind for kind, _ in forms.values()), default=-1) + 1, ANY)
        return cls(tuple(sorted(set(words))), tuple(forms), tuple(forms.values()))

    @property
    def size(self) -> int:
        return RESERVED + len(self.words)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: RESERVED + i for i, word in enumerate(self.words)}

    def numbers(self, words: Iterable[str]) -> npt.NDArray[np.int64]:
        """Their numbers; UNKNOWN for words that were not in the training stories."""
        return np.array([self._numbers.get(word, UNKNOWN) for word in words], np.int64)
