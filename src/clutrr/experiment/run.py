"""A run on disk or at a URL: one folder a training.

    checkpoint.safetensors   weights and Adam's state after a finished epoch; its header says how
                             they were made: config, vocabulary, world, data, versions, epochs
    record.json              the same header for people, until an experiment has tested the model
    result.json              its result in an experiment, in the place of record.json (see `scoring.result`)
    world/                   the world that its stories were told in
    predictions.parquet      what it answered when it was last evaluated, and the result
    model.py                 a copy of the user's file, if the model is a user's own
    encoder/                 settings and tokenizer of the encoder, if the model reads with one

The checkpoint is replaced as a whole: a killed training leaves the last one. It holds a checksum of
itself. Nothing in a run is executed except `model.py`, and that only with --trust.
"""

import hashlib
import json
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from clutrr.data import WORLD
from clutrr.errors import ClutrrError, ConfigError, DataError, short
from clutrr.experiment.config import TrainConfig, seed_of, subset_name
from clutrr.files import (
    Where,
    atomic_write,
    file_digest,
    load_json,
    local_copy,
    parse_json,
    replace_files,
    replace_text,
    writing,
)
from clutrr.models import Blueprint, Model, Vocabulary, blueprint
from clutrr.models.text.encoder import check_size, kept_files
from clutrr.scoring.predictions import PREDICTIONS
from clutrr.scoring.result import RECORD as RECORD
from clutrr.scoring.result import RESULT, Result
from clutrr.shown import Shown
from clutrr.version import VERSION
from clutrr.world import World, load_world

CHECKPOINT = "checkpoint.safetensors"
_OWN_MODEL, _ENCODER = "model.py", "encoder"
OBJECT = "object:"  # before the name of a model that was an object in Python
_FILES = (CHECKPOINT, RESULT, PREDICTIONS)
_KIND = "clutrr training"
# What reading a damaged file may raise.
_DAMAGE = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError, ConfigError)


@dataclass(frozen=True)
class Epoch:
    """The results of an epoch. The accuracy is in percent; seconds: how long it took."""

    loss: float
    accuracy: float
    seconds: float


@dataclass(frozen=True, repr=False)
class Run(Shown):
    """A training and how far it has come. data: checksum, size and assumption of its stories. model_sha256:
    of the file of a user's own model. encoder_sha256: of the files of its encoder, if that is a folder."""

    config: TrainConfig
    vocabulary: Vocabulary
    world: dict[str, str]
    data: dict[str, Any]
    epochs: tuple[Epoch, ...] = ()
    finished: bool = False
    device: str = "cpu"
    model_sha256: str | None = None
    encoder_sha256: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"kind": _KIND, **asdict(self), "versions": versions()}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Run":
        """Anybody may have written the file: values of another type raise TypeError."""
        words = content["vocabulary"]
        return cls(
            TrainConfig.from_json(content["config"]),
            Vocabulary(_texts(words["words"]), _texts(words["relations"]), _forms(words.get("forms", ()))),
            _of_type(content["world"], dict),
            _of_type(content["data"], dict),
            tuple(Epoch(e["loss"], e["accuracy"], e["seconds"]) for e in content["epochs"]),
            _of_type(content["finished"], bool),
            _of_type(content["device"], str),
            _of_type(content.get("model_sha256"), str | None),
            _of_type(content.get("encoder_sha256"), str | None),
        )

    @property
    def caption(self) -> str:
        config, done = self.config, "trained" if self.finished else "in training"
        return f"{config.model}, {done} on {self.data.get('stories')} stories of {subset_name(config.k)}"

    def rows(self) -> Iterator[list[str]]:
        yield ["epoch", "loss", "% right", "seconds"]
        for number, one in enumerate(self.epochs, 1):
            yield [str(number), f"{one.loss:.4f}", f"{one.accuracy:.1f}", f"{one.seconds:.1f}"]

    def differs(self, other: "Run") -> str:
        """What differs in the other training of all that determines the weights, in a word; "" if nothing."""
        for what, here, there in (
            ("world", self.world, other.world),
            ("data", self.data["sha256"], other.data.get("sha256")),
            ("config", self._settings, other._settings),
            ("model file", self.model_sha256, other.model_sha256),
            ("encoder", self._encoder(other), other._encoder(self)),
            ("vocabulary", self.vocabulary, other.vocabulary),
        ):
            if here != there:
                return what
        return ""

    @property
    def _settings(self) -> TrainConfig:
        """The config; a file is identified by its content, not by its path."""
        file, mark, name = self.config.model.rpartition(".py:")
        return replace(self.config, model=mark + name if file else name, encoder="")

    def _encoder(self, other: "Run") -> str:
        """What identifies the encoder beside another: its content if both give it, else its name."""
        known = self.encoder_sha256 and other.encoder_sha256
        return self.encoder_sha256 if known and self.encoder_sha256 else self.config.encoder

    def build(self, made_from: Blueprint) -> Model:
        """The model with its initial weights, which follow from the seed."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed_of(self.config.seed, "weights"))
            return made_from.make(self.vocabulary)


def versions() -> dict[str, str]:
    """The versions that figures may depend on."""
    return {"clutrr": VERSION, "torch": torch.__version__}


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(_of_type(value, str) for value in _of_type(values, list | tuple))


def _forms(values: Any) -> tuple[tuple[int, int], ...]:
    return tuple((_of_type(kind, int), _of_type(form, int)) for kind, form in _of_type(values, list | tuple))


def _of_type(value: Any, kind: Any) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"unexpected type: {short(value)}")
    return value


@dataclass(frozen=True)
class Checkpoint:
    """A run and its tensors: `model.*`, `optimiser.N.*`."""

    run: Run
    tensors: dict[str, Tensor]

    def part(self, prefix: str) -> dict[str, Tensor]:
        return {k.removeprefix(prefix): v for k, v in self.tensors.items() if k.startswith(prefix)}

    def save(self, folder: Where) -> None:
        """Put it in place of the one before, and the record beside it."""
        content = json.dumps(self.run.to_json())
        tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in self.tensors.items()}
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            with atomic_write(folder / CHECKPOINT) as making:
                try:
                    save_file(tensors, making, {"run": content, "sha256": _digest(content, tensors)})
                except SafetensorError as error:
                    raise OSError(str(error)) from error
        save_record(self.run, folder)


def save_record(run: Run, folder: Where) -> None:
    """Write beside the checkpoint what it is, unless that is there already."""
    content = json.dumps(run.to_json(), indent=1) + "\n"
    if load_json(folder / RECORD) != json.loads(content):
        with writing(folder):
            replace_text(folder / RECORD, content)


def save_result(result: Result, folder: Where) -> None:
    """Put the result of a tested training in the place of its record."""
    with writing(folder):
        replace_text(folder / RESULT, json.dumps(result.to_json(), indent=1) + "\n")
        (folder / RECORD).unlink(missing_ok=True)


def load_result(folder: Where) -> Result | None:
    """The result of a tested training; None if there is none, or a damaged one."""
    try:
        return Result.from_json(load_json(folder / RESULT))
    except (LookupError, TypeError, ValueError, AttributeError):
        return None


def is_run(folder: Where) -> bool:
    """Whether the folder holds a training, finished or not."""
    return (folder / CHECKPOINT).is_file() or load_json(folder / RECORD).get("kind") == _KIND


def clear_run(folder: Where, new: Run) -> None:
    """Make room for a new training: the record says which, and then the one before goes.

    `model.py` stays. It may be the program that is trained, and is replaced by that in any case."""
    save_record(new, folder)
    with writing(folder):
        for name in _FILES:
            (folder / name).unlink(missing_ok=True)


def _digest(run: str, tensors: Mapping[str, Tensor]) -> str:
    """A checksum of everything in a checkpoint."""
    found = hashlib.sha256(run.encode())
    for name, tensor in sorted(tensors.items()):
        found.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        found.update(tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    return found.hexdigest()


def load_checkpoint(folder: Where) -> Checkpoint:
    """The checkpoint of a run."""
    path = folder / CHECKPOINT
    if not path.is_file():
        raise DataError(f"{folder}: not the folder of a run (it has no {CHECKPOINT})")
    with local_copy(path) as here:
        try:
            with safe_open(here, "pt") as file:
                about = file.metadata() or {}
                content = parse_json(about["run"])
                if content["kind"] != _KIND:
                    raise KeyError("kind")
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
                checkpoint = Checkpoint(Run.from_json(content), tensors)
        except (*_DAMAGE, SafetensorError) as error:
            reason = " ".join(str(error).split())[:200]
            raise DataError(f"{path}: not a whole checkpoint of a training ({reason})") from None
    if "sha256" in about and about["sha256"] != _digest(about["run"], tensors):
        raise DataError(f"{path}: damaged: its checksum does not match")
    return checkpoint


def load_run(
    folder: Where, trust: bool = False, made_from: Blueprint | None = None
) -> tuple[Run, Blueprint, Model]:
    """A run and its trained model. trust: whether a model of the run's own may be executed. made_from: the
    model that it was trained with, if that was an object."""
    checkpoint = load_checkpoint(folder)
    run = checkpoint.run
    if own_model(run.config.model):
        if not trust:
            raise ConfigError(
                f"{folder}: its model is the program {folder / _OWN_MODEL}: "
                "read it, and add --trust to run it"
            )
        check_own_model(run, folder)
    made_from, model = _built(checkpoint, folder, made_from)
    best = checkpoint.part("best.") if run.finished else {}  # which version 0.2 could keep
    load_weights(model, best or checkpoint.part("model."), folder)
    if not all(bool(weights.isfinite().all()) for weights in model.parameters()):
        raise DataError(f"{folder / CHECKPOINT}: some weights are not numbers: the training diverged")
    return run, made_from, model


def _built(checkpoint: Checkpoint, folder: Where, made_from: Blueprint | None) -> tuple[Blueprint, Model]:
    """The model of a run that was trained, with weights for those of the checkpoint to replace."""
    run = checkpoint.run
    kept = local_copy(folder / _ENCODER) if run.config.encoder else nullcontext()
    with kept as encoder:
        made_from = made_from or own_blueprint(run, folder, encoder)
        try:
            if encoder is not None:
                check_size(encoder, sum(part.numel() for part in checkpoint.part("model.").values()))
            return made_from, run.build(made_from)
        except (
            *_DAMAGE,
            RuntimeError,
            ZeroDivisionError,
        ) as error:  # no model can be built from what it says
            reason = " ".join(str(error).split())[:200]
            raise DataError(f"{folder / CHECKPOINT}: no model can be built from it: {reason}") from None


def world_of(folder: Where) -> World:
    """The world that the stories of a run were told in."""
    if not (folder / WORLD).is_dir():
        raise DataError(f"{folder}: this run has no {WORLD}/: name the world with --world")
    return load_world(folder / WORLD)


def load_weights(model: nn.Module, weights: dict[str, Tensor], folder: Where) -> None:
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        reason = " ".join(str(error).split())
        raise DataError(f"{folder / CHECKPOINT}: does not fit its model: {reason[:200]}") from None


def own_model(name: str) -> Path | None:
    """The file of a user's own model."""
    return Path(name.rpartition(":")[0]) if ".py:" in name else None


@contextmanager
def naming_own_model(name: str) -> Iterator[None]:
    """If a user's own model fails, say where in their file, as far as it is there."""
    try:
        yield
    except Exception as error:
        file = own_model(name)
        if file is None or isinstance(error, (ClutrrError, OSError, MemoryError)):
            raise
        frames = reversed(traceback.extract_tb(error.__traceback__))
        lines = (one.lineno for one in frames if Path(one.filename).name in (file.name, _OWN_MODEL))
        line = next(lines, None)
        said = " ".join(str(error).split())[:300]
        place = f"{file}, line {line}" if line else name
        raise ConfigError(f"{place}: {type(error).__name__}: {said}") from error


def keep_own_model(run: Run, folder: Where) -> None:
    """Copy a user's model file, or an encoder's settings, into the run, so that it can be used alone."""
    if run.config.encoder:
        replace_files(folder / _ENCODER, kept_files(run.config.encoder))
    file = own_model(run.config.model)
    if file is not None:
        with writing(folder):
            replace_files(folder, {_OWN_MODEL: file.read_bytes()})
        check_own_model(run, folder)


def check_own_model(run: Run, folder: Where) -> None:
    """The copy in the run must be the one that the weights were trained with."""
    copy = folder / _OWN_MODEL
    if not copy.is_file():
        raise DataError(f"{copy}: no such file; the run needs it")
    if run.model_sha256 not in (None, file_digest(copy)):
        raise DataError(f"{copy}: changed since the training")


def own_blueprint(run: Run, folder: Where, kept: Path | None = None) -> Blueprint:
    """The model of a run; a user's own from its copy there. kept: the encoder's settings, where its weights
    are in the run."""
    name = run.config.model
    if name.startswith(OBJECT):
        raise ConfigError(f"{folder}: its model was an object in Python: give it again, as model=")
    if own_model(name):
        with local_copy(folder / _OWN_MODEL) as file:
            return blueprint(f"{file}:{name.rpartition(':')[2]}")
    world = world_of(folder) if run.config.encoder else None
    return blueprint(name, run.config.encoder, world, kept)
