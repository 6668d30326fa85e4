"""The reader of the LSTM baseline (section 3.2): two bidirectional LSTM layers over the story."""

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from clutrr.models.batch import Batch
from clutrr.models.parts import Reader, Sizes, States


class BiLSTM(Reader[States]):
    """Word states h_w = [forward, backward]; the whole is [forward at the end, backward at the start].

    Words have learnt embeddings; an entity has a random vector, a new one in every pass. The
    paper does not say which of an entity's mentions counts: here it is the mean of them all.

    Stories are padded, not packed. Each direction reads the words from its own end and meets the padding
    last, so that padding changes nothing.
    """

    def __init__(self, sizes: Sizes, layers: int = 2) -> None:
        super().__init__()
        self.embedding = nn.Embedding(sizes.words, sizes.embedding)
        self.hidden = sizes.state // 2
        inputs = [sizes.embedding] + [2 * self.hidden] * (layers - 1)
        self.forwards = nn.ModuleList(nn.LSTM(size, self.hidden) for size in inputs)
        self.backwards = nn.ModuleList(nn.LSTM(size, self.hidden) for size in inputs)

    def forward(self, batch: Batch) -> States:
        weights = torch.cat([_mention_weights(batch), _end_weights(batch)], 1)  # [B, n + 2, T]
        pooled = torch.bmm(weights, self._word_states(batch).transpose(0, 1))
        last, first = pooled[:, -2], pooled[:, -1]
        whole = torch.cat([last[:, : self.hidden], first[:, self.hidden :]], dim=-1)
        return States(pooled[:, :-2], whole)

    def _word_states(self, batch: Batch) -> Tensor:  # [T, B, state]
        table, row = batch.rows(self.embedding.weight)
        size, steps = row.shape
        turn = (_turned(batch.length, steps).T * size + torch.arange(size, device=row.device)).reshape(-1)
        ahead = embedding(row.T, table)  # [T, B, embedding]
        back = embedding(row.T.reshape(-1)[turn].reshape(steps, size), table)
        for forwards, backwards in zip(self.forwards, self.backwards, strict=True):
            one, other = forwards(ahead)[0], backwards(back)[0]  # [T, B, hidden]
            ahead = torch.cat([one, _pick(other, turn)], dim=-1)
            back = torch.cat([_pick(one, turn), other], dim=-1)
        return ahead


def _mention_weights(batch: Batch) -> Tensor:  # [B, n, T]
    """Return how much of each token's state counts for each node."""
    places = torch.arange(batch.neighbours.shape[1], device=batch.index.device)
    weights = (batch.mentions[:, None, :] == places[:, None]).float()
    return weights / weights.sum(-1, keepdim=True).clamp(min=1)


def _end_weights(batch: Batch) -> Tensor:  # [B, 2, T]
    """Return the last and the first word, as weights."""
    step = torch.arange(batch.tokens.shape[1], device=batch.index.device)
    last, first = step == batch.length[:, None] - 1, (step == 0).expand(batch.tokens.shape)
    return torch.stack([last, first], 1).float()


def _turned(length: Tensor, steps: int) -> Tensor:  # [B, T]
    """Return the word that the second direction is at in each step; it is its own inverse."""
    step = torch.arange(steps, device=length.device)
    return torch.where(step < length[:, None], length[:, None] - 1 - step, step)


def _pick(states: Tensor, rows: Tensor) -> Tensor:
    return states.flatten(0, 1).index_select(0, rows).view(states.shape)
