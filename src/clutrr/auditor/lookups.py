"""Answering without understanding: look-ups and rules, fitted on some rows."""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Generic, TypeVar

from clutrr.auditor.composition import Pair, Rules, most_frequent
from clutrr.auditor.rows import Asked, Pattern, Row
from clutrr.measure import percent

Key = Callable[[Row], Hashable]
Parts = Callable[[Pattern], list[Pattern]]
R = TypeVar("R", bound=Asked)
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
