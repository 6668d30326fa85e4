"""What follows for a pattern by composing two neighbours at a time, in every order (CYK parsing).

`Rules` composes kinds, as the theory does: what a perfect learner of some pairs could derive. A
`CompositionTable` composes relation words, as the training rows of two facts show: "r1, then r2, makes r".
The order can matter, so a pattern has a set of answers. A rule of the table is unsound if its two relations
leave more possible than the one it gives: another kind, or a relation outside the label set. Forms do not
matter for that.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, TypeVar

from clutrr.auditor.rows import Pattern, Row
from clutrr.measure import percent
from clutrr.theory import Composition
from clutrr.world import World

Pair = tuple[str, str]
Kinds = frozenset[str]
K = TypeVar("K", bound=Hashable)
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
        def joined(ones: Kinds, others: Kinds) -> tuple[frozenset[Pair], bool, Kinds]:
            pairs = frozenset((a, b) for a in ones for b in others)
            found = [compose(*pair) for pair in pairs]
            kinds = frozenset(kind for result in found for kind in result.kinds)
            return pairs, any(result.outside for result in found), kinds

        @cache
        def composed(pattern: Pattern) -> set[Pair]:
            used: set[Pair] = set()
            self._close(pattern, None, used)
            return used

        self._joined, self._composed = joined, composed
        self._derived: dict[tuple[Pattern, frozenset[Pair] | None], Kinds] = {}

    def shown(self, patterns: Iterable[Pattern]) -> frozenset[Pair]:
        """Return the pairs of kinds that some bracketing of these patterns composes."""
        return frozenset().union(*map(self._composed, patterns))

    def derive(self, routes: Sequence[Pattern], rules: frozenset[Pair] | None = None) -> Kinds:
        """Return the kinds that all routes leave for the ends, by these rules or by all.

        None if nothing follows from any of them.
        """
        found = [self._along(pattern, rules) for pattern in routes]
        left = [kinds for kinds in found if kinds]
        return frozenset.intersection(*left) if left else frozenset()

    def _along(self, pattern: Pattern, rules: frozenset[Pair] | None) -> Kinds:
        key = pattern, rules
        if key not in self._derived:
            self._derived[key] = self._close(pattern, rules, set())
        return self._derived[key]

    def _close(self, pattern: Pattern, rules: frozenset[Pair] | None, used: set[Pair]) -> Kinds:
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


def most_frequent(counted: Mapping[tuple[K, str], int]) -> dict[K, str]:
    """Return the label that each key has most often, where pairs of both are counted."""
    counts: dict[K, Counter[str]] = {}
    for (key, label), n in counted.items():
        counts.setdefault(key, Counter())[label] += n
    # The most frequent; of several, the first by name, so that the order of rows does not matter.
    return {key: min(count, key=lambda label: (-count[label], label)) for key, count in counts.items()}


_Rests = dict[str, bool]  # what a stretch comes to, and whether every derivation of it uses an unsound pair


@dataclass(frozen=True)
class CompositionTable:
    """results: the relation that a pair makes. unsound: the pairs whose result need not hold."""

    results: Mapping[Pair, str]
    unsound: frozenset[Pair] = frozenset()

    def parse(self, pattern: Sequence[str]) -> _Rests:
        """Return the relations that the bracketings of a pattern come to; none if each meets a gap.

        Of each, whether it rests on an unsound pair: it does not follow without.
        """

        def join(cuts: Iterator[tuple[_Rests, _Rests]], whole: bool) -> _Rests:
            cell: _Rests = {}
            for ones, others in cuts:
                for pair in product(ones, others):
                    if result := self.results.get(pair):
                        rests = ones[pair[0]] or others[pair[1]] or pair in self.unsound
                        cell[result] = rests and cell.get(result, True)
            return cell

        return parse([{relation: False} for relation in pattern], join, {})


class TableParser:
    """Answers rows by the table that the training rows of two facts show."""

    def __init__(self, shown: Sequence[Row], world: World) -> None:
        counts = Counter(((row.relations[0], row.relations[1]), row.target) for row in shown)
        results = most_frequent(counts)
        unsound = list(_unsound(results, counts, world))
        table = CompositionTable(results, frozenset().union(*(pairs for _, pairs in unsound)))
        self._parse = cache(table.parse)
        self.about = {
            "rules": len(results),
            "train_rows": len(shown),
            "unsound": [rule for rule, _ in unsound],
        }

    def shares(self, rows: Sequence[Row]) -> dict[str, float]:
        """Return the percent of the rows with each outcome; the first four add up to 100."""
        counts: Counter[str] = Counter()
        for row in rows:
            found = self._parse(row.relations)
            several = "several answers" if len(found) > 1 else "no answer"
            counts[several if len(found) != 1 else "right" if row.target in found else "wrong"] += 1
            rests = found.get(row.target, False)
            counts["rests on an unsound rule"] += rests
            counts["rests on one and not proved"] += rests and not row.proved
        return {column: percent(counts[column], len(rows)) for column in _COLUMNS}


_COLUMNS = (
    *("right", "several answers", "wrong", "no answer"),
    *("rests on an unsound rule", "rests on one and not proved"),
)


def _unsound(
    results: Mapping[Pair, str], counts: Mapping[tuple[Pair, str], int], world: World
) -> Iterator[tuple[dict[str, Any], set[Pair]]]:
    """Yield the unsound rules of a table by kinds, in their order, each with its pairs of words."""

    def kind(relation: str) -> str:
        """Return that of a word; where no form was known, the route has the kind itself."""
        return world.meaning[relation][0].name if relation in world.meaning else relation

    by_kinds: dict[tuple[Pair, str], set[Pair]] = {}
    for pair, result in results.items():
        by_kinds.setdefault(((kind(pair[0]), kind(pair[1])), kind(result)), set()).add(pair)
    for (kinds, result), pairs in sorted(by_kinds.items()):
        left = world.theory.compose(world.labels, kinds)
        if left.outside or left.kinds != (result,):
            yield (
                {
                    "rule": list(kinds),
                    "result": result,
                    "possible": list(left.kinds),
                    "outside": left.outside,
                    "word_rules": len(pairs),
                    "train_rows": sum(counts[pair, results[pair]] for pair in pairs),
                },
                pairs,
            )
