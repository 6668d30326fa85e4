"""Adam, by torch's own function.

`torch.optim.Adam` computes the same, but the first one to be made loads torch's compiler, which
takes seconds and is not used here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.optim.adam import adam

_BETAS, _EPSILON = (0.9, 0.999), 1e-8  # as torch has them


@dataclass(frozen=True)
class Group:
    """Weights that learn at one rate."""

    weights: Sequence[Tensor]
    rate: float


@dataclass(frozen=True)
class Adam:
    """The weights, and what is remembered of each: `step`, `exp_avg` and `exp_avg_sq`, as torch names them.

    fused: in one kernel, with the count of steps on the same device; else as few calls as may be.
    capturable: a step can be recorded.
    """

    groups: tuple[Group, ...]
    fused: bool = False
    capturable: bool = False
    state: dict[Tensor, dict[str, Tensor]] = field(default_factory=dict)

    @property
    def weights(self) -> Iterator[Tensor]:
        return (weight for group in self.groups for weight in group.weights)

    def forget_gradients(self) -> None:
        for weight in self.weights:
            weight.grad = None

    @torch.no_grad()
    def step(self, pace: float = 1.0) -> None:
        """Learn from the gradients, at this share of the rates; a weight that has none stays as it is."""
        for group in self.groups:
            weights = [weight for weight in group.weights if weight.grad is not None]
            states = [self.remembered(weight) for weight in weights]
            adam(
                weights,
                [weight.grad for weight in weights if weight.grad is not None],
                [state["exp_avg"] for state in states],
                [state["exp_avg_sq"] for state in states],
                [],
                [state["step"] for state in states],
                **self._how,
                amsgrad=False,
                beta1=_BETAS[0],
                beta2=_BETAS[1],
                lr=pace * group.rate,
                weight_decay=0.0,
                eps=_EPSILON,
                maximize=False,
            )

    @property
    def _how(self) -> dict[str, Any]:
        return {"foreach": not self.fused, "fused": self.fused, "capturable": self.capturable}

    def remembered(self, weight: Tensor) -> dict[str, Tensor]:
        """What is remembered of a weight: zeros before the first step."""
        if weight not in self.state:
            device = weight.device if self.fused or self.capturable else torch.device("cpu")
            self.state[weight] = {
                "step": torch.zeros((), device=device),
                "exp_avg": torch.zeros_like(weight, memory_format=torch.preserve_format),
                "exp_avg_sq": torch.zeros_like(weight, memory_format=torch.preserve_format),
            }
        return self.state[weight]
