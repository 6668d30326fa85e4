"""Longer stories made of shorter ones: a fact of one is replaced by a story that leads to it.

    r(a, b), s(b, c)             -> t(a, c)
    q(x, a), t(a, c)             -> u(x, c)
    q(x, a), r(a, b), s(b, c)    -> u(x, c)

The outer story's answer follows from a fact, and the inner story's facts lead to that fact; so the
answer still follows when they take its place. That holds without exception where answers are entailed,
and for 19 of 20 where they are only determined. It takes no more than training has:
stories, their answers, and how the model reads a sentence.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Ways:
    """For each two places on the way, the edge that leads on, if there is one. P depends on what was
    spliced: the first queried person is in place 0, the second in the last."""

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
        """Story b with the link from place i to j, at[b] = i P + j, replaced by the way of `inner`'s story b.

        The inner story's people between its ends come right behind place i.
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
