"""The kernels of the LSTM against torch's own: run on the CPU, as they are, and on a GPU."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from clutrr.models import kernels
from clutrr.models.recurrence import by_unit, fused, project, recurrence

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


@pytest.mark.process
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
@pytest.mark.parametrize(("tiles", "hidden"), [(1, 3), (2, 10), (3, 17)])
def test_the_kernels_on_the_cpu(
    tiles: int, hidden: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Path(kernels.__file__).with_name("lstm.cu")
    built = tmp_path / "lstm.so"
    command = ["g++", "-std=c++20", "-O1", "-w", "-shared", "-fPIC", "-pthread", f'-DKERNELS="{source}"']
    command += [f"-DHIDDEN={hidden}", f"-DTILES={tiles}", str(HERE / "lstm_on_cpu.cpp"), "-o", str(built)]
    subprocess.run(command, check=True)
    library = ctypes.CDLL(str(built))

    def launch(name: str, hidden: int, tiles: int, grid: tuple, warps: int, given: list) -> None:
        pointers = [
            ctypes.c_void_p(value.data_ptr()) if isinstance(value, Tensor) else value for value in given
        ]
        getattr(library, f"run_{name}")(warps, *grid, *pointers)

    monkeypatch.setattr(kernels, "_launch", launch)
    monkeypatch.setattr(kernels, "_tiles", lambda *given: tiles)
    check(11, hidden, torch.device("cpu"), (kernels.project, kernels.recurrence))


@pytest.mark.gpu
@pytest.mark.parametrize("stories", [3, 100, 300, 700, 1700])  # every size of a block, and parts of one over
def test_the_kernels_on_a_gpu(stories: int) -> None:
    cuda = torch.device("cuda")
    assert fused(cuda, 50)
    with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
        for hidden in (50, 33):
            check(stories, hidden, cuda)
