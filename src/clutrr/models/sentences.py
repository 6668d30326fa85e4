"""The reader of the graph networks (section 3.3): a sentence that links two nodes is an edge."""

import torch
from torch import Tensor, nn

from clutrr.models.batch import Batch
from clutrr.models.parts import Reader, Reading, Sizes
from clutrr.models.vocabulary import PADDING

POOLS = ("max", "attention")


class SentencePool(Reader):
    """E_ij = pool of the words about i and j, by maximum or by attention-weighted average.

    The words are those of the whole sentence, the two mentions marked as one's own and the
    other's: what stands "between" the mentions misses the relation in "[B] is [A]'s son", and the
    marks say which of the two is whose son. Several sentences on a pair are pooled as one.

    Equal sentences are pooled once, not once for each story: the largest of maxima is the maximum,
    and averages with weights exp(a) combine by the sums of their weights.
    """

    def __init__(self, sizes: Sizes, pool: str = "max") -> None:
        super().__init__()
        if pool not in POOLS:
            raise ValueError(f"pool: no {pool!r}; one of {', '.join(POOLS)}")
        self.embedding = nn.Embedding(sizes.words, sizes.embedding, padding_idx=PADDING)
        self.score = nn.Linear(sizes.embedding, 1) if pool == "attention" else None

    def forward(self, batch: Batch) -> Reading:
        rows, which = batch.stories.shapes, batch.sentences
        if len(rows) > which.numel():  # hardly any two sentences are equal: pool those of the batch
            rows, which = (
                rows[which.reshape(-1)],
                torch.arange(which.numel(), device=which.device).view_as(which),
            )
        words = self.embedding(rows)  # [1 + 2 S, L, embedding]
        empty = rows == PADDING
        if self.score is None:
            return Reading(edges=self._largest(words, empty, which))
        return Reading(edges=self._average(words, empty, which, self.score))

    def _largest(self, words: Tensor, empty: Tensor, which: Tensor) -> Tensor:
        pooled = words.masked_fill(empty[..., None], -torch.inf).amax(dim=1)
        pooled = pooled.masked_fill(empty.all(1, keepdim=True), 0.0)
        if which.shape[-1] == 1:
            return pooled[which[..., 0]]
        edges = pooled[which].masked_fill((which == 0)[..., None], -torch.inf).amax(dim=-2)
        return edges.masked_fill((which == 0).all(-1)[..., None], 0.0)

    def _average(self, words: Tensor, empty: Tensor, which: Tensor, score: nn.Linear) -> Tensor:
        weight = score(words)[..., 0].exp().masked_fill(empty, 0.0)  # [1 + 2 S, L]
        total = weight.sum(1)
        summed = torch.bmm(weight[:, None], words)[:, 0]
        if which.shape[-1] == 1:
            return (summed / total.clamp(min=1e-30)[:, None])[which[..., 0]]
        return summed[which].sum(-2) / total[which].sum(-1).clamp(min=1e-30)[..., None]
