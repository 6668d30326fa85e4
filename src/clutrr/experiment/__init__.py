"""Training and testing models: a loop, its checkpoints, what a model answers."""

from clutrr.experiment.config import TrainConfig, choose_device
from clutrr.experiment.evaluate import Answers, evaluate
from clutrr.experiment.job import Progress, TrainJob, train
from clutrr.experiment.run import Run, load_run

__all__ = [
    "Answers",
    "Progress",
    "Run",
    "TrainConfig",
    "TrainJob",
    "choose_device",
    "evaluate",
    "load_run",
    "train",
]
