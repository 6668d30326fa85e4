"""The composer over all routes through what may be said: a window may tell nothing, and every route counts.

Which pairs a text tells of is not given: two entities in one sentence may have nothing to do with each
other, and a pronoun may link two that no sentence names together. So each window on a pair is read as a
relation or nothing. A route from the first queried entity to the second counts by how likely it is that
something is stated of every pair on it, and that no shorter route is stated.

`SentencePool` takes a sentence for a bag of words. That is enough where a sentence states one fact. In
"[A]'s sister [B] lives with her father [C]" it matters which word is about whom, and of A and C the
sentence says nothing by itself. So the words of a window are read in their order.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, pad

from clutrr.models.batch import Batch
from clutrr.models.compose import Compose, Ways, mark_answers
from clutrr.models.parts import Reader, Sizes, States
from clutrr.models.tokens import OTHER_SECOND, PADDING, SELF_FIRST

ROUTES = 8  # that count, at most, of a story
_TINY = 1e-6  # of a share, so that it has a logarithm
_STEP = 0.98  # no pair is surer to be stated: longer routes count a little, too
_FLOOR = 1e-5  # nothing is sure to tell nothing
_EFFORT = 1e-3  # the cost of the square of a window's log odds, beyond the first guess
_AROUND = 1e-2  # the cost of the square of what a window's context adds to its words
_MISREAD = 0.01  # the share of the training stories that is assumed to be misread
_FAINT = (
    12.0  # a route whose weight is that much less than the best, in logarithms, counts for nothing
)
FAR = -1e9  # the logarithm of what cannot be
# Log odds that a window tells something, NEXT, OTHERS and ACROSS: to begin with; and in the end, where
# stories say nothing of that. With others in between, few windows tell anything. But if that were taken for
# granted from the start, training would not find those few.
_HINTS, _SETTLED = (4.0, 0.0, -1.0), (4.0, -3.0, -1.0)
_PULL = 1e-4  # the cost of the square of how far a hint is from that: any story says more


_REACH = (1, 2, 4)  # words to either side that a layer looks at: together seven
_SMALL = 0.1  # of weights, to begin with
_PLACES, _BETWEEN = 16, 0b1001  # see `_places`
_HEARD, _NEAR = (
    1.5,
    3.0,
)  # to begin with, of the attention: to words that are answers, to words in between
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
        rows, which = batch.stories.graph.window_rows, batch.windows[..., 0]  # [1 + S, L], [B, W]
        if len(rows) > which.numel():  # hardly any two windows are equal: read those of the batch
            rows = rows[which.reshape(-1)]
            which = torch.arange(which.numel(), device=which.device).view(which.shape)
        edges, tells, around = self.read(rows) if batch.static else self._by_length(rows)
        return WindowReading(edges, which, tells, around)

    def _by_length(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the same where it pays not to read padding: windows of about one length at a time."""
        length = (rows != PADDING).sum(1)
        order = length.argsort()
        parts = [
            self.read(rows[part, : int(length[part[-1]].clamp(min=1))])
            for part in order.chunk(_PARTS)
        ]
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


class RoutedCompose(Compose[WindowReading]):
    """Reads pairs from windows, and composes along every route.

        s_w      = sigmoid(tells + hint), as a share of the story's largest: window w tells something
        s_ij     = .98 (1 - product of 1 - s_w)                of nodes i and j anything is stated
        p_ij(r)  = sum of s_w p_w(r) / sum of s_w              namely relation r
        v_R      = product over the steps of s_ij              route R is stated
        c_R      = v_R times the product of 1 - v_Q            it is the first that is stated
        c_0      = product over all routes of 1 - v_R / .98^m  none is stated; m: the steps of R
        answer   = sum of c_R p_R / sum of c_R                 p_R: what `Compose` makes of the route alone

    where w are the windows on i and j, read as p_w(r) and tells, and Q the routes that come before R: the
    shorter ones and, of the same length, the likelier ones. A route passes nobody twice; the ROUTES
    likeliest count (`find_routes`). If `cannot be told` is one of the answers, the sums have R = 0, too, and
    p_0 is that answer. If it is not, and there is no route, all answers are equally likely.

    Shortest first, since a longer route leaves more answers possible, all of them true. Were routes
    weighed against each other by v_R alone, the model would learn that every window is unsure, so that long
    routes are unlikely; and in longer stories it would prefer any short cut to the right route.

    In training, one story in a hundred is taken to be misread, and any answer to it to be as likely as any
    other (`or_misread`). Otherwise the table would learn to explain the answers of such stories.

    The hint is learnt for each way in which two nodes can be apart in a window. The squares of tells
    are part of the loss, so that a window in words that training did not have is taken by its hint; and so
    are those of what the context adds to the words (`WindowReader`).
    """

    settled: Tensor  # [3]
    only_undetermined: Tensor  # [relations]

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes)
        self.routes, self.undetermined = ROUTES, sizes.undetermined
        self.hint = nn.Parameter(torch.tensor(_HINTS))
        self.register_buffer("settled", torch.tensor(_SETTLED), persistent=False)
        only = torch.full((sizes.relations,), math.log(_TINY))
        if sizes.undetermined is not None:
            only[sizes.undetermined] = 0.0
        self.register_buffer("only_undetermined", only, persistent=False)

    def forward(self, reading: WindowReading, batch: Batch) -> States:
        named, stated = self.pairs(reading, batch)
        nodes = batch.neighbours.shape[1]
        routes = find_routes(stated.detach(), batch.query, self.routes)  # [B, K, P]
        if not batch.static:
            routes = _tight(routes)
        steps = steps_of(routes, nodes)
        ways = _as_ways(routes, steps, nodes)
        length, along = (steps >= 0).sum(-1), along_steps(stated, steps)  # [B, K]
        weight = first_stated(along, length)
        score = self._of_routes(named, ways, weight, batch.static)
        none = None if self.undetermined is None else none_stated(along - length * math.log(_STEP))
        whole = self._mixed(score, weight, none)
        if not self.training:
            return States(whole[:, None], whole)
        whole = or_misread(whole)
        return States(whole[:, None], whole, self._effort(reading, batch) + self.regularizer(batch))

    def _effort(self, reading: WindowReading, batch: Batch) -> Tensor:
        """Return what it costs to be sure that windows tell something or nothing, beyond what is likely
        anyway, and to take from their words in context what no single word tells."""
        there = batch.windows[..., 0] > 0
        cost = _EFFORT * reading.tells.square() + _AROUND * reading.around
        each = embedding(reading.edge_of, cost[:, None])[..., 0]
        pull = _PULL * (self.hint - self.settled).square().sum()
        return (each * there).sum() / there.sum().clamp(min=1) + pull

    def pairs(self, reading: WindowReading, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return logarithms: what each node is to each [B n n, relations], and how likely that is stated
        [B, n, n]."""
        nodes, relations = batch.neighbours.shape[1], self.forms.relations
        row, first, second, apart = batch.windows.unbind(-1)  # [B, W]
        tells = embedding(reading.edge_of, reading.tells[:, None])[..., 0]
        tells = tells + embedding(apart, self.hint[:, None])[..., 0]
        there = row > 0
        # Next to the surest of its story: or else all would be a little unsure, to make long routes unlikely.
        sure = torch.sigmoid(tells).masked_fill(~there, 0.0)
        sure = sure / sure.amax(1, keepdim=True).clamp(min=_TINY)
        silent = (1 - sure).clamp(_TINY, 1 - _FLOOR)
        said = self.name(reading.edges).exp()  # [E, 2, relations]
        said = embedding(reading.edge_of, said.flatten(1)).view(*row.shape, 2, relations)
        says = torch.where(there, 1 - silent, 0.0)[..., None, None] * said
        silence = torch.where(there, silent.log(), 0.0)
        at = torch.stack([first * nodes + second, second * nodes + first], -1).flatten(
            1
        )  # [B, 2 W]
        size = len(batch)
        named = says.new_zeros(size, nodes * nodes, relations)
        named = named.scatter_add(1, at[..., None].expand(-1, -1, relations), says.flatten(1, 2))
        named = named / named.sum(-1, keepdim=True).clamp(min=_TINY) + _TINY
        none = says.new_zeros(size, nodes * nodes)
        none = none.scatter_add(1, at, silence[..., None].expand(-1, -1, 2).flatten(1))
        stated = torch.where(none < 0, torch.log1p(-none.exp()) + math.log(_STEP), FAR)
        return named.log().flatten(0, 1), stated.view(size, nodes, nodes)

    def _of_routes(
        self, named: Tensor, ways: Ways, weight: Tensor, all_of_them: bool
    ) -> Tensor:  # [B, K, relations]
        """Return what each route amounts to; of those that do not count, only if all are wanted."""
        size, count = weight.shape
        halves = (
            (torch.arange(size, device=weight.device) % 2 == 0)[:, None].expand(-1, count).flatten()
        )
        if all_of_them:
            return self._answers(self._stretches(named, ways, halves), named, ways).view(
                size, count, -1
            )
        best = weight.amax(1, keepdim=True).clamp(min=FAR / 2)
        counts = (weight > best - _FAINT).flatten().nonzero()[:, 0]
        some = ways.of(counts)
        score = self._answers(self._stretches(named, some, halves[counts]), named, some)
        every = score.new_zeros(size * count, score.shape[1]).index_copy(0, counts, score)
        return every.view(size, count, -1)

    def _mixed(
        self, score: Tensor, weight: Tensor, none: Tensor | None
    ) -> Tensor:  # [B, relations]
        """Return what the routes come to, [B, K, relations] with their weights [B, K].

        none: how likely none is stated, [B], if `cannot be told` is one of the answers.
        """
        if none is not None:
            only = self.only_undetermined.expand(len(score), 1, -1)
            score, weight = torch.cat([score, only], 1), torch.cat([weight, none[:, None]], 1)
        share = weight.log_softmax(1)[..., None]
        mixed = (share + score.log_softmax(-1)).logsumexp(1)
        return torch.where((weight > FAR / 2).any(1)[:, None], mixed, 0.0)


def find_routes(stated: Tensor, query: Tensor, most: int) -> Tensor:  # [B, K, P]
    """Return the best routes from the first queried node to the second, each as nodes in order.

    A beam: of the routes begun with so many steps, only the `most` best are taken further. So the work is
    bounded however many routes there are, and where there are more than that, a good one may be missed.

    stated [B, n, n]: the logarithm of what a step counts. The first node is in the first place, the second in
    the last; places that a route does not need are -1, and so is all that is left of the K routes.
    """
    nodes = stated.shape[1]
    places = max(nodes, 2)
    first, second = query[:, 0], query[:, 1]
    each = torch.arange(nodes, device=stated.device)
    is_goal = (each == second[:, None])[:, None]  # [B, 1, n]
    place = torch.arange(places, device=stated.device)
    path = torch.where(place == 0, first[:, None, None], -1)  # [B, 1, P]
    weight = stated[:, :1, 0] * 0
    done_path, done_weight = torch.full_like(path, -1), torch.full_like(weight, FAR)
    for step in range(1, places):
        here = path[..., step - 1].clamp(min=0)
        onward = (
            stated.gather(1, here[..., None].expand(-1, -1, nodes)) + weight[..., None]
        )  # [B, K, n]
        been = (path[..., None] == each).any(2)
        onward = onward.masked_fill(been, 2 * FAR)
        arrived = onward.gather(2, second[:, None, None].expand(-1, onward.shape[1], 1))[..., 0]
        ended = torch.where(place == places - 1, second[:, None, None], path)
        done_weight, done_path = _best(
            torch.cat([done_weight, arrived], 1), torch.cat([done_path, ended], 1), most
        )
        if step < places - 1:
            onward = onward.masked_fill(is_goal, 2 * FAR).flatten(1)
            weight, chosen = onward.topk(min(most, onward.shape[1]), 1)
            path = path.gather(1, (chosen // nodes)[..., None].expand(-1, -1, places))
            node = torch.where(weight > FAR / 2, chosen % nodes, -1)
            path = torch.where(place == step, node[..., None], path)
    return torch.where((done_weight > FAR / 2)[..., None], done_path, -1)


def _tight(routes: Tensor) -> Tensor:
    """Return the same in as few places as the longest route needs."""
    longest = int((routes >= 0).sum(-1).max())
    return torch.cat([routes[..., : max(longest, 2) - 1], routes[..., -1:]], -1)


def _best(weight: Tensor, path: Tensor, most: int) -> tuple[Tensor, Tensor]:
    kept, which = weight.topk(min(most, weight.shape[1]), 1)
    return kept, path.gather(1, which[..., None].expand(-1, -1, path.shape[-1]))


def steps_of(routes: Tensor, nodes: int) -> Tensor:  # [B, K, P - 1]
    """Return where in a story's n n pairs each step of a route stands; -1 for none."""
    on = routes >= 0
    # Who comes next: the next place, or the last where that is nobody's.
    following = torch.where(on[..., 1:], routes[..., 1:], routes[..., -1:])
    return torch.where(on[..., :-1] & on[..., -1:], routes[..., :-1] * nodes + following, -1)


def _as_ways(routes: Tensor, steps: Tensor, nodes: int) -> Ways:
    """Return each route as a way of its own, the edge from i to j of story b being b n n + i n + j."""
    size, count, places = routes.shape
    valid = steps >= 0
    to = torch.arange(1, places, device=routes.device).expand_as(steps)
    to = torch.where(routes[..., 1:] < 0, places - 1, to)
    story = torch.arange(size, device=routes.device)[:, None, None] * nodes * nodes
    linked = torch.zeros(size, count, places, places, dtype=torch.bool, device=routes.device)
    edge = torch.zeros(size, count, places, places, dtype=torch.int64, device=routes.device)
    begins = linked[..., :-1, :].scatter(3, to[..., None], valid[..., None])
    edges = edge[..., :-1, :].scatter(3, to[..., None], (story + steps.clamp(min=0))[..., None])
    linked = torch.cat([begins, linked[..., -1:, :]], 2)
    edge = torch.cat([edges, edge[..., -1:, :]], 2)
    return Ways(edge.flatten(0, 1), linked.flatten(0, 1))


def along_steps(stated: Tensor, steps: Tensor) -> Tensor:  # [B, K]
    """Return the sum over the steps of each route; of no route, as good as none."""
    each = stated.flatten(1).gather(1, steps.clamp(min=0).flatten(1)).view(steps.shape)
    total = torch.where(steps >= 0, each, 0.0).sum(-1)
    return torch.where((steps >= 0).any(-1), total, FAR)


def first_stated(stated: Tensor, length: Tensor) -> Tensor:  # [B, K]
    """Return how likely each route is the first that is stated: shorter ones first, then likelier ones."""
    order = length.argsort(stable=True, dim=1)
    fails = torch.log1p(-stated.exp()).gather(1, order)
    before = (fails.cumsum(1) - fails).gather(1, order.argsort(1))
    return stated + before


def none_stated(stated: Tensor) -> Tensor:  # [B]
    """Return how likely no route is stated, from how likely each is [B, K]; logarithms."""
    return torch.log1p(-stated.clamp(max=-_TINY).exp()).sum(1)


def or_misread(scores: Tensor) -> Tensor:  # [..., relations]
    """Return log probabilities of answers, if a story may be misread: then any answer is equally likely."""
    chance = torch.full_like(scores, math.log(_MISREAD / scores.shape[-1]))
    return torch.logaddexp(scores.log_softmax(-1) + math.log1p(-_MISREAD), chance)
