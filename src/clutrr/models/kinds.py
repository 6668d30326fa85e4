"""Relations as kinds and genders, and which kind can follow from two: what a world says, as tensors."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from clutrr.world import World


@dataclass(frozen=True)
class Kinds:
    """The relation kinds of a world by number.

    inverse: of each kind. possible[a, b, c]: whether c can hold where a leads to somebody and b on
    from there. label: the relation that a kind and a gender are, as an answer by number.
    meaning: the kind and the gender of each relation.
    """

    names: tuple[str, ...]
    inverse: Tensor  # [C]
    possible: Tensor  # [C, C, C], bool
    label: Tensor  # [C, 2]
    meaning: dict[str, tuple[int, int]]

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def of(cls, world: World, relations: Sequence[str]) -> "Kinds":
        """relations: the answers, in their order. One that is no relation of the world is never given."""
        answer = {relation: number for number, relation in enumerate(relations)}
        names = tuple(kind.name for kind in world.kinds)
        possible = torch.zeros(len(names), len(names), len(names), dtype=torch.bool)
        for a, one in enumerate(names):
            for b, other in enumerate(names):
                for kind in world.compose((one, other)).kinds:
                    possible[a, b, world.index[kind]] = True
        return cls(
            names,
            torch.tensor([world.index[kind.inverse] for kind in world.kinds]),
            possible,
            torch.tensor([[answer.get(word, -1) for word in kind.words] for kind in world.kinds]),
            {word: (world.index[kind.name], gender) for word, (kind, gender) in world.meaning.items()},
        )
