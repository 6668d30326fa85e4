"""Classifiers, and the processor that does nothing."""

import torch
from torch import Tensor, nn

from clutrr.models.batch import Batch
from clutrr.models.parts import Classifier, Processor, Sizes, States


class PairMLP(Classifier):
    """The classifier of the paper's models: p = softmax(MLP([h_T, h_i, h_j])), two layers, for the query
    (i, j)."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(3 * sizes.state, sizes.state), nn.ReLU(), nn.Linear(sizes.state, sizes.relations)
        )

    def forward(self, states: States, batch: Batch) -> Tensor:
        queried = batch.query[..., None].expand(-1, -1, states.nodes.shape[-1])
        first, second = states.nodes.gather(1, queried).unbind(1)
        scores: Tensor = self.layers(torch.cat([states.whole, first, second], dim=-1))
        return scores


class WholeScores(Classifier):
    """The classifier of processors whose state of the whole is a score for each relation."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()

    def forward(self, states: States, batch: Batch) -> Tensor:
        return states.whole


class Keep(Processor[States]):
    """Leaves the states of a reader as they are: the LSTM baseline has no processor."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()

    def forward(self, reading: States, batch: Batch) -> States:
        return reading
