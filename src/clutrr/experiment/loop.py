"""The training loop.

    training = Training(model, stories, config, device)
    for epoch in range(config.epochs):
        for _ in training.steps(epoch):
            pass
        print(training.result())

An epoch depends only on the weights, Adam's state, the seed and its number. So a training continues
from any finished epoch as if it had never stopped: on the CPU bit for bit. On a GPU the order of sums
is not fixed, and the last bits differ from run to run.

On a GPU, launching hundreds of small kernels takes most of the time of a step. So a step is recorded
once as a CUDA graph and replayed with one launch.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager

import torch
from torch import Tensor, nn

from clutrr.experiment.config import TrainConfig, seed_of
from clutrr.models import Encoded, Model

_WARM_UP = 3  # steps before a graph is recorded, as CUDA requires
_TEST_BATCH = 250


class Training:
    """A model, its optimizer and its stories on one device."""

    def __init__(self, model: Model, stories: Encoded, config: TrainConfig, device: torch.device) -> None:
        self.config = config
        self.device = device
        self.model = model.to(device)
        self.stories = stories.to(device)
        self.generator = torch.Generator(device)
        on_gpu = device.type == "cuda"
        self.optimizer = torch.optim.Adam(
            model.parameter_groups(config.learning_rate),
            foreach=not on_gpu,
            fused=on_gpu,
            capturable=on_gpu and model.recorded,
        )
        self._rates = [group["lr"] for group in self.optimizer.param_groups]
        self._totals = torch.zeros(2, device=device)  # loss, right answers
        recorded = on_gpu and model.recorded and self.size >= config.batch
        self._replay = _record(self) if recorded else None

    @property
    def size(self) -> int:
        """Return how many stories an epoch has."""
        return len(self.stories)

    def steps(self, epoch: int) -> Iterator[int]:
        """Train for an epoch; yield after a step how many stories it had. Does not wait for a GPU."""
        # Over hundreds of words gradients fade to numbers so small that a CPU becomes four times slower.
        torch.set_flush_denormal(True)
        seed = seed_of(self.config.seed, "epoch", epoch)
        self.generator.manual_seed(seed)
        torch.manual_seed(seed)  # for parts that draw from torch's own generator, such as dropout
        self._totals.zero_()
        order = torch.randperm(self.size, generator=torch.Generator().manual_seed(seed))
        parts = torch.split(order.to(self.device), self.config.batch)
        for number, index in enumerate(parts):
            if self._replay is not None and len(index) == self.config.batch:
                self._replay(index)
            else:
                self.step(index, (epoch + number / len(parts)) / self.config.epochs)
            yield len(index)

    def step(self, index: Tensor, done: float = 0.0) -> None:
        """Learn from these stories. done: the share of the training before this step."""
        self.model.train()
        with _full_precision():
            loss, right = self.model.learn(self.stories.batch(index, self.generator))
            self.optimizer.zero_grad()
            torch.autograd.backward(loss)
        if self.model.largest_gradient is not None:
            nn.utils.clip_grad_norm_(self.model.parameters(), self.model.largest_gradient)
        for group, rate in zip(self.optimizer.param_groups, self._rates, strict=True):
            group["lr"] = self.model.pace(done) * rate
        self.optimizer.step()
        self._totals += torch.stack([loss.detach() * len(index), right])

    def result(self) -> tuple[float, float]:
        """Return the mean loss, and the accuracy in percent, of the epoch that has just been trained."""
        loss, right = (self._totals / self.size).tolist()
        return loss, 100 * right

    def state(self) -> list[dict[str, Tensor]]:
        """Return what the optimizer keeps of each weight."""
        return [dict(self.optimizer.state.get(weight, {})) for weight in self.model.parameters()]

    def restore(self, states: Sequence[Mapping[str, Tensor]]) -> None:
        """Put back what `state` returned, in place: a recorded step holds on to its tensors."""
        for weight, given in zip(self.model.parameters(), states, strict=True):
            kept = self.optimizer.state[weight] if given else {}
            for key, value in given.items():
                if key in kept:
                    kept[key].copy_(value)
                else:
                    kept[key] = value.to(self.device, copy=True)


def _record(training: Training) -> Callable[[Tensor], None]:
    """Record a step as a CUDA graph; return the function that replays it. The weights stay as they are."""
    device = training.device
    chosen = torch.zeros(training.config.batch, dtype=torch.int64, device=device)
    before = {name: value.clone() for name, value in training.model.state_dict().items()}
    stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
    stream.wait_stream(torch.cuda.current_stream(device))
    with torch.cuda.stream(stream):
        for _ in range(_WARM_UP):
            training.step(chosen)
    torch.cuda.synchronize(device)
    graph = torch.cuda.CUDAGraph()
    graph.register_generator_state(training.generator)
    with torch.cuda.graph(graph, stream=stream):
        training.step(chosen)
    training.model.load_state_dict(before)
    for state in training.optimizer.state.values():
        for value in state.values():
            value.zero_()

    def replay(index: Tensor) -> None:
        chosen.copy_(index)
        graph.replay()

    return replay


def answer(model: Model, stories: Encoded, generator: torch.Generator) -> Tensor:
    """Return the model's probabilities [N, relations]. stories, generator: on the model's device."""
    model.eval()
    with torch.inference_mode(), _full_precision():
        index = torch.arange(len(stories), device=stories.target.device)
        scores = [model(stories.batch(part, generator)) for part in torch.split(index, _TEST_BATCH)]
        return torch.cat(scores).softmax(-1)


def _full_precision() -> AbstractContextManager[None]:
    """Return a context without 19-bit floats in cuDNN's LSTM, so that a GPU answers as the CPU does."""
    return torch.backends.cudnn.flags(enabled=True, allow_tf32=False)
