"""Adam against torch's."""

import os
import subprocess
import sys

import pytest
import torch
from torch import Tensor

from clutrr.experiment.adam import Adam, Group

RATES = (0.01, 0.1)


def weights() -> list[Tensor]:
    torch.manual_seed(0)
    return [torch.randn(size, requires_grad=True) for size in ((5, 3), (7,), (2, 2))]


def loss(given: list[Tensor], step: int) -> Tensor:
    """The second weight has no gradient in every other step."""
    used = [given[0], given[2]] if step % 2 else given
    return torch.stack([(weight**3).sum().sin() for weight in used]).sum()


def test_as_torch_does_it() -> None:
    ours, theirs = weights(), weights()
    adam = Adam((Group(ours[:2], RATES[0]), Group(ours[2:], RATES[1])))
    groups = [{"params": theirs[:2], "lr": RATES[0]}, {"params": theirs[2:], "lr": RATES[1]}]
    reference = torch.optim.Adam(groups, foreach=True)
    for step in range(6):
        adam.forget_gradients()
        reference.zero_grad()
        pace = 1.0 if step < 3 else 0.5
        for group, rate in zip(reference.param_groups, RATES, strict=True):
            group["lr"] = pace * rate
        loss(ours, step).backward()
        loss(theirs, step).backward()
        adam.step(pace)
        reference.step()
        for one, other in zip(ours, theirs, strict=True):
            assert torch.equal(one, other)
            for name, value in adam.remembered(one).items():
                assert torch.equal(value, reference.state[other][name])


@pytest.mark.process
def test_no_compiler_is_loaded() -> None:
    code = (
        "import sys, torch; from clutrr.experiment.adam import Adam, Group; "
        "weight = torch.ones(2, requires_grad=True); weight.sum().backward(); "
        "Adam((Group([weight], 0.1),)).step(); print('torch._dynamo' in sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
