"""A trained model tested on a cluster: the stories of a subset are a task, and the run is sent along.

The random vectors of a subset's stories depend on each other, so a subset is not divided: its answers are
those that `evaluate` gives.
"""

import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import torch

from clutrr.errors import ConfigError
from clutrr.experiment.config import choose_device
from clutrr.experiment.evaluate import Answers, answers_of, check_known
from clutrr.experiment.run import CHECKPOINT, Checkpoint, Run, load_checkpoint, load_run
from clutrr.experiment.source import Tables
from clutrr.files import files_in
from clutrr.models import Blueprint, Model
from clutrr.scoring import PREDICTIONS
from clutrr.storage import Where
from clutrr.workers import Crew, Tell, thread_cached


@dataclass(frozen=True)
class _Sent:
    """A run by value: its files, except those that only a training needs."""

    files: dict[str, bytes]
    trust: bool
    device: str
    seed: int

    @property
    def key(self) -> tuple[str, str]:
        return hashlib.sha256(b"".join(self.files.values())).hexdigest(), self.device


def evaluate_on(
    crew: Crew, folder: Where, tables: Tables, device: str, seed: int = 0, trust: bool = False
) -> list[Answers]:
    """Return what `evaluate` gives, computed by workers."""
    if device == "cuda" and not crew.offers("GPU"):
        raise ConfigError("device: no worker offers a GPU: start workers with --resources GPU=1")
    run, _, _ = load_run(folder, trust)  # so that errors in it are reported here
    check_known(run.vocabulary, tables)
    sent = _Sent(_packed(folder), trust, device, seed)
    tasks = [(subset, stories) for subset, stories in tables.items() if stories.num_rows]
    hands = crew.needing({"GPU": 1}) if device == "cuda" else crew
    found = {task[0]: answers for task, answers in hands.run(_answer, sent, tasks, name=lambda task: task[0])}
    return [found[subset] for subset, _ in tasks]


def _packed(folder: Where) -> dict[str, bytes]:
    names = [name for name in files_in(folder) if name not in (CHECKPOINT, PREDICTIONS) and name[0] != "."]
    files = {name: (folder / name).read_bytes() for name in names}
    checkpoint = load_checkpoint(folder)
    tensors = {name: part for name, part in checkpoint.tensors.items() if not name.startswith("optimiser.")}
    with tempfile.TemporaryDirectory(prefix="clutrr-") as aside:
        Checkpoint(checkpoint.run, tensors).save(Path(aside))
        return {**files, CHECKPOINT: (Path(aside) / CHECKPOINT).read_bytes()}


@thread_cached
def _loaded(sent: _Sent) -> tuple[Run, Blueprint, Model]:
    with tempfile.TemporaryDirectory(prefix="clutrr-") as aside:
        for name, content in sent.files.items():
            (Path(aside) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(aside) / name).write_bytes(content)
        return load_run(Path(aside), sent.trust)


def _answer(sent: _Sent, task: tuple[str, pa.Table], tell: Tell) -> Answers:
    torch.set_num_threads(1)
    run, made_from, model = _loaded(sent.key, sent)
    subset, table = task
    stories = {subset: made_from.encode(table, run.vocabulary)}
    (answers,) = answers_of(
        model, run.vocabulary, {subset: table}, stories, choose_device(sent.device), sent.seed
    )
    return answers
