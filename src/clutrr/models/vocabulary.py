"""Words, marks for entities, and relations as kinds and forms: all that a model can tell apart.

A relation is a kind in a form: two words of one kind differ by the form of the entity that they name. What
follows from what depends on kinds alone. All that models take from a world is taken here.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from clutrr.world import World

# Numbers of no word. A sentence that links two entities is read from both ends; the marks
# tell which mention is the reader's own, which the other's, and which of them comes first.
PADDING, UNKNOWN, SELF_FIRST, OTHER_SECOND, OTHER_FIRST, SELF_SECOND, BYSTANDER = range(7)
RESERVED = 7
ANY = -1  # the form of a relation that tells none
NO_TARGET = -1  # a relation that the model cannot answer
_TINY = 1e-6  # so that no form is excluded for good


@dataclass(frozen=True)
class Vocabulary:
    """The words of the training stories, and the relations that can be answered.

    A word's number is its place in `words` plus RESERVED; a relation's number is its place.
    forms: for each relation the number of its kind and its form, such as (0, 1) for the second form of
    kind 0; a relation that no world has is of a separate kind, with the form ANY. Without forms, that
    goes for every relation.
    """

    words: tuple[str, ...]
    relations: tuple[str, ...]
    forms: tuple[tuple[int, int], ...] = field(default=(), compare=False)  # they follow from the world

    def __post_init__(self) -> None:
        kinds, forms = ({form[place] for form in self.forms} for place in (0, 1))
        counted = len(self.forms) in (0, len(self.relations))
        if not counted or any(of != set(range(len(of))) for of in (kinds, forms - {ANY})):
            raise ValueError("forms: not a kind and a form for each relation")

    @classmethod
    def of(cls, words: Iterable[str], relations: Iterable[str], world: World) -> "Vocabulary":
        """Return the words in alphabetical order; the relations of the world by kind, then any others."""
        forms = {
            word: (kind, form if len(one.words) > 1 else ANY)
            for kind, one in enumerate(world.kinds)
            for form, word in enumerate(one.words)
        }
        for other in sorted(set(relations) - set(forms)):
            forms[other] = (max((kind for kind, _ in forms.values()), default=-1) + 1, ANY)
        return cls(tuple(sorted(set(words))), tuple(forms), tuple(forms.values()))

    @property
    def size(self) -> int:
        return RESERVED + len(self.words)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: RESERVED + i for i, word in enumerate(self.words)}

    def numbers(self, words: Iterable[str]) -> npt.NDArray[np.int64]:
        """Return their numbers; UNKNOWN for words that were not in the training stories."""
        return np.array([self._numbers.get(word, UNKNOWN) for word in words], np.int64)

    def targets(self, relations: Iterable[str]) -> Tensor:
        """Return the numbers of answers; NO_TARGET for those that cannot be given."""
        known = {relation: number for number, relation in enumerate(self.relations)}
        return torch.tensor([known.get(relation, NO_TARGET) for relation in relations], dtype=torch.int64)


@dataclass(frozen=True)
class KindTable:
    """The relation kinds of a world by number.

    converse: of each kind. possible[a, b, c]: whether c can hold where a leads to an entity and b on
    from there. label: the relation that a kind and a form are, as an answer by number; -1 for none.
    meaning: the kind and the form of each relation; ANY where there are no forms. forms: their names.
    """

    names: tuple[str, ...]
    converse: Tensor  # [C]
    possible: Tensor  # [C, C, C], bool
    label: Tensor  # [C, F]: a column for each form, or one if there are none
    meaning: dict[str, tuple[int, int]]
    forms: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def of(cls, world: World, relations: Sequence[str]) -> "KindTable":
        """relations: the answers, in their order. One that is no relation of the world is never given."""
        answer = {relation: number for number, relation in enumerate(relations)}
        names = tuple(kind.name for kind in world.kinds)
        possible = torch.zeros(len(names), len(names), len(names), dtype=torch.bool)
        for a, one in enumerate(names):
            for b, other in enumerate(names):
                for kind in world.theory.compose(world.labels, (one, other)).kinds:
                    possible[a, b, world.index[kind]] = True
        return cls(
            names,
            torch.tensor([world.index[kind.converse] for kind in world.kinds]),
            possible,
            torch.tensor([[answer.get(word, -1) for word in kind.words] for kind in world.kinds]),
            {word: (world.index[kind.name], form) for word, (kind, form) in world.meaning.items()},
            world.forms,
        )


def form_of(entity: Mapping[str, Any], kinds: KindTable) -> int | None:
    """Return the form of an entity of a puzzle by number; None where it is not known."""
    return kinds.forms.index(entity["form"]) if entity["form"] in kinds.forms else None


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
