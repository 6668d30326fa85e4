"""Answering without understanding: look-ups fitted on some rows, tried on others."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from typing import TypeVar

from clutrr.auditor.ceilings import Pattern, Rules, rule_ceiling
from clutrr.auditor.rows import Asked, Row
from clutrr.auditor.words import BagOfWords
from clutrr.measure import percent

K = TypeVar("K", bound=Hashable)
Key = Callable[[Row], Hashable]
Parts = Callable[[Pattern], list[Pattern]]


# What each look-up knows of a question. The form is that of the second queried entity.
LOOKUPS: dict[str, Key] = {
    "majority label": lambda row: None,
    "form, majority kind": lambda row: row.form,
    "the two names": lambda row: row.puzzle.query,
    "last relation": lambda row: row.relations[-1:],
    "first and last relation": lambda row: (row.relations[:1], row.relations[-1:]),
    "seen pattern": lambda row: (row.puzzle.pattern, row.form),
}
BAG = "bag of words"


def most_frequent(pairs: Iterable[tuple[K, str]]) -> dict[K, str]:
    """The label that each key has most often."""
    return _most(Counter(pairs).items())


def _most(counted: Iterable[tuple[tuple[K, str], int]]) -> dict[K, str]:
    """The same where pairs are counted already."""
    counts: dict[K, Counter[str]] = {}
    for (key, label), n in counted:
        counts.setdefault(key, Counter())[label] += n
    # The most frequent; of several, the first by name, so that the order of rows does not matter.
    return {key: min(count, key=lambda label: (-count[label], label)) for key, count in counts.items()}


def longest_ending(pattern: Pattern) -> list[Pattern]:
    """The endings of the pattern, longest first, down to none."""
    return [pattern[i:] for i in range(len(pattern) + 1)]


def longest_beginning(pattern: Pattern) -> list[Pattern]:
    """The beginnings of the pattern, longest first, down to none."""
    return [pattern[:i] for i in range(len(pattern), -1, -1)]


PARTS: dict[str, Parts] = {
    "last relation": lambda pattern: [pattern[-1:], ()],
    "longest known ending": longest_ending,
    "longest known beginning": longest_beginning,
}


class PartsFitted:
    """Look-ups of parts of a pattern, and rules, fitted on some questions; each made when it is needed."""

    def __init__(self, name: str, asked: Sequence[Asked], rules: Rules) -> None:
        self.name, self.asked, self.rules = name, asked, rules
        self._parts: dict[str, dict[Pattern, str]] = {}

    def cell(self, tested: Sequence[Asked]) -> dict[str, float]:
        """Percent of the tested rows: look-ups of part of the pattern, and rules."""
        return {
            "label known": percent(sum(row.target in self._labels for row in tested), len(tested)),
            **{name: self._part_accuracy(name, pieces, tested) for name, pieces in PARTS.items()},
            "rules shown": self.ceiling(tested),
        }

    def ceiling(self, tested: Sequence[Asked]) -> float:
        """Percent that a perfect learner derives from the rules that some bracketing of a pattern uses."""
        return rule_ceiling(self.rules, self._shown, tested)

    def _part_accuracy(self, name: str, pieces: Parts, tested: Sequence[Asked]) -> float:
        """By the longest part that some known row shares: its kind; the form makes it a label."""
        if name not in self._parts:
            self._parts[name] = _most(
                ((piece, kind), n)
                for (pattern, kind), n in self._patterns.items()
                for piece in pieces(pattern)
            )
        table = self._parts[name]
        right = 0
        for row in tested:
            known = (table[piece] for piece in pieces(row.puzzle.pattern) if piece in table)
            right += next(known, None) == row.kind
        return percent(right, len(tested))

    @cached_property
    def _labels(self) -> frozenset[str]:
        return frozenset(row.target for row in self.asked)

    @cached_property
    def _patterns(self) -> Counter[tuple[Pattern, str]]:
        """How often each pattern has each kind of target."""
        return Counter((row.puzzle.pattern, row.kind) for row in self.asked)

    @cached_property
    def _shown(self) -> frozenset[tuple[str, str]]:
        return self.rules.shown({pattern for pattern, _ in self._patterns})


class Fitted(PartsFitted):
    """The same, and look-ups that need to know more of a row."""

    def __init__(self, name: str, known: Sequence[Row], rules: Rules) -> None:
        super().__init__(name, known, rules)
        self.known = known
        self._tables: dict[str, dict[Hashable, str]] = {}

    def shortcuts(self, tested: Sequence[Row]) -> dict[str, float]:
        """Percent of the tested rows that each look-up answers; unknown keys get the majority label."""
        found = {name: self._accuracy(name, key, tested) for name, key in LOOKUPS.items()}
        return {**found, BAG: self._bag.accuracy(tested)}

    def _accuracy(self, name: str, key: Key, tested: Sequence[Row]) -> float:
        if name not in self._tables:
            self._tables[name] = most_frequent((key(row), row.target) for row in self.known)
        table = self._tables[name]
        right = sum(table.get(key(row), self._common) == row.target for row in tested)
        return percent(right, len(tested))

    @cached_property
    def _common(self) -> str | None:
        return most_frequent((None, row.target) for row in self.known).get(None)

    @cached_property
    def _bag(self) -> BagOfWords:
        return BagOfWords(self.known)
