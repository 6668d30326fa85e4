"""The composer: relations along a path, put together by a learnt table (not in the paper).

The paper's models let a vector stand for whatever has been heard of a person. The composer holds a
belief for every stretch of the path between the two people asked about: a distribution over the
relations that can be answered and some free states, for what has no word among them (a cousin).

    a sentence    names a relation: softmax(W E), with E as the graph networks read it
    a stretch     follows from two shorter ones, wherever it can be cut in two
    the answer    is what is believed most of the whole path, among the relations

Nobody tells it the relation of a sentence or a rule of kinship: all is learnt from stories,
questions and answers, as the other models learn it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot, pad

from clutrr.models.batch import Batch
from clutrr.models.parts import Classifier, Processor, Reading, Sizes, States

FASTER = 3.0  # so much faster do the tables learn than the words
_FREE = 16  # states beside the relations: from 8 to 32 it makes no difference
ECHO = 8.0  # how much likelier one of the two is at the start, in logarithms
DOUBT = 0.03  # from 0.01 to 0.1 it makes little difference
_FAR = 1_000_000  # sentences away: nobody leads there


class Compose(Processor):
    """The state of a person: what they are to the first person asked about, in logarithms.

    For the stretch from person i to person j, cut in two at a person l,

        f_l(u)  = e + sum over s, t of p_il(s) p_lj(t) T(s, t, u)
        p_ij(u) = softmax of  sum over l of log f_l(u)  -  (d_ij - h(u))^2  +  a(u)  +  b(u)

    e           a little doubt: no cut excludes anything for good.
    T(s, t, .)  what follows from s and then t: a learnt distribution. The cuts have to agree, so
                that what one of them excludes is excluded.
    h(u)        a learnt height of each state; d_ij sums up the heights of the sentences on the way.
    a(u), b(u)  how well u goes with the first and with the last sentence: two learnt tables.

    With echo, T starts from the guess that one of the two is what follows. Where no training story
    has a single fact, nothing else ties the name of a relation to the sentences that tell it.

    T tells what follows from what; h, a and b hold however long the stretch is. The path is the
    shortest one, or all of the shortest ones; who is on none of them does not matter.
    """

    def __init__(
        self, sizes: Sizes, free: bool = True, heights: bool = True, ends: bool = True, echo: bool = False
    ) -> None:
        super().__init__()
        self.relations = sizes.relations
        self.states = sizes.relations + (_FREE if free else 0)
        self.name = nn.Linear(sizes.embedding, sizes.relations)
        self.table = nn.Parameter(0.1 / FASTER * torch.randn(self.states, self.states, self.states))
        if echo:
            same = torch.eye(self.states)
            self.table.data += ECHO / FASTER * (same[:, None] + same[None, :])
        height = torch.randn(self.states) / FASTER
        height[: self.relations] *= 0.1  # so that no sentence starts out high or low
        self.height = nn.Parameter(height) if heights else None
        self.opening = nn.Parameter(torch.zeros(sizes.relations, self.states)) if ends else None
        self.closing = nn.Parameter(torch.zeros(sizes.relations, self.states)) if ends else None

    def composition(self) -> Tensor:  # [S, S, S]
        """T: what follows from two states in a row."""
        return (FASTER * self.table).softmax(-1)

    def named(self, edges: Tensor) -> Tensor:  # [..., relations]
        """The relation that an edge names, in logarithms."""
        named: Tensor = self.name(edges).log_softmax(-1)
        return named

    def forward(self, reading: Reading, batch: Batch) -> States:
        assert reading.edges is not None
        assert reading.edge_of is not None
        path = Path(reading.edge_of, batch)
        named = self.named(reading.edges)
        table = self.composition()
        told = self._told(named)
        found: list[_Stretches] = []
        ahead: list[Tensor] = []
        for length in range(1, path.people):
            stretches = told.at(path.edge.diagonal(length, 1, 2), path.linked.diagonal(length, 1, 2))
            if length > 1:
                stretches = stretches.or_else(self._join(found, ahead))
            found.append(stretches)
            ahead.append(self._ahead(stretches, table))
        nobody = named.new_zeros(len(batch), 1, self.states)
        nodes = torch.cat([nobody, *(stretches.score[:, :1] for stretches in found)], 1)
        nodes = nodes.gather(1, path.rank[..., None].expand(-1, -1, self.states))
        return States(nodes, nodes.mean(1))

    def of_two(self) -> Tensor:  # [relations, relations, S]
        """The belief for a path of two sentences that name these relations."""
        every = torch.arange(self.relations, device=self.table.device)
        told = self._told(torch.eye(self.relations, device=self.table.device).log())
        pairs = torch.cartesian_prod(every, every)
        sentences = told.at(pairs, torch.ones_like(pairs, dtype=torch.bool))
        both = self._join([sentences], [self._ahead(sentences, self.composition())])
        return both.belief.view(self.relations, self.relations, self.states)

    def _told(self, named: Tensor) -> "_Stretches":
        """What the sentences say, each as a stretch: [E, ...]."""
        score = pad(named, (0, self.states - self.relations), value=-torch.inf)
        share = named.exp()
        none = torch.zeros_like(score)
        return _Stretches(
            known=torch.ones_like(score[..., 0], dtype=torch.bool),
            score=score,
            height=none[..., 0] if self.height is None else share @ self.heights()[: self.relations],
            opening=none if self.opening is None else share @ (FASTER * self.opening),
            closing=none if self.closing is None else share @ (FASTER * self.closing),
        )

    def _join(self, shorter: Sequence["_Stretches"], ahead: Sequence[Tensor]) -> "_Stretches":
        """The stretches of the next length, from every way to cut them in two."""
        length, starts = len(shorter) + 1, shorter[-1].known.shape[1] - 1
        total: _Stretches | None = None
        cuts: Tensor | int = 0
        for cut in range(1, length):
            left, right = shorter[cut - 1].part(0, starts), shorter[length - cut - 1].part(cut, starts)
            known = left.known & right.known
            follows = torch.matmul(right.belief[..., None, :], ahead[cut - 1][:, :starts])[..., 0, :]
            joined = _Stretches(
                known, torch.log(follows + DOUBT), left.height + right.height, left.opening, right.closing
            ).times(known)
            total = joined if total is None else total.plus(joined)
            cuts = cuts + known.float()
        assert isinstance(total, _Stretches)
        assert isinstance(cuts, Tensor)
        mean = total.times(1 / cuts.clamp(min=1))
        score = total.score + mean.opening + mean.closing
        if self.height is not None:
            score = score - (mean.height[..., None] - self.heights()).square() * total.known[..., None]
        return _Stretches(total.known, score, mean.height, mean.opening, mean.closing)

    def _ahead(self, stretches: "_Stretches", table: Tensor) -> Tensor:  # [..., S, S]
        """For each state that may come next, how likely each follows."""
        belief = stretches.belief
        return (belief @ table.flatten(1)).view(*belief.shape[:-1], *table.shape[1:])

    def heights(self) -> Tensor:  # [S]
        assert self.height is not None
        return FASTER * self.height


@dataclass(frozen=True)
class _Stretches:
    """Stretches of paths. score: of each state; opening, closing: of the sentences at their ends."""

    known: Tensor  # [...], bool
    score: Tensor  # [..., S]
    height: Tensor  # [...]
    opening: Tensor  # [..., S]
    closing: Tensor  # [..., S]

    @property
    def belief(self) -> Tensor:  # [..., S]
        return self.score.softmax(-1)

    def at(self, edge: Tensor, known: Tensor) -> "_Stretches":
        """Those of these numbers; nothing is believed where none is known."""
        score = torch.where(known[..., None], self.score[edge], 0.0)
        return _Stretches(known, score, self.height[edge], self.opening[edge], self.closing[edge])

    def part(self, start: int, count: int) -> "_Stretches":
        """`count` in a row, along the second dimension."""
        return _Stretches(*(part[:, start : start + count] for part in self.parts()))

    def or_else(self, other: "_Stretches") -> "_Stretches":
        """These where they are known, and the others elsewhere."""
        pairs = zip(self.parts()[1:], other.parts()[1:], strict=True)
        chosen = [torch.where(_like(self.known, mine), mine, theirs) for mine, theirs in pairs]
        return _Stretches(self.known | other.known, *chosen)

    def plus(self, other: "_Stretches") -> "_Stretches":
        """What is known of these or of the others, and the sums."""
        sums = (one + more for one, more in zip(self.parts()[1:], other.parts()[1:], strict=True))
        return _Stretches(self.known | other.known, *sums)

    def times(self, weight: Tensor) -> "_Stretches":
        return _Stretches(self.known, *(_like(weight, part) * part for part in self.parts()[1:]))

    def parts(self) -> tuple[Tensor, ...]:
        return self.known, self.score, self.height, self.opening, self.closing


def _like(weight: Tensor, values: Tensor) -> Tensor:
    """A number for each stretch, to go with numbers for each state."""
    return weight if weight.dim() == values.dim() else weight[..., None]


class Path:
    """The people of each story, the nearest to the first person asked about first.

    rank: the place of each person in that order. edge: the number of what the text says of two
    people, in that order. linked: whether it says anything, and leads away from the first person.
    """

    def __init__(self, edge_of: Tensor, batch: Batch) -> None:
        size, n, _ = batch.neighbours.shape
        self.people = n
        neighbour = torch.where(batch.sentences[..., 0] > 0, batch.neighbours, n)  # n: nobody
        edge = batch.neighbours.new_zeros(size, n, n + 1).scatter(2, neighbour, edge_of)[..., :n]
        linked = batch.neighbours.new_zeros(size, n, n + 1).scatter(2, neighbour, 1)[..., :n] > 0
        away = _distances(linked, batch.query[:, 0])
        order = away.argsort(dim=1, stable=True)
        away = away.gather(1, order)
        self.rank = order.argsort(dim=1)
        self.edge = _ordered(edge, order)
        self.linked = _ordered(linked, order) & (away[:, None, :] == away[:, :, None] + 1)


def _distances(linked: Tensor, start: Tensor) -> Tensor:  # [B, n]
    """How many sentences lead from each story's start to each of its people."""
    n = linked.shape[1]
    reached = one_hot(start, n).bool()
    away = torch.where(reached, 0, _FAR)
    for distance in range(1, n):
        reached = (reached[..., None] & linked).any(1) & (away == _FAR)
        away = torch.where(reached, distance, away)
    return away


def _ordered(pairs: Tensor, order: Tensor) -> Tensor:  # [B, n, n]
    """The same pairs, with the people in this order."""
    rows = pairs.gather(1, order[..., None].expand_as(pairs))
    return rows.gather(2, order[:, None].expand_as(pairs))


class Ask(Classifier):
    """What the second person asked about is to the first, out of the relations."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.relations = sizes.relations

    def forward(self, states: States, batch: Batch) -> Tensor:
        asked = batch.query[:, 1, None, None].expand(-1, -1, states.nodes.shape[-1])
        return states.nodes.gather(1, asked)[:, 0, : self.relations]
