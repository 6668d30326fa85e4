"""A composition table: which relation two facts in a row make, as the training rows of two facts show it.

A rule says "r1, then r2, makes r", in relation words. A pattern is answered by putting two neighbours
together until one relation is left, in every order (CYK parsing). The order can matter, so a pattern has a
set of answers. A rule is unsound if its two relations leave more possible than the one it gives:
another kind, or a relation outside the label set. Forms do not matter for that.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from clutrr.auditor.ceilings import parse
from clutrr.auditor.lookups import most_frequent
from clutrr.auditor.rows import Row
from clutrr.measure import percent
from clutrr.world import World

Pair = tuple[str, str]
Pattern = tuple[str, ...]


class Derived(NamedTuple):
    """How a relation is derived for a stretch of a pattern.

    used: the unsound pairs that some derivation combines. rests: whether every derivation combines one,
    so that the relation does not follow without.
    """

    used: frozenset[Pair]
    rests: bool


_STATED = Derived(frozenset(), rests=False)
_Cell = dict[str, Derived]  # what a stretch comes to


@dataclass(frozen=True)
class CompositionTable:
    """results: the relation that a pair makes. unsound: the pairs whose result need not hold."""

    results: Mapping[Pair, str]
    unsound: frozenset[Pair] = frozenset()

    def parse(self, pattern: Sequence[str]) -> dict[str, Derived]:
        """The relations that the bracketings of a pattern come to; none if the table has a gap in each."""

        def join(cuts: Iterator[tuple[_Cell, _Cell]], whole: bool) -> _Cell:
            cell: _Cell = {}
            for ones, others in cuts:
                self._join(ones, others, cell)
            return cell

        return parse([{relation: _STATED} for relation in pattern], join, {})

    def _join(self, ones: _Cell, others: _Cell, cell: _Cell) -> None:
        """Add what two neighbouring stretches make."""
        for one, left in ones.items():
            for other, right in others.items():
                pair = one, other
                result = self.results.get(pair)
                if result is None:
                    continue
                used, rests = left.used | right.used, left.rests or right.rests
                if pair in self.unsound:
                    used, rests = used | {pair}, True
                before = cell.get(result)
                if before is not None:
                    used, rests = used | before.used, rests and before.rests
                cell[result] = Derived(used, rests)


@dataclass(frozen=True)
class Unsound:
    """An unsound rule, by kinds: what its pairs of words have in common.

    possible, outside: what the two kinds leave possible. rows: the training rows that show it.
    """

    kinds: Pair
    result: str
    possible: tuple[str, ...]
    outside: bool
    pairs: frozenset[Pair]
    rows: int


class TableParser:
    """Answers rows by the table that the training rows of two facts show."""

    def __init__(self, shown: Sequence[Row], world: World) -> None:
        counts = Counter((row.relations, row.target) for row in shown)
        results = most_frequent(((row.relations[0], row.relations[1]), row.target) for row in shown)
        self._shown = len(shown)
        self._unsound = _unsound(results, counts, world)
        pairs = frozenset(pair for rule in self._unsound for pair in rule.pairs)
        self.table = CompositionTable(results, pairs)
        self._parse = cache(self.table.parse)

    def shares(self, rows: Sequence[Row]) -> dict[str, float]:
        """Percent of the rows with each outcome; the first four add up to 100."""
        counts: Counter[str] = Counter()
        for row in rows:
            found = self._parse(row.relations)
            counts[_outcome(found, row.target)] += 1
            derived = found.get(row.target, _STATED)
            counts["rests on an unsound rule"] += derived.rests
            counts["may use an unsound rule"] += bool(derived.used)
            counts["rests on one and not proved"] += derived.rests and not row.proved
        return {column: percent(counts[column], len(rows)) for column in COLUMNS}

    def about(self, tested: Mapping[str, Sequence[Row]]) -> dict[str, Any]:
        """The table as plain data, with the rows of each subset whose answer may use an unsound rule."""
        used = {name: self._used(rows) for name, rows in tested.items()}
        return {
            "rules": len(self.table.results),
            "train_rows": self._shown,
            "unsound": [
                {
                    "rule": list(rule.kinds),
                    "result": rule.result,
                    "possible": list(rule.possible),
                    "outside": rule.outside,
                    "word_rules": len(rule.pairs),
                    "train_rows": rule.rows,
                    "test_rows": {name: used[name][rule.kinds, rule.result] for name in tested},
                }
                for rule in self._unsound
            ],
        }

    def _used(self, rows: Iterable[Row]) -> Counter[tuple[Pair, str]]:
        """How many rows have a derivation of their answer with each unsound rule in it."""
        rules = {pair: (rule.kinds, rule.result) for rule in self._unsound for pair in rule.pairs}
        counts: Counter[tuple[Pair, str]] = Counter()
        for row in rows:
            derived = self._parse(row.relations).get(row.target, _STATED)
            counts.update({rules[pair] for pair in derived.used})
        return counts


COLUMNS = (
    "right",
    "several answers",
    "wrong",
    "no answer",
    "rests on an unsound rule",
    "may use an unsound rule",
    "rests on one and not proved",
)


def _outcome(found: Mapping[str, Derived], target: str) -> str:
    if not found:
        return "no answer"
    if len(found) > 1:
        return "several answers"
    return "right" if target in found else "wrong"


def _unsound(
    results: Mapping[Pair, str], counts: Mapping[tuple[Pattern, str], int], world: World
) -> list[Unsound]:
    """The unsound rules of a table, in the order of their kinds."""

    def kind(relation: str) -> str:
        """That of a word; where no form was known, the route has the kind itself."""
        return world.meaning[relation][0].name if relation in world.meaning else relation

    by_kinds: dict[tuple[Pair, str], set[Pair]] = {}
    for pair, result in results.items():
        by_kinds.setdefault(((kind(pair[0]), kind(pair[1])), kind(result)), set()).add(pair)
    rules = []
    for (kinds, result), pairs in sorted(by_kinds.items()):
        left = world.theory.compose(world.labels, kinds)
        if left.outside or left.kinds != (result,):
            rows = sum(counts[pair, results[pair]] for pair in pairs)
            rules.append(Unsound(kinds, result, left.kinds, left.outside, frozenset(pairs), rows))
    return rules
