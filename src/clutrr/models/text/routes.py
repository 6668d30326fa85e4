"""From what was read of each pair of entities to an answer: every way through a story, folded.

    read       for each pair, how likely each relation kind is, and how likely none is stated
    route      entities, none twice, from the first queried one to the second
    fold       the kinds along a route, put together two by two by a table, in the best order

A route's weight is the product over its pairs of (how likely a fact is stated : how likely none is),
to a power: a route that leaves out a pair with a surely stated fact loses to one that has it.
The sum over the routes lets several ways outvote a misreading.

The second view of an answer is the best single derivation over all walks through a story. A published
story may walk past the same entities again, and then the rules that training showed lead along the walk
and along no route. So every reading is put together with every other, round by round:

    R(i, j, c) = max over entities l and kinds a, b of R(i, l, a) R(l, j, b) table[a, b, c], times .98

starting from what was read of each pair, until the longest story is covered.
"""

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from clutrr.models.text.passages import Passage

_LEAST = 1e-6  # of a share, so that it has a logarithm
_NOTHING = 1e-30  # instead of a sum of no shares
_STEP = 0.98  # a derivation of more steps must be surer
_ROUNDS = 9
_AT_ONCE = 64  # stories of one size
# Chosen on held-out wordings of training stories.
_DOUBT = 2.0  # the temperature of the readings
_EXCHANGED = 0.03  # how often the two entities of a fact are taken for each other, by the reader or the text
_ODDS = 0.5  # the power of a route's odds
_ROUTES = 64  # how many of the best routes count
_FAINT = -7.0  # log odds below which a pair is no part of a route


Weighted = tuple[float, tuple[int, ...]]  # a route: the logarithm of its weight, and its entities in order


def answered(
    passages: Sequence[Passage], scores: Tensor, converse: Tensor, table: Tensor
) -> Tensor:  # [B, C]
    """Return how likely each kind is between the two queried entities: the mean of what routes and walks say.

    scores [P, C + 1]: of the kinds and of none, for all pairs, story by story.
    """
    kinds, odds = doubted(scores, converse)
    by_routes = kinds.new_zeros(len(passages), kinds.shape[1])
    for story, weight, whole in fold_routes(passages, kinds, odds, converse, table):
        by_routes = by_routes.index_add(0, story, weight[:, None] * whole)
    stated = 1 - (scores / _DOUBT).softmax(-1)[:, -1:]
    by_walks = derivations(passages, kinds * stated, converse, table)
    return (_shares(by_routes) + _shares(by_walks)) / 2


def _shares(found: Tensor) -> Tensor:
    return found / found.sum(1, keepdim=True).clamp(min=_NOTHING)


def doubted(scores: Tensor, converse: Tensor) -> tuple[Tensor, Tensor]:
    """Return the share of each kind [P, C], none aside, and the log odds of a fact [P]. scores [P, C + 1]."""
    shares = (scores / _DOUBT).softmax(-1)
    none = shares[:, -1].clamp(0.02, 1 - _LEAST)
    kinds = shares[:, :-1]
    kinds = kinds / kinds.sum(1, keepdim=True).clamp(min=_LEAST)
    kinds = (1 - _EXCHANGED) * kinds + _EXCHANGED * kinds[:, converse]
    return kinds, ((1 - shares[:, -1]).clamp(min=_LEAST) / none).log()


def routes(passage: Passage, odds: Sequence[float]) -> list[Weighted]:
    """Return the best routes of a story, given the log odds of its pairs; a beam keeps the search short."""
    near: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for (one, other), log_odds in zip(passage.pairs, odds, strict=True):
        if log_odds > _FAINT:
            near[one].append((other, _ODDS * log_odds))
            near[other].append((one, _ODDS * log_odds))
    start, end = passage.query
    done: list[Weighted] = []
    begun: list[Weighted] = [(0.0, (start,))]
    while begun:
        longer = [
            (so_far + weight, (*route, entity))
            for so_far, route in begun
            for entity, weight in near[route[-1]]
            if entity not in route
        ]
        done += [found for found in longer if found[1][-1] == end]
        begun = _best([found for found in longer if found[1][-1] != end], 4 * _ROUTES)
    return _best(done, _ROUTES)


def _best(found: list[Weighted], count: int) -> list[Weighted]:
    return sorted(found, key=lambda one: -one[0])[:count]


def fold(sequences: Tensor, table: Tensor) -> Tensor:  # [P, C]
    """Return what each sequence of readings [P, n, C] comes to: for each stretch the best cut, kind by kind.

    F(i, j, c) = max over cuts m of the sum over a, b of F(i, m, a) F(m, j, b) table[a, b, c].
    """
    n = sequences.shape[1]
    stretch = {(i, i + 1): sequences[:, i] for i in range(n)}
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length
            cuts = [
                torch.einsum("pa,pb,abc->pc", stretch[i, m], stretch[m, j], table) for m in range(i + 1, j)
            ]
            stretch[i, j] = torch.stack(cuts).amax(0)
    return stretch[0, n]


def fold_routes(
    passages: Sequence[Passage], kinds: Tensor, odds: Tensor, converse: Tensor, table: Tensor
) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Yield the story [R] of each of the best routes, its weight [R], and what it comes to [R, C]; routes of
    one length together. kinds, odds: of all pairs, story by story."""
    alike: dict[int, list[tuple[int, float, list[int], list[bool]]]] = defaultdict(list)
    first, listed = 0, odds.tolist()
    for number, passage in enumerate(passages):
        place = {pair: first + i for i, pair in enumerate(passage.pairs)}
        best = routes(passage, listed[first : first + len(place)])
        for log_weight, route in best:
            steps = list(itertools.pairwise(route))
            at = [place[min(step), max(step)] for step in steps]
            back = [a > b for a, b in steps]
            alike[len(steps)].append((number, log_weight - best[0][0], at, back))
        first += len(place)
    turned = kinds[:, converse]
    for group in alike.values():
        story, weight, pair, backwards = (
            torch.tensor([one[column] for one in group], device=kinds.device) for column in range(4)
        )
        read = torch.where(backwards[..., None], turned[pair], kinds[pair])
        yield story, weight.exp(), fold(read, table)


def derivations(
    passages: Sequence[Passage], kinds: Tensor, converse: Tensor, table: Tensor
) -> Tensor:  # [B, C]
    """Return how good the best derivation of each kind is. kinds [P, C]: shares of all pairs, story by
    story."""
    found = kinds.new_zeros(len(passages), kinds.shape[1])
    first = [0]
    for passage in passages:
        first.append(first[-1] + len(passage.pairs))
    sizes: dict[int, list[int]] = defaultdict(list)
    for number, passage in enumerate(passages):
        sizes[len(passage.names)].append(number)
    for size, numbers in sizes.items():
        for start in range(0, len(numbers), _AT_ONCE):
            chosen = numbers[start : start + _AT_ONCE]
            rows = [
                (story, *pair, first[number] + place)
                for story, number in enumerate(chosen)
                for place, pair in enumerate(passages[number].pairs)
            ]
            at = torch.tensor(rows, dtype=torch.int64, device=kinds.device).reshape(-1, 4)
            story, one, other, pair = at.unbind(1)
            read = kinds.new_zeros(len(chosen), size, size, kinds.shape[1])
            read[story, one, other] = kinds[pair]
            read[story, other, one] = kinds[pair][:, converse]
            known = _closure(read, table)
            asked = torch.tensor([passages[number].query for number in chosen], device=kinds.device)
            which = torch.arange(len(chosen), device=kinds.device)
            found[torch.tensor(chosen, device=kinds.device)] = known[which, asked[:, 0], asked[:, 1]]
    return found


def _closure(known: Tensor, table: Tensor) -> Tensor:  # [B, n, n, C]
    size = known.shape[1]
    same = torch.eye(size, dtype=torch.bool, device=known.device)[None, :, :, None]
    for _ in range(_ROUNDS):
        onward = (known[..., None, None] * table).amax(3)  # [B, i, l, b, c]
        best = known
        for middle in range(size):
            through = onward[:, :, middle, None] * known[:, None, middle, :, :, None]  # [B, i, j, b, c]
            best = torch.maximum(best, _STEP * through.amax(3))
        best = best.masked_fill(same, 0.0)
        if torch.equal(best, known):
            break
        known = best
    return known
