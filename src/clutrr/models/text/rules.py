"""Which kind follows from two in a row: counted from training stories.

counts    how often a fact a, followed by a fact b, had the answer c, over stories of two facts
trust     how far each rule is to be believed where another leads elsewhere, from stories of three facts
table     [a, b, c]: what readings are folded by
"""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from clutrr.models.vocabulary import KindTable
from clutrr.models.windows import Pair

Rules = dict[tuple[int, int], int]  # the kind that follows from two
Row = dict[str, Any]  # facts, query, target

_RULE = 0.95  # share of the answers that two kinds must have had for their rule to be used on facts
_UNCOUNTED = 1e-4  # weight of a rule of the world that no training story showed


def count_rules(rows: Iterable[Row], kinds: KindTable) -> Tensor:  # [C, C, C]
    """Return how often two facts in a row had each answer, over the stories whose path has two."""
    counts = torch.zeros(kinds.possible.shape)
    for a, b, answer in _paths(rows, kinds, 2):
        counts[a, b, answer] += 1
    return counts


def trust_rules(rows: Iterable[Row], kinds: KindTable, counts: Tensor) -> Tensor:  # [C, C, C]
    """1 for a rule that never led astray; else how often it led to the answer for each time it did not.

    Three facts can be put together from either end. Where the two ways lead to different kinds, the rules
    of the way that led to the answer were right, and those of the other way wrong; a rule that both ways
    use is neither.
    """
    rules = sure_rules(counts)
    right, wrong = torch.ones(counts.shape), torch.ones(counts.shape)
    for a, b, c, answer in _paths(rows, kinds, 3):
        ways = [_from_the_left(rules, a, b, c), _from_the_right(rules, a, b, c)]
        if not all(ways) or ways[0][-1][-1] == ways[1][-1][-1]:
            continue
        for way, other in (ways, ways[::-1]):
            for rule in {*way} - {*other}:
                (right if way[-1][-1] == answer else wrong)[rule] += 1
    return (right / wrong).clamp(max=1)


def rule_table(counts: Tensor, kinds: KindTable, trust: Tensor | None = None) -> Tensor:  # [C, C, C]
    """Return shares of what was counted, as far as they are trusted, and faintly what else the world
    allows."""
    shares = counts / counts.sum(-1, keepdim=True).clamp(min=1)
    return (shares if trust is None else shares * trust) + _allowed(kinds)


def sure_rules(counts: Tensor) -> Rules:
    """Return the kinds that two in a row nearly always had for an answer."""
    shares = counts / counts.sum(-1, keepdim=True).clamp(min=1)
    return {(a, b): c for a, b, c in (shares >= _RULE).nonzero().tolist()}


def following(stated: dict[Pair, int], rules: Rules) -> dict[Pair, int]:
    """Return what the rules lead to from the facts, both ways round, where all ways lead to the same kind."""
    known, twofold = dict(stated), set[Pair]()
    while True:
        found: dict[Pair, int] = {}
        for (one, middle), a in known.items():
            for (start, other), b in known.items():
                pair, kind = (one, other), rules.get((a, b))
                if start != middle or one == other or kind is None or pair in twofold:
                    continue
                if known.get(pair, found.get(pair, kind)) != kind:
                    twofold.add(pair)
                elif pair not in known:
                    found[pair] = kind
        if not found:
            return {pair: kind for pair, kind in known.items() if pair not in twofold}
        known |= found


def _allowed(kinds: KindTable) -> Tensor:
    allowed = kinds.possible.float()
    return _UNCOUNTED * allowed / allowed.sum(-1, keepdim=True).clamp(min=1)


def _paths(rows: Iterable[Row], kinds: KindTable, length: int) -> Iterable[list[int]]:
    """Return the kinds along the path of each story whose path has so many facts, and of its answer."""
    for row in rows:
        path = row["facts"][:length]
        people = [path[0][0], *(fact[2] for fact in path)] if len(path) == length else []
        if [*people[:1], *people[-1:]] != row["query"] or people[1:-1] != [fact[0] for fact in path[1:]]:
            continue
        relations = [*(fact[1] for fact in path), row["target"]]
        if all(relation in kinds.meaning for relation in relations):
            yield [kinds.meaning[relation][0] for relation in relations]


_Steps = list[tuple[int, int, int]]  # two kinds and what follows; none where nothing does


def _from_the_left(rules: Rules, a: int, b: int, c: int) -> _Steps:
    first = rules.get((a, b), -1)
    result = rules.get((first, c))
    return [] if result is None else [(a, b, first), (first, c, result)]


def _from_the_right(rules: Rules, a: int, b: int, c: int) -> _Steps:
    last = rules.get((b, c), -1)
    result = rules.get((a, last))
    return [] if result is None else [(b, c, last), (a, last, result)]
