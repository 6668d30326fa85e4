"""The processor of the graph networks (section 3.3): messages between neighbours, r rounds."""

import torch
from torch import Tensor, nn

from clutrr.models.batch import Batch
from clutrr.models.parts import Processor, Reading, Sizes, States

MESSAGES = ("literal", "state")


class MessagePassing(Processor):
    """Equations 1 and 2, by mean or with attention.

        m_ij = [E_ij, p_i, p_j]                      (1), message="literal"
        m_ij = [E_ij, p_i, p_j, h_j]                      message="state"
        M_i  = mean of m_ij over the neighbours j, or sum of alpha_ij m_ij with
        alpha_ij = softmax over j of w^T tanh(W [[h_i, p_i]; h_j])
        h_i, c_i = LSTM(M_i, (h_i, c_i))             (2)

    p_i = [e_i, g]: 5 random numbers, drawn for each story and pass, and 10 learnt ones that all
    nodes share. h and c start at zero; M_i is zero where a node has no neighbour. The whole is the
    mean of the nodes.

    The input weights of the LSTM act on each piece of a message alone, so that what does not
    change between rounds is computed once: for the mean, everything but h_j.
    """

    def __init__(
        self,
        sizes: Sizes,
        attention: bool = False,
        message: str = "literal",
        rounds: int = 6,
        random: int = 5,
        learnt: int = 10,
    ) -> None:
        super().__init__()
        if message not in MESSAGES:
            raise ValueError(f"message: no {message!r}; one of {', '.join(MESSAGES)}")
        self.rounds = rounds
        self.random = random
        self.position = nn.Parameter(torch.randn(learnt))
        self.position_size = random + learnt
        self.message_sizes = [sizes.embedding, self.position_size, self.position_size]
        if message == "state":
            self.message_sizes.append(sizes.state)
        self.cell = nn.LSTMCell(sum(self.message_sizes), sizes.state)
        self.combine = (
            nn.Linear(2 * sizes.state + self.position_size, sizes.state, bias=False) if attention else None
        )
        self.score = nn.Linear(sizes.state, 1, bias=False) if attention else None

    def forward(self, reading: Reading, batch: Batch) -> States:
        assert reading.edges is not None
        edges, neighbours = reading.edges, batch.neighbours
        linked = batch.sentences[..., 0] > 0  # [B, n, D]
        size, n = linked.shape[:2]
        position = torch.cat([batch.fresh(n, self.random), self.position.expand(size, n, -1)], dim=-1)
        rounds = self._attentive if self.score is not None else self._even
        nodes = rounds(edges, position, neighbours, linked)
        is_node = batch.is_node[..., None]
        whole = (nodes * is_node).sum(1) / is_node.sum(1)
        return States(nodes, whole)

    def _even(self, edges: Tensor, position: Tensor, neighbours: Tensor, linked: Tensor) -> Tensor:
        """The rounds with the mean of the messages."""
        size, n, _ = linked.shape
        weight = linked / linked.sum(-1, keepdim=True).clamp(min=1)  # [B, n, D]
        # [B, n, n]: what part of node j is in the message to node i.
        mean = torch.zeros(size, n, n, device=edges.device).scatter_add_(2, neighbours, weight)
        constant = [
            (weight[..., None] * edges).sum(2),
            position * linked.any(-1, keepdim=True),
            torch.bmm(mean, position),
        ]
        weights = self.cell.weight_ih.split(self.message_sizes, dim=1)
        fixed = nn.functional.linear(
            torch.cat(constant, -1), torch.cat(weights[:3], 1), self.cell.bias_ih + self.cell.bias_hh
        )
        h, c = _update(fixed, None)
        for _ in range(self.rounds - 1):
            gates = fixed + nn.functional.linear(h, self.cell.weight_hh)
            if len(weights) == 4:
                gates = gates + nn.functional.linear(torch.bmm(mean, h), weights[3])
            h, c = _update(gates, c)
        return h

    def _attentive(self, edges: Tensor, position: Tensor, neighbours: Tensor, linked: Tensor) -> Tensor:
        """The rounds with attention over the messages."""
        assert self.combine is not None
        assert self.score is not None
        size, n, degree = linked.shape
        dim = self.cell.hidden_size
        flat = (neighbours + n * torch.arange(size, device=edges.device)[:, None, None]).reshape(-1)
        of_neighbours = lambda x: x.reshape(size * n, -1)[flat].reshape(size, n, degree, -1)  # noqa: E731
        weights = self.cell.weight_ih.split(self.message_sizes, dim=1)
        bias = self.cell.bias_ih + self.cell.bias_hh
        fixed = nn.functional.linear(position * linked.any(-1, keepdim=True), weights[1], bias)
        carried = [edges, of_neighbours(position)]  # pieces of a message that attention weighs
        own, others = self.combine.weight.split([dim + self.position_size, dim], dim=1)
        own_state, own_position = own.split([dim, self.position_size], dim=1)
        placed = nn.functional.linear(position, own_position)  # [B, n, state]
        into = torch.cat([weights[0], weights[2]], 1)
        h = c = None
        for _ in range(self.rounds):
            looks = placed[:, :, None]
            message = torch.cat(carried, -1)
            gates = fixed
            if h is not None:
                near = of_neighbours(h)
                looks = (placed + nn.functional.linear(h, own_state))[:, :, None]
                looks = looks + of_neighbours(nn.functional.linear(h, others))
                gates = gates + nn.functional.linear(h, self.cell.weight_hh)
                if len(weights) == 4:
                    message = torch.cat([*carried, near], -1)
            score = self.score(torch.tanh(looks))[..., 0].expand(linked.shape)
            alpha = score.masked_fill(~linked, -1e9).softmax(-1) * linked
            heard = torch.matmul(alpha[:, :, None], message)[:, :, 0]  # [B, n, message]
            weight = torch.cat([into, weights[3]], 1) if message.shape[-1] > into.shape[1] else into
            h, c = _update(gates + nn.functional.linear(heard, weight), c)
        assert h is not None
        return h


def _update(gates: Tensor, c: Tensor | None) -> tuple[Tensor, Tensor]:
    """Equation 2 from the sums before the gates; without c from a cell of zeros."""
    into, keep, new, out = gates.chunk(4, dim=-1)
    c = (
        torch.sigmoid(into) * torch.tanh(new)
        if c is None
        else torch.addcmul(torch.sigmoid(keep) * c, torch.sigmoid(into), torch.tanh(new))
    )
    return torch.sigmoid(out) * torch.tanh(c), c
