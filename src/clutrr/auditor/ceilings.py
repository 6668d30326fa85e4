"""How far one could get: by rules of composition alone, and from the pattern alone."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache

from clutrr.auditor.rows import Row
from clutrr.measure import percent
from clutrr.world import Composition, World

Pattern = tuple[str, ...]
Rule = tuple[str, str]
Kinds = frozenset[str]


class Rules:
    """What follows for a chain by composing two kinds at a time, over every bracketing.

    A stretch of the chain has a set of possible kinds: what all its bracketings allow. One that
    may lead outside the label set tells nothing, except at the very end, where the question
    presupposes an answer. This is sound, but finds less than looking at whole worlds.
    """

    def __init__(self, world: World) -> None:
        @cache
        def compose(one: str, other: str) -> Composition:
            return world.compose((one, other))

        self._compose = compose

    def shown(self, patterns: Iterable[Pattern]) -> frozenset[Rule]:
        """The pairs of kinds that some bracketing of these chains composes."""
        used: set[Rule] = set()
        for pattern in patterns:
            self._close(pattern, None, used)
        return frozenset(used)

    def derive(self, pattern: Pattern, rules: frozenset[Rule] | None = None) -> Kinds:
        """The kinds left for the ends of the chain, by these rules or by all; none if nothing follows."""
        return self._close(pattern, rules, set())

    def _close(self, pattern: Pattern, rules: frozenset[Rule] | None, used: set[Rule]) -> Kinds:
        size = len(pattern)
        known: dict[tuple[int, int], Kinds] = {
            (i, i + 1): frozenset([kind]) for i, kind in enumerate(pattern)
        }
        for length in range(2, size + 1):
            for start in range(size - length + 1):
                stop = start + length
                left: Kinds | None = None
                for middle in range(start + 1, stop):
                    pairs = {(a, b) for a in known[start, middle] for b in known[middle, stop]}
                    if not pairs or (rules is not None and not pairs <= rules):
                        continue
                    used |= pairs
                    found = [self._compose(*pair) for pair in pairs]
                    if length == size or not any(result.outside for result in found):
                        kinds = frozenset(kind for result in found for kind in result.kinds)
                        left = kinds if left is None else left & kinds
                known[start, stop] = left or frozenset()
        return known[0, size]


def rule_ceiling(rules: Rules, known: Sequence[Row], tested: Sequence[Row]) -> float:
    """Percent of the tested rows that a perfect learner of the rules shown can derive.

    It knows the compositions that some bracketing of a known chain uses, and no other.
    """
    shown = rules.shown({row.puzzle.pattern for row in known})
    counts = Counter((row.puzzle.pattern, row.kind) for row in tested)
    right = sum(n for (pattern, kind), n in counts.items() if rules.derive(pattern, shown) == {kind})
    return percent(right, len(tested))


def pattern_ceiling(rows: Sequence[Row]) -> float:
    """Percent right if each pattern is given its most frequent kind: no model of it does better.

    Patterns that occur once count as known, so this is an upper bound.
    """
    counts: defaultdict[Pattern, Counter[str]] = defaultdict(Counter)
    for row in rows:
        counts[row.puzzle.pattern][row.kind] += 1
    best = sum(max(count.values()) for count in counts.values())
    return percent(best, len(rows))
