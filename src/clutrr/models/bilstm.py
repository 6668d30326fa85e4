"""The reader of the LSTM baseline (section 3.2): two bidirectional LSTM layers over the story."""

import torch
from torch import Tensor, nn

from clutrr.models.batch import Batch
from clutrr.models.parts import Reader, Reading, Sizes

MENTIONS = ("mean", "first", "last")


class BiLSTM(Reader):
    """Word states h_w = [forward, backward]; the whole is [forward at the end, backward at the start].

    Words have learnt embeddings; an entity has a random vector, other ones in every pass. The
    paper does not say which of an entity's mentions stands for it: `mentions` says.

    Stories are padded, not packed. Each direction reads the tokens from its own end and meets the
    padding last, so that padding changes nothing.
    """

    def __init__(self, sizes: Sizes, layers: int = 2, mentions: str = "mean") -> None:
        super().__init__()
        if mentions not in MENTIONS:
            raise ValueError(f"mentions: no {mentions!r}; one of {', '.join(MENTIONS)}")
        self.mentions = mentions
        self.embedding = nn.Embedding(sizes.words, sizes.embedding)
        hidden = sizes.state // 2
        inputs = [sizes.embedding] + [2 * hidden] * (layers - 1)
        self.forwards = nn.ModuleList(nn.LSTM(size, hidden) for size in inputs)
        self.backwards = nn.ModuleList(nn.LSTM(size, hidden) for size in inputs)

    def forward(self, batch: Batch) -> Reading:
        tokens, length = batch.tokens, batch.length
        size, steps = tokens.shape
        table, number = batch.rows(self.embedding.weight)
        number = number.T  # [T, B]
        row = torch.arange(size, device=tokens.device)
        step = torch.arange(steps, device=tokens.device)[:, None]
        turned = torch.where(step < length, length - 1 - step, step)  # [T, B], its own inverse
        turn = (turned * size + row).reshape(-1)

        ahead = nn.functional.embedding(number, table)  # [T, B, embedding]
        back = nn.functional.embedding(number.reshape(-1)[turn].reshape(steps, size), table)
        for forwards, backwards in zip(self.forwards, self.backwards, strict=True):
            one, other = _both(forwards, ahead, backwards, back)  # [T, B, hidden]
            ahead = torch.cat([one, _pick(other, turn)], dim=-1)
            back = torch.cat([_pick(one, turn), other], dim=-1)
        end = length - 1
        whole = torch.cat([one[end, row], other[end, row]], dim=-1)
        nodes = torch.bmm(self._weights(batch, tokens), ahead.transpose(0, 1))
        return Reading(nodes=nodes, whole=whole)

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


def _both(forwards: nn.Module, ahead: Tensor, backwards: nn.Module, back: Tensor) -> tuple[Tensor, Tensor]:
    """The states of both directions; on a GPU, where each is a long chain of small steps, at once."""
    if not ahead.is_cuda:
        return forwards(ahead)[0], backwards(back)[0]
    here, aside = torch.cuda.current_stream(), torch.cuda.Stream()  # type: ignore[no-untyped-call]
    aside.wait_stream(here)
    with torch.cuda.stream(aside):
        other = backwards(back)[0]
    one = forwards(ahead)[0]
    here.wait_stream(aside)
    return one, other


def _pick(states: Tensor, rows: Tensor) -> Tensor:
    return states.flatten(0, 1).index_select(0, rows).view(states.shape)
