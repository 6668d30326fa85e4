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

B stories, n entities in the largest, P pairs in all, C kinds.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from clutrr.models.passages import Passage
from clutrr.models.routed import FAR, along_steps, find_routes, steps_of

_LEAST = 1e-6  # of a share, so that it has a logarithm
_NOTHING = 1e-30  # instead of a sum of no shares
_STEP = 0.98  # a derivation of more steps must be surer
_ROUNDS = 9
_AT_ONCE = 16  # stories whose walks are put together
# Chosen on held-out wordings of training stories.
_DOUBT = 2.0  # the temperature of the readings
_EXCHANGED = (
    0.03  # how often the two entities of a fact are taken for each other, by the reader or the text
)
_ODDS = 0.5  # the power of a route's odds
_ROUTES = 64  # how many of the best routes count
_BEGUN = 256  # how many are looked at on the way
_FAINT = -7.0  # log odds below which a pair is no part of a route


def answered(
    passages: Sequence[Passage], scores: Tensor, converse: Tensor, table: Tensor
) -> Tensor:  # [B, C]
    """Return how likely each kind is between the two queried entities: the mean of what routes and walks say.

    scores [P, C + 1]: of the kinds and of none, for all pairs, story by story.
    """
    shares = (scores / _DOUBT).softmax(-1)
    kinds, none = shares[:, :-1], shares[:, -1]
    kinds = kinds / kinds.sum(1, keepdim=True).clamp(min=_LEAST)
    kinds = (1 - _EXCHANGED) * kinds + _EXCHANGED * kinds[:, converse]
    log_odds = ((1 - none).clamp(min=_LEAST) / none.clamp(0.02, 1 - _LEAST)).log()
    odds = torch.where(log_odds > _FAINT, _ODDS * log_odds, 2 * FAR)
    stated = (1 - none)[:, None]
    query = torch.tensor([passage.query for passage in passages], device=scores.device)  # [B, 2]
    turned = kinds[:, converse]
    routes = by_routes(
        _placed(passages, kinds, turned), _placed(passages, odds, odds, 2 * FAR), query, table
    )
    known = _placed(passages, kinds * stated, turned * stated)
    walks = []
    for first in range(0, len(passages), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        size = max(len(passage.names) for passage in passages[some])
        walks.append(by_walks(known[some, :size, :size], query[some], table))
    return (_shares(routes) + _shares(torch.cat(walks))) / 2


def _placed(
    passages: Sequence[Passage], values: Tensor, turned: Tensor, none: float = 0.0
) -> Tensor:
    """Return what is known of each pair of a story from either end, [B, n, n, ...]; elsewhere `none`."""
    rows = [(story, *pair) for story, passage in enumerate(passages) for pair in passage.pairs]
    story, one, other = torch.tensor(rows, dtype=torch.int64, device=values.device).reshape(-1, 3).T
    size = max(len(passage.names) for passage in passages)
    placed = values.new_full((len(passages), size, size, *values.shape[1:]), none)
    placed[story, one, other], placed[story, other, one] = values, turned
    return placed


def _shares(found: Tensor) -> Tensor:
    return found / found.sum(1, keepdim=True).clamp(min=_NOTHING)


def by_routes(read: Tensor, odds: Tensor, query: Tensor, table: Tensor) -> Tensor:  # [B, C]
    """Return the sum of what the best routes come to, by their weights; 0 where there is none.

    read [B, n, n, C], odds [B, n, n]: logarithms of the odds that each step multiplies a route's weight by.
    """
    steps = steps_of(find_routes(odds, query, _BEGUN)[:, :_ROUTES], odds.shape[1])  # [B, K, P - 1]
    length = (steps >= 0).sum(-1)
    weight = along_steps(odds, steps)  # [B, K], the best first
    weight = (weight - weight[:, :1]).exp()
    found = read.new_zeros(len(read), read.shape[-1])
    for count in range(1, steps.shape[-1] + 1):
        story, route = (length == count).nonzero(as_tuple=True)
        readings = read.flatten(1, 2)[story[:, None], steps[story, route, :count]]  # [R, count, C]
        found = found.index_add(0, story, weight[story, route, None] * fold(readings, table))
    return found


def fold(sequences: Tensor, table: Tensor) -> Tensor:  # [R, C]
    """Return what each sequence of readings [R, n, C] comes to: for each stretch the best cut, kind by kind.

    F(i, j, c) = max over cuts m of the sum over a, b of F(i, m, a) F(m, j, b) table[a, b, c].
    """
    n = sequences.shape[1]
    stretch = {(i, i + 1): sequences[:, i] for i in range(n)}
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length
            cuts = [
                torch.einsum("pa,pb,abc->pc", stretch[i, m], stretch[m, j], table)
                for m in range(i + 1, j)
            ]
            stretch[i, j] = torch.stack(cuts).amax(0)
    return stretch[0, n]


def by_walks(known: Tensor, query: Tensor, table: Tensor) -> Tensor:  # [B, C]
    """Return how good the best derivation of each kind is. known [B, n, n, C]: shares, as they were read."""
    size = known.shape[1]
    same = torch.eye(size, dtype=torch.bool, device=known.device)[None, :, :, None]
    for _ in range(_ROUNDS):
        onward = (known[..., None, None] * table).amax(3)  # [B, i, l, b, c]
        best = known
        for middle in range(size):
            through = (
                onward[:, :, middle, None] * known[:, None, middle, :, :, None]
            )  # [B, i, j, b, c]
            best = torch.maximum(best, _STEP * through.amax(3))
        best = best.masked_fill(same, 0.0)
        if torch.equal(best, known):
            break
        known = best
    return known[torch.arange(len(known), device=known.device), query[:, 0], query[:, 1]]
