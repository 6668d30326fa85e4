"""The composer: relations along a path, put together by a learnt table (not in the paper).

The paper's models use a vector for whatever has been said about an entity. The composer holds a
belief for every stretch of the path between the two queried entities: a distribution over the kinds of
relations that can be answered and some free states, for what has no word among them.

    a sentence    names a relation: softmax(W E), with E as the graph networks read it
    its kind      is what its forms have in common
    a stretch     follows from two shorter ones, wherever it can be cut in two: its kind from theirs
    the answer    is the kind that is believed most for the whole path, in the form of the last sentence

It is given neither the relation of a sentence nor any rule: like the other models, it learns from stories,
questions and answers. It is given one thing: which answers are forms of one kind (`Vocabulary.forms`). So it
learns from stories with one form what holds for the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple, TypeVar

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, pad

from clutrr.models.baselines import pool_sentences
from clutrr.models.batch import Batch
from clutrr.models.parts import Processor, Reader, Sizes, States
from clutrr.models.tokens import ANY, PADDING

FASTER = 9.0  # the tables learn this many times faster than the words
_FREE = 16  # states beside the relations: with 8 or 24, long stories are answered no better
DOUBT, CALM = 0.03, 0.0001  # in training and in testing
OPEN = 0.06  # the cost of letting the table say more than the stories require
WIDE = 5.0  # standard deviation of the prior for what the tables of the ends say
_LOUD, _FAINT = 5.0, 0.1  # a word that is an answer, in its own coordinate, and other words there
_TINY = 1e-6  # so that no form is excluded for good
_SPLICED_OF, _ROUNDS = 4, 2  # one story in four is made longer, by up to two others


R = TypeVar("R")


@dataclass(frozen=True)
class Ways:
    """For each two places on the way, the edge that leads on, if there is one. P depends on what was
    spliced: the first queried entity is in place 0, the second in the last."""

    edge: Tensor  # [B, P, P]
    linked: Tensor  # [B, P, P], bool

    def of(self, stories: Tensor) -> "Ways":
        """Return the ways of these stories."""
        return Ways(self.edge[stories], self.linked[stories])

    def or_only(self, edge: Tensor, keep: Tensor) -> "Ways":
        """Return these where `keep` holds; elsewhere one edge, from the first place to the last."""
        keep = keep[:, None, None]
        only = torch.zeros_like(self.linked)
        only[:, 0, -1] = True
        return Ways(
            torch.where(keep, self.edge, edge[:, None, None]), torch.where(keep, self.linked, only)
        )

    def splice(self, inner: "Ways", at: Tensor) -> "Ways":
        """Return story b with the link from place i to j, at[b] = i P + j, replaced by `inner`'s story b.

            r(a, b), s(b, c)             -> t(a, c)        inner
            q(x, a), t(a, c)             -> u(x, c)        outer
            q(x, a), r(a, b), s(b, c)    -> u(x, c)        spliced

        The outer story's answer follows from a fact, and the inner story's facts lead to that fact; so the
        answer still follows when they take its place. That holds without exception where answers are
        entailed, and for 19 of 20 where they are only determined. It takes no more than training has:
        stories, their answers, and how the model reads a sentence.

        The inner story's entities between its ends come right behind place i.
        """
        places, more = self.edge.shape[1], inner.edge.shape[1] - 2
        i, j = at // places, at % places
        new = torch.arange(places + more, device=at.device)
        outside = torch.where(new <= i[:, None], new, new - more)  # which place of the outer story
        is_outer = (new <= i[:, None]) | (new > i[:, None] + more)
        inside = (new - i[:, None]).clamp(0, more + 1)  # which place of the inner story
        inside = torch.where(new == j[:, None] + more, more + 1, inside)
        is_inner = ~is_outer | (new == i[:, None]) | (new == j[:, None] + more)
        outer = _pick(self, outside.clamp(0, places - 1), is_outer)
        replaced = outer.linked & ~(
            (new == i[:, None])[:, :, None] & (new == j[:, None] + more)[:, None, :]
        )
        spliced = _pick(inner, inside, is_inner)
        return Ways(torch.where(replaced, outer.edge, spliced.edge), replaced | spliced.linked)


def _pick(ways: Ways, place: Tensor, there: Tensor) -> Ways:
    """Return the links between these places; none of places that are not there."""
    each = torch.arange(len(place), device=place.device)[:, None, None]
    at = (each, place[:, :, None], place[:, None, :])
    return Ways(ways.edge[at], ways.linked[at] & there[:, :, None] & there[:, None, :])


def random_choice(allowed: Tensor, dice: Tensor) -> tuple[Tensor, Tensor]:  # [B], [B]
    """Return one of those that are allowed in each row, [B, N], drawn at random; and whether there is one.

    dice: random numbers from 0 to 1, [B, N].
    """
    return torch.where(allowed, dice, -1.0).argmax(1), allowed.any(1)


@dataclass(frozen=True)
class WayReading:
    """The edges between places on the way from the first queried entity to the second:
    `edges[ways.edge]`, [B, P, P, embedding], where it says anything."""

    edges: Tensor  # [E, embedding]
    ways: Ways


class WayPool(Reader[WayReading]):
    """Reads sentences as `SentencePool` does, but only those on the way between the two queried entities,
    so that others cost nothing. Each word that is an answer starts out with a coordinate for itself; a
    processor can find it there.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.embedding = nn.Embedding(sizes.words, sizes.embedding, padding_idx=PADDING)
        mark_answers(self.embedding, sizes)

    def forward(self, batch: Batch) -> WayReading:
        sentences = batch.on_the_way(batch.sentences)
        edges, edge = pool_sentences(self.embedding.weight, batch.stories.graph.shapes, sentences)
        return WayReading(edges, Ways(edge, batch.ways > 0))


def mark_answers(words: nn.Embedding, sizes: Sizes) -> bool:
    """Give each word that is an answer a coordinate for itself; return whether there are enough of them."""
    enough = sizes.relations <= sizes.embedding
    with torch.no_grad():
        for coordinate, word in enumerate(sizes.answers if enough else ()):
            if word is not None:
                words.weight[:, coordinate] *= _FAINT
                words.weight[word, coordinate] = _LOUD
    return enough


# Composing


class Naming(nn.Module):
    """The relation that an edge names, in logarithms: softmax(W E).

    Where the reader marks the words that are answers (`mark_answers`), a sentence with the word for
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


class Forms(nn.Module):
    """Relations by kind and by form. Nothing in it is learnt.

    forms: for each relation its kind and form (`Vocabulary.forms`). Where there are none, every
    relation is a separate kind and tells no form. All scores are logarithms.
    """

    kind: Tensor  # [relations]
    has_form: Tensor  # [relations], bool
    form: Tensor  # [relations]
    _of_form: Tensor  # [relations, forms]
    _is_not: Tensor  # [relations, kinds]

    def __init__(self, forms: Sequence[tuple[int, int]], relations: int) -> None:
        super().__init__()
        forms = forms or [(number, ANY) for number in range(relations)]
        kind = torch.tensor([kind for kind, _ in forms])
        form = torch.tensor([form for _, form in forms])
        self.relations, self.kinds = relations, int(kind.max()) + 1
        self.forms = max(int(form.max()) + 1, 1)
        each = nn.functional.one_hot(form.clamp(min=0), self.forms).float()
        some = (form != ANY)[:, None]
        is_not = torch.zeros(relations, self.kinds)
        is_not[kind[:, None] != torch.arange(self.kinds)] = -torch.inf
        for name, value in (
            ("kind", kind),
            ("form", form.clamp(min=0)),
            ("has_form", some[:, 0]),
            ("_of_form", torch.where(some, each, 1 / self.forms)),
            ("_is_not", is_not),
        ):
            self.register_buffer(name, value, persistent=False)

    def kind_of(self, named: Tensor) -> Tensor:  # [..., kinds]
        """Return the kinds that sentences tell, by the relations that they name."""
        return torch.logsumexp(named[..., :, None] + self._is_not, -2)

    def form_of(self, named: Tensor) -> Tensor:  # [..., forms]
        """Return the form that sentences tell of the entity they lead to."""
        return torch.log(named.exp() @ self._of_form + _TINY)

    def worded(self, kinds: Tensor, forms: Tensor) -> Tensor:  # [..., relations]
        """Return the relations of these kinds and forms."""
        return kinds[..., self.kind] + torch.where(self.has_form, forms[..., self.form], 0.0)


class Compose(Processor[R]):
    """Beliefs about stretches of ways, and how they are combined; a subclass finds the ways.

    For the stretch from entity i to entity j, cut in two at an entity l,

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
    So the mean over the rows of sum over u of T log T is part of the loss. So is a prior for a and
    b, a normal distribution around 0: what never goes with a first or last sentence in short stories may
    well do so in longer ones (`regularizer`).

    T tells what follows from what; h, a and b hold however long the stretch is.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.forms = Forms(sizes.forms, sizes.relations)
        self.states = self.forms.kinds + _FREE
        self.name = Naming(sizes)
        self.table = nn.Parameter(0.1 / FASTER * torch.randn(self.states, self.states, self.states))
        height = torch.randn(self.states) / FASTER
        height[: self.forms.kinds] *= 0.1  # so that no sentence starts out high or low
        self.height = nn.Parameter(height)
        self.opening = nn.Parameter(torch.zeros(self.forms.kinds, self.states))
        self.closing = nn.Parameter(torch.zeros(self.forms.kinds, self.states))

    def composition(self) -> Tensor:  # [S, S, S]
        """T: what follows from two states in a row."""
        return (FASTER * self.table).softmax(-1)

    def regularizer(self, batch: Batch) -> Tensor:
        """Return what the tables cost in training, as part of the loss."""
        table = FASTER * self.table
        closed = (table.softmax(-1) * table.log_softmax(-1)).sum(-1).mean()
        ends = FASTER * torch.stack([self.opening, self.closing])
        firm = ends.square().sum() / (2 * WIDE**2)
        return OPEN * closed + firm / len(batch.stories)

    def _stretches(
        self, named: Tensor, ways: Ways, halves: Tensor | None = None
    ) -> list["_Stretches"]:
        """Return all stretches of the ways of a batch, by length. halves [B], bool: where the least vote
        counts in training; every other one by default."""
        if halves is None:
            halves = torch.arange(len(ways.edge), device=named.device) % 2 == 0
        table = self.composition()
        said = self._sentences(named)
        found: list[_Stretches] = []
        ahead: list[Tensor] = []
        for length in range(1, ways.edge.shape[1]):
            stretches = said.at(
                ways.edge.diagonal(length, 1, 2), ways.linked.diagonal(length, 1, 2)
            )
            if length > 1:
                stretches = stretches.or_else(self._join(found, ahead, halves))
            found.append(stretches)
            ahead.append(self._ahead(stretches, table))
        return found

    def _answers(
        self, found: list["_Stretches"], named: Tensor, ways: Ways
    ) -> Tensor:  # [B, relations]
        """Return the relations, by the kind of the whole way and the form that its last sentences tell."""
        last = self.forms.form_of(named)[ways.edge[:, :, -1]]  # [B, P, forms]
        form = torch.where(ways.linked[:, :, -1, None], last, 0.0).sum(1).log_softmax(-1)
        return self.forms.worded(found[-1].score[:, 0], form)

    def _combined(self, named: Tensor, pairs: Tensor) -> Tensor:  # [N, S]
        """Return the belief for paths of two sentences, [N, 2], each the number of a row of `named`."""
        sentences = self._sentences(named).at(pairs, torch.ones_like(pairs, dtype=torch.bool))
        halves = torch.ones_like(pairs[:, 0], dtype=torch.bool)
        return self._join([sentences], [self._ahead(sentences, self.composition())], halves).belief[
            :, 0
        ]

    def beliefs(self) -> "Beliefs":
        """Return what is made of any two relations, one after the other."""
        forms = self.forms
        named = torch.eye(forms.relations).log()
        every = torch.arange(forms.relations)
        pairs = torch.cartesian_prod(every, every)
        both = self._combined(named, pairs)
        worded = forms.worded(both.log(), forms.form_of(named)[pairs[:, 1]]).exp()
        two = torch.cat([worded, both[:, forms.kinds :]], 1).view(
            forms.relations, forms.relations, -1
        )
        return Beliefs(two, self.heights()[forms.kind], self.states - forms.kinds)

    def _sentences(self, named: Tensor) -> "_Stretches":
        """Return what the sentences say, each as a stretch: [E, ...]."""
        kinds = self.forms.kind_of(named)
        score = pad(kinds, (0, self.states - self.forms.kinds), value=-torch.inf)
        share = kinds.exp()
        return _Stretches(
            known=torch.ones_like(score[..., 0], dtype=torch.bool),
            score=score,
            height=share @ self.heights()[: self.forms.kinds, None],
            opening=share @ (FASTER * self.opening),
            closing=share @ (FASTER * self.closing),
        )

    def _join(
        self, shorter: Sequence["_Stretches"], ahead: Sequence[Tensor], halves: Tensor
    ) -> "_Stretches":
        """Return the stretches of the next length, from every way to cut them in two."""
        length, starts = len(shorter) + 1, shorter[-1].known.shape[1] - 1
        doubt = DOUBT if self.training else CALM
        votes = []
        for cut in range(1, length):
            left, right = (
                shorter[cut - 1].part(0, starts),
                shorter[length - cut - 1].part(cut, starts),
            )
            follows = torch.matmul(right.belief[..., None, :], ahead[cut - 1][:, :starts])[
                ..., 0, :
            ]
            known, score = left.known & right.known, torch.log(follows + doubt)
            votes.append(
                _Stretches(known, score, left.height + right.height, left.opening, right.closing)
            )
        total = _sums(votes)
        cuts = torch.stack([vote.known for vote in votes]).sum(0).clamp(min=1)[..., None]
        mean = _Stretches(total.known, *(1 / cuts * part for part in total[1:]))
        known = total.known[..., None]
        every = [torch.where(vote.known[..., None], vote.score, torch.inf) for vote in votes]
        least = torch.where(known, torch.stack(every).amin(0), 0.0)
        agreed = 2 * least + mean.score
        if self.training:
            agreed = torch.where(halves[:, None, None], least, total.score)
        score = agreed + mean.opening + mean.closing
        return mean._replace(score=score - (mean.height - self.heights()).square() * known)

    def _ahead(self, stretches: "_Stretches", table: Tensor) -> Tensor:  # [..., S, S]
        """Return how likely each state follows, for each that may come next."""
        belief = stretches.belief
        return (belief @ table.flatten(1)).view(*belief.shape[:-1], *table.shape[1:])

    def heights(self) -> Tensor:  # [S]
        return FASTER * self.height


class WayCompose(Compose[WayReading]):
    """The composer over all ways between the two queried entities at once (`clutrr.models.graph`): all of
    them count, not only the shortest, and nobody else matters.

    spliced: some of the stories are made longer by putting others into them (`Ways.splice`). For
    stories whose answers are entailed, or follow by rules of two relations.
    """

    def __init__(self, sizes: Sizes, spliced: bool = False) -> None:
        super().__init__(sizes)
        self.spliced = spliced

    def forward(self, reading: WayReading, batch: Batch) -> States:
        named = self.name(reading.edges)
        found = self._stretches(named, reading.ways)
        nodes = torch.cat([stretches.score[:, :1] for stretches in found], 1)
        extra: Tensor | float = self.regularizer(batch) if self.training else 0.0
        if self.training and self.spliced:
            extra = extra + self._spliced_loss(reading.ways, named, batch)
        return States(nodes, self._answers(found, named, reading.ways), extra)

    def _spliced_loss(self, ways: Ways, named: Tensor, batch: Batch) -> Tensor:
        """Return the loss of longer stories, made of the first ones of the batch by putting others in."""
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


class _Stretches(NamedTuple):
    """Stretches of paths. score: of each state; opening, closing: of the sentences at their ends."""

    known: Tensor  # [...], bool
    score: Tensor  # [..., S]
    height: Tensor  # [..., 1]
    opening: Tensor  # [..., S]
    closing: Tensor  # [..., S]

    @property
    def belief(self) -> Tensor:  # [..., S]
        return self.score.softmax(-1)

    def at(self, edge: Tensor, known: Tensor) -> "_Stretches":
        """Return the stretches of these numbers; nothing is believed where none is known."""
        score = torch.where(known[..., None], self.score[edge], 0.0)
        return _Stretches(known, score, self.height[edge], self.opening[edge], self.closing[edge])

    def part(self, start: int, count: int) -> "_Stretches":
        """Return `count` in a row, along the second dimension."""
        return _Stretches(*(part[:, start : start + count] for part in self))

    def or_else(self, other: "_Stretches") -> "_Stretches":
        """Return these where they are known, and the others elsewhere."""
        here, pairs = self.known[..., None], zip(self[1:], other[1:], strict=True)
        chosen = (torch.where(here, mine, theirs) for mine, theirs in pairs)
        return _Stretches(self.known | other.known, *chosen)


def _sums(votes: Sequence[_Stretches]) -> _Stretches:
    """Return what any of the votes knows, and the sums over those that know."""
    known = torch.stack([vote.known for vote in votes]).any(0)
    counted = [[vote.known[..., None] * part for part in vote[1:]] for vote in votes]
    return _Stretches(known, *(reduce(torch.add, parts) for parts in zip(*counted, strict=True)))


# What a composer has learnt


@dataclass(frozen=True)
class Beliefs:
    """What a model that composes believes, whatever the story.

    two: for a path of two sentences that name these relations, the share of each relation and of each free
    state. heights: of the relations. free: how many states there are beside the kinds. least: of a model that
    holds sets, the share from which on a relation is in it.
    """

    two: Tensor  # [relations, relations, relations + free]
    heights: Tensor  # [relations], or [0] where there are none
    free: int
    least: float | None = None
