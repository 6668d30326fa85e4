"""The paper's models: an LSTM over the words (section 3.2), and graph networks (section 3.3), in which a
sentence on two nodes is an edge and messages pass along edges; and how other models pool sentences."""

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, linear

from clutrr.models.batch import Batch
from clutrr.models.parts import Processor, Reader, Reading, Sizes, States
from clutrr.models.tokens import PADDING


class BiLSTM(Reader[States]):
    """Two bidirectional layers, with word states h_w = [forward, backward]; the whole is [forward at the end,
    backward at the start].

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
        turn = (
            _turned(batch.length, steps).T * size + torch.arange(size, device=row.device)
        ).reshape(-1)
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


# Graph networks


class SentencePool(Reader[Reading]):
    """E_ij = maximum over the words about i and j.

    The words are those of the whole sentence, the two mentions marked as one's own and the
    other's: the words "between" the mentions miss the relation in "[B] is [A]'s son", and the
    marks tell which of the two is whose son. Several sentences on a pair are pooled as one.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.embedding = nn.Embedding(sizes.words, sizes.embedding, padding_idx=PADDING)

    def forward(self, batch: Batch) -> Reading:
        return Reading(
            *pool_sentences(self.embedding.weight, batch.stories.graph.shapes, batch.sentences)
        )


def pool_sentences(weight: Tensor, rows: Tensor, which: Tensor) -> tuple[Tensor, Tensor]:
    """Return an edge for each distinct pair [E, embedding], and which of them each pair has.

    Equal sentences are pooled once, not once for each story: the largest of maxima is the maximum.

    weight: the vectors of the words. rows: distinct sentences [S, L]. which: those of each pair
    [..., R], 0 for none.
    """
    if len(rows) > which.numel():  # hardly any two sentences are equal: pool those of the batch
        rows, which = rows[which.reshape(-1)], _numbered(which)
    return pool_words(embedding(rows, weight), rows == PADDING, which)


def pool_words(words: Tensor, empty: Tensor, which: Tensor) -> tuple[Tensor, Tensor]:
    """Return the same from the vectors of the words, [S, L, embedding], and where there are none."""
    words = words.masked_fill(empty[..., None], -torch.inf)
    none = empty.all(1)[:, None]
    pooled = words.amax(dim=1).masked_fill(none, 0.0)
    if which.shape[-1] == 1:
        return pooled, which[..., 0]
    absent = none[which]  # [..., R, 1]
    edges = embedding(which, pooled).masked_fill(absent, -torch.inf).amax(-2)
    return edges.masked_fill(absent.all(-2), 0.0).flatten(0, -2), _numbered(which[..., 0])


def _numbered(like: Tensor) -> Tensor:
    return torch.arange(like.numel(), device=like.device).view(like.shape)


class MessagePassing(Processor[Reading]):
    """Equations 1 and 2, by mean or with attention.

        m_ij = [E_ij, p_i, p_j, h_j]                 (1) with the neighbour's state
        m_ij = [E_ij, p_i, p_j]                      (1) as printed: literal
        M_i  = mean of m_ij over the neighbours j, or sum of alpha_ij m_ij with
        alpha_ij = softmax over j of w^T tanh(W [[h_i, p_i]; h_j])
        h_i, c_i = LSTM(M_i, (h_i, c_i))             (2)

    p_i = [e_i, g]: 5 random numbers, drawn for each story and pass, and 10 learnt ones that all
    nodes share. h and c start at zero; M_i is zero where a node has no neighbour. The whole is the
    mean of the nodes.

    Equation 1 as it stands carries nothing over several hops: what j has heard does not reach i.
    With the neighbour's state it does, and the cells off the diagonal come closer to the paper's,
    with the diagonal the same: docs/models.md has the figures.
    """

    def __init__(
        self,
        sizes: Sizes,
        attention: bool = False,
        literal: bool = False,
        rounds: int = 6,
        random: int = 5,
        learnt: int = 10,
    ) -> None:
        super().__init__()
        self.rounds = rounds
        self.random = random
        self.position = nn.Parameter(torch.randn(learnt))
        self.position_size = random + learnt
        self.message_sizes = [sizes.embedding, self.position_size, self.position_size]
        self.carries_state = not literal
        if self.carries_state:
            self.message_sizes.append(sizes.state)
        self.cell = nn.LSTMCell(sum(self.message_sizes), sizes.state)
        self.combine = (
            nn.Linear(2 * sizes.state + self.position_size, sizes.state, bias=False)
            if attention
            else None
        )
        self.score = nn.Linear(sizes.state, 1, bias=False) if attention else None
        self.attended = nn.Identity() if attention else None  # for hooks to see what is heard

    def forward(self, reading: Reading, batch: Batch) -> States:
        neighbours, linked = batch.neighbours, batch.sentences[..., 0] > 0  # [B, n, D]
        size, n, _ = linked.shape
        random = batch.fresh(n, self.random)
        position = torch.cat(
            [random, self.position.expand(size, n, -1)], dim=-1
        )  # [B, n, position]
        own = position * linked.any(-1, keepdim=True)
        edges = embedding(reading.edge_of, reading.edges)  # [B, n, D, embedding]
        # The weights of what a message tells in every round, and of what changes from round to round.
        still, moving = torch.split(
            self.cell.weight_ih, [sum(self.message_sizes[:3]), sum(self.message_sizes[3:])], dim=1
        )
        moving, bias = (
            torch.cat([self.cell.weight_hh, moving], dim=1),
            self.cell.bias_ih + self.cell.bias_hh,
        )
        alpha = linked / linked.sum(-1, keepdim=True).clamp(min=1)  # [B, n, D]
        heard = told = c = h = None
        for _ in range(self.rounds):
            if self.attended is not None:
                alpha = self.attended(self._attention(h, position, neighbours, linked))
                told = None
            if heard is None or told is None:
                heard = alpha.new_zeros(size, n, n).scatter_add(
                    2, neighbours, alpha
                )  # of node j by node i
                said = torch.matmul(alpha[:, :, None], edges)[:, :, 0]
                told = linear(
                    torch.cat([said, own, torch.bmm(heard, position)], dim=-1), still, bias
                )
            gates = told
            if h is not None:
                states = torch.cat([h, torch.bmm(heard, h)], dim=-1) if self.carries_state else h
                gates = told + linear(states, moving)
            into, keep, new, out = gates.chunk(4, dim=-1)  # (2)
            added = torch.sigmoid(into) * torch.tanh(new)
            c = added if c is None else torch.addcmul(added, torch.sigmoid(keep), c)
            h = torch.sigmoid(out) * torch.tanh(c)
        assert h is not None
        is_node = batch.is_node[..., None]
        return States(h, (h * is_node).sum(1) / is_node.sum(1))

    def _attention(
        self, h: Tensor | None, position: Tensor, neighbours: Tensor, linked: Tensor
    ) -> Tensor:  # [B, n, D]
        """Return how much of each neighbour a node hears. h: the states, None for zeros."""
        assert self.combine is not None
        assert self.score is not None
        size, n, slots = linked.shape
        near, at, far = torch.split(
            self.combine.weight,
            [self.cell.hidden_size, self.position_size, self.cell.hidden_size],
            dim=1,
        )
        mine, others = linear(position, at), position.new_zeros(())
        if h is not None:
            here, theirs = linear(h, torch.cat([near, far])).chunk(2, dim=-1)
            flat = neighbours + n * torch.arange(size, device=h.device)[:, None, None]
            mine, others = mine + here, embedding(flat, theirs.flatten(0, 1))
        sight = (mine[:, :, None] + others).expand(-1, -1, slots, -1)
        score = self.score(torch.tanh(sight))[..., 0].masked_fill(~linked, -1e9)
        share: Tensor = score.softmax(-1) * linked
        return share
