"""Relations as kinds and genders: a son is a child who is male.

What follows from what depends on kinds alone: my mother's son and my mother's daughter are both siblings
of mine, and my brother's son is a nephew as my sister's son is. The gender of the answer is that of
the last person, which the sentence that leads to them tells.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from clutrr.models.splice import Ways
from clutrr.models.vocabulary import ANY

_TINY = 1e-6  # so that no gender is excluded for good


class Forms(nn.Module):
    """Which relations are of one kind, and which of one gender. Nothing in it is learnt.

    forms: for each relation its kind and gender (`Vocabulary.forms`). Where there are none, every
    relation is a kind of its own and tells no gender. All scores are logarithms.
    """

    kind: Tensor  # [relations]
    has_gender: Tensor  # [relations], bool
    gender: Tensor  # [relations]
    _of_gender: Tensor  # [relations, genders]
    _is_not: Tensor  # [relations, kinds]

    def __init__(self, forms: Sequence[tuple[int, int]], relations: int) -> None:
        super().__init__()
        forms = forms or [(number, ANY) for number in range(relations)]
        kind = torch.tensor([kind for kind, _ in forms])
        gender = torch.tensor([gender for _, gender in forms])
        self.relations, self.kinds = relations, int(kind.max()) + 1
        self.genders = max(int(gender.max()) + 1, 1)
        each = nn.functional.one_hot(gender.clamp(min=0), self.genders).float()
        some = (gender != ANY)[:, None]
        is_not = torch.zeros(relations, self.kinds)
        is_not[kind[:, None] != torch.arange(self.kinds)] = -torch.inf
        for name, value in (
            ("kind", kind),
            ("gender", gender.clamp(min=0)),
            ("has_gender", some[:, 0]),
            ("_of_gender", torch.where(some, each, 1 / self.genders)),
            ("_is_not", is_not),
        ):
            self.register_buffer(name, value, persistent=False)

    def kind_of(self, named: Tensor) -> Tensor:  # [..., kinds]
        """The kinds that sentences tell, by the relations that they name."""
        return torch.logsumexp(named[..., :, None] + self._is_not, -2)

    def gendered(self, named: Tensor) -> Tensor:  # [..., genders]
        """The gender that sentences tell of the person they lead to."""
        return torch.log(named.exp() @ self._of_gender + _TINY)

    def of_the_last(self, named: Tensor, ways: Ways) -> Tensor:  # [B, genders]
        """The gender of the second queried person, by all sentences that lead to them."""
        told = self.gendered(named)[ways.edge[:, :, -1]]  # [B, P, genders]
        return torch.where(ways.linked[:, :, -1, None], told, 0.0).sum(1).log_softmax(-1)

    def worded(self, kinds: Tensor, genders: Tensor) -> Tensor:  # [..., relations]
        """The relations of these kinds and genders."""
        return kinds[..., self.kind] + torch.where(self.has_gender, genders[..., self.gender], 0.0)
