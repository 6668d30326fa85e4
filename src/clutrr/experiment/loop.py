"""The training loop.

    trainings = Trainings(models, stories, configs, device)
    for number in range(epochs):
        for _ in trainings.steps(number):
            pass
        results = trainings.results()

Trainings of the same model on the same stories that differ in their seeds advance together: their
weights are stacked, and a step is one computation for all of them. Each has its own order of the
stories and its own random vectors, just as it would alone; so it learns the same, up to the last bits.
One training is a batch of one.

An epoch depends only on the weights, Adam's state, the seed and its number, so a training continues
from any finished epoch as if it had never stopped: on the CPU bit for bit. On a GPU the order of sums
is not fixed, and the last bits differ from run to run.

On a GPU, launching hundreds of small kernels per step takes most of the time. So a step is recorded
once as a CUDA graph and replayed with one launch; each batch of trainings has a stream of its own,
so that several run side by side.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.func import functional_call

from clutrr.experiment.adam import Adam, Group
from clutrr.experiment.config import TrainConfig, seed_of
from clutrr.experiment.streams import own_stream, recording
from clutrr.models import Answering, Model, Passages, SelfTaught, Stories
from clutrr.models.batch import Together

_WARM_UP = 3  # steps before a graph is recorded, as CUDA requires
_TEST_BATCH = 250


@dataclass(frozen=True)
class Result:
    """Mean loss, and accuracy in percent, over the stories of an epoch while it trained."""

    loss: float
    accuracy: float


class Trainings:
    """Models, their optimiser and their stories on one device, trained in step.

    models, configs: the same except for the seed. taught: which of the stories each is trained on, the same
    number for each; all if none are named. graph: record the step, on a GPU.
    """

    def __init__(
        self,
        models: Sequence[Answering | SelfTaught],
        stories: Stories | Passages,
        configs: Sequence[TrainConfig],
        device: torch.device,
        graph: bool = True,
        taught: Sequence[Tensor] | None = None,
    ) -> None:
        self.configs = configs
        self.device = device
        self.models = [model.to(device) for model in models]
        self.stories = stories.to(device)
        self.generators = tuple(torch.Generator(device) for _ in models)
        self._taught = [torch.arange(len(stories))] * len(models) if taught is None else taught
        self._weights = _stacked(self.models)
        gpu = device.type == "cuda"
        recorded = gpu and not isinstance(models[0], SelfTaught)
        self.optimiser = Adam(self._groups(), fused=gpu, capturable=recorded)
        self._totals = torch.zeros(len(models), 2, device=device)  # loss, right answers
        self._stream = own_stream(self, device) if gpu else None
        self._graph: torch.cuda.CUDAGraph | None = None
        self._index = torch.zeros(len(models), configs[0].batch, dtype=torch.int64, device=device)
        if gpu and graph and self.size >= configs[0].batch:
            with recording.alone():
                self._record()

    @property
    def size(self) -> int:
        """Stories of an epoch, of each training."""
        return len(self._taught[0])

    def steps(self, epoch: int) -> Iterator[int]:
        """Train for an epoch; yield after each step how many stories each had. Does not wait for a GPU."""
        # Over hundreds of words gradients fade to numbers so small that a CPU becomes four times slower.
        torch.set_flush_denormal(True)
        seeds = [seed_of(config.seed, "epoch", epoch) for config in self.configs]
        order = torch.stack([_shuffled(one, seed) for one, seed in zip(self._taught, seeds, strict=True)])
        with self.on_stream():
            order = order.to(self.device)
            self._totals.zero_()
        with recording.beside_others():
            for generator, seed in zip(self.generators, seeds, strict=True):
                generator.manual_seed(seed)
            torch.manual_seed(seeds[0])  # for parts that draw from torch's own generator, such as dropout
        parts = torch.split(order, self.configs[0].batch, dim=1)
        for number, index in enumerate(parts):
            with self.on_stream():
                if self._graph is not None and index.shape == self._index.shape:
                    self._index.copy_(index)
                    with recording.beside_others():
                        self._graph.replay()
                else:
                    self._step(index, self._pace((epoch + number / len(parts)) / self.configs[0].epochs))
            yield index.shape[1]

    def results(self) -> list[Result]:
        """Of the epoch that has just been trained, for each training."""
        with self.on_stream():
            found = (self._totals / self.size).tolist()
        return [Result(loss, 100 * right) for loss, right in found]

    def state(self, number: int) -> list[dict[str, Tensor]]:
        """What the optimiser remembers of each weight of a training."""
        kept = (self.optimiser.state.get(weight, {}) for weight in self._weights.values())
        return [{key: self._own(value, number) for key, value in state.items()} for state in kept]

    def restore(self, number: int, states: Sequence[Mapping[str, Tensor]]) -> None:
        """Let the optimiser remember that. In place, since a recorded step holds on to its tensors."""
        for weight, given in zip(self._weights.values(), states, strict=True):
            for key, value in given.items():
                self._own(self.optimiser.remembered(weight)[key], number).copy_(value)

    def _own(self, value: Tensor, number: int) -> Tensor:
        """The part that belongs to one training; the number of steps is the same for all."""
        return value[number] if value.dim() and len(self.models) > 1 else value

    def _step(self, index: Tensor, pace: float = 1.0) -> None:  # [N, B]
        for model in self.models:
            model.train()
        with _full_precision():
            loss, right = self._learn(index)
            self.optimiser.forget_gradients()
            torch.autograd.backward(loss.sum())
        if isinstance(self.models[0], SelfTaught):
            nn.utils.clip_grad_norm_(self._weights.values(), 1.0)
        self.optimiser.step(pace)
        self._totals += torch.stack([loss.detach() * index.shape[1], right], 1)

    def _learn(self, index: Tensor) -> tuple[Tensor, Tensor]:  # [N]
        """The mean loss of each training on its stories, and how many of them count as right."""
        if len(self.models) == 1:
            loss, right = self.models[0].learn(self.stories.batch(index[0], self.generators[0]))
            return loss[None], right[None]
        assert isinstance(self.stories, Stories)
        scores, aside = _answers_of_all(self.models, self._weights, self.stories, index, self.generators)
        target = self.stories.target[index]
        loss = nn.functional.cross_entropy(scores.flatten(0, 1), target.flatten(), reduction="none")
        return loss.view_as(target).mean(1) + aside, (scores.detach().argmax(-1) == target).sum(1)

    def _groups(self) -> tuple[Group, ...]:
        model, rate = self.models[0], self.configs[0].learning_rate
        if isinstance(model, SelfTaught):
            return tuple(Group(weights, rate) for weights, rate in model.groups(rate))
        return (Group(list(self._weights.values()), rate),)

    def _pace(self, done: float) -> float:
        model = self.models[0]
        return model.pace(done) if isinstance(model, SelfTaught) else 1.0

    def _record(self) -> None:
        """Record a step as a CUDA graph; the weights stay as they are."""
        assert self._stream is not None
        before = [weight.detach().clone() for weight in self._weights.values()]
        torch.cuda.current_stream(self.device).synchronize()  # wait until what was copied there has arrived
        with self.on_stream():
            for _ in range(_WARM_UP):
                self._step(self._index)
        self._stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        for generator in self.generators:
            graph.register_generator_state(generator)
        with torch.cuda.graph(graph, stream=self._stream, capture_error_mode="thread_local"):
            self._step(self._index)
        self._graph = graph
        with self.on_stream(), torch.no_grad():
            for weight, old in zip(self._weights.values(), before, strict=True):
                weight.copy_(old)
            for state in self.optimiser.state.values():
                for value in state.values():
                    value.zero_()
        self._stream.synchronize()

    def on_stream(self) -> torch.cuda.StreamContext:
        """Whoever reads the weights does it here, and waits for no other training; nothing on the CPU."""
        return torch.cuda.stream(self._stream)


class Training(Trainings):
    """One training."""

    def __init__(
        self,
        model: Answering | SelfTaught,
        stories: Stories | Passages,
        config: TrainConfig,
        device: torch.device,
        graph: bool = True,
    ) -> None:
        super().__init__([model], stories, [config], device, graph)

    def result(self) -> Result:
        """Of the epoch that has just been trained."""
        return self.results()[0]


def _answers_of_all(
    models: Sequence[nn.Module],
    stacked: dict[str, Tensor],
    stories: Stories,
    index: Tensor,
    generators: tuple[torch.Generator, ...],
) -> tuple[Tensor, Tensor]:  # [N, B, relations], [N]
    """The scores of several models of one recipe for stories [N, B], and what each adds to its loss.

    stacked: their weights. generators: one for each.
    """
    model = models[0]
    assert isinstance(model, Model)
    called, longest = _WithAside(model), stories.longest(index)

    def one(weights: dict[str, Tensor], index: Tensor) -> tuple[Tensor, Tensor]:
        batch = Together(stories, index, generators[0], generators, longest)
        named = {f"model.{name}": weight for name, weight in weights.items()}
        found: tuple[Tensor, Tensor] = functional_call(called, named, (batch,))
        return found

    scores, aside = torch.vmap(one)(stacked, index)
    return scores, aside


class _WithAside(nn.Module):
    """A model that gives its scores together with what it adds to its loss."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model = model

    def forward(self, batch: Together) -> tuple[Tensor, Tensor]:
        scores, aside = self.model.answers(batch)
        return scores, scores.new_zeros(()) if aside is None else aside


def _stacked(models: Sequence[nn.Module]) -> dict[str, Tensor]:
    """The weights of all models by name, [N, ...]; each model's own become views of them."""
    if len(models) == 1:
        return dict(models[0].named_parameters())
    each = [dict(model.named_parameters()) for model in models]
    found: dict[str, Tensor] = {
        name: nn.Parameter(torch.stack([one[name].detach() for one in each])) for name in each[0]
    }
    for number, one in enumerate(each):
        for name, weight in one.items():
            weight.data = found[name].data[number]
    return found


def _shuffled(index: Tensor, seed: int) -> Tensor:
    return index[torch.randperm(len(index), generator=torch.Generator().manual_seed(seed))]


def answer(model: nn.Module, stories: Stories | Passages, generator: torch.Generator) -> Tensor:
    """The model's probabilities [N, relations]. stories, generator: on the model's device."""
    model.eval()
    with torch.inference_mode(), _full_precision():
        index = torch.arange(len(stories), device=stories.target.device)
        batches = [model(stories.batch(part, generator)) for part in torch.split(index, _TEST_BATCH)]
        return torch.cat(batches).softmax(-1)


def answer_all(
    models: Sequence[nn.Module], stories: Stories, generators: Sequence[torch.Generator]
) -> Tensor:
    """The same for several models of one recipe: [models, N, relations]. Their weights become views."""
    for model in models:
        model.eval()
    with torch.no_grad(), _full_precision():
        weights = _stacked(models)
        index = torch.arange(len(stories), device=stories.target.device).expand(len(models), -1)
        parts = torch.split(index, _TEST_BATCH, dim=1)
        each = [_answers_of_all(models, weights, stories, part, tuple(generators))[0] for part in parts]
        return torch.cat(each, 1).softmax(-1)


def _full_precision() -> AbstractContextManager[None]:
    """No 19-bit floats in cuDNN's LSTM, so that a GPU answers as the CPU does."""
    return torch.backends.cudnn.flags(enabled=True, allow_tf32=False)
