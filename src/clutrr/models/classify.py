"""The classifier that all of the paper's models share, and the processor that does nothing."""

import torch
from torch import Tensor, nn

from clutrr.models.batch import Batch
from clutrr.models.parts import Classifier, Processor, Reading, Sizes, States


class PairMLP(Classifier):
    """p = softmax(MLP([h_T, h_i, h_j])), two layers, for the query (i, j)."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(3 * sizes.state, sizes.state), nn.ReLU(), nn.Linear(sizes.state, sizes.relations)
        )

    def forward(self, states: States, batch: Batch) -> Tensor:
        asked = batch.query[..., None].expand(-1, -1, states.nodes.shape[-1])
        first, second = states.nodes.gather(1, asked).unbind(1)
        scores: Tensor = self.layers(torch.cat([states.whole, first, second], dim=-1))
        return scores


class Keep(Processor):
    """Leaves what was read as it is: the LSTM baseline has no processor."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()

    def forward(self, reading: Reading, batch: Batch) -> States:
        assert reading.nodes is not None
        assert reading.whole is not None
        return States(reading.nodes, reading.whole)
