"""A linear model on the bag of words of a story: what the words alone give away."""

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from clutrr.auditor.rows import Row
from clutrr.measure import percent

_TOKEN = re.compile(r"\[[^\]]*\]|[^\W_]+(?:[-'][^\W_]+)*")
_RIDGE = 1.0


def bag_of_words_accuracy(known: Sequence[Row], tested: Sequence[Row]) -> float:
    """Percent of the tested rows answered right by ridge regression onto the labels."""
    vocabulary: dict[str, int] = {}
    train = _counts(known, vocabulary, grow=True)
    test = _counts(tested, vocabulary, grow=False)
    labels = sorted({row.target for row in known})
    onto = np.array([[row.target == label for label in labels] for row in known], float)
    mean = train.mean(axis=0)
    centred = train - mean
    gram = centred.T @ centred + _RIDGE * np.eye(centred.shape[1])
    weights = np.linalg.solve(gram, centred.T @ (onto - onto.mean(axis=0)))
    scores = (test - mean) @ weights + onto.mean(axis=0)
    guesses = [labels[i] for i in scores.argmax(axis=1)]
    right = sum(guess == row.target for guess, row in zip(guesses, tested, strict=True))
    return percent(right, len(tested))


def _counts(rows: Sequence[Row], vocabulary: dict[str, int], grow: bool) -> npt.NDArray[np.float64]:
    """How often each word stands in each story; names and values do not count."""
    columns: list[list[int]] = []
    for row in rows:
        words = [word.lower() for word in _TOKEN.findall(row.puzzle.story) if word[0] != "["]
        if grow:
            for word in words:
                vocabulary.setdefault(word, len(vocabulary))
        columns.append([vocabulary[word] for word in words if word in vocabulary])
    counts = np.zeros((len(rows), len(vocabulary)))
    for row_counts, found in zip(counts, columns, strict=True):
        row_counts += np.bincount(found, minlength=len(vocabulary))
    return counts
