"""The second view of an answer: the best single derivation over all walks through a story.

A route (see `routes`) passes nobody twice. A published story may walk past the same people again, and
then the rules that training showed lead along the walk and along no route. So every reading is put
together with every other, round by round:

    R(i, j, c) = max over people l and kinds a, b of R(i, l, a) R(l, j, b) table[a, b, c], times .98

starting from what was read of each pair, until the longest story is covered.
"""

from collections import defaultdict
from collections.abc import Sequence

import torch
from torch import Tensor

from clutrr.models.windows import Passage

_STEP = 0.98  # a derivation of more steps must be surer
_ROUNDS = 9
_AT_ONCE = 64  # stories of one size


def derivations(
    passages: Sequence[Passage], kinds: Tensor, inverse: Tensor, table: Tensor
) -> Tensor:  # [B, C]
    """How good the best derivation of each kind is. kinds [P, C]: shares of all pairs, story by story."""
    found = kinds.new_zeros(len(passages), kinds.shape[1])
    first = [0]
    for passage in passages:
        first.append(first[-1] + len(passage.pairs))
    sizes: dict[int, list[int]] = defaultdict(list)
    for number, passage in enumerate(passages):
        sizes[len(passage.names)].append(number)
    for people, numbers in sizes.items():
        for start in range(0, len(numbers), _AT_ONCE):
            chosen = numbers[start : start + _AT_ONCE]
            rows = [
                (story, *pair, first[number] + place)
                for story, number in enumerate(chosen)
                for place, pair in enumerate(passages[number].pairs)
            ]
            at = torch.tensor(rows, dtype=torch.int64, device=kinds.device).reshape(-1, 4)
            story, one, other, pair = at.unbind(1)
            read = kinds.new_zeros(len(chosen), people, people, kinds.shape[1])
            read[story, one, other] = kinds[pair]
            read[story, other, one] = kinds[pair][:, inverse]
            known = _closed(read, table)
            asked = torch.tensor([passages[number].query for number in chosen], device=kinds.device)
            which = torch.arange(len(chosen), device=kinds.device)
            found[torch.tensor(chosen, device=kinds.device)] = known[which, asked[:, 0], asked[:, 1]]
    return found


def _closed(known: Tensor, table: Tensor) -> Tensor:  # [B, n, n, C]
    people = known.shape[1]
    same = torch.eye(people, dtype=torch.bool, device=known.device)[None, :, :, None]
    for _ in range(_ROUNDS):
        onward = (known[..., None, None] * table).amax(3)  # [B, i, l, b, c]
        best = known
        for middle in range(people):
            through = onward[:, :, middle, None] * known[:, None, middle, :, :, None]  # [B, i, j, b, c]
            best = torch.maximum(best, _STEP * through.amax(3))
        best = best.masked_fill(same, 0.0)
        if torch.equal(best, known):
            break
        known = best
    return known
