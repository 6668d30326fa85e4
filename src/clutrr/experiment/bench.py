"""How fast models train, compared with plain implementations of the same models (`reference`).

Both have the same stories, device and batch size and take turns in the same run. On the CPU they use
one thread; on a GPU ours is measured with one training and with several in one batch, the reference
with one.
"""

import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import torch

from clutrr.experiment.config import TrainConfig
from clutrr.experiment.loop import Training, Trainings
from clutrr.generator import Config, Generator, block_size
from clutrr.models import Sizes, learn_vocabulary, recipe
from clutrr.models.reference import plain
from clutrr.world import builtin_world

FULL = 60 * 4000  # stories of a full training: 60 epochs of 4000


@dataclass(frozen=True)
class Row:
    """One measurement. together: trainings at once, whose speeds are summed. full_s: how long a
    full training takes at this speed, of each of them."""

    model: str
    k: int
    device: str
    together: int
    examples_per_s: float
    reference_examples_per_s: float
    ratio: float
    full_s: float


@dataclass(frozen=True)
class BenchConfig:
    """What to measure. seconds: of each measurement, at least; repeats: the median is reported."""

    models: tuple[str, ...]
    ks: tuple[int, ...]
    device: torch.device
    together: tuple[int, ...] = (1,)
    preset: str = "published"
    stories: int = 1000
    batch: int = 100
    seconds: float = 2.0
    repeats: int = 3


def bench_train(config: BenchConfig) -> Iterator[Row]:
    """A row for each model, k and number of trainings at once."""
    if config.device.type == "cpu":
        torch.set_num_threads(1)
    world = builtin_world("kinship")
    for k in config.ks:
        generator = Generator(Config(preset=config.preset, k=(k,)), world)
        blocks = range(-(-config.stories // block_size(k)))
        table = pa.concat_tables([generator.block("train", k, i) for i in blocks]).slice(0, config.stories)
        vocabulary = learn_vocabulary([table], world)
        sizes = Sizes.of(vocabulary)
        for name in config.models:
            made_from = recipe(name)
            stories = made_from.encode(table, vocabulary).to(config.device)
            one = TrainConfig(name, (k,), batch=config.batch)
            slow_one = Training(plain(name, sizes), stories, one, config.device, graph=False)
            reference = _Meter(slow_one, config.seconds)
            for together in config.together:
                models = [made_from.build(sizes) for _ in range(together)]
                batch = Trainings(models, stories, [one] * together, config.device)
                ours = _Meter(batch, config.seconds)
                fast, slow = _take_turns(ours, reference, config)
                full = FULL * together / fast
                yield Row(
                    name, k, config.device.type, together, round(fast, 1), round(slow, 1),
                    round(fast / slow, 2), round(full, 1),
                )  # fmt: skip


def _take_turns(ours: "_Meter", reference: "_Meter", config: BenchConfig) -> tuple[float, float]:
    """The median speeds of both; a reference whose single step takes very long is measured once."""
    fast: list[float] = []
    slow: list[float] = []
    for _ in range(config.repeats):
        fast.append(ours.speed())
        if not slow or slow[0] * 10 * config.seconds > config.batch:
            slow.append(reference.speed())
    return statistics.median(fast), statistics.median(slow)


class _Meter:
    """Trainings whose speed is measured, step by step, epoch after epoch."""

    def __init__(self, trainings: Trainings, seconds: float) -> None:
        self._trainings = trainings
        self._seconds = seconds
        self._steps = self._endless()
        next(self._steps)  # what is made at the first step

    def speed(self) -> float:
        """Stories per second, over at least one step."""
        # On the CPU, the time of this process, so that other work on the machine matters little.
        on_gpu = self._trainings.device.type == "cuda"
        clock = time.perf_counter if on_gpu else time.process_time
        self._wait()
        started, done = clock(), 0
        while True:
            done += next(self._steps) * len(self._trainings.models)
            if clock() - started > self._seconds:
                self._wait()
                return done / (clock() - started)

    def _endless(self) -> Iterator[int]:
        epoch = 0
        while True:
            yield from self._trainings.steps(epoch)
            epoch += 1

    def _wait(self) -> None:
        if self._trainings.device.type == "cuda":
            torch.cuda.synchronize()
