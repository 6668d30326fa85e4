"""The reader of the graph networks (section 3.3): a sentence that links two nodes is an edge."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from clutrr.models.batch import Batch
from clutrr.models.parts import Reader, Reading, Sizes
from clutrr.models.vocabulary import PADDING

POOLS = ("max", "attention")
_LOUD, _FAINT = 5.0, 0.1  # a word that is an answer, in its own coordinate, and other words there
_TINY = 1e-30  # stands in for a sum of no weights


def mark(weight: Tensor, answers: Sequence[int | None]) -> None:
    """Give each word that is an answer a coordinate that is its own."""
    with torch.no_grad():
        for coordinate, word in enumerate(answers):
            if word is not None:
                weight[:, coordinate] *= _FAINT
                weight[word, coordinate] = _LOUD


class SentencePool(Reader):
    """E_ij = pool of the words about i and j, by maximum or by attention-weighted average.

    The words are those of the whole sentence, the two mentions marked as one's own and the
    other's: what stands "between" the mentions misses the relation in "[B] is [A]'s son", and the
    marks say which of the two is whose son. Several sentences on a pair are pooled as one.

    Equal sentences are pooled once, not once for each story: the largest of maxima is the maximum,
    and averages with weights exp(a) combine by the sums of their weights.

    With `way`, only what stands on the way between the two queried people is read, so that others cost
    nothing. With `marked`, each word that is an answer has a coordinate that starts out as its own; a
    processor can find it there.
    """

    def __init__(self, sizes: Sizes, pool: str = "max", marked: bool = False, way: bool = False) -> None:
        super().__init__()
        self.way = way
        if pool not in POOLS:
            raise ValueError(f"pool: {pool!r} is not one of {', '.join(POOLS)}")
        self.embedding = nn.Embedding(sizes.words, sizes.embedding, padding_idx=PADDING)
        self.score = nn.Linear(sizes.embedding, 1) if pool == "attention" else None
        if marked and sizes.relations <= sizes.embedding:
            mark(self.embedding.weight, sizes.answers)

    def forward(self, batch: Batch) -> Reading:
        rows, which = batch.stories.shapes, batch.sentences
        if self.way:
            which = batch.on_the_way(which)
        if len(rows) > which.numel():  # hardly any two sentences are equal: pool those of the batch
            rows, which = rows[which.reshape(-1)], _numbered(which)
        words = embedding(rows, self.embedding.weight)  # [1 + 2 S, L, embedding]
        empty = rows == PADDING
        pooled, weight = self._largest(words, empty) if self.score is None else self._average(words, empty)
        if which.shape[-1] == 1:
            return self._reading(pooled, which[..., 0])
        # Several sentences on a pair: an edge for each pair.
        pooled, weight = embedding(which, pooled), weight[which][..., None]  # [B, n, D, R, ...]
        if self.score is None:
            edges = (
                pooled.masked_fill(weight == 0, -torch.inf).amax(-2).masked_fill((weight == 0).all(-2), 0.0)
            )
        else:
            edges = (weight * pooled).sum(-2) / weight.sum(-2).clamp(min=_TINY)
        return self._reading(edges.flatten(0, 2), _numbered(which[..., 0]))

    def _reading(self, edges: Tensor, which: Tensor) -> Reading:
        return Reading(edges=edges, way=which) if self.way else Reading(edges=edges, edge_of=which)

    def _largest(self, words: Tensor, empty: Tensor) -> tuple[Tensor, Tensor]:
        """The largest of each coordinate; and whether there are words at all."""
        pooled = words.masked_fill(empty[..., None], -torch.inf).amax(dim=1)
        none = empty.all(1)
        return pooled.masked_fill(none[:, None], 0.0), (~none).float()

    def _average(self, words: Tensor, empty: Tensor) -> tuple[Tensor, Tensor]:
        """The mean weighted by exp(a), a linear in the word; and the sum of the weights."""
        assert self.score is not None
        weight = self.score(words)[..., 0].exp().masked_fill(empty, 0.0)
        total = weight.sum(1)
        return torch.bmm(weight[:, None], words)[:, 0] / total.clamp(min=_TINY)[:, None], total


def _numbered(like: Tensor) -> Tensor:
    return torch.arange(like.numel(), device=like.device).view(like.shape)
