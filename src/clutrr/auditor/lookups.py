"""Answering without understanding: look-ups and rules, fitted on some rows."""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

from clutrr.auditor.composition import Pair, Rules, most_frequent
from clutrr.auditor.rows import Asked, Row
from clutrr.measure import percent

Keys = Sequence[Hashable]
R = TypeVar("R", bound=Asked)
_FORM = "form, majority kind"  # where entities have forms
_ANY = object()

# What each look-up knows of a question, or else nothing. The form is that of the second queried entity.
LOOKUPS: dict[str, Callable[[Row], Keys]] = {
    "majority label": lambda row: (_ANY,),
    _FORM: lambda row: (row.form, _ANY),
    "the two names": lambda row: (row.query, _ANY),
    "last relation": lambda row: (row.relations[-1:], _ANY),
    "first and last relation": lambda row: ((row.relations[:1], row.relations[-1:]), _ANY),
    "seen pattern": lambda row: ((row.pattern, row.form), _ANY),
}

# The parts of a pattern to look for, those that say most first, down to none: they give the kind, and the
# form makes it a label.
PARTS: dict[str, Callable[[Asked], Keys]] = {
    "last relation": lambda row: (row.pattern[-1:], ()),
    "longest known ending": lambda row: [row.pattern[i:] for i in range(len(row.pattern) + 1)],
    "longest known beginning": lambda row: [row.pattern[:i] for i in range(len(row.pattern), -1, -1)],
}


class Fitted(Generic[R]):
    """Look-ups and rules, fitted on some questions; each made when it is needed."""

    def __init__(self, name: str, known: Sequence[R], rules: Rules) -> None:
        self.name, self.known, self.rules = name, known, rules
        self._tables: dict[object, dict[Hashable, str]] = {}

    def cell(self, tested: Sequence[Asked]) -> dict[str, float]:
        """Return the percent of the tested rows that parts of the pattern, and rules, answer."""
        return {
            "label known": percent(sum(row.target in self._labels for row in tested), len(tested)),
            **{name: self._accuracy(parts, "kind", tested) for name, parts in PARTS.items()},
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
        lookups = {name: keys for name, keys in LOOKUPS.items() if formed or name != _FORM}
        return {name: self._accuracy(keys, "target", tested) for name, keys in lookups.items()}

    def _accuracy(self, keys: Callable[[Any], Keys], answer: str, tested: Sequence[Asked]) -> float:
        """Return how often the first key that is known gives the answer: the target, or its kind."""
        if keys not in self._tables:
            counts = Counter((key, getattr(row, answer)) for row in self.known for key in keys(row))
            self._tables[keys] = most_frequent(counts)
        table, right = self._tables[keys], 0
        for row in tested:
            right += next((table[key] for key in keys(row) if key in table), None) == getattr(row, answer)
        return percent(right, len(tested))

    @cached_property
    def _labels(self) -> set[str]:
        return {row.target for row in self.known}

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
