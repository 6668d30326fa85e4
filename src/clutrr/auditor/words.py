"""The words of a story: whether the answer is among them, and what they alone give away."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from clutrr.measure import percent
from clutrr.puzzle import Puzzle
from clutrr.world import World

if TYPE_CHECKING:
    from clutrr.auditor.rows import Row

_TOKEN = re.compile(r"\[[^\]]*\]|[^\W_]+(?:[-'][^\W_]+)*")
_RIDGE = 1.0
_MOST_ROWS = 5000  # to fit on or to try, spread evenly
_MOST_WORDS = 500  # the most frequent


def words(story: str) -> list[str]:
    """The words in lower case; names and values do not count."""
    return [word.lower() for word in _TOKEN.findall(story) if word[0] != "["]


def answer_is_said(puzzle: Puzzle, world: World) -> bool:
    """Return whether the answer's label is in the text, "'s" or not, or another word for it."""
    synonyms = world.lexicon.phrases.words.synonyms
    meant = [puzzle.target, *(word for word, label in synonyms.items() if label == puzzle.target)]
    text = puzzle.story.lower()
    if not any(label in text for label in meant):
        return False
    said = " ".join(["", *(word.removesuffix("'s") for word in words(puzzle.story)), ""])
    return any(f" {label} " in said for label in meant)


class BagOfWords:
    """A linear model: ridge regression from how often each word stands in a story onto the labels."""

    def __init__(self, known: "Sequence[Row]") -> None:
        known = _spread(known)
        told = [words(row.puzzle.story) for row in known]
        common = Counter(word for one in told for word in one).most_common(_MOST_WORDS)
        self._column = {word: i for i, (word, _) in enumerate(common)}
        self._labels = sorted({row.target for row in known})
        number = {label: i for i, label in enumerate(self._labels)}
        onto = np.eye(len(number))[[number[row.target] for row in known]]
        train = self._counts(told)
        self._mean, self._shares = train.mean(axis=0), onto.mean(axis=0)
        centred = train - self._mean
        gram = centred.T @ centred + _RIDGE * np.eye(centred.shape[1])
        self._weights = np.linalg.solve(gram, centred.T @ (onto - self._shares))

    def accuracy(self, tested: "Sequence[Row]") -> float:
        """Percent of the tested rows answered right."""
        tested = _spread(tested)
        counts = self._counts([words(row.puzzle.story) for row in tested])
        scores = (counts - self._mean) @ self._weights + self._shares
        right = sum(
            self._labels[i] == row.target for i, row in zip(scores.argmax(axis=1), tested, strict=True)
        )
        return percent(right, len(tested))

    def _counts(self, told: Sequence[Sequence[str]]) -> npt.NDArray[np.float64]:
        counts = np.zeros((len(told), len(self._column)))
        for row, found in zip(counts, told, strict=True):
            columns = [self._column[word] for word in found if word in self._column]
            row += np.bincount(columns, minlength=len(self._column))
        return counts


def _spread(rows: "Sequence[Row]") -> "Sequence[Row]":
    return rows[:: -(-len(rows) // _MOST_ROWS)] if len(rows) > _MOST_ROWS else rows
