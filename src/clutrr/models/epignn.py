"""EpiGNN (Khalid and Schockaert, Systematic Relational Reasoning With Epistemic Graph Neural Networks,
ICLR 2025, arXiv:2407.17396), written from its equations, with the reader of our graph networks.

The paper starts from facts; here a sentence names a relation, as in the composer. The paper trains
with a margin between the right relation and a wrong one; here it learns by cross-entropy, as all models do.
The sizes are ours.
"""

import torch
from torch import Tensor, nn

from clutrr.models.batch import Batch
from clutrr.models.compose import FASTER, Naming, WayReading
from clutrr.models.parts import Processor, Sizes, States

_TINY = 1e-6


class EpiGNN(Processor[WayReading]):
    """The state of an entity: in each of several facets a distribution, over what it may be to another.

        v_ij         sum over relations r of p(r | the sentences on i and j) v_r
        c(x, y)(u)   sum over s, t of x(s) y(t) T(s, t, u): what follows from x and then y
        f_j          product of c(f_i, v_ij) over all i that lead to j, normalised: forward
        b_i          product of c(v_ij, b_j) over all j that i leads to, normalised: backward
        s            product of c(f_j, b_j) over all j on the way, normalised
        score of r   sum over u of s(u) log v_r(u), over all facets

    v_r and T(s, t, .) are learnt distributions, those of T the same forwards and backwards. f of the
    first queried entity and b of the second are 1 in the first coordinate. The product is the
    paper's choice for CLUTRR.
    """

    def __init__(self, sizes: Sizes, facets: int = 4, states: int = 16) -> None:
        super().__init__()
        self.name = Naming(sizes)
        self.relation = nn.Parameter(torch.randn(sizes.relations, facets, states) / FASTER)
        self.table = nn.Parameter(torch.randn(facets, states, states, states) / FASTER)

    def forward(self, reading: WayReading, batch: Batch) -> States:
        edge, linked = reading.ways.edge, reading.ways.linked
        relation = (FASTER * self.relation).log_softmax(-1)  # [relations, m, n]
        named = self.name(reading.edges).exp()  # [E, relations]
        said = torch.einsum("er,rmn->emn", named, relation.exp())[edge]  # [B, P, P, m, n]
        places = edge.shape[1]
        start = torch.zeros_like(said[:, 0, 0])
        start[..., 0] = 1.0
        forward, backward = [start], [start]
        for j in range(1, places):
            heard = self._compose(torch.stack(forward, 1), said[:, :j, j])
            forward.append(_product(heard, linked[:, :j, j]))
            i = places - 1 - j
            heard = self._compose(said[:, i, i + 1 :], torch.stack(backward[::-1], 1))
            backward.append(_product(heard, linked[:, i, i + 1 :]))
        both = self._compose(
            torch.stack(forward, 1), torch.stack(backward[::-1], 1)
        )  # [B, P, m, n]
        state = _product(both, linked.any(1) | linked.any(2))
        scores = torch.einsum("bmn,rmn->br", state, relation)
        return States(both.flatten(2), scores)

    def _compose(self, first: Tensor, second: Tensor) -> Tensor:  # [B, ., m, n]
        return torch.einsum(
            "bims,bimt,mstu->bimu", first, second, (FASTER * self.table).softmax(-1)
        )


def _product(votes: Tensor, counts: Tensor) -> Tensor:  # [B, m, n]
    """Return the product of those votes that count, normalised. votes: [B, i, m, n]. counts: [B, i]."""
    return ((votes + _TINY).log() * counts[..., None, None]).sum(1).softmax(-1)
