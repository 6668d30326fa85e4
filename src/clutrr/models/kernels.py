"""The recurrence of an LSTM in both directions, for many stories and many trainings, as one kernel on a GPU.

The kernels are in lstm.cu; NVRTC, which comes with torch, compiles them when they are first used.

Shapes: N trainings, B stories, T words, 2 directions, H units, 4 gates (in torch's order: into,
keep, new, out). What stands at a word stands at its place in the text in both directions; the
second direction starts at the last word of each story. Where the story is over the states are zero.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import torch
from torch import Tensor

_TILES = (1, 2, 4)  # of eight stories that a block may have
_STORIES = 8
_WARP = 32
_KERNELS = ("ahead", "back")


def recurrence(x: Tensor, w: Tensor, length: Tensor, bias: Tensor | None) -> Tensor:  # [T, B, 2, H]
    """The states of an LSTM. x, bias: what comes to its gates, [T, B, 2, H, 4], [2, H, 4]. w: [2, 4 H, H]."""
    bias = x.new_zeros(x.shape[2:]) if bias is None else bias
    found = _Recurrence.apply(x[None], w[None], bias[None], length[None])  # type: ignore[no-untyped-call]
    h: Tensor = found[0]
    return h.squeeze(0)


def project(states: Tensor, weight: Tensor) -> Tensor:  # [T, B, out]
    """states [T, B, in] times weight [out, in]."""
    found: Tensor = _Projection.apply(states[None], weight[None])  # type: ignore[no-untyped-call]
    return found.squeeze(0)


class _Recurrence(torch.autograd.Function):
    """For N trainings: the states, those before each step, the cells and the gates."""

    @staticmethod
    def forward(x: Tensor, w: Tensor, bias: Tensor, length: Tensor) -> tuple[Tensor, ...]:
        hidden = w.shape[-1]
        h, before, c = (x.new_empty(*x.shape[:-2], hidden) for _ in range(3))
        gates = torch.empty_like(x, memory_format=torch.contiguous_format)
        given = (part.contiguous() for part in (x, w, bias, length))
        _by_stories("ahead", -(-hidden // 8), hidden, *given, h, before, c, gates)
        return h, before, c, gates

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: tuple[Tensor, ...]) -> None:
        _, w, _, length = inputs
        _, before, c, gates = output
        ctx.mark_non_differentiable(before, c, gates)
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(w, length, before, c, gates)

    @staticmethod
    def backward(ctx: Any, dh: Tensor, *others: None) -> tuple[Tensor, Tensor, Tensor, None]:
        w, length, before, c, gates = ctx.saved_tensors
        hidden = w.shape[-1]
        dx, dbias = torch.empty_like(gates), gates.new_zeros(len(gates), *gates.shape[3:])
        given = w.contiguous(), length.contiguous(), c, gates, dh.contiguous()
        _by_stories("back", 2 * -(-hidden // 16), hidden, *given, dbias, dx)
        each = dx.flatten(-2)
        dw = [_of_weight(each[..., direction, :], before[..., direction, :]) for direction in (0, 1)]
        by_gate = torch.stack(dw, 1).view(len(w), 2, hidden, 4, hidden).transpose(2, 3)
        return dx, by_gate.flatten(2, 3), dbias, None

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *given: Tensor) -> tuple[Any, Any]:
        given = _together(info.batch_size, in_dims, given)
        found = _Recurrence.apply(*given)  # type: ignore[no-untyped-call]
        return tuple(_apart(info.batch_size, part) for part in found), (0, 0, 0, 0)


class _Projection(torch.autograd.Function):
    """For N trainings. Only the gradient of the weight is unusual: see `_of_weight`."""

    @staticmethod
    def forward(states: Tensor, weight: Tensor) -> Tensor:
        return torch.bmm(states.flatten(1, 2), weight.transpose(1, 2)).view(*states.shape[:3], -1)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
        states, weight = ctx.saved_tensors
        return torch.bmm(grad.flatten(1, 2), weight).view_as(states), _of_weight(grad, states)

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *given: Tensor) -> tuple[Tensor, int]:
        given = _together(info.batch_size, in_dims, given)
        return _apart(info.batch_size, _Projection.apply(*given)), 0  # type: ignore[no-untyped-call]


def _together(size: int, in_dims: tuple[int | None, ...], given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Trainings of two dimensions as trainings of one."""
    return tuple(
        (value.expand(size, *value.shape) if dim is None else value.movedim(dim, 0)).flatten(0, 1)
        for value, dim in zip(given, in_dims, strict=True)
    )


def _apart(size: int, value: Tensor) -> Tensor:
    """And of one as of two."""
    return value.view(size, -1, *value.shape[1:])


def _of_weight(grad: Tensor, given: Tensor) -> Tensor:  # [N, out, in]
    """The gradient of a weight, from that of [N, T, B, out] and what was given [N, T, B, in].

    In as many parts as there are stories, then summed: a product of few numbers with a sum over all words
    would keep only few multiprocessors at work.
    """
    trainings, words, stories = grad.shape[:3]
    one, other = (value.reshape(trainings * stories, words, -1) for value in (grad, given))
    parts = torch.bmm(one.transpose(1, 2), other)
    return parts.view(trainings, stories, *parts.shape[1:]).sum(1)


def _by_stories(name: str, warps: int, hidden: int, *given: Tensor) -> None:
    """Run a kernel whose blocks, of this many warps, have some stories of a training in one direction."""
    trainings, words, stories = given[-1].shape[:3]
    tiles = _tiles(stories, 2 * trainings, given[-1].device)
    grid = (-(-stories // (_STORIES * tiles)), 2 * trainings, 1)
    _launch(name, hidden, tiles, grid, warps, [*given, stories, words])


def _tiles(stories: int, groups: int, device: torch.device) -> int:
    """As few stories a block as leave a multiprocessor for each block."""
    room = torch.cuda.get_device_properties(device).multi_processor_count
    return next((tiles for tiles in _TILES if -(-stories // (_STORIES * tiles)) * groups <= room), _TILES[-1])


def _launch(
    name: str, hidden: int, tiles: int, grid: tuple[int, int, int], warps: int, given: list[Tensor | int]
) -> None:
    _kernels(hidden, tiles)[name](grid, (_WARP * warps, 1, 1), given)


@cache
def _kernels(hidden: int, tiles: int) -> Mapping[str, Any]:
    from torch.cuda._utils import _cuda_load_module, _nvrtc_compile

    source = files("clutrr.models").joinpath("lstm.cu").read_text(encoding="utf-8")
    binary, _ = _nvrtc_compile(f"#define HIDDEN {hidden}\n#define TILES {tiles}\n{source}", _KERNELS[0])
    loaded: Any = _cuda_load_module(binary, list(_KERNELS))
    return {name: loaded[name] for name in _KERNELS}
