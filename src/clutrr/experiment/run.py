"""A run on disk: one folder a training.

    checkpoint.safetensors   weights and Adam's state after a finished epoch; its header says how
                             they were made: config, vocabulary, world, data, versions, epochs
    record.json              the same header for people and reports, and whether it is finished
    world/                   the world that its stories were told in
    model.py                 a copy of the user's file, where the model is a user's own
    encoder/                 settings and tokenizer of the encoder, where the model reads with one

The checkpoint is replaced as a whole: a killed training leaves the last one.
"""

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from clutrr.data import WORLD
from clutrr.errors import DataError, OutputError
from clutrr.experiment.config import TrainConfig, seed_of
from clutrr.models import AnyModel, AnyRecipe, Vocabulary, any_recipe, recipe
from clutrr.models.encoder import keep_encoder
from clutrr.version import VERSION
from clutrr.world import World, load_world

CHECKPOINT = "checkpoint.safetensors"
RECORD = "record.json"
_OWN_MODEL, _ENCODER = "model.py", "encoder"
_KIND = "clutrr training"


@dataclass(frozen=True)
class Epoch:
    """What an epoch gave. accuracies in percent; seconds: how long it took."""

    loss: float
    accuracy: float
    validation: float | None
    seconds: float


@dataclass(frozen=True)
class Run:
    """A training and how far it has come. data: checksum and size of its stories."""

    config: TrainConfig
    vocabulary: Vocabulary
    world: dict[str, str]
    data: dict[str, Any]
    epochs: tuple[Epoch, ...] = ()
    finished: bool = False
    device: str = "cpu"

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": _KIND,
            "config": self.config.to_json(),
            "vocabulary": asdict(self.vocabulary),
            "world": self.world,
            "data": self.data,
            "epochs": [asdict(epoch) for epoch in self.epochs],
            "finished": self.finished,
            "device": self.device,
            "versions": {"clutrr": VERSION, "torch": torch.__version__},
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Run":
        words = content["vocabulary"]
        return cls(
            TrainConfig.from_json(content["config"]),
            Vocabulary(tuple(words["words"]), tuple(words["relations"])),
            content["world"],
            content["data"],
            tuple(Epoch(**epoch) for epoch in content["epochs"]),
            content["finished"],
            content["device"],
        )

    def same_training(self, other: "Run") -> bool:
        """Whether the other goes on where this stopped."""
        return replace(self, epochs=(), finished=False, device="") == replace(
            other, epochs=(), finished=False, device=""
        )

    def build(self, made_from: AnyRecipe) -> AnyModel:
        """The model with the weights it starts from, which follow from the seed."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed_of(self.config.seed, "weights"))
            return made_from.make(self.vocabulary)


@dataclass(frozen=True)
class Checkpoint:
    """A run and its tensors: `model.*`, `optimiser.N.*`, and `best.*` where it watches validation."""

    run: Run
    tensors: dict[str, Tensor]

    def part(self, prefix: str) -> dict[str, Tensor]:
        return {k.removeprefix(prefix): v for k, v in self.tensors.items() if k.startswith(prefix)}

    def save(self, folder: Path) -> None:
        """Put it in place of the one before, and the record beside it."""
        content = self.run.to_json()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            partial = folder / (CHECKPOINT + ".partial")
            tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in self.tensors.items()}
            save_file(tensors, partial, {"run": json.dumps(content)})
            os.replace(partial, folder / CHECKPOINT)
            partial = folder / (RECORD + ".partial")
            partial.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
            os.replace(partial, folder / RECORD)
        except (OSError, SafetensorError) as error:
            raise OutputError(f"{folder} cannot be written: {error}") from error


def load_checkpoint(folder: Path) -> Checkpoint:
    """The checkpoint of a run."""
    path = folder / CHECKPOINT
    if not path.is_file():
        raise DataError(f"{folder}: no run here (no {CHECKPOINT})")
    try:
        with safe_open(path, "pt") as file:
            content = json.loads((file.metadata() or {})["run"])
            if content["kind"] != _KIND:
                raise KeyError("kind")
            return Checkpoint(Run.from_json(content), {name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path}: not a whole checkpoint of a training ({error})") from None


def load_run(folder: Path) -> tuple[Run, AnyRecipe, AnyModel]:
    """A run and its trained model."""
    checkpoint = load_checkpoint(folder)
    made_from = own_recipe(checkpoint.run, folder, trained=True)
    model = checkpoint.run.build(made_from)
    best = checkpoint.part("best.")
    load_weights(model, best if best and checkpoint.run.finished else checkpoint.part("model."), folder)
    return checkpoint.run, made_from, model


def world_of(folder: Path) -> World:
    """The world that the stories of a run were told in."""
    if not (folder / WORLD).is_dir():
        raise DataError(f"{folder}: no {WORLD}/ in this run: name the world with --world")
    return load_world(folder / WORLD)


def load_weights(model: nn.Module, weights: dict[str, Tensor], folder: Path) -> None:
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        reason = " ".join(str(error).split())
        raise DataError(f"{folder / CHECKPOINT}: does not fit its model: {reason[:200]}") from None


def keep_own_model(config: TrainConfig, folder: Path) -> None:
    """Copy a user's model file, or an encoder's settings, into the run: it can be used without them."""
    name = config.model
    if config.encoder:
        keep_encoder(config.encoder, folder / _ENCODER)
    if ".py:" in name:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(name.rpartition(":")[0], folder / _OWN_MODEL)


def own_recipe(run: Run, folder: Path, trained: bool = False) -> AnyRecipe:
    """The model of a run; a user's own from its copy there. trained: its weights are in the run."""
    name = run.config.model
    if ".py:" in name:
        return recipe(f"{folder / _OWN_MODEL}:{name.rpartition(':')[2]}")
    world = world_of(folder) if run.config.encoder else None
    kept = folder / _ENCODER if trained and run.config.encoder else None
    return any_recipe(name, run.config.encoder, world, kept)
