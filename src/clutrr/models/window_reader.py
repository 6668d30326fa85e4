"""A reader of windows: the words about two people, in their order.

`SentencePool` takes a sentence for a bag of words. That is enough where a sentence states one fact. In
"[A]'s sister [B] lives with her father [C]" it matters which word is about whom, and of A and C the
sentence says nothing by itself.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, pad

from clutrr.models.batch import Batch
from clutrr.models.compose import mark_answers
from clutrr.models.parts import Reader, Sizes
from clutrr.models.vocabulary import OTHER_SECOND, PADDING, SELF_FIRST

_REACH = (1, 2, 4)  # words to either side that a layer looks at: together seven
_SMALL = 0.1
_PLACES, _BETWEEN = 16, 0b1001  # see `_places`
_HEARD, _NEAR = 1.5, 3.0  # to begin with, of the attention: to words that are answers, to words in between
_PARTS = 10  # that windows are read in, where that pays


@dataclass(frozen=True)
class WindowReading:
    """The edges of each distinct window on two entities, in either direction: `edges[edge_of]`,
    [B, W, 2, embedding], of the one named second as seen by the first, and the other way round.

    tells: the log odds that a window tells anything. around: how much of its edges is not told by single
    words, as a mean square.
    """

    edges: Tensor  # [E, 2, embedding]
    edge_of: Tensor  # [B, W]
    tells: Tensor  # [E]
    around: Tensor  # [E]


class WindowReader(Reader[WindowReading]):
    """E = sum over words t of a_t x_t  +  U [sum of a_t c_t, max of c_t], for either direction.

    x_t   the word. One that is an answer has a coordinate for itself, as in `WayPool`.
    c_t   the word in its context: where it stands before, between and behind the mentions of the two, and
          three convolutions over its neighbours.
    a_t   softmax over the words of a linear score of x_t and c_t. Words that are answers start out ahead.

    tells = v [max of c_t, sum of a_t c_t]: the log odds that the window tells anything about the two.

    The second part of E is what the context adds to the words. Its square, `around`, has a cost
    (`RoutedCompose`): or else wordings are learnt by heart, and a new one is read as an old one like it.
    """

    def __init__(self, sizes: Sizes, hidden: int = 64) -> None:
        super().__init__()
        size = sizes.embedding
        self.embedding = nn.Embedding(sizes.words, size, padding_idx=PADDING)
        self.place = nn.Embedding(_PLACES, hidden)
        self.enter = nn.Linear(size, hidden)
        self.layers = nn.ModuleList(nn.Linear(3 * hidden, hidden) for _ in _REACH)
        self.score = nn.Linear(size + hidden, 2)
        self.where = nn.Embedding(_PLACES, 2)
        self.context = nn.Linear(2 * hidden, size)
        self.back = nn.Linear(2 * hidden, size)
        self.tells = nn.Linear(3 * hidden, 1)
        with torch.no_grad():
            for layer in (self.score, self.context, self.back, self.tells):
                layer.weight *= _SMALL
            if mark_answers(self.embedding, sizes):
                self.score.weight[:, : sizes.relations] = _HEARD
            self.where.weight.zero_()
            self.where.weight[_BETWEEN] = _NEAR

    def forward(self, batch: Batch) -> WindowReading:
        rows, which = batch.stories.windows.rows, batch.windows[..., 0]  # [1 + S, L], [B, W]
        if len(rows) > which.numel():  # hardly any two windows are equal: read those of the batch
            rows = rows[which.reshape(-1)]
            which = torch.arange(which.numel(), device=which.device).view(which.shape)
        edges, tells, around = self.read(rows) if batch.static else self._by_length(rows)
        return WindowReading(edges, which, tells, around)

    def _by_length(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the same where it pays not to read padding: windows of about one length at a time."""
        length = (rows != PADDING).sum(1)
        order = length.argsort()
        parts = [self.read(rows[part, : int(length[part[-1]].clamp(min=1))]) for part in order.chunk(_PARTS)]
        back = order.argsort()
        edges, tells, around = (torch.cat(found)[back] for found in zip(*parts, strict=True))
        return edges, tells, around

    def read(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:  # [M, 2, embedding], [M], [M]
        there = rows != PADDING
        words = embedding(rows, self.embedding.weight)  # [M, L, embedding]
        place = _places(rows)
        context = self._in_context(words, place, there)  # [M, L, hidden]
        score = self.score(torch.cat([words, context], -1)) + self.where(place)
        score = score.masked_fill(~there[..., None], -1e9)
        share = score.softmax(1).transpose(1, 2)  # [M, 2, L]
        largest = context.masked_fill(~there[..., None], -1e9).amax(1) * there.any(1)[:, None]
        chosen = torch.bmm(share, context)  # [M, 2, hidden]
        around = torch.cat([chosen, largest[:, None].expand_as(chosen)], -1)
        said = torch.stack([self.context(around[:, 0]), self.back(around[:, 1])], 1)
        tells = self.tells(torch.cat([largest, chosen.flatten(1)], -1))[:, 0]
        return torch.bmm(share, words) + said, tells, said.square().sum(-1).mean(1)

    def _in_context(self, words: Tensor, place: Tensor, there: Tensor) -> Tensor:
        context = torch.relu(self.enter(words) + self.place(place)) * there[..., None]
        for reach, layer in zip(_REACH, self.layers, strict=True):
            wide = pad(context, (0, 0, reach, reach))
            length = words.shape[1]
            sides = torch.cat([wide[:, :length], context, wide[:, 2 * reach :]], -1)
            context = (context + torch.relu(layer(sides))) * there[..., None]
        return context


def _places(rows: Tensor) -> Tensor:  # [M, L]
    """Return the place of each word: which of the two were mentioned up to it, and which are from it on."""
    place = torch.zeros_like(rows)
    for bit, name in enumerate((SELF_FIRST, OTHER_SECOND)):
        here = (rows == name).long()
        before = here.cumsum(1) > 0
        behind = here.flip(1).cumsum(1).flip(1) > 0
        place = place + (before.long() << (2 * bit)) + (behind.long() << (2 * bit + 1))
    return place
