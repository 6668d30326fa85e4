"""Measure how fast models train, in stories per second; on the CPU with one thread.

python tools/bench_train.py --models lstm,gnn,gnn-attention,composer --k 6 --seeds 1,5 --device cuda
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Iterator

import pyarrow as pa
import torch

from clutrr.experiment.config import TrainConfig, choose_device
from clutrr.experiment.loop import InStep, Training
from clutrr.generator import Config, Generator
from clutrr.measure import numbers
from clutrr.models import blueprint, learn_vocabulary
from clutrr.world import builtin_world

FULL = 60 * 4000  # stories of a full training: 60 epochs of 4000


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--models", default="lstm,gnn,gnn-attention,composer")
    options.add_argument("--k", default="6", help="facts on the path: 3-6, or 3,6")
    options.add_argument("--seeds", default="1", help="how many trainings in step: 1,5")
    options.add_argument("--device", default="auto")
    options.add_argument("--preset", default="published")
    options.add_argument("--stories", type=int, default=1000)
    options.add_argument("--seconds", type=float, default=2.0, help="of a measurement, at least")
    options.add_argument("--repeats", type=int, default=3, help="the median is reported")
    given = options.parse_args()
    device, world = choose_device(given.device), builtin_world("kinship")
    torch.set_num_threads(1)
    for k in numbers(given.k, "k"):
        generator = Generator(Config(preset=given.preset, k=(k,)), world)
        blocks = [generator.block("train", k, i) for i in range(-(-given.stories // generator.block_size(k)))]
        table = pa.concat_tables(blocks).slice(0, given.stories)
        vocabulary = learn_vocabulary([table], world)
        for name in given.models.split(","):
            stories = blueprint(name).encode(table, vocabulary).to(device)
            for seeds in numbers(given.seeds, "seeds"):
                trainings = InStep(
                    [
                        Training(
                            blueprint(name).make(vocabulary), stories, TrainConfig(name, (k,), seed), device
                        )
                        for seed in range(seeds)
                    ]
                )
                speeds = list(_speeds(trainings, given.seconds, given.repeats))
                speed = seeds * statistics.median(speeds)
                row = {"model": name, "k": k, "device": device.type, "seeds": seeds}
                row |= {"stories_per_s": round(speed, 1), "full_s": round(FULL * seeds / speed, 1)}
                sys.stdout.write(json.dumps(row) + "\n")


def _speeds(trainings: InStep, seconds: float, repeats: int) -> Iterator[float]:
    """Yield the speed of each measurement, of one of the trainings; the first step is not counted."""
    steps = (size for epoch in range(10**9) for size in trainings.steps(epoch))
    next(steps)
    on_gpu = trainings.trainings[0].device.type == "cuda"
    clock = time.perf_counter if on_gpu else time.process_time  # other work on the machine matters little
    for _ in range(repeats):
        started, done = clock(), 0
        while clock() - started < seconds:
            done += next(steps)
            if on_gpu and not done % 1000:
                torch.cuda.synchronize()  # the CPU may run far ahead
        if on_gpu:
            torch.cuda.synchronize()
        yield done / (clock() - started)


if __name__ == "__main__":
    main()
