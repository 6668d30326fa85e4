"""Stories that are answered together agree on which way round a wording tells a fact.

What people wrote may tell a fact the wrong way round ("[A] took his son [B]", where A is the child), and
then does so wherever the same words are used. One story alone can hardly tell; many can. For each pair of
entities that a fact is stated of, with a sum over everything that can follow in its story,

    evidence = log (mass with the pair exchanged + d) - log (mass with the pair as it was read + d)

The evidence from all other stories with the same wording about their pair, and the share of exchanged facts
that is assumed for every pair (`EXCHANGED`), give the share for this pair.

Only the texts and questions of the stories are used: no answer, fact or form of a row.
"""

from collections import defaultdict
from collections.abc import Sequence

import torch
from torch import Tensor

from clutrr.models.graph import Pair
from clutrr.models.text.passages import Passage, Piece
from clutrr.models.text.routes import DOUBT, EXCHANGED, answers, derivations, doubted

Exchanged = dict[tuple[Passage, Pair], float]  # how likely the two of a pair are

_STATED = 0.5  # a pair is looked at if a fact is stated at least this surely
_DOUBT = 0.02  # d: a story has at most this much to say against a reading
_LEAST, _MOST = 0.003, 0.97
_AT_ONCE = 100  # stories


def wording(passage: Passage, pair: Pair) -> tuple[Piece, ...]:
    """Return the words about a pair: the one that is named first is 0, the other 1, all others 2."""
    pieces = passage.window(pair)
    first = next(piece for piece in pieces if piece in pair)
    return tuple(
        piece if isinstance(piece, str) else 2 if piece not in pair else int(piece != first)
        for piece in pieces
    )


def exchanged(passages: Sequence[Passage], scores: Tensor, converse: Tensor, table: Tensor) -> Exchanged:
    """Return how likely each pair is to be exchanged. scores [P, C + 1]: of all pairs, story by story."""
    found = _evidence(passages, scores, converse, table).tolist()
    stated = (1 - scores.softmax(-1)[:, -1] > _STATED).tolist()
    places = [(passage, pair) for passage in passages for pair in passage.pairs]
    places_of: dict[tuple[Piece, ...], list[int]] = defaultdict(list)
    for place, (one, sure) in enumerate(zip(places, stated, strict=True)):
        if sure:
            places_of[wording(*one)].append(place)
    prior = torch.tensor(EXCHANGED).logit()
    result: Exchanged = {}
    for alike in places_of.values():
        total = sum(found[place] for place in alike)
        for place in alike:
            share = torch.sigmoid(prior + total - found[place])
            result[places[place]] = float(share.clamp(_LEAST, _MOST))
    return result


def _evidence(passages: Sequence[Passage], scores: Tensor, converse: Tensor, table: Tensor) -> Tensor:  # [P]
    kinds, odds = doubted(scores, converse)
    shares = (scores / DOUBT).softmax(-1)
    stated, read = 1 - shares[:, -1:], shares[:, :-1] / shares[:, :-1].sum(1, keepdim=True)
    first = [0]
    for passage in passages:
        first.append(first[-1] + len(passage.pairs))
    parts = []
    for start in range(0, len(passages), _AT_ONCE):
        some = passages[start : start + _AT_ONCE]
        here = slice(first[start], first[start + len(some)])
        rest = _rest(some, kinds[here], odds[here], stated[here], converse, table)
        as_read, turned = (read[here] * rest).sum(1), (read[here][:, converse] * rest).sum(1)
        parts.append((turned + _DOUBT).log() - (as_read + _DOUBT).log())
    return torch.cat(parts) if parts else scores.new_zeros(0)


@torch.enable_grad()
def _rest(
    passages: Sequence[Passage],
    kinds: Tensor,
    odds: Tensor,
    stated: Tensor,
    converse: Tensor,
    table: Tensor,
) -> Tensor:  # [P, C]
    """Return the mass of what follows in its story if a pair had a kind, for each pair and kind.

    What follows is linear in the shares of a pair, as far as the best bracketing stays the same: so a
    derivative tells it for all kinds at once.
    """
    shares = kinds.detach().clone().requires_grad_(True)
    one = kinds.new_ones(len(kinds), 1)
    every = answers(passages, one, odds, converse.new_zeros(1), table.new_ones(1, 1, 1))[:, 0]
    by_routes = answers(passages, shares, odds, converse, table).sum(1) / every.clamp(min=1)
    by_walks = derivations(passages, shares * stated, converse, table).sum(1)
    count = torch.tensor([len(passage.pairs) for passage in passages], device=kinds.device)
    story = torch.repeat_interleave(torch.arange(len(passages), device=kinds.device), count)
    total = torch.zeros_like(kinds)
    for mass in (by_routes, by_walks):
        if not mass.requires_grad:  # nothing leads from one queried entity to the other
            continue
        (slope,) = torch.autograd.grad(mass.sum(), shares, retain_graph=True)
        without = (mass.detach()[story] - (slope * kinds).sum(1)).clamp(min=0)
        total += (slope + without[:, None]) / 2
    return total
