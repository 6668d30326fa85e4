"""Why a model that reads pairs gave a wrong answer, in the light of the facts that the rows state.

    form      the relation kind is right, the form is not
    rules       the facts themselves, read without a doubt, are folded into another answer
    exchanged   a fact is read the wrong way round: a parent as a child
    misread     a fact is read as another kind, or its two people stand too far apart to be read
    way         every fact is read right, and another way through the story wins

The first that applies is the cause. In what people wrote a fact may be exchanged by the text itself.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from clutrr.models.text.lessons import stated_kinds
from clutrr.models.text.pairs import Pairs
from clutrr.models.text.passage import Passage
from clutrr.models.text.routes import doubted
from clutrr.models.windows import Pair

CAUSES = ("form", "rules", "exchanged", "misread", "way")
_SURE = 9.0  # the score of a fact that is given


@torch.no_grad()
def causes(
    model: Pairs,
    passages: Sequence[Passage],
    scores: Tensor,
    facts: Sequence[Sequence[Sequence[str]]],
    targets: Sequence[str],
    answers: Sequence[str],
) -> list[str | None]:
    """Return the cause of each wrong answer; None where it is right, or no facts are known.

    scores: what was read of all pairs.
    """
    stated = [stated_kinds(one, given, model.kinds) for one, given in zip(passages, facts, strict=True)]
    sure = _as_given(model, passages, stated).to(scores.device)
    given = model.folded(passages, sure, given=True).argmax(1).tolist()
    meaning, none = model.kinds.meaning, (None, None)
    converse = model.kinds.converse.to(scores.device)
    best = doubted(scores, converse, model.folding, model.exchanged(passages))[0].argmax(1).tolist()
    found: list[str | None] = []
    first = 0
    for one, said, followed, target, answer in zip(passages, stated, given, targets, answers, strict=True):
        read = dict(zip(one.pairs, best[first : first + len(one.pairs)], strict=True))
        first += len(one.pairs)
        kind, answered = meaning.get(target, none)[0], meaning.get(answer, none)[0]
        if answer == target or not said:
            found.append(None)
        elif kind == answered:
            found.append("form")
        elif followed != kind:
            found.append("rules")
        else:
            found.append(_misread(model, said, read))
    return found


def _as_given(model: Pairs, passages: Sequence[Passage], stated: Sequence[dict[Pair, int]]) -> Tensor:
    """Return scores [P, C + 1] that say what is stated, and nothing of other pairs."""
    none = len(model.kinds)
    labels = [said.get(pair, none) for one, said in zip(passages, stated, strict=True) for pair in one.pairs]
    return _SURE * torch.nn.functional.one_hot(torch.tensor(labels, dtype=torch.int64), none + 1).float()


def _misread(model: Pairs, stated: dict[Pair, int], read: dict[Pair, int]) -> str:
    lower = {pair: kind for pair, kind in stated.items() if pair[0] < pair[1]}
    wrong = {pair: kind for pair, kind in lower.items() if read.get(pair) != kind}
    if any(read.get(pair) == int(model.kinds.converse[kind]) for pair, kind in wrong.items()):
        return "exchanged"
    return "misread" if wrong else "way"
