"""The composer: relations along a path, put together by a learnt table (not in the paper).

The paper's models let a vector stand for whatever has been said about a person. The composer holds a
belief for every stretch of the path between the two queried people: a distribution over the kinds of
relations that can be answered and some free states, for what has no word among them (a cousin).

    a sentence    names a relation: softmax(W E), with E as the graph networks read it
    its kind      is what a son and a daughter have in common
    a stretch     follows from two shorter ones, wherever it can be cut in two: its kind from theirs
    the answer    is the kind that is believed most for the whole path, in the gender of the last sentence

It is given neither the relation of a sentence nor any rule of kinship: like the other models, it learns
from stories, questions and answers. One thing it is told: which answers are one kind and differ by gender
(`Vocabulary.forms`). So it learns from a story with a son what holds for daughters.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, pad

from clutrr.models.batch import Batch
from clutrr.models.forms import Forms
from clutrr.models.parts import Classifier, Processor, Reading, Sizes, States
from clutrr.models.splice import Ways, random_choice

FASTER = 9.0  # the tables learn this many times faster than the words
_FREE = 16  # states beside the relations: with 8 or 24, long stories are answered no better
DOUBT, CALM = 0.03, 0.0001  # in training and in testing
OPEN = 0.06  # the cost of letting the table say more than the stories require
WIDE = 5.0  # standard deviation of the prior for what the tables of the ends say
_SPLICED_OF, _ROUNDS = 4, 2  # one story in four is made longer, by up to two others


class Naming(nn.Module):
    """The relation that an edge names, in logarithms: softmax(W E).

    Where the reader marks the words that are answers (`SentencePool`), a sentence with the word for
    a relation in it starts out as naming that relation.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.linear = nn.Linear(sizes.embedding, sizes.relations)
        with torch.no_grad():
            for relation, word in enumerate(sizes.answers[: sizes.embedding]):
                if word is not None:
                    self.linear.weight[relation, relation] = 1.0

    def forward(self, edges: Tensor) -> Tensor:  # [..., relations]
        named: Tensor = self.linear(edges).log_softmax(-1)
        return named


class Compose(Processor):
    """The state of a person: what they are to the first queried person, in logarithms.

    For the stretch from person i to person j, cut in two at a person l,

        f_l(u)  = log (e + sum over s, t of p_il(s) p_lj(t) T(s, t, u))
        p_ij(u) = softmax of  F(u)  -  (d_ij - h(u))^2  +  a(u)  +  b(u)

    e           a little doubt: no cut excludes anything for good.
    T(s, t, .)  what follows from s and then t: a learnt distribution.
    F(u)        what the cuts agree on. In training the least of the f_l(u) for half of the stories,
                and their sum for the others; in testing twice the least and the mean.
    h(u)        a learnt height of each state; d_ij sums up the heights of the sentences on the way.
    a(u), b(u)  how well u goes with the first and with the last sentence: two learnt tables.

    The cuts have to agree, so that what one of them excludes is excluded: that is the least vote.
    It learns only from the cut that excludes most. The sum learns from all cuts, but counts evidence
    again for every cut that shares it, and so the more often, the longer the stretch is.

    T says no more than the stories require: rows that no story needs would vote at random in longer ones.
    So the mean over the rows of sum over u of T log T is part of the loss (`open`). So is a prior for a and
    b, a normal distribution around 0: what never goes with a first or last sentence in short stories may
    well do so in longer ones.

    spliced: some of the stories are made longer by putting others into them (`clutrr.models.splice`). For
    stories whose answers are entailed, or follow by rules of two relations.

    T tells what follows from what; h, a and b hold however long the stretch is. Who is on the way is
    said in `clutrr.models.ways`: all ways count, not only the shortest, and nobody else matters.
    """

    def __init__(
        self,
        sizes: Sizes,
        free: bool = True,
        heights: bool = True,
        ends: bool = True,
        kinds: bool = True,
        open_table: bool = True,
        spliced: bool = False,
    ) -> None:
        super().__init__()
        self.open_table, self.spliced = open_table, spliced
        self.forms = Forms(sizes.forms if kinds else (), sizes.relations)
        self.states = self.forms.kinds + (_FREE if free else 0)
        self.name = Naming(sizes)
        self.table = nn.Parameter(0.1 / FASTER * torch.randn(self.states, self.states, self.states))
        height = torch.randn(self.states) / FASTER
        height[: self.forms.kinds] *= 0.1  # so that no sentence starts out high or low
        self.height = nn.Parameter(height) if heights else None
        self.opening = nn.Parameter(torch.zeros(self.forms.kinds, self.states)) if ends else None
        self.closing = nn.Parameter(torch.zeros(self.forms.kinds, self.states)) if ends else None

    def composition(self) -> Tensor:  # [S, S, S]
        """T: what follows from two states in a row."""
        return (FASTER * self.table).softmax(-1)

    def named(self, edges: Tensor) -> Tensor:  # [..., relations]
        """The relation that an edge names, in logarithms."""
        named: Tensor = self.name(edges)
        return named

    def said(self, reading: Reading, batch: Batch) -> Tensor:  # [B, relations]
        """What the text says outright of the two queried people, in logarithms; for stories of two people."""
        assert reading.edges is not None
        assert reading.way is not None
        return self.named(reading.edges[reading.way[:, 0, -1]])

    def forward(self, reading: Reading, batch: Batch) -> States:
        assert reading.edges is not None
        assert reading.way is not None
        ways = Ways(reading.way, batch.ways > 0)
        named = self.named(reading.edges)
        found = self._stretches(named, ways)
        whole = self._answers(found, named, ways)
        nodes = torch.cat([stretches.score[:, :1] for stretches in found], 1)
        return States(nodes, whole, self._aside(ways, named, batch))

    def _aside(self, ways: Ways, named: Tensor, batch: Batch, *more: Tensor) -> Tensor | None:
        """What is added to the loss."""
        parts = list(more) if self.training else []
        if self.training and self.open_table:
            parts.append(OPEN * self._closed() + self._firm() / len(batch.stories))
        if self.training and self.spliced:
            parts.append(self._of_spliced(ways, named, batch))
        return sum(parts[1:], start=parts[0]) if parts else None

    def _stretches(self, named: Tensor, ways: Ways, halves: Tensor | None = None) -> list["_Stretches"]:
        """By length: all stretches of the ways of a batch. halves [B], bool: where the least vote counts in
        training; for every other one where that is not said."""
        if halves is None:
            halves = torch.arange(len(ways.edge), device=named.device) % 2 == 0
        table = self.composition()
        told = self._told(named)
        found: list[_Stretches] = []
        ahead: list[Tensor] = []
        for length in range(1, ways.edge.shape[1]):
            stretches = told.at(ways.edge.diagonal(length, 1, 2), ways.linked.diagonal(length, 1, 2))
            if length > 1:
                stretches = stretches.or_else(self._join(found, ahead, halves))
            found.append(stretches)
            ahead.append(self._ahead(stretches, table))
        return found

    def _closed(self) -> Tensor:
        """How much the table says, as the mean over its rows; least where everything is equally likely."""
        table = FASTER * self.table
        return (table.softmax(-1) * table.log_softmax(-1)).sum(-1).mean()

    def _firm(self) -> Tensor:
        """Minus the logarithm of the prior for what the ends say; 0 if they say nothing."""
        ends = [FASTER * table for table in (self.opening, self.closing) if table is not None]
        return torch.stack(ends).square().sum() / (2 * WIDE**2) if ends else self.table.new_zeros(())

    def _of_spliced(self, ways: Ways, named: Tensor, batch: Batch) -> Tensor:
        """The loss of longer stories, made of the first ones of the batch by putting others into them."""
        count = -(-len(batch) // _SPLICED_OF)
        longer, target = ways.of(torch.arange(count, device=batch.index.device)), batch.target
        relation = named.detach().argmax(-1)
        worth = ~ways.linked[:, 0, -1]  # stories that say more than one thing
        for _ in range(_ROUNDS):
            links = longer.linked.flatten(1)
            at, _ = random_choice(links, batch.draw(torch.rand, *links.shape))
            edge = longer.edge.flatten(1).gather(1, at[:, None])
            fits = (target == relation[edge]) & worth
            story, found = random_choice(fits, batch.draw(torch.rand, *fits.shape))
            longer = longer.splice(ways.of(story).or_only(edge[:, 0], found), at)
        scores = self._answers(self._stretches(named, longer), named, longer)
        return cross_entropy(scores, target[:count])

    def _answers(self, found: list["_Stretches"], named: Tensor, ways: Ways) -> Tensor:  # [B, relations]
        """The relations, by the kind of the whole way and the gender that its last sentences tell."""
        return self.forms.worded(found[-1].score[:, 0], self.forms.of_the_last(named, ways))

    def of_two(self) -> Tensor:  # [relations, relations, relations + free]
        """The belief for a path of two sentences that name these relations."""
        relations = self.forms.relations
        named = torch.eye(relations, device=self.table.device).log()
        every = torch.arange(relations, device=self.table.device)
        pairs = torch.cartesian_prod(every, every)
        sentences = self._told(named).at(pairs, torch.ones_like(pairs, dtype=torch.bool))
        halves = torch.ones_like(pairs[:, 0], dtype=torch.bool)
        both = self._join([sentences], [self._ahead(sentences, self.composition())], halves).belief[:, 0]
        worded = self.forms.worded(both.log(), self.forms.gendered(named)[pairs[:, 1]]).exp()
        return torch.cat([worded, both[:, self.forms.kinds :]], 1).view(relations, relations, -1)

    def _told(self, named: Tensor) -> "_Stretches":
        """What the sentences say, each as a stretch: [E, ...]."""
        kinds = self.forms.kind_of(named)
        score = pad(kinds, (0, self.states - self.forms.kinds), value=-torch.inf)
        share = kinds.exp()
        none = torch.zeros_like(score)
        return _Stretches(
            known=torch.ones_like(score[..., 0], dtype=torch.bool),
            score=score,
            height=none[..., 0] if self.height is None else share @ self.heights()[: self.forms.kinds],
            opening=none if self.opening is None else share @ (FASTER * self.opening),
            closing=none if self.closing is None else share @ (FASTER * self.closing),
        )

    def _join(self, shorter: Sequence["_Stretches"], ahead: Sequence[Tensor], halves: Tensor) -> "_Stretches":
        """The stretches of the next length, from every way to cut them in two."""
        length, starts = len(shorter) + 1, shorter[-1].known.shape[1] - 1
        doubt = DOUBT if self.training else CALM
        votes, weights = [], []
        for cut in range(1, length):
            left, right = shorter[cut - 1].part(0, starts), shorter[length - cut - 1].part(cut, starts)
            follows = torch.matmul(right.belief[..., None, :], ahead[cut - 1][:, :starts])[..., 0, :]
            vote = _Stretches(
                left.known & right.known,
                torch.log(follows + doubt),
                left.height + right.height,
                left.opening,
                right.closing,
            )
            votes.append(torch.where(vote.known[..., None], vote.score, torch.inf))
            weights.append(vote.times(vote.known))
        total = weights[0]
        for weight in weights[1:]:
            total = total.plus(weight)
        cuts = sum(vote.known.float() for vote in weights)
        assert isinstance(cuts, Tensor)
        mean = total.times(1 / cuts.clamp(min=1))
        known = total.known[..., None]
        least = torch.where(known, torch.stack(votes).amin(0), 0.0)
        score = self._agreed(least, total.score, mean.score, halves) + mean.opening + mean.closing
        if self.height is not None:
            score = score - (mean.height[..., None] - self.heights()).square() * known
        return _Stretches(total.known, score, mean.height, mean.opening, mean.closing)

    def _agreed(self, least: Tensor, total: Tensor, mean: Tensor, halves: Tensor) -> Tensor:  # [B, starts, S]
        """What the votes come to: of its least, its sum and its mean, all in logarithms."""
        if not self.training:
            return 2 * least + mean
        return torch.where(halves[:, None, None], least, total)

    def _ahead(self, stretches: "_Stretches", table: Tensor) -> Tensor:  # [..., S, S]
        """For each state that may come next, how likely each follows."""
        belief = stretches.belief
        return (belief @ table.flatten(1)).view(*belief.shape[:-1], *table.shape[1:])

    def heights(self) -> Tensor:  # [S]
        assert self.height is not None
        return FASTER * self.height

    def relation_heights(self) -> Tensor:  # [relations]
        return self.heights()[self.forms.kind]


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


class Ask(Classifier):
    """What the second queried person is to the first, out of the relations."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.relations = sizes.relations

    def forward(self, states: States, batch: Batch) -> Tensor:
        return states.whole[:, : self.relations]
