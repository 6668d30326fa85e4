"""How far a model could get: by rules of composition alone, and from the pattern alone."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import TypeVar

from clutrr.auditor.rows import Asked, Row
from clutrr.measure import percent
from clutrr.theory import Composition
from clutrr.world import World

Pattern = tuple[str, ...]
Rule = tuple[str, str]
Kinds = frozenset[str]
T = TypeVar("T")


def parse(leaves: Sequence[T], join: Callable[[Iterator[tuple[T, T]], bool], T], nothing: T) -> T:
    """Return the result for a whole pattern, shorter stretches first (CYK parsing).

    join: gives the result for a stretch from those of its two parts at each cut, and whether it is the whole
    pattern. nothing: the result for no pattern at all.
    """
    size = len(leaves)
    found = {(i, i + 1): leaf for i, leaf in enumerate(leaves)}
    for length in range(2, size + 1):
        for start in range(size - length + 1):
            stop = start + length
            cuts = ((found[start, cut], found[cut, stop]) for cut in range(start + 1, stop))
            found[start, stop] = join(cuts, length == size)
    return found.get((0, size), nothing)


class Rules:
    """What follows for a pattern by composing two kinds at a time, over every bracketing.

    A stretch of the pattern has a set of possible kinds: what all its bracketings allow. One that
    may lead outside the label set tells nothing, except at the very end, where the question
    presupposes an answer. This is sound, but finds less than looking at whole worlds.
    """

    def __init__(self, world: World) -> None:
        @cache
        def compose(one: str, other: str) -> Composition:
            return world.theory.compose(world.labels, (one, other))

        @cache
        def joined(ones: Kinds, others: Kinds) -> tuple[frozenset[Rule], bool, Kinds]:
            pairs = frozenset((a, b) for a in ones for b in others)
            found = [compose(*pair) for pair in pairs]
            kinds = frozenset(kind for result in found for kind in result.kinds)
            return pairs, any(result.outside for result in found), kinds

        self._joined = joined
        self._derived: dict[tuple[Pattern, frozenset[Rule] | None], Kinds] = {}

    def shown(self, patterns: Iterable[Pattern]) -> frozenset[Rule]:
        """The pairs of kinds that some bracketing of these patterns composes."""
        used: set[Rule] = set()
        for pattern in patterns:
            self._close(pattern, None, used)
        return frozenset(used)

    def derive(self, pattern: Pattern, rules: frozenset[Rule] | None = None) -> Kinds:
        """The kinds left for the ends of the pattern, by these rules or by all; none if nothing follows."""
        key = pattern, rules
        if key not in self._derived:
            self._derived[key] = self._close(pattern, rules, set())
        return self._derived[key]

    def _close(self, pattern: Pattern, rules: frozenset[Rule] | None, used: set[Rule]) -> Kinds:
        def join(cuts: Iterator[tuple[Kinds, Kinds]], whole: bool) -> Kinds:
            left: Kinds | None = None
            for ones, others in cuts:
                if not ones or not others:
                    continue
                pairs, outside, kinds = self._joined(ones, others)
                if rules is not None and not pairs <= rules:
                    continue
                used.update(pairs)
                if whole or not outside:
                    left = kinds if left is None else left & kinds
            return left or frozenset()

        return parse([frozenset([kind]) for kind in pattern], join, frozenset())


def rule_ceiling(rules: Rules, shown: frozenset[Rule], tested: Sequence[Asked]) -> float:
    """Percent of the tested rows that a perfect learner of these rules, and no others, can derive."""
    counts = Counter((row.puzzle.pattern, row.kind) for row in tested)
    derived = {pattern: rules.derive(pattern, shown) for pattern, _ in counts}
    right = sum(n for (pattern, kind), n in counts.items() if derived[pattern] == {kind})
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
