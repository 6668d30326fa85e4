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

from clutrr._arguments import LocationLike, public
from clutrr._data import WORLD
from clutrr._display import Shown
from clutrr._io.files import (
    atomic_write,
    file_digest,
    local_copy,
    replace_files,
    replace_text,
    writing,
)
from clutrr._io.locations import Location, parse_location
from clutrr._io.records import load_json, parse_json
from clutrr._lexicon import World
from clutrr._score.predictions import PREDICTIONS
from clutrr._score.result import CHECKPOINT as CHECKPOINT
from clutrr._score.result import RECORD as RECORD
from clutrr._score.result import RESULT, Result
from clutrr._train.config import TrainConfig, seed_of, subset_name
from clutrr._train.loaded import LoadedRun
from clutrr._version import VERSION
from clutrr._worlds import load_world
from clutrr.errors import ArgumentError, ClutrrError, ConfigError, DataError, Give, Hint, short
from clutrr.models import Blueprint, Model, Vocabulary, blueprint
from clutrr.models.text.encoder import check_size, kept_files

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
            Vocabulary(
                _texts(words["words"]), _texts(words["relations"]), _forms(words.get("forms", ()))
            ),
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
    return tuple(
        (_of_type(kind, int), _of_type(form, int)) for kind, form in _of_type(values, list | tuple)
    )


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

    def save(self, folder: Location) -> None:
        """Put it in place of the one before, and the record beside it."""
        content = json.dumps(self.run.to_json())
        tensors = {
            name: tensor.detach().cpu().contiguous() for name, tensor in self.tensors.items()
        }
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            with atomic_write(folder / CHECKPOINT) as making:
                try:
                    save_file(
                        tensors, making, {"run": content, "sha256": _digest(content, tensors)}
                    )
                except SafetensorError as error:
                    raise OSError(str(error)) from error
        save_record(self.run, folder)


def save_record(run: Run, folder: Location) -> None:
    """Write beside the checkpoint what it is, unless that is there already."""
    content = json.dumps(run.to_json(), indent=1) + "\n"
    if load_json(folder / RECORD) != json.loads(content):
        with writing(folder):
            replace_text(folder / RECORD, content)


def save_result(result: Result, folder: Location) -> None:
    """Put the result of a tested training in the place of its record."""
    with writing(folder):
        replace_text(folder / RESULT, json.dumps(result.to_json(), indent=1) + "\n")
        (folder / RECORD).unlink(missing_ok=True)


def is_run(folder: Location) -> bool:
    """Whether the folder holds a training, finished or not."""
    return (folder / CHECKPOINT).is_file() or load_json(folder / RECORD).get("kind") == _KIND


def clear_run(folder: Location, new: Run) -> None:
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


def load_checkpoint(folder: Location) -> Checkpoint:
    """The checkpoint of a run."""
    path = folder / CHECKPOINT
    if not path.is_file():
        raise DataError(f"not the folder of a run (it has no {CHECKPOINT})", place=folder)
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
            raise DataError(
                f"not a whole checkpoint of a training ({reason})", place=path
            ) from None
    if "sha256" in about and about["sha256"] != _digest(about["run"], tensors):
        raise DataError("damaged: its checksum does not match", place=path)
    return checkpoint


@public
def load_run(run: LocationLike, *, trust: bool = False, model: Any = None) -> LoadedRun:
    """Return a training with its model, from its folder or URL: `predict`, `beliefs`, `learnt`, `attention`.

    - trust: whether to run the program in the run's folder, if the model is not one of ours
    - model: what it was trained with, if that was an object
    """
    if not isinstance(model, Blueprint | None):
        raise ArgumentError("is not a Recipe of three parts", setting="model", value=model)
    folder = parse_location(run)
    checkpoint = load_checkpoint(folder)
    trained = checkpoint.run
    if own_model(trained.config.model):
        if not trust:
            raise ConfigError(
                f"its model is the program {folder / _OWN_MODEL}",
                place=folder,
                hint=Hint("read it, and add {} to run it", (Give("trust", True),)),
            )
        check_own_model(trained, folder)
    made_from, ready = _built(checkpoint, folder, model)
    load_weights(ready, checkpoint.part("model."), folder)
    if not all(bool(weights.isfinite().all()) for weights in ready.parameters()):
        raise DataError(
            "some weights are not numbers: the training diverged", place=folder / CHECKPOINT
        )
    loaded = LoadedRun(trained, made_from, ready)
    loaded.folder = folder
    return loaded


def _built(
    checkpoint: Checkpoint, folder: Location, made_from: Blueprint | None
) -> tuple[Blueprint, Model]:
    """The model of a run that was trained, with weights for those of the checkpoint to replace."""
    run = checkpoint.run
    kept = local_copy(folder / _ENCODER) if run.config.encoder else nullcontext()
    with kept as encoder:
        made_from = made_from or own_blueprint(run, folder, encoder)
        try:
            if encoder is not None:
                check_size(
                    encoder, sum(part.numel() for part in checkpoint.part("model.").values())
                )
            return made_from, run.build(made_from)
        except (
            *_DAMAGE,
            RuntimeError,
            ZeroDivisionError,
        ) as error:  # no model can be built from what it says
            reason = " ".join(str(error).split())[:200]
            raise DataError(
                f"no model can be built from it: {reason}", place=folder / CHECKPOINT
            ) from None


def world_of(folder: Location) -> World:
    """The world that the stories of a run were told in."""
    if not (folder / WORLD).is_dir():
        hint = Hint("name the world: {}", (Give("world"),))
        raise DataError(f"this run has no {WORLD}/", place=folder, hint=hint)
    return load_world(folder / WORLD)


def load_weights(model: nn.Module, weights: dict[str, Tensor], folder: Location) -> None:
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        reason = " ".join(str(error).split())
        raise DataError(
            f"does not fit its model: {reason[:200]}", place=folder / CHECKPOINT
        ) from None


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
        raise ConfigError(f"{type(error).__name__}: {said}", place=place) from error


def keep_own_model(run: Run, folder: Location) -> None:
    """Copy a user's model file, or an encoder's settings, into the run, so that it can be used alone."""
    if run.config.encoder:
        replace_files(folder / _ENCODER, kept_files(run.config.encoder))
    file = own_model(run.config.model)
    if file is not None:
        with writing(folder):
            replace_files(folder, {_OWN_MODEL: file.read_bytes()})
        check_own_model(run, folder)


def check_own_model(run: Run, folder: Location) -> None:
    """The copy in the run must be the one that the weights were trained with."""
    copy = folder / _OWN_MODEL
    if not copy.is_file():
        raise DataError("no such file; the run needs it", place=copy)
    if run.model_sha256 not in (None, file_digest(copy)):
        raise DataError("changed since the training", place=copy)


def own_blueprint(run: Run, folder: Location, kept: Path | None = None) -> Blueprint:
    """The model of a run; a user's own from its copy there. kept: the encoder's settings, where its weights
    are in the run."""
    name = run.config.model
    if name.startswith(OBJECT):
        raise ConfigError(
            "its model was an object in Python",
            place=folder,
            hint=Hint("give it again: {}", (Give("model"),)),
        )
    if own_model(name):
        with local_copy(folder / _OWN_MODEL) as file:
            return blueprint(f"{file}:{name.rpartition(':')[2]}")
    world = world_of(folder) if run.config.encoder else None
    return blueprint(name, run.config.encoder, world, kept)
