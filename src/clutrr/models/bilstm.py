"""The reader of the LSTM baseline (section 3.2): two bidirectional LSTM layers over the story."""

import torch
from torch import Tensor, nn

from clutrr.models.batch import Batch, Together
from clutrr.models.parts import Reader, Reading, Sizes
from clutrr.models.recurrence import by_unit, pool, project, recurrence, turned

MENTIONS = ("mean", "first", "last")


class BiLSTM(Reader):
    """Word states h_w = [forward, backward]; the whole is [forward at the end, backward at the start].

    Words have learnt embeddings; an entity has a random vector, a new one in every pass. The
    paper does not say which of an entity's mentions stands for it: `mentions` says.

    Stories are padded, not packed: see `recurrence`. One training by itself leaves that to torch.
    """

    def __init__(self, sizes: Sizes, layers: int = 2, mentions: str = "mean") -> None:
        super().__init__()
        if mentions not in MENTIONS:
            raise ValueError(f"mentions: {mentions!r} is not one of {', '.join(MENTIONS)}")
        self.mentions = mentions
        self.embedding = nn.Embedding(sizes.words, sizes.embedding)
        self.hidden = sizes.state // 2
        inputs = [sizes.embedding] + [2 * self.hidden] * (layers - 1)
        self.forwards = nn.ModuleList(nn.LSTM(size, self.hidden) for size in inputs)
        self.backwards = nn.ModuleList(nn.LSTM(size, self.hidden) for size in inputs)

    def forward(self, batch: Batch) -> Reading:
        tokens, length = batch.tokens, batch.length
        table, number = batch.rows(self.embedding.weight)
        weights = torch.cat([self._weights(batch, tokens), _ends(length, tokens)], 1)
        if isinstance(batch, Together):
            pooled = pool(weights, self._at_once(table, number, length))
        else:
            pooled = torch.bmm(weights, self._by_torch(table, number, length).transpose(0, 1))
        last, first = pooled[:, -2], pooled[:, -1]
        whole = torch.cat([last[:, : self.hidden], first[:, self.hidden :]], dim=-1)
        return Reading(nodes=pooled[:, :-2], whole=whole)

    def _at_once(self, table: Tensor, number: Tensor, length: Tensor) -> Tensor:  # [T, B, state]
        """Both directions in one recurrence. Each row of the table is projected once, not once a word."""
        states = None
        for forwards, backwards in zip(self.forwards, self.backwards, strict=True):
            both = forwards, backwards
            weight = torch.stack([by_unit(_of(part, "weight_ih_l0")) for part in both])  # [2, H, 4, in]
            bias = torch.stack([by_unit(_of(part, "bias_ih_l0") + _of(part, "bias_hh_l0")) for part in both])
            again = torch.stack([_of(part, "weight_hh_l0") for part in both])
            if states is None:
                rows = torch.addmm(bias.flatten(), table, weight.flatten(0, 2).T)
                found = recurrence(rows.view(-1, *bias.shape), again, length, number=number.T)
            else:
                x = project(states, weight.flatten(0, 2))
                found = recurrence(x.view(*x.shape[:2], *bias.shape), again, length, bias)
            states = found.flatten(2)
        assert states is not None
        return states

    def _by_torch(self, table: Tensor, number: Tensor, length: Tensor) -> Tensor:  # [T, B, state]
        """Direction by direction, each a call of torch's own."""
        size, steps = number.shape
        turn = (turned(length, steps).T * size + torch.arange(size, device=number.device)).reshape(-1)
        ahead = nn.functional.embedding(number.T, table)  # [T, B, embedding]
        back = nn.functional.embedding(number.T.reshape(-1)[turn].reshape(steps, size), table)
        for forwards, backwards in zip(self.forwards, self.backwards, strict=True):
            one, other = forwards(ahead)[0], backwards(back)[0]  # [T, B, hidden]
            ahead = torch.cat([one, _pick(other, turn)], dim=-1)
            back = torch.cat([_pick(one, turn), other], dim=-1)
        return ahead

    def _weights(self, batch: Batch, tokens: Tensor) -> Tensor:
        """How much of each token's state stands for each node: [B, n, T]."""
        places = torch.arange(batch.neighbours.shape[1], device=tokens.device)
        mentioned = batch.mentions[:, None, :] == places[:, None]
        if self.mentions != "mean":
            order = mentioned if self.mentions == "first" else mentioned.flip(-1)
            one = order & (order.cumsum(-1) == 1)
            mentioned = one if self.mentions == "first" else one.flip(-1)
        weights = mentioned.float()
        return weights / weights.sum(-1, keepdim=True).clamp(min=1)


def _ends(length: Tensor, tokens: Tensor) -> Tensor:  # [B, 2, T]
    """The last and the first word, as weights."""
    step = torch.arange(tokens.shape[1], device=tokens.device)
    return torch.stack([step == length[:, None] - 1, (step == 0).expand(tokens.shape)], 1).float()


def _of(part: nn.Module, name: str) -> Tensor:
    weight = getattr(part, name)
    assert isinstance(weight, Tensor)
    return weight


def _pick(states: Tensor, rows: Tensor) -> Tensor:
    return states.flatten(0, 1).index_select(0, rows).view(states.shape)
