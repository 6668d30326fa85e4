"""Answering without understanding: look-ups and rules, fitted on some questions.

`Rules` composes kinds two at a time, in every order, as the theory does: what a perfect learner of some pairs
could derive.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import Any

from clutrr._audit.rows import Asked, Pattern
from clutrr._io.limits import ROUTE, limit
from clutrr._lexicon import World
from clutrr._measure import percent
from clutrr.theory import Composition

Questions = Mapping[Asked, int]  # and how often each is asked
Keys = Sequence[Hashable]
Pair = tuple[str, str]
Kinds = frozenset[str]
_FORM = "form, majority kind"  # where entities have forms
_ANY = object()

# What each look-up knows of a question, or else nothing. The form is that of the second queried entity.
LOOKUPS: dict[str, Callable[[Asked], Keys]] = {
    "majority label": lambda asked: (_ANY,),
    _FORM: lambda asked: (asked.form, _ANY),
    "last relation": lambda asked: (asked.ends[-1:], _ANY),
    "first and last relation": lambda asked: (asked.ends, _ANY),
    "seen pattern": lambda asked: ((asked.pattern, asked.form), _ANY),
}

# The parts of a pattern to look for, those that say most first, down to none: they give the kind, and the
# form makes it a label.
PARTS: dict[str, Callable[[Asked], Keys]] = {
    "last relation": lambda asked: (asked.pattern[-1:], ()),
    "longest known ending": lambda asked: [asked.pattern[-i:] for i in _lengths(asked)] + [()],
    "longest known beginning": lambda asked: [asked.pattern[:i] for i in _lengths(asked)] + [()],
}


def _lengths(asked: Asked) -> Iterable[int]:
    return range(min(len(asked.pattern), limit(ROUTE)), 0, -1)


class Rules:
    """What follows for a pattern by composing two kinds at a time, over every bracketing (CYK parsing).

    A stretch of the pattern has a set of possible kinds: what all its bracketings allow. One that
    may lead outside the label set tells nothing, except at the very end, where the question
    presupposes an answer. This is sound, but finds less than looking at whole worlds; for very long
    patterns, nothing.
    """

    def __init__(self, world: World) -> None:
        @cache
        def compose(one: str, other: str) -> Composition:
            return world.theory.compose(world.labels, (one, other))

        @cache
        def joined(ones: Kinds, others: Kinds) -> tuple[frozenset[Pair], bool, Kinds]:
            pairs = frozenset((a, b) for a in ones for b in others)
            found = [compose(*pair) for pair in pairs]
            kinds = frozenset(kind for result in found for kind in result.kinds)
            return pairs, any(result.outside for result in found), kinds

        self._joined, self._closed = joined, cache(self._close)

    def shown(self, patterns: Iterable[Pattern]) -> frozenset[Pair]:
        """Return the pairs of kinds that some bracketing of these patterns composes."""
        return frozenset().union(*(self._closed(pattern, None)[1] for pattern in patterns))

    def derive(self, routes: Sequence[Pattern], rules: frozenset[Pair] | None = None) -> Kinds:
        """Return the kinds that all routes leave for the ends, by these rules or by all.

        None if nothing follows from any of them.
        """
        found = [self._closed(pattern, rules)[0] for pattern in routes]
        left = [kinds for kinds in found if kinds]
        return frozenset.intersection(*left) if left else frozenset()

    def _close(
        self, pattern: Pattern, rules: frozenset[Pair] | None
    ) -> tuple[Kinds, frozenset[Pair]]:
        """Return the kinds that a pattern comes to, by these rules or by all, and the pairs that it took."""
        size = len(pattern) if len(pattern) <= limit(ROUTE) else 0
        used: set[Pair] = set()
        found = {(at, at + 1): frozenset([kind]) for at, kind in enumerate(pattern[:size])}
        for length in range(2, size + 1):
            for start in range(size - length + 1):
                stop, left = start + length, None
                for cut in range(start + 1, stop):
                    pairs, outside, kinds = self._joined(found[start, cut], found[cut, stop])
                    if not pairs or (rules is not None and not pairs <= rules):
                        continue
                    used |= pairs
                    if length == size or not outside:
                        left = kinds if left is None else left & kinds
                found[start, stop] = left or frozenset()
        return found.get((0, size), frozenset()), frozenset(used)


class Fitted:
    """Look-ups and rules, fitted on some questions; each made when it is needed."""

    def __init__(self, name: str, known: Questions, rules: Rules) -> None:
        self.name, self._known, self._rules = name, known, rules
        self._tables: dict[object, dict[Hashable, str]] = {}

    def cell(self, tested: Questions) -> dict[str, float]:
        """Return the percent of the tested questions that parts of the pattern, and rules, answer."""
        labels = {asked.target for asked in self._known}
        return {
            "label known": _share(tested, lambda asked: asked.target in labels),
            **{name: self._accuracy(parts, "kind", tested) for name, parts in PARTS.items()},
            "rules shown": self.ceiling(tested),
        }

    def ceiling(self, tested: Questions) -> float:
        """Return the percent that a perfect learner derives from the rules that known patterns show.

        These are the pairs of kinds that some bracketing of a pattern composes.
        """
        derive = cache(lambda routes: self._rules.derive(routes, self._shown))
        return _share(tested, lambda asked: derive(asked.routes) == {asked.kind})

    def shortcuts(self, tested: Questions) -> dict[str, float]:
        """Return the percent that each look-up answers; unknown keys get the majority label."""
        formed = any(asked.form for asked in tested)
        return {
            name: self._accuracy(keys, "target", tested)
            for name, keys in LOOKUPS.items()
            if formed or name != _FORM
        }

    def _accuracy(self, keys: Callable[[Asked], Keys], answer: str, tested: Questions) -> float:
        """Return how often the first key that is known gives the answer: the target, or its kind."""
        if keys not in self._tables:
            counts: Counter[tuple[Hashable, str]] = Counter()
            for asked, times in self._known.items():
                for key in keys(asked):
                    counts[key, getattr(asked, answer)] += times
            self._tables[keys] = _most_frequent(counts)
        table = self._tables[keys]

        def right(asked: Asked) -> bool:
            found = next((table[key] for key in keys(asked) if key in table), None)
            return bool(found == getattr(asked, answer))

        return _share(tested, right)

    @cached_property
    def _shown(self) -> frozenset[Pair]:
        return self._rules.shown({route for asked in self._known for route in asked.routes})


def _share(tested: Questions, right: Callable[[Asked], bool]) -> float:
    """Return the percent of the questions that are right."""
    return percent(
        sum(times for asked, times in tested.items() if right(asked)), sum(tested.values())
    )


def _most_frequent(counted: Mapping[tuple[Any, str], int]) -> dict[Any, str]:
    """Return the label that each key has most often, where pairs of both are counted."""
    best: dict[Any, tuple[int, str]] = {}
    for (key, label), times in counted.items():
        # Of several, the first by name, so that the order of rows does not matter.
        if key not in best or (-times, label) < best[key]:
            best[key] = -times, label
    return {key: label for key, (_, label) in best.items()}


def pattern_ceiling(tested: Questions) -> float:
    """Return the percent right if each pattern is given its most frequent kind: no model of it does better.

    Patterns that occur once count as known, so this is an upper bound.
    """
    counts: Counter[tuple[Pattern, str]] = Counter()
    for asked, times in tested.items():
        counts[asked.pattern, asked.kind] += times
    best = sum(counts[pattern, kind] for pattern, kind in _most_frequent(counts).items())
    return percent(best, counts.total())
