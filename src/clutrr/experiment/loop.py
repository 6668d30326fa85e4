"""The training loop.

    training = Training(model, stories, config, device)
    for number in range(config.epochs):
        for _ in training.steps(number):
            pass
        epoch = training.result()

An epoch depends on the weights, Adam's state, the seed and its number alone, so that a training
goes on from any finished epoch as if it had never stopped: on the CPU bit for bit. On a GPU sums
are taken in an order that is not fixed, and the last bits differ from run to run.

On a GPU these models are bound by launches, hundreds of small kernels a step. A step is recorded
once as a CUDA graph and replayed with one launch; each training has a stream of its own, so that
several run side by side (`side_by_side`).
"""

import itertools
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from clutrr.experiment.config import TrainConfig, seed_of
from clutrr.models import Passages, SelfTaught, Stories

# While one thread records a graph, others may neither record nor replay theirs, nor seed, nor test.
_recording = threading.Lock()
_WARM_UP = 3  # steps before a graph is recorded, as CUDA asks for
_TEST_BATCH = 250


@dataclass(frozen=True)
class Result:
    """Mean loss, and accuracy in percent, over the stories of an epoch while it trained."""

    loss: float
    accuracy: float


class Training:
    """A model, its optimiser and its stories on one device. graph: record the step, on a GPU."""

    def __init__(
        self,
        model: nn.Module,
        stories: Stories | Passages,
        config: TrainConfig,
        device: torch.device,
        graph: bool = True,
    ) -> None:
        self.config = config
        self.device = device
        self.model = model.to(device)
        self.stories = stories.to(device)
        self.generator = torch.Generator(device)
        gpu = device.type == "cuda"
        self.optimiser = torch.optim.Adam(self._groups(), lr=config.learning_rate, **self._how(gpu))
        self._rates = [group["lr"] for group in self.optimiser.param_groups]
        self._totals = torch.zeros(2, device=device)  # loss, right answers
        self._stream = torch.cuda.Stream(device) if gpu else None  # type: ignore[no-untyped-call]
        self._graph: torch.cuda.CUDAGraph | None = None
        self._index = torch.zeros(config.batch, dtype=torch.int64, device=device)
        if gpu and graph and len(self.stories) >= config.batch:
            with _recording:
                self._record()

    def steps(self, epoch: int) -> Iterator[int]:
        """Train for an epoch: after each step how many stories it had. Does not wait for a GPU."""
        # Gradients fade over hundreds of words to numbers so small that a CPU is four times slower.
        torch.set_flush_denormal(True)
        seed = seed_of(self.config.seed, "epoch", epoch)
        order = torch.randperm(len(self.stories), generator=torch.Generator().manual_seed(seed))
        with self._on_stream():
            order = order.to(self.device)
            self.generator.manual_seed(seed)
            self._totals.zero_()
        with _recording:
            torch.manual_seed(seed)  # for parts that draw from torch's own generator, such as dropout
        parts = torch.split(order, self.config.batch)
        for number, index in enumerate(parts):
            with self._on_stream():
                self._set_pace((epoch + number / len(parts)) / self.config.epochs)
                if self._graph is not None and len(index) == self.config.batch:
                    self._index.copy_(index)
                    with _recording:
                        self._graph.replay()
                else:
                    self._step(index)
            yield len(index)

    def result(self) -> Result:
        """Of the epoch that has just been trained."""
        with self._on_stream():
            loss, right = (self._totals / len(self.stories)).tolist()
        return Result(loss, 100 * right)

    def _step(self, index: Tensor) -> None:
        self.model.train()
        batch = self.stories.batch(index, self.generator)
        with _full_precision():
            if isinstance(self.model, SelfTaught):
                loss, right = self.model.learn(batch)
            else:
                scores = self.model(batch)
                loss = nn.functional.cross_entropy(scores, batch.target)
                right = (scores.detach().argmax(1) == batch.target).sum()
            self.optimiser.zero_grad()
            torch.autograd.backward(loss)
        if isinstance(self.model, SelfTaught):
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        self._totals += torch.stack([loss.detach() * len(batch), right])

    def _groups(self) -> list[Any]:
        if isinstance(self.model, SelfTaught):
            return self.model.groups(self.config.learning_rate)
        return list(self.model.parameters())

    def _how(self, gpu: bool) -> dict[str, Any]:
        """How Adam runs: a step that is recorded must be capturable; one that is not is best fused."""
        if isinstance(self.model, SelfTaught) and gpu:
            return {"fused": True}
        return {"capturable": gpu, "foreach": True}

    def _set_pace(self, done: float) -> None:
        if isinstance(self.model, SelfTaught):
            pace = self.model.pace(done)
            for group, rate in zip(self.optimiser.param_groups, self._rates, strict=True):
                group["lr"] = rate * pace

    def _record(self) -> None:
        """Record a step as a CUDA graph; the weights stay as they are."""
        before = [parameter.detach().clone() for parameter in self.model.parameters()]
        torch.cuda.synchronize(self.device)  # what was copied there on another stream has arrived
        with self._on_stream():
            for _ in range(_WARM_UP):
                self._step(self._index)
        torch.cuda.synchronize(self.device)
        graph = torch.cuda.CUDAGraph()
        graph.register_generator_state(self.generator)
        with torch.cuda.graph(graph, stream=self._stream, capture_error_mode="thread_local"):
            self._step(self._index)
        self._graph = graph
        with torch.no_grad():
            for parameter, old in zip(self.model.parameters(), before, strict=True):
                parameter.copy_(old)
            for state in self.optimiser.state.values():
                for value in state.values():
                    value.zero_()
        torch.cuda.synchronize(self.device)

    def _on_stream(self) -> torch.cuda.StreamContext:
        return torch.cuda.stream(self._stream)  # nothing on the CPU


def answer(model: nn.Module, stories: Stories | Passages, generator: torch.Generator) -> Tensor:
    """The model's probabilities [N, relations]. stories, generator: on the model's device."""
    model.eval()
    with torch.inference_mode(), _full_precision():
        index = torch.arange(len(stories), device=stories.target.device)
        batches = []
        for part in torch.split(index, _TEST_BATCH):
            with _recording:  # a stream that a model uses beside its own may be the one that is recorded
                batches.append(model(stories.batch(part, generator)))
        return torch.cat(batches).softmax(-1)


def _full_precision() -> AbstractContextManager[None]:
    """No 19-bit floats in cuDNN's LSTM, so that a GPU answers as the CPU does."""
    return torch.backends.cudnn.flags(enabled=True, allow_tf32=False)


def side_by_side(trainings: Sequence[Training], epoch: int) -> Iterator[int]:
    """An epoch of several trainings, a step of each in turn; after each turn its stories."""
    for counts in itertools.zip_longest(*(training.steps(epoch) for training in trainings), fillvalue=0):
        yield sum(counts)
