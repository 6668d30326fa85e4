"""Ways between the two queried entities as tensors, a reader of what is said on them, and longer ways that
are made of shorter ones."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from clutrr.models.batch import Batch
from clutrr.models.gnn import pool_sentences
from clutrr.models.parts import Reader, Sizes
from clutrr.models.vocabulary import PADDING

_LOUD, _FAINT = 5.0, 0.1  # a word that is an answer, in its own coordinate, and other words there


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
        return Ways(torch.where(keep, self.edge, edge[:, None, None]), torch.where(keep, self.linked, only))

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
        replaced = outer.linked & ~((new == i[:, None])[:, :, None] & (new == j[:, None] + more)[:, None, :])
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
