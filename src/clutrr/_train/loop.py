"""The training loop.

`fit` trains a run to its last epoch. An epoch depends only on the weights, Adam's state, the seed and its number,
so a training continues from any finished epoch as if it had never stopped: on the CPU bit for bit. On a GPU the
order of sums is not fixed, and the last bits differ from run to run.

On a GPU, launching hundreds of small kernels takes most of the time of a step. So a step is recorded once as a
CUDA graph and replayed with one launch.
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

import torch
from torch import Tensor, nn

from clutrr._io.locations import Location
from clutrr._train.config import TrainConfig, seed_of
from clutrr._train.run import Checkpoint, Epoch, Run, load_weights
from clutrr.errors import ConfigError
from clutrr.models import Blueprint, Encoded, Model

_SAVE_EVERY = 5.0  # seconds at least; a killed training repeats what came after the last save
_WARM_UP = 3  # steps before a graph is recorded, as CUDA requires
_TEST_BATCH = 250


OnStep = Callable[
    [Run, int, int], None
]  # the epochs so far, the stories done, and all there are to do


def fit(
    before: Checkpoint,
    made_from: Blueprint,
    stories: Encoded,
    device: torch.device,
    folder: Location,
    on_step: OnStep,
) -> Run:
    """Train to the last epoch, from a checkpoint; save now and then, and at the end.

    - before: the run so far; without tensors it begins
    - made_from: what the model is built by
    - folder: where checkpoints are saved
    """
    run, config = before.run, before.run.config
    trainer = Trainer(run.build(made_from), stories, config, device)
    if before.tensors:
        load_weights(trainer.model, before.part("model."), folder)
        count = len(list(trainer.model.parameters()))
        trainer.load_optimizer([before.part(f"optimiser.{i}.") for i in range(count)])
    total = config.epochs * trainer.size
    saved = time.monotonic()
    for epoch in range(len(run.epochs), config.epochs):
        started, done = time.monotonic(), epoch * trainer.size
        for count in trainer.steps(epoch):
            done += count
            on_step(run, done, total)
        loss, accuracy = trainer.epoch_result()  # this waits for a GPU
        if math.isnan(loss):
            raise ConfigError(
                f"the loss is nan in epoch {epoch + 1}",
                place=config.model,
                hint="try a smaller learning rate; in a model of your own, look for 0 / 0 and log(0)",
            )
        finished = Epoch(loss, accuracy, round(time.monotonic() - started, 3))
        epochs = (*run.epochs, finished)
        run = replace(run, epochs=epochs, finished=len(epochs) == config.epochs)
        if run.finished or time.monotonic() - saved > _SAVE_EVERY:
            trainer.checkpoint(run).save(folder)
            saved = time.monotonic()
    return run


@contextmanager
def one_thread() -> Iterator[None]:
    """Work in one thread on the CPU, where the order of sums depends on how many there are."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Trainer:
    """A model, its optimizer and its stories on one device."""

    def __init__(
        self, model: Model, stories: Encoded, config: TrainConfig, device: torch.device
    ) -> None:
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

    def epoch_result(self) -> tuple[float, float]:
        """Return the mean loss, and the accuracy in percent, of the epoch that has just been trained."""
        loss, right = (self._totals / self.size).tolist()
        return loss, 100 * right

    def checkpoint(self, run: Run) -> Checkpoint:
        """Return the run with the weights and what the optimizer keeps of each."""
        tensors = {f"model.{name}": one for name, one in self.model.state_dict().items()}
        for i, weight in enumerate(self.model.parameters()):
            kept = self.optimizer.state.get(weight, {})
            tensors |= {f"optimiser.{i}.{name}": one for name, one in kept.items()}
        return Checkpoint(run, tensors)

    def load_optimizer(self, states: Sequence[Mapping[str, Tensor]]) -> None:
        """Put back what the optimizer kept, in place: a recorded step holds on to its tensors."""
        for weight, given in zip(self.model.parameters(), states, strict=True):
            kept = self.optimizer.state[weight] if given else {}
            for key, value in given.items():
                if key in kept:
                    kept[key].copy_(value)
                else:
                    kept[key] = value.to(self.device, copy=True)


def _record(trainer: Trainer) -> Callable[[Tensor], None]:
    """Record a step as a CUDA graph; return the function that replays it. The weights stay as they are."""
    device = trainer.device
    chosen = torch.zeros(trainer.config.batch, dtype=torch.int64, device=device)
    before = {name: value.clone() for name, value in trainer.model.state_dict().items()}
    stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
    stream.wait_stream(torch.cuda.current_stream(device))
    with torch.cuda.stream(stream):
        for _ in range(_WARM_UP):
            trainer.step(chosen)
    torch.cuda.synchronize(device)
    graph = torch.cuda.CUDAGraph()
    graph.register_generator_state(trainer.generator)
    with torch.cuda.graph(graph, stream=stream):
        trainer.step(chosen)
    trainer.model.load_state_dict(before)
    for state in trainer.optimizer.state.values():
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
