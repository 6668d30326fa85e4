"""Answering without understanding: look-ups, rules and a bag of words, fitted on some rows."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property, lru_cache
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from clutrr.auditor.composition import Pair, Rules, most_frequent
from clutrr.auditor.rows import Asked, Pattern, Row
from clutrr.measure import percent

Key = Callable[[Row], Hashable]
Parts = Callable[[Pattern], list[Pattern]]
Ints = npt.NDArray[np.int32]
R = TypeVar("R", bound=Asked)
_WORD = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")
_RIDGE = 1.0
_MOST_ROWS = 5000  # to fit a bag of words on, or to try it on, spread evenly
_MOST_WORDS = 500  # the most frequent


_FORM = "form, majority kind"  # where entities have forms

# What each look-up knows of a question. The form is that of the second queried entity.
LOOKUPS: dict[str, Key] = {
    "majority label": lambda row: None,
    _FORM: lambda row: row.form,
    "the two names": lambda row: row.query,
    "last relation": lambda row: row.relations[-1:],
    "first and last relation": lambda row: (row.relations[:1], row.relations[-1:]),
    "seen pattern": lambda row: (row.pattern, row.form),
}
BAG = "bag of words"

# The parts of a pattern to look for, those that say most first, down to none.
PARTS: dict[str, Parts] = {
    "last relation": lambda pattern: [pattern[-1:], ()],
    "longest known ending": lambda pattern: [pattern[i:] for i in range(len(pattern) + 1)],
    "longest known beginning": lambda pattern: [pattern[:i] for i in range(len(pattern), -1, -1)],
}


class Fitted(Generic[R]):
    """Look-ups and rules, fitted on some questions; each made when it is needed."""

    def __init__(self, name: str, known: Sequence[R], rules: Rules) -> None:
        self.name, self.known, self.rules = name, known, rules
        self._tables: dict[str, dict[Hashable, str]] = {}
        self._parts: dict[str, dict[Pattern, str]] = {}

    def cell(self, tested: Sequence[Asked]) -> dict[str, float]:
        """Return the percent of the tested rows that parts of the pattern, and rules, answer."""
        return {
            "label known": percent(sum(row.target in self._labels for row in tested), len(tested)),
            **{name: self._part_accuracy(name, pieces, tested) for name, pieces in PARTS.items()},
            "rules shown": self.ceiling(tested),
        }

    def ceiling(self, tested: Sequence[Asked]) -> float:
        """Return the percent that a perfect learner derives from the rules that known patterns show.

        These are the pairs of kinds that some bracketing of a pattern composes.
        """
        counts = Counter((row.routes, row.kind) for row in tested)
        derived = {routes: self.rules.derive(routes, self._shown) for routes, _ in counts}
        right = sum(n for (routes, kind), n in counts.items() if derived[routes] == {kind})
        return percent(right, len(tested))

    def shortcuts(self: "Fitted[Row]", tested: Sequence[Row]) -> dict[str, float]:
        """Return the percent that each look-up answers; unknown keys get the majority label."""
        formed = any(row.form for row in tested)
        lookups = {name: key for name, key in LOOKUPS.items() if formed or name != _FORM}
        return {name: self._accuracy(name, key, tested) for name, key in lookups.items()}

    def _accuracy(self: "Fitted[Row]", name: str, key: Key, tested: Sequence[Row]) -> float:
        if name not in self._tables:
            self._tables[name] = most_frequent(Counter((key(row), row.target) for row in self.known))
        table = self._tables[name]
        right = sum(table.get(key(row), self._common) == row.target for row in tested)
        return percent(right, len(tested))

    def _part_accuracy(self, name: str, pieces: Parts, tested: Sequence[Asked]) -> float:
        """Return how often the longest part that is known gives the kind; the form makes it a label."""
        if name not in self._parts:
            counts: Counter[tuple[Pattern, str]] = Counter()
            for (pattern, kind), n in self._patterns.items():
                for piece in pieces(pattern):
                    counts[piece, kind] += n
            self._parts[name] = most_frequent(counts)
        table = self._parts[name]
        right = 0
        for row in tested:
            known = (table[piece] for piece in pieces(row.pattern) if piece in table)
            right += next(known, None) == row.kind
        return percent(right, len(tested))

    @cached_property
    def _labels(self) -> Counter[str]:
        return Counter(row.target for row in self.known)

    @cached_property
    def _common(self) -> str | None:
        """The label that most have; of several, the first by name."""
        return min(self._labels, key=lambda label: (-self._labels[label], label), default=None)

    @cached_property
    def _patterns(self) -> Counter[tuple[Pattern, str]]:
        """How often each pattern has each kind of target."""
        return Counter((row.pattern, row.kind) for row in self.known)

    @cached_property
    def _shown(self) -> frozenset[Pair]:
        return self.rules.shown({route for row in self.known for route in row.routes})


def pattern_ceiling(rows: Sequence[Row]) -> float:
    """Return the percent right if each pattern is given its most frequent kind: no model of it does better.

    Patterns that occur once count as known, so this is an upper bound.
    """
    counts = Counter((row.pattern, row.kind) for row in rows)
    best = sum(counts[pattern, kind] for pattern, kind in most_frequent(counts).items())
    return percent(best, len(rows))


class Told:
    """Stories, without names, and their targets. Of very many, every second is kept, or fourth, and so on."""

    def __init__(self) -> None:
        self._seen, self._step = 0, 1
        self.stories: list[tuple[str, str]] = []

    def add(self, shape: str, target: str) -> None:
        if self._seen % self._step == 0:
            self.stories.append((shape, target))
            if len(self.stories) > 4 * _MOST_ROWS:
                del self.stories[1::2]
                self._step *= 2
        self._seen += 1


class BagOfWords:
    """A linear model: ridge regression from how often each word stands in a story onto the labels.

    Stories are without names and values; words count in lower case.
    """

    def __init__(self, known: Sequence[tuple[str, str]]) -> None:
        known = _spread(known)
        self._number: dict[str, int] = {}
        self._sentence = lru_cache(1 << 16)(self._numbers)  # most are told again and again
        told = [self._words(story) for story, _ in known]
        counts = np.bincount(np.concatenate(told))
        # Numbers rise as words first occur: of equally frequent ones, the earlier.
        common = np.argsort(-counts, kind="stable")[:_MOST_WORDS]
        self._column = np.full(len(counts) + 1, len(common))  # words that are not counted share the last
        self._column[common] = np.arange(len(common))
        self._labels = sorted({target for _, target in known})
        onto = np.array([[target == label for label in self._labels] for _, target in known], float)
        train = self._counts(told)
        self._mean, self._shares = train.mean(axis=0), onto.mean(axis=0)
        centred = train - self._mean
        gram = centred.T @ centred + _RIDGE * np.eye(len(common))
        self._weights = np.linalg.solve(gram, centred.T @ (onto - self._shares))

    def accuracy(self, tested: Sequence[tuple[str, str]]) -> float:
        """Return the percent of the tested stories answered right."""
        tested = _spread(tested)
        counts = self._counts([self._words(story) for story, _ in tested])
        scores = (counts - self._mean) @ self._weights + self._shares
        said = [self._labels[i] for i in scores.argmax(axis=1)]
        right = sum(label == target for label, (_, target) in zip(said, tested, strict=True))
        return percent(right, len(tested))

    def _words(self, story: str) -> Ints:
        return np.frombuffer(b"".join(map(self._sentence, story.split(". "))), np.int32)

    def _numbers(self, text: str) -> bytes:
        number = self._number
        found = [number.setdefault(word.lower(), len(number)) for word in _WORD.findall(text)]
        return np.array(found, np.int32).tobytes()

    def _counts(self, told: Sequence[Ints]) -> npt.NDArray[np.float64]:
        most = int(self._column.max())
        counts = np.empty((len(told), most))
        for row, words in zip(counts, told, strict=True):
            columns = self._column.take(words, mode="clip")  # a word with a higher number is not counted
            row[:] = np.bincount(columns, minlength=most + 1)[:most]
        return counts


def _spread(stories: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
    return stories[:: -(-len(stories) // _MOST_ROWS)] if len(stories) > _MOST_ROWS else stories
