"""The same models written the obvious way, to measure against.

Packed sequences through one `nn.LSTM`; for the graph networks a list of edges, each with the words
of its own sentence, which are pooled where the message is made, and messages summed with
`index_add` in every round; for the composer a loop over stretches and one over their cuts.
"""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from clutrr.errors import ConfigError
from clutrr.models import Answering, Batch, Model, Sizes, recipe
from clutrr.models.bilstm import BiLSTM
from clutrr.models.classify import PairMLP
from clutrr.models.compose import CALM, DOUBT, FASTER, Compose
from clutrr.models.messages import MessagePassing
from clutrr.models.sentences import SentencePool
from clutrr.models.vocabulary import PADDING


def plain(name: str, sizes: Sizes) -> Answering:
    """The plain form of a model: the same parameters, equations and answers."""
    made_from = recipe(name)
    if made_from.windows:
        raise ConfigError(f"bench: there is no plain form of {name} to compare it with; leave it out")
    model = made_from.build(sizes)
    if isinstance(model.processor, Compose):
        return PlainComposer(model)
    return PlainLSTM(model, sizes) if isinstance(model.reader, BiLSTM) else PlainGNN(model)


def _mlp(model: Model) -> nn.Module:
    assert isinstance(model.classifier, PairMLP)
    return model.classifier.layers


class PlainLSTM(Answering):
    """The LSTM baseline with packed sequences."""

    def __init__(self, model: Model, sizes: Sizes) -> None:
        super().__init__()
        assert isinstance(model.reader, BiLSTM)
        self.embedding = model.reader.embedding
        self.lstm = nn.LSTM(
            sizes.embedding, sizes.state // 2, num_layers=2, bidirectional=True, batch_first=True
        )
        self.mlp = _mlp(model)

    def forward(self, batch: Batch) -> Tensor:
        is_entity = batch.mentions >= 0
        entity = batch.mentions.clamp(min=0)
        fresh = batch.fresh(batch.stories.entities, self.embedding.embedding_dim)
        of_entity = fresh.gather(1, entity[..., None].expand(-1, -1, fresh.shape[-1]))
        embedded = torch.where(is_entity[..., None], of_entity, self.embedding(batch.tokens))
        packed = pack_padded_sequence(embedded, batch.length.cpu(), batch_first=True, enforce_sorted=False)
        output, (last, _) = self.lstm(packed)
        states = pad_packed_sequence(output, batch_first=True)[0]
        whole = torch.cat([last[-2], last[-1]], dim=-1)
        asked = []
        for i in range(2):
            mentioned = (batch.mentions == batch.query[:, i : i + 1])[:, : states.shape[1], None]
            asked.append((states * mentioned).sum(1) / mentioned.sum(1).clamp(min=1))
        scores: Tensor = self.mlp(torch.cat([whole, *asked], dim=-1))
        return scores


class PlainGNN(Answering):
    """The graph networks with a list of edges."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        assert isinstance(model.reader, SentencePool)
        assert isinstance(model.processor, MessagePassing)
        self.reader = model.reader
        self.processor = model.processor
        self.mlp = _mlp(model)

    def forward(self, batch: Batch) -> Tensor:
        size, n = batch.neighbours.shape[:2]
        story, node, slot, which = (batch.sentences > 0).nonzero(as_tuple=True)
        target = story * n + node
        source = story * n + batch.neighbours[story, node, slot]
        words = batch.stories.shapes[batch.sentences[story, node, slot, which]]  # [edges, L]
        processor = self.processor
        position = torch.cat(
            [batch.fresh(n, processor.random), processor.position.expand(size, n, -1)], dim=-1
        ).reshape(size * n, -1)
        h = position.new_zeros(size * n, processor.cell.hidden_size)
        c = torch.zeros_like(h)
        for _ in range(processor.rounds):
            pieces = [_pool(self.reader, words), position[target], position[source]]
            if len(processor.message_sizes) == 4:
                pieces.append(h[source])
            messages = torch.cat(pieces, dim=-1)
            weight = self._weights(h, position, source, target)
            heard = messages.new_zeros(size * n, messages.shape[1])
            heard = heard.index_add(0, target, messages * weight[:, None])
            h, c = processor.cell(heard, (h, c))
        nodes = h.view(size, n, -1)
        is_node = batch.is_node[..., None]
        whole = (nodes * is_node).sum(1) / is_node.sum(1)
        row = torch.arange(size, device=h.device)
        first, second = (nodes[row, batch.query[:, i]] for i in range(2))
        scores: Tensor = self.mlp(torch.cat([whole, first, second], dim=-1))
        return scores

    def _weights(self, h: Tensor, position: Tensor, source: Tensor, target: Tensor) -> Tensor:
        """Of each message in what its node hears."""
        if self.processor.score is None or self.processor.combine is None:
            weight = torch.ones(len(target), device=h.device)
        else:
            looks = torch.cat([h[target], position[target], h[source]], dim=-1)
            weight = self.processor.score(torch.tanh(self.processor.combine(looks)))[:, 0].exp()
        total = torch.zeros(len(h), device=h.device).index_add(0, target, weight)
        return weight / total[target]


def _pool(reader: SentencePool, words: Tensor) -> Tensor:
    """A vector for each sentence."""
    empty = (words == PADDING)[..., None]
    embedded = reader.embedding(words)
    if reader.score is None:
        largest: Tensor = embedded.masked_fill(empty, -torch.inf).amax(1)
        return largest
    weight: Tensor = reader.score(embedded).masked_fill(empty, -torch.inf).softmax(1)
    average: Tensor = (weight * embedded).sum(1)
    return average


class PlainComposer(Answering):
    """The composer, a stretch and a cut at a time. The stories have to be chains of one length."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        assert isinstance(model.reader, SentencePool)
        assert isinstance(model.processor, Compose)
        self.reader = model.reader
        self.processor = model.processor

    def forward(self, batch: Batch) -> Tensor:
        composer = self.processor
        linked = batch.sentences[..., 0] > 0
        number = (linked.flatten().cumsum(0) - 1).view(linked.shape)
        words = batch.stories.shapes[batch.sentences[linked]].flatten(1)
        named = composer.named(_pool(self.reader, words))
        edge = batch.on_the_way(number)
        row = torch.arange(len(batch), device=named.device)
        places, doubt = edge.shape[1], DOUBT if composer.training else CALM
        kinds, table = composer.forms.kinds, composer.composition()
        score = named.new_zeros(len(batch), composer.states)
        belief: dict[tuple[int, int], Tensor] = {}
        for length in range(1, places):
            for i in range(places - length):
                j = i + length
                if length == 1:
                    says = torch.zeros_like(score)
                    says.index_add_(1, composer.forms.kind, named[edge[row, i, j]].exp())
                    score = says.log()
                else:
                    cuts = range(i + 1, j)
                    follows = [torch.einsum("bs,bt,stu->bu", belief[i, c], belief[c, j], table) for c in cuts]
                    votes = torch.stack([torch.log(f + doubt) for f in follows])
                    score = 2 * votes.amin(0) + votes.mean(0)
                    if composer.training:
                        score = torch.where(row[:, None] % 2 == 0, votes.amin(0), votes.sum(0))
                    steps = [belief[c, c + 1][:, :kinds] for c in range(i, j)]
                    if composer.height is not None:
                        heights = composer.heights()
                        rise = sum((step @ heights[:kinds] for step in steps), start=named.new_zeros(()))
                        score = score - (rise[:, None] - heights).square()
                    if composer.opening is not None and composer.closing is not None:
                        score = score + FASTER * (steps[0] @ composer.opening + steps[-1] @ composer.closing)
                belief[i, j] = score.softmax(-1)
        last = composer.forms.gendered(named[edge[row, -2, -1]])
        return composer.forms.worded(score, last.log_softmax(-1))
