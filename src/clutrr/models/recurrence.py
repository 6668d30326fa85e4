"""The recurrence of an LSTM in both directions over padded stories.

Each direction reads the words from its own end and meets the padding last, so that padding changes
nothing. What stands at a word stands at its place in the text in both directions.

Shapes: T words, B stories, 2 directions, H units, and 4 gates in torch's order: into, keep, new, out. What
comes to the gates has those of a unit side by side: see `by_unit`.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from warnings import warn

import torch
from torch import Tensor
from torch.nn.functional import embedding

_MOST = 64  # units whose weights the registers of a multiprocessor have room for


def fused(device: torch.device, hidden: int) -> bool:
    """Whether the recurrence is one kernel: on a GPU, unless there are too many units (the paper has 50)."""
    return device.type == "cuda" and hidden <= _MOST and _has_kernels(hidden)


@cache
def _has_kernels(hidden: int) -> bool:
    """Whether the kernels can be compiled here, and do what they should."""
    why = "they do not agree with the equations"
    try:
        # In a thread of its own: the one that asks may be in the midst of a vmap or of a recording.
        with ThreadPoolExecutor(1) as aside:
            if aside.submit(_agree, hidden).result():
                return True
    except Exception as error:  # a torch that cannot compile kernels, or a GPU of another make
        # A compiler's first line only says that it failed, the second why.
        why = " ".join(str(error).split("\n")[:2]).strip() or type(error).__name__
    warn(f"the LSTM's kernels cannot be used on this GPU, so it is slower: {why}", stacklevel=2)
    return False


def _agree(hidden: int) -> bool:
    """Whether kernels and equations give the same states and gradients for two layers and a few stories."""
    from clutrr.models import kernels

    some = torch.Generator().manual_seed(0)
    sizes = ((5, 2, hidden, 4), (8 * hidden, 2 * hidden), (2, 4 * hidden, hidden), (2, hidden, 4))
    given = [0.3 * torch.randn(size, generator=some) for size in sizes]
    length, number = torch.tensor([4, 1, 2]), torch.randint(5, (4, 3), generator=some)
    inside = (torch.arange(4)[:, None] < length)[..., None, None]
    weights = torch.rand(3, 2, 4, generator=some)
    found = []
    for device in ("cpu", "cuda"):
        leaves = [value.to(device).requires_grad_() for value in given]
        rows, weight, w, bias = leaves
        there, named, on_gpu = length.to(device), number.to(device), device == "cuda"
        step = kernels.recurrence if on_gpu else recurrence
        below = step(rows, w, there, None, named) * inside.to(device)
        x = (kernels.project if on_gpu else project)(below.flatten(2), weight).view(4, 3, 2, hidden, 4)
        states = (step(x, w, there, bias) * inside.to(device)).flatten(2)
        pooled = (kernels.pool if on_gpu else pool)(weights.to(device), states)
        gradients = torch.autograd.grad(pooled.square().sum(), leaves)
        found.append([value.detach().cpu() for value in (pooled, *gradients)])
    return all(torch.allclose(one, other, atol=1e-4) for one, other in zip(*found, strict=True))


def by_unit(weight: Tensor) -> Tensor:  # [H, 4, ...]
    """A weight or bias of torch's, [4 H, ...], with the gates of a unit side by side."""
    return weight.view(4, -1, *weight.shape[1:]).transpose(0, 1)


def project(states: Tensor, weight: Tensor) -> Tensor:  # [T, B, 8 H]
    """states [T, B, 2 H] times weight [8 H, 2 H]."""
    if fused(states.device, weight.shape[0] // 8):
        from clutrr.models.kernels import project as kernel

        return kernel(states, weight)
    return torch.mm(states.flatten(0, 1), weight.T).view(*states.shape[:2], -1)


def recurrence(
    x: Tensor, w: Tensor, length: Tensor, bias: Tensor | None = None, number: Tensor | None = None
) -> Tensor:  # [T, B, 2, H]
    """The states. x: what comes to the gates from the input [T, B, 2, H, 4]. w: [2, 4 H, H]. length: [B].

    bias: what comes to them besides [2, H, 4]. number: the row of each word, [T, B], if words share rows; x
    is then [rows, 2, H, 4].
    """
    if fused(x.device, w.shape[-1]):
        from clutrr.models.kernels import recurrence as kernel

        return kernel(x, w, length, bias, number)
    if number is not None:
        x = embedding(number, x.flatten(1)).view(*number.shape, *x.shape[1:])
    if bias is not None:
        x = x + bias
    x = x.transpose(-1, -2).flatten(-2)  # [T, B, 2, 4 H]
    place = turned(length, len(x)).T[..., None]  # [T, B, 1]
    gates = torch.stack([x[:, :, 0], x[:, :, 1].gather(0, place.expand(-1, -1, x.shape[-1]))], 1)
    h, c = update(gates[0], None)  # [2, B, H]
    states = [h]
    for t in range(1, len(x)):
        h, c = update(torch.baddbmm(gates[t], h, w.transpose(1, 2)), c)
        states.append(h)
    ahead, back = torch.stack(states, 1)  # [T, B, H]
    return torch.stack([ahead, back.gather(0, place.expand(-1, -1, back.shape[-1]))], 2)


def pool(weights: Tensor, states: Tensor) -> Tensor:  # [B, n, 2 H]
    """Sums of the states of each story's words, [T, B, 2 H], with weights [B, n, T] that are not learnt."""
    if fused(states.device, states.shape[-1] // 2):
        from clutrr.models.kernels import pool as kernel

        return kernel(weights, states)
    return torch.bmm(weights, states.transpose(0, 1))


def turned(length: Tensor, steps: int) -> Tensor:  # [B, T]
    """The word that the second direction is at in each step; the other way round it is the same."""
    step = torch.arange(steps, device=length.device)
    return torch.where(step < length[:, None], length[:, None] - 1 - step, step)


def update(gates: Tensor, c: Tensor | None) -> tuple[Tensor, Tensor]:
    """An LSTM's next state and cell from the sums before its gates; without c from a cell of zeros."""
    into, keep, new, out = gates.chunk(4, dim=-1)
    added = torch.sigmoid(into) * torch.tanh(new)
    c = added if c is None else torch.addcmul(added, torch.sigmoid(keep), c)
    return torch.sigmoid(out) * torch.tanh(c), c
