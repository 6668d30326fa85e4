"""The recurrence of an LSTM in both directions, for many stories and many trainings, as one kernel on a GPU;
and the products around it.

The kernels are in lstm.cu and products.cu; NVRTC, which comes with torch, compiles them when they are first
used.

Shapes: N trainings, B stories, T words, 2 directions, H units, 4 gates (in torch's order: into,
keep, new, out). What stands at a word stands at its place in the text in both directions; the
second direction starts at the last word of each story. Where the story is over the states are zero.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import torch
from torch import Tensor

_TILES = (1, 2, 4)  # of eight stories that a block may have
_STORIES = 8
_WARP = 32
_PRODUCTS = ("to_gates", "to_states", "of_input", "of_states")
_FIRST = "tensor_cores.cu"  # what the others need
_KERNELS = {
    "lstm.cu": ("ahead", "back"),
    "products.cu": (*_PRODUCTS, "pool", "unpool"),
}
# Products that a block sums up at a time, how many such parts it has in shared memory, and the words of a
# block that multiplies by a weight.
_AT_ONCE, _STAGES, _TOKENS = 16, 3, 128


def recurrence(
    x: Tensor, w: Tensor, length: Tensor, bias: Tensor | None, number: Tensor | None = None
) -> Tensor:  # [T, B, 2, H]
    """The states of an LSTM. x, bias: what comes to its gates, [T, B, 2, H, 4], [2, H, 4]. w: [2, 4 H, H].

    number: the row of each word, [T, B], if words share rows; then x is [rows, 2, H, 4].
    """
    bias = x.new_zeros(x.shape[-3:]) if bias is None else bias
    rows = None if number is None else number[None]
    found = _Recurrence.apply(x[None], w[None], bias[None], length[None], rows)  # type: ignore[no-untyped-call]
    h: Tensor = found[0]
    return h.squeeze(0)


def project(states: Tensor, weight: Tensor) -> Tensor:  # [T, B, 8 H]
    """states [T, B, 2 H] times weight [8 H, 2 H]."""
    found: Tensor = _Projection.apply(states[None], weight[None])  # type: ignore[no-untyped-call]
    return found.squeeze(0)


def pool(weights: Tensor, states: Tensor) -> Tensor:  # [B, n, 2 H]
    """Sums of the states of each story's words, [T, B, 2 H], with weights [B, n, T] that are not learnt."""
    found: Tensor = _Pooled.apply(weights[None], states[None])  # type: ignore[no-untyped-call]
    return found.squeeze(0)


class _Recurrence(torch.autograd.Function):
    """For N trainings: the states, the cells and the gates."""

    @staticmethod
    def forward(
        x: Tensor, w: Tensor, bias: Tensor, length: Tensor, number: Tensor | None
    ) -> tuple[Tensor, ...]:
        hidden, named = w.shape[-1], number is not None
        places = x.shape[:3] if number is None else number.shape
        h, c = (x.new_empty(*places, 2, hidden) for _ in range(2))
        gates = x.new_empty(*places, 2, hidden, 4)
        given = [part.contiguous() for part in (x, w, bias, length)]
        rows = _of_all(number, x.shape[1]) if number is not None else given[-1]
        _by_stories("ahead", -(-hidden // 8), hidden, [*given, rows, h, c, gates], named)
        return h, c, gates

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
        x, w, _, length, number = inputs
        h, c, gates = output
        ctx.mark_non_differentiable(c, gates)
        ctx.set_materialize_grads(False)
        ctx.rows = x.shape[1]
        ctx.save_for_backward(w, length, number, h, c, gates)

    @staticmethod
    def backward(ctx: Any, dh: Tensor, *others: None) -> tuple[Tensor, Tensor, Tensor, None, None]:
        w, length, number, h, c, gates = ctx.saved_tensors
        hidden, named = w.shape[-1], number is not None
        dx, dbias = torch.empty_like(gates), gates.new_zeros(len(gates), *gates.shape[3:])
        given = [w.contiguous(), length.contiguous(), c, gates, dh.contiguous()]
        drows = gates.new_zeros(len(gates), ctx.rows, *gates.shape[3:]) if named else dx
        rows = _of_all(number, ctx.rows) if named else given[1]
        _by_stories("back", 2 * -(-hidden // 16), hidden, [*given, rows, drows, dbias, dx], named)
        dw = _gradient("of_states", hidden, dx, h).transpose(2, 3)
        return drows, dw.flatten(2, 3), dbias, None, None

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *given: Tensor | None) -> tuple[Any, Any]:
        given = _together(info.batch_size, in_dims, given)
        found = _Recurrence.apply(*given)  # type: ignore[no-untyped-call]
        return tuple(_apart(info.batch_size, part) for part in found), (0, 0, 0)


class _Projection(torch.autograd.Function):
    """For N trainings: from the states of both directions to all gates. None of it is left to torch, which
    does not use tensor cores at full precision."""

    @staticmethod
    def forward(states: Tensor, weight: Tensor) -> Tensor:
        return _product("to_gates", states.contiguous(), weight)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
        states, weight = ctx.saved_tensors
        grad = grad.contiguous()
        dw = _gradient("of_input", weight.shape[2] // 2, grad, states.contiguous())
        return _product("to_states", grad, weight), dw.flatten(1, 3)

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *given: Tensor | None) -> tuple[Tensor, int]:
        given = _together(info.batch_size, in_dims, given)
        return _apart(info.batch_size, _Projection.apply(*given)), 0  # type: ignore[no-untyped-call]


class _Pooled(torch.autograd.Function):
    """For N trainings. A product of torch's would need the states story by story, and so a copy of them."""

    @staticmethod
    def forward(weights: Tensor, states: Tensor) -> Tensor:
        pooled = states.new_empty(*weights.shape[:3], states.shape[-1])
        _by_story("pool", weights.contiguous(), pooled, states.contiguous())
        return pooled

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        ctx.save_for_backward(inputs[0])

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[None, Tensor]:
        (weights,) = ctx.saved_tensors
        trainings, stories, _, words = weights.shape
        states = grad.new_empty(trainings, words, stories, grad.shape[-1])
        _by_story("unpool", weights.contiguous(), grad.contiguous(), states)
        return None, states

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *given: Tensor | None) -> tuple[Tensor, int]:
        given = _together(info.batch_size, in_dims, given)
        return _apart(info.batch_size, _Pooled.apply(*given)), 0  # type: ignore[no-untyped-call]


def _together(
    size: int, in_dims: tuple[int | None, ...], given: tuple[Tensor | None, ...]
) -> tuple[Tensor | None, ...]:
    """Trainings of two dimensions as trainings of one."""
    return tuple(
        value
        if value is None
        else (value.expand(size, *value.shape) if dim is None else value.movedim(dim, 0)).flatten(0, 1)
        for value, dim in zip(given, in_dims, strict=True)
    )


def _apart(size: int, value: Tensor) -> Tensor:
    """The reverse: trainings of one dimension as trainings of two."""
    return value.view(size, -1, *value.shape[1:])


def _product(name: str, given: Tensor, weight: Tensor) -> Tensor:  # [N, T, B, 8 H] or [N, T, B, 2 H]
    """What is given for each word times a weight [N, 8 H, 2 H], or, from states to gates, its transpose."""
    blocks = 4 if name == "to_gates" else 1
    trainings, words, stories = given.shape[:3]
    hidden, tokens = weight.shape[2] // 2, words * stories
    out = given.new_empty(trainings, words, stories, 2 * hidden * blocks)
    grid = (blocks * -(-tokens // _TOKENS), trainings, 1)
    _launch(name, hidden, grid, _TOKENS // _WARP, [given, weight.contiguous(), out, tokens])
    return out


def _gradient(name: str, hidden: int, dx: Tensor, given: Tensor) -> Tensor:  # [N, 2, H, 4, in]
    """The gradient of a weight, from that of the gates [N, T, B, 8 H] and what came to them [N, T, B, 2 H].

    Sums are over all words: two blocks for each multiprocessor, of all trainings together, share them.
    """
    trainings, words, stories = dx.shape[:3]
    inputs = 2 * hidden if name == "of_input" else hidden
    dw = dx.new_zeros(trainings, 2, hidden, 4, inputs)
    grid = (max(1, _multiprocessors(dx.device) // trainings), 2 * trainings, 1)
    _launch(name, hidden, grid, -(-hidden // 4), [dx, given, dw, stories, words])
    return dw


def _of_all(number: Tensor, rows: int) -> Tensor:  # [N, T, B]
    """The row of each word among the rows of all trainings."""
    first = torch.arange(0, len(number) * rows, rows, device=number.device)
    return (number + first[:, None, None]).contiguous()


def _by_stories(name: str, warps: int, hidden: int, given: list[Tensor], named: bool) -> None:
    """Run a kernel whose blocks, of this many warps, have some stories of a training in one direction."""
    trainings, words, stories = given[-1].shape[:3]
    tiles = _tiles(stories, 2 * trainings, given[-1].device)
    grid = (-(-stories // (_STORIES * tiles)), 2 * trainings, 1)
    _launch(name, hidden, grid, warps, [*given, int(named), stories, words], tiles)


def _by_story(name: str, weights: Tensor, pooled: Tensor, states: Tensor) -> None:
    """Run a kernel whose blocks, of one warp, have a node or 32 words of a story of a training."""
    trainings, stories, nodes, words = weights.shape
    grid = (stories * (nodes if name == "pool" else -(-words // _WARP)), trainings, 1)
    _launch(name, states.shape[-1] // 2, grid, 1, [weights, pooled, states, nodes, stories, words])


def _tiles(stories: int, groups: int, device: torch.device) -> int:
    """As few stories a block as leave a multiprocessor for each block."""
    room = _multiprocessors(device)
    return next((tiles for tiles in _TILES if -(-stories // (_STORIES * tiles)) * groups <= room), _TILES[-1])


def _multiprocessors(device: torch.device) -> int:
    return torch.cuda.get_device_properties(device).multi_processor_count


def _launch(
    name: str,
    hidden: int,
    grid: tuple[int, int, int],
    warps: int,
    given: Sequence[Tensor | int],
    tiles: int = 0,
) -> None:
    shared = _room(hidden) if name in _PRODUCTS else 0
    _kernels("lstm.cu" if tiles else "products.cu", hidden, tiles)[name](
        grid, (_WARP * warps, 1, 1), list(given), shared
    )


def _room(hidden: int) -> int:
    """Bytes of shared memory for a product: the most that one of them puts there."""
    columns = -(-2 * hidden // 8) * 8
    gates, numbers = ((size + 23) // 32 * 32 + 8 for size in (4 * hidden, columns))
    gradient = _AT_ONCE * (gates + numbers)
    product = _TOKENS * (_AT_ONCE + 4) + max(columns * (_AT_ONCE + 4), _AT_ONCE * numbers)
    return 4 * _STAGES * max(gradient, product)


def defined(hidden: int, tiles: int) -> dict[str, int]:
    """What the kernels do not say themselves."""
    sizes = {"HIDDEN": hidden, "TILES": tiles, "ROOM": _room(hidden)}
    return sizes | {"AT_ONCE": _AT_ONCE, "STAGES": _STAGES, "TOKENS": _TOKENS}


@cache
def _kernels(file: str, hidden: int, tiles: int) -> Mapping[str, Any]:
    from torch.cuda._utils import _cuda_load_module, _nvrtc_compile

    parts = [f"#define {name} {value}\n" for name, value in defined(hidden, tiles).items()]
    parts += [files("clutrr.models").joinpath(part).read_text(encoding="utf-8") for part in (_FIRST, file)]
    binary, _ = _nvrtc_compile("".join(parts), _KERNELS[file][0])
    loaded: Any = _cuda_load_module(binary, list(_KERNELS[file]))
    for name in set(_PRODUCTS) & loaded.keys():
        loaded[name].set_shared_memory_config(_room(hidden))
    return {name: loaded[name] for name in _KERNELS[file]}
