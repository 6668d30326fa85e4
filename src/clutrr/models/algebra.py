"""A model that learns an algebra of relations: which of them remain possible between two entities.

Where the composer believes in one relation, this model holds a set: for every relation, how possible it is.

    a sentence    names a relation, or none: softmax(W E), with E as the graph networks read it
    a step        from what b may be to a, and what the text says c is to b, follows what c may be to a
    routes        that meet in an entity are intersected
    the answer    is what remains possible for the second queried entity

It is given no rule, no converse and no relation of a sentence. What it learns is the table of compositions
of the world, and can be compared with it, cell by cell (`Algebra.possible`).
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, one_hot

from clutrr.models.baselines import pool_words
from clutrr.models.batch import Batch
from clutrr.models.compose import Beliefs, Naming, WayPool, WayReading, Ways
from clutrr.models.parts import Processor, Sizes, States
from clutrr.models.tokens import PADDING

FAST = 15.0  # the table learns this many times faster than the words
_START = 3.0  # how much likelier than others c is to a what it is to b, before anything is learnt
_CLOSE = 0.01  # the cost of calling everything possible
_HELD = 0.05  # in testing, what is less possible than this is not
_SPEAKS = -4.0  # a sentence says something, before anything else is learnt
_TINY = 1e-6  # so that in training nothing is excluded for good


class WordOrder(WayPool):
    """Reads sentences as `WayPool` does, but words in their order: three convolutions over neighbours."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes)
        size = sizes.embedding
        self.layers = nn.ModuleList(
            nn.Conv1d(size, size, 3, padding=n, dilation=n) for n in (1, 2, 4)
        )

    def forward(self, batch: Batch) -> WayReading:
        # In prose hardly two sentences are equal: only those of the batch are read, and each once.
        sentences = batch.on_the_way(batch.sentences)
        used, which = sentences.unique(return_inverse=True)  # type: ignore[no-untyped-call]
        rows = batch.stories.graph.shapes[used]
        rows = rows[:, : max(1, int((rows != PADDING).sum(1).max()))]
        empty = rows == PADDING  # [S, L]
        words = embedding(rows, self.embedding.weight).transpose(1, 2) * ~empty[:, None]
        for layer in self.layers:
            words = (words + torch.relu(layer(words))) * ~empty[:, None]
        edges, edge = pool_words(words.transpose(1, 2), empty, which)
        return WayReading(edges, Ways(edge, batch.ways > 0))


class Algebra(Processor[WayReading]):
    """What may be, along the ways from the first queried entity.

        n_ij(r)     whether the sentences on i and j say that j is r to i; the rest: they say nothing
        m_ij(s, u)  sum over r of n_ij(r) T(s, r, u); 1 for what says nothing
        f_j(u)      product over all i that lead to j of  1 - product over s of (1 - f_i(s) m_ij(s, u))
        score(u)    log f_last(u)

    T(s, r, u)  whether c may be u to a, where b is s to a and c is r to b: learnt, from 0 to 1, and 1 for the
                most possible u. The mean of T is part of the loss, so that what no story requires is closed.

    In testing, T and n are 0 or 1: f holds exactly the relations that are left, however long the routes are.
    `cannot be told` is scored by the chance that several are left, taking f as the chance of each.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.undetermined = sizes.undetermined
        self.kept = [number for number in range(sizes.relations) if number != sizes.undetermined]
        size = len(self.kept)
        self.name = Naming(sizes)
        self.silent = nn.Linear(sizes.embedding, 1)  # the score of saying nothing
        nn.init.constant_(self.silent.bias, _SPEAKS)
        start = _START * torch.eye(size) + 0.1 * torch.randn(size, size, size)
        self.table = nn.Parameter(start / FAST)

    def possible(self) -> Tensor:  # [R, R, R]
        """T: what may follow from two relations in a row."""
        share = torch.sigmoid(FAST * self.table)
        return share / share.amax(-1, keepdim=True)

    def forward(self, reading: WayReading, batch: Batch) -> States:
        said, table = self._said(reading.edges), self.possible()  # [E, R + 1]
        extra = _CLOSE * table.mean()
        if not self.training:
            said = one_hot(said.argmax(-1), said.shape[-1]).to(said)
            table = (table > _HELD).to(table)
        named, nothing = said[:, :-1], said[:, -1:]
        alone = named + nothing  # what a sentence leaves possible by itself
        steps = torch.einsum("er,sru->esu", named, table) + nothing[..., None]  # [E, R, R]
        edge, linked = reading.ways.edge, reading.ways.linked
        most = max(int(linked.sum(1).max()), 1)  # links that lead to one place
        there, before = linked.to(torch.uint8).topk(most, dim=1)  # [B, D, P]
        each = torch.arange(len(edge), device=edge.device)[:, None]
        states = [torch.ones_like(alone[:1]).expand(len(edge), -1)]
        for j in range(1, edge.shape[1]):
            leads = there[:, :, j] > 0  # [B, D]
            i = torch.where(leads, before[:, :, j], 0)
            at = edge[each, i, j]
            came = torch.stack(states, 1)[each, i]  # [B, D, R]
            not_by = torch.log1p(-(came[..., None] * steps[at]).clamp(max=1 - _TINY)).sum(-2)
            votes = torch.where((i == 0)[..., None], alone[at], -torch.expm1(not_by))
            states.append(
                torch.where(leads[..., None], votes.clamp(min=_TINY).log(), 0.0).sum(1).exp()
            )
        return States(torch.stack(states, 1), self._scores(states[-1]), extra)

    def beliefs(self) -> Beliefs:
        """Return what may follow from any two relations, one after the other."""
        each = torch.tensor(self.kept)
        size = len(self.kept) + (self.undetermined is not None)
        two = torch.zeros(size, size, size)
        two[each[:, None, None], each[:, None], each] = self.possible().cpu()
        return Beliefs(two, torch.zeros(0), 0, least=_HELD)

    def _said(self, edges: Tensor) -> Tensor:  # [E, R + 1]
        """Return how far each edge names each relation, and at last nothing."""
        named = self.name.linear(edges)[:, self.kept]
        return torch.cat([named, self.silent(edges)], -1).softmax(-1)

    def _scores(self, left: Tensor) -> Tensor:  # [B, relations]
        """Return the scores of the answers, where each relation is possible by this chance, [B, R]."""
        left = left.clamp(1e-30, 1 - _TINY)
        if self.undetermined is None:
            return left.log()
        only = left.log() + (torch.log1p(-left).sum(-1, keepdim=True) - torch.log1p(-left))
        none = torch.log1p(-left).sum(-1, keepdim=True)
        several = torch.log((1 - only.exp().sum(-1, keepdim=True) - none.exp()).clamp(min=_TINY))
        at = self.undetermined
        return torch.cat([only[:, :at], several, only[:, at:]], -1)
