"""The kernels of the LSTM against torch's own: run on the CPU, as they are, and on a GPU."""

import ctypes
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from clutrr.models import kernels
from clutrr.models.recurrence import _has_kernels, by_unit, fused, pool, project, recurrence

HERE = Path(__file__).parent


def by_torch(given: Tensor, length: Tensor, lstm: torch.nn.LSTM) -> Tensor:
    packed = pack_padded_sequence(given, length.cpu(), batch_first=True, enforce_sorted=False)
    return pad_packed_sequence(lstm(packed)[0], batch_first=True)[0]


def by_hand(given: Tensor, length: Tensor, lstm: torch.nn.LSTM, how=(project, recurrence)) -> Tensor:
    ways = ("", "_reverse")
    weight, one, other = (
        torch.stack([by_unit(getattr(lstm, f"{name}_l0{way}")) for way in ways])
        for name in ("weight_ih", "bias_ih", "bias_hh")
    )
    again = torch.stack([getattr(lstm, f"weight_hh_l0{way}") for way in ways])
    x = how[0](given.transpose(0, 1), weight.flatten(0, 2)).unflatten(-1, one.shape)
    return how[1](x, again, length, one + other).flatten(2).transpose(0, 1)


def check(stories: int, hidden: int, device: torch.device, how=(project, recurrence)) -> None:
    torch.manual_seed(0)
    lstm = torch.nn.LSTM(2 * hidden, hidden, bidirectional=True, batch_first=True).to(device)
    length = torch.randint(1, 8, (stories,), device=device)
    length[0] = 7
    given = torch.randn(stories, 7, 2 * hidden, device=device, requires_grad=True)
    inside = (torch.arange(7, device=device) < length[:, None])[..., None]
    weigh = torch.randn(stories, 7, 2 * hidden, device=device) * inside
    leaves = [given, *lstm.parameters()]
    expected = by_torch(given, length, lstm)
    found = by_hand(given, length, lstm, how) * inside
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
    wanted = torch.autograd.grad((expected * weigh).sum(), leaves)
    gradients = torch.autograd.grad((found * weigh).sum(), leaves)
    for one, other in zip(gradients, wanted, strict=True):
        torch.testing.assert_close(one, other, atol=1e-4 * float(other.abs().max()), rtol=1e-4)


def test_step_by_step() -> None:
    check(5, 4, torch.device("cpu"))


def built(tiles: int, hidden: int, folder: Path, *options: str) -> Path:
    """The kernels as a library for the CPU, with the arithmetic of tensor cores."""
    library = folder / "lstm.so"
    command = ["g++", "-std=c++20", "-O1", "-w", "-shared", "-fPIC", "-pthread", *options]
    command += [f"-I{Path(kernels.__file__).parent}"]
    command += [f"-D{name}={value}" for name, value in kernels.defined(hidden, tiles).items()]
    subprocess.run([*command, str(HERE / "lstm_on_cpu.cpp"), "-o", str(library)], check=True)
    return library


def use(run: Callable[..., None], tiles: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the CPU run the kernels. run: by name, by warps and grid, with what the kernel is given."""

    def launch(name: str, hidden: int, grid: tuple, warps: int, given: list, tiles: int = 0) -> None:
        assert max(grid[1:]) < 2**16  # what a GPU allows
        assert 32 * warps <= 1024
        run(name, (warps, *grid), given)

    monkeypatch.setattr(kernels, "_launch", launch)
    monkeypatch.setattr(kernels, "_tiles", lambda *given: tiles)
    # So few that words are divided among blocks.
    monkeypatch.setattr(kernels, "_multiprocessors", lambda device: 3)


def on_the_cpu(tiles: int, hidden: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = ctypes.CDLL(str(built(tiles, hidden, folder)))

    def run(name: str, launch: tuple, given: list) -> None:
        pointers = [
            ctypes.c_void_p(value.data_ptr()) if isinstance(value, Tensor) else value for value in given
        ]
        getattr(library, f"run_{name}")(*launch, *pointers)

    use(run, tiles, monkeypatch)


def watched(sanitizer: str, tiles: int, hidden: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same under a sanitizer, each kernel in a process of its own: see lstm_watched.py."""
    options = [f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all", "-g"]
    runtime = {"thread": "libtsan.so"}.get(sanitizer, "libasan.so")
    found = subprocess.run(["g++", f"-print-file-name={runtime}"], capture_output=True, text=True, check=True)
    if not Path(found.stdout.strip()).is_absolute():
        pytest.skip(f"needs {runtime}")
    library = str(built(tiles, hidden, folder, *options))
    rules = {"ASAN_OPTIONS": "detect_leaks=0", "TSAN_OPTIONS": "halt_on_error=1"}
    environment = os.environ | rules | {"LD_PRELOAD": found.stdout.strip()}

    def run(name: str, launch: tuple, given: list) -> None:
        tensors = [value for value in given if isinstance(value, Tensor)]
        plain = [value.numpy().tobytes() if isinstance(value, Tensor) else value for value in given]
        command = [sys.executable, "-S", str(HERE / "lstm_watched.py")]
        done = subprocess.run(
            command, input=pickle.dumps((library, name, launch, plain)), capture_output=True, env=environment
        )
        assert done.returncode == 0, done.stderr.decode()
        for tensor, left in zip(tensors, pickle.loads(done.stdout), strict=True):
            ctypes.memmove(tensor.data_ptr(), left, len(left))  # unseen by torch, as what a GPU writes

    use(run, tiles, monkeypatch)


NEEDS_COMPILER = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")


@pytest.mark.process
@NEEDS_COMPILER
@pytest.mark.parametrize(("tiles", "hidden"), [(1, 3), (2, 10), (3, 17)])
def test_the_kernels_on_the_cpu(
    tiles: int, hidden: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_the_cpu(tiles, hidden, tmp_path, monkeypatch)
    check(11, hidden, torch.device("cpu"), (kernels.project, kernels.recurrence))


def gradients(dx: Tensor, states: Tensor) -> tuple[Tensor, Tensor]:
    """Of the weights, [N, 2, H, 4, in], in the precision of what is given, [N, T, B, 2, H, (4)]."""
    none = torch.zeros_like(states[:, :1, :, 0])
    before = torch.stack(
        [torch.cat([none, states[:, :-1, :, 0]], 1), torch.cat([states[:, 1:, :, 1], none], 1)], 3
    )
    of_input = torch.einsum("ntbdhg,ntbi->ndhgi", dx, states.flatten(3))
    return of_input, torch.einsum("ntbdhg,ntbdi->ndhgi", dx, before)


def cut(values: Tensor) -> Tensor:
    """The eleven bits that a tensor core takes of each number."""
    return (values.view(torch.int32) & ~0x1FFF).view(torch.float32)


@pytest.mark.process
@NEEDS_COMPILER
def test_products_are_as_precise_as_plain_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_the_cpu(1, 6, tmp_path, monkeypatch)
    check_precision(6, torch.device("cpu"))


def two_layers(
    how: tuple, mentions: Tensor, rows: Tensor, weight: Tensor, again: Tensor, bias: Tensor, *which: Tensor
) -> Tensor:
    """The reader of a model but for its embeddings; how: to project, to recur and to pool."""
    length, number = which
    inside = (torch.arange(len(number), device=length.device)[:, None] < length)[..., None]
    below = how[1](rows, again, length, None, number).flatten(2) * inside
    x = how[0](below, weight).unflatten(-1, bias.shape)
    return how[2](mentions, how[1](x, again, length, bias).flatten(2) * inside)


def check_two_layers(
    hidden: int, trainings: int, words: int, stories: int, nodes: int, device: torch.device
) -> None:
    """Several trainings at once, by the kernels, against each alone, by equations on the CPU."""
    some = torch.Generator().manual_seed(2)
    sizes = ((7, 2, hidden, 4), (8 * hidden, 2 * hidden), (2, 4 * hidden, hidden), (2, hidden, 4))
    given = [hidden**-0.5 * torch.randn(trainings, *size, generator=some) for size in sizes]
    length = torch.randint(1, words + 1, (trainings, stories), generator=some)
    length[0, 0] = words
    number = torch.randint(7, (trainings, words, stories), generator=some)
    mentions = torch.rand(stories, nodes, words, generator=some)
    leaves = [value.to(device).requires_grad_() for value in given]
    ours = partial(two_layers, (kernels.project, kernels.recurrence, kernels.pool), mentions.to(device))
    together = torch.vmap(ours)(*leaves, length.to(device), number.to(device))
    found = torch.autograd.grad(together.square().sum(), leaves)
    for one in range(trainings):
        own = [value[one].detach().requires_grad_() for value in given]
        alone = two_layers((project, recurrence, pool), mentions, *own, length[one], number[one])
        wanted = (alone, *torch.autograd.grad(alone.square().sum(), own, materialize_grads=True))
        for mine, other in zip((together, *found), wanted, strict=True):
            most = float(other.detach().abs().max())
            torch.testing.assert_close(mine[one].cpu(), other, atol=1e-5 * most, rtol=1e-4)


def test_of_a_large_batch_a_gpu_can_number_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred thousand short stories; and longer ones of ten million words."""
    asked = []
    use(lambda *launch: asked.append(launch[:2]), 4, monkeypatch)
    for words, stories in ((30, 100_000), (500, 20_000)):
        states = torch.empty(1, words, stories, 4, device="meta")
        weight = torch.empty(1, 16, 4, device="meta")
        gates = kernels._product("to_gates", states, weight)
        assert kernels._product("to_states", gates, weight).shape == states.shape
        mentions = torch.empty(1, stories, 3, words, device="meta")
        pooled = kernels._Pooled.forward(mentions, states)
        kernels._by_story("unpool", mentions, pooled, states)
    assert asked[0] == ("to_gates", (4, 4 * 23_438, 1, 1))  # 128 words a block, each four times


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (RuntimeError("Kernel compilation failed:\nline 30: cp.async requires sm_80\nmore"), "cp.async"),
        (ImportError("no _nvrtc_compile"), "no _nvrtc_compile"),
        (KeyError(), "KeyError"),
    ],
)
def test_kernels_that_cannot_be_compiled_are_done_without(
    error: Exception, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: object) -> None:
        raise error

    monkeypatch.setattr("clutrr.models.recurrence._agree", fails)
    _has_kernels.cache_clear()
    with pytest.warns(UserWarning, match=f"slower: .*{why}"):
        assert not fused(torch.device("cuda"), 3)
    assert not fused(torch.device("cuda"), 3)  # and it is said once
    _has_kernels.cache_clear()


SIZES = [  # tiles, hidden, trainings, words, stories, nodes
    (1, 5, 3, 12, 4, 19),
    (1, 1, 1, 1, 1, 1),  # the least of everything
    (4, 2, 1, 34, 33, 1),  # words for two warps, stories for two blocks
    (2, 17, 1, 3, 2, 70),
]


@pytest.mark.process
@NEEDS_COMPILER
@pytest.mark.parametrize("sizes", SIZES)
def test_two_layers_of_several_trainings_on_the_cpu(
    sizes: tuple, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_the_cpu(*sizes[:2], tmp_path, monkeypatch)
    check_two_layers(*sizes[1:], torch.device("cpu"))


@pytest.mark.process
@pytest.mark.slow
@NEEDS_COMPILER
@pytest.mark.parametrize(
    ("sanitizer", "sizes"),
    [("address,undefined", (1, 3, 1, 9, 9, 2)), ("thread", (1, 9, 1, 9, 2, 2))],
)
def test_kernels_read_what_they_are_given_and_when_it_is_there(
    sanitizer: str, sizes: tuple, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched(sanitizer, *sizes[:2], tmp_path, monkeypatch)
    check_two_layers(*sizes[1:], torch.device("cpu"))


def products(dx: Tensor, states: Tensor, weight: Tensor) -> tuple[Tensor, ...]:
    """All that the kernels multiply, in the precision of what is given."""
    to_gates = torch.einsum("ntbi,noi->ntbo", states.flatten(3), weight)
    return to_gates, torch.einsum("ntbo,noi->ntbi", dx.flatten(3), weight), *gradients(dx, states)


def check_precision(hidden: int, device: torch.device, words: int = 41, stories: int = 13) -> None:
    some = torch.Generator().manual_seed(1)
    dx = torch.randn(
        2, words, stories, 2, hidden, 4, generator=some
    ).exp()  # a sum that only grows is the worst
    states = torch.rand(2, words, stories, 2, hidden, generator=some)
    weight = torch.rand(2, 8 * hidden, 2 * hidden, generator=some)
    grad, given, w = (value.to(device) for value in (dx, states, weight))
    found = (
        kernels._product("to_gates", given.flatten(3), w),
        kernels._product("to_states", grad.flatten(3), w),
        kernels._gradient("of_input", hidden, grad, given),
        kernels._gradient("of_states", hidden, grad, given),
    )
    exact = products(dx.double(), states.double(), weight.double())
    ways = (found, products(dx, states, weight), products(cut(dx), cut(states), cut(weight)))
    for number, right in enumerate(exact):
        ours, plain, coarse = (float((way[number].cpu() / right - 1).abs().max()) for way in ways)
        assert ours < max(4 * plain, 1e-6)
        assert coarse > 1e-4  # what one product in place of three comes to


@pytest.mark.gpu
@pytest.mark.parametrize("stories", [3, 100, 300, 700, 1700])  # every size of a block, and parts of one over
def test_the_kernels_on_a_gpu(stories: int) -> None:
    cuda = torch.device("cuda")
    assert fused(cuda, 50)
    with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
        for hidden in (50, 33):
            check(stories, hidden, cuda)


@pytest.mark.gpu
def test_products_on_a_gpu_are_as_precise_as_plain_ones() -> None:
    check_precision(50, torch.device("cuda"), words=517, stories=100)


@pytest.mark.gpu
@pytest.mark.parametrize(("hidden", "trainings"), [(50, 1), (50, 16), (33, 3), (64, 5)])
def test_two_layers_of_several_trainings_on_a_gpu(hidden: int, trainings: int) -> None:
    check_two_layers(hidden, trainings, 40, 100, 19, torch.device("cuda"))
