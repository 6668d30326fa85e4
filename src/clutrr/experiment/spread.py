"""A trained model tested on a cluster: the stories of a subset are a task, and the run travels along.

The random vectors of a subset's stories follow from one another, so that a subset is not divided: its
answers are those that `evaluate` gives.
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
from clutrr.experiment.run import CHECKPOINT, PREDICTIONS, Checkpoint, Run, load_checkpoint, load_run
from clutrr.experiment.source import Tables
from clutrr.experiment.tables import fold_by
from clutrr.files import files_in
from clutrr.models import AnyModel, AnyRecipe
from clutrr.workers import Crew, Tell, kept_by_thread


@dataclass(frozen=True)
class _Sent:
    """A run by value: its files, except those that only a training needs; likewise a composer's, if any.

    table: what a model that reads pairs folds by.
    """

    files: dict[str, bytes]
    composer: dict[str, bytes]
    table: str | None
    trust: bool
    device: str
    seed: int

    @property
    def key(self) -> tuple[str, str, str | None]:
        content = b"".join([*self.files.values(), *self.composer.values()])
        return hashlib.sha256(content).hexdigest(), self.device, self.table


def evaluate_on(
    crew: Crew,
    folder: Path,
    tables: Tables,
    device: str,
    seed: int = 0,
    trust: bool = False,
    composer: Path | None = None,
    table: str | None = None,
) -> list[Answers]:
    """What `evaluate` gives, computed by workers. composer, table: see `fold_by`."""
    if device == "cuda" and not crew.offers("GPU"):
        raise ConfigError("device: no worker has a GPU to offer: start workers with --resources GPU=1")
    run, _, model = load_run(folder, trust)  # whatever is wrong with it is said here
    fold_by(model, composer, table)
    check_known(run.vocabulary, tables)
    beside = {} if composer is None else _packed(composer)
    sent = _Sent(_packed(folder), beside, table, trust, device, seed)
    tasks = [(subset, stories) for subset, stories in tables.items() if stories.num_rows]
    hands = crew.needing({"GPU": 1}) if device == "cuda" else crew
    found = {task[0]: answers for task, answers in hands.run(_answer, sent, tasks, name=lambda task: task[0])}
    return [found[subset] for subset, _ in tasks]


def _packed(folder: Path) -> dict[str, bytes]:
    names = [name for name in files_in(folder) if name not in (CHECKPOINT, PREDICTIONS) and name[0] != "."]
    files = {name: (folder / name).read_bytes() for name in names}
    checkpoint = load_checkpoint(folder)
    tensors = {name: part for name, part in checkpoint.tensors.items() if not name.startswith("optimiser.")}
    with tempfile.TemporaryDirectory(prefix="clutrr-") as aside:
        Checkpoint(checkpoint.run, tensors).save(Path(aside))
        return {**files, CHECKPOINT: (Path(aside) / CHECKPOINT).read_bytes()}


@kept_by_thread
def _loaded(sent: _Sent) -> tuple[Run, AnyRecipe, AnyModel]:
    with tempfile.TemporaryDirectory(prefix="clutrr-") as aside:
        run, composer = Path(aside) / "run", Path(aside) / "composer"
        _unpack(sent.files, run)
        _unpack(sent.composer, composer)
        loaded = load_run(run, sent.trust)
        fold_by(loaded[2], composer if sent.composer else None, sent.table)
        return loaded


def _unpack(files: dict[str, bytes], folder: Path) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def _answer(sent: _Sent, task: tuple[str, pa.Table], tell: Tell) -> Answers:
    torch.set_num_threads(1)
    run, made_from, model = _loaded(sent.key, sent)
    subset, table = task
    stories = {subset: made_from.encode(table, run.vocabulary)}
    (answers,) = answers_of(
        model, run.vocabulary, {subset: table}, stories, choose_device(sent.device), sent.seed
    )
    return answers
