"""How a model is trained."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from clutrr._config import check_ranges, check_types, read_numbers
from clutrr._measure import written
from clutrr.errors import ConfigError, Give, Hint

if TYPE_CHECKING:
    import torch

DEVICES = ("auto", "cpu", "cuda")
_MOST = 1_000_000  # epochs, and stories per step


@dataclass(frozen=True)
class TrainConfig:
    """A training. The paper gives the model and Adam's learning rate; the rest is our choice.

    epochs, batch: 60 passes over the stories, 100 at a time: more than any model needs to fit the
    `published` subsets, and about where `described` ones level off.
    encoder: the pretrained encoder of a model that reads with one, a folder or a name on the hub.
    """

    model: str = "gnn-attention"
    k: tuple[int, ...] = (3,)
    seed: int = 0
    epochs: int = 60
    batch: int = 100
    learning_rate: float = 0.001
    encoder: str = ""

    def __post_init__(self) -> None:
        check_types(self)
        if not self.k:
            raise ConfigError("name at least one length to train on", setting="k")
        check_ranges(self, seed=(0, 1 << 62), epochs=(1, _MOST), batch=(1, _MOST))
        if not 0 < self.learning_rate < 10:
            raise ConfigError(
                "is not between 0 and 10", setting="learning_rate", value=self.learning_rate
            )

    @property
    def trained_on(self) -> list[str]:
        return [f"M{k}" for k in self.k]

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "k": list(self.k)}

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> "TrainConfig":
        return cls(**{**content, "k": read_numbers(content["k"], "k")})


def reads_with_encoder(model: str) -> bool:
    """Return whether the model of this name reads with a pretrained encoder."""
    return model.split("+")[0] == "pairs"


def subset_name(ks: Sequence[int]) -> str:
    """Return the name of stories of these lengths: M3, M1-3."""
    return f"M{written(ks)}"


def seed_of(seed: int, *parts: object) -> int:
    """Return a seed for one part of a run: the same for the same seed and parts, otherwise unrelated."""
    text = "/".join(map(str, (seed, *parts)))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=7).digest(), "big")


def choose_device(name: str) -> "torch.device":
    """Return the device of this name; "auto" is a GPU if there is one."""
    import torch

    if name not in DEVICES:
        raise ConfigError(f"is not one of {', '.join(DEVICES)}", setting="device", value=name)
    if name == "cuda" and not torch.cuda.is_available():
        raise ConfigError(
            "no CUDA GPU can be used here",
            setting="device",
            hint=Hint("leave it out, or give {}", (Give("device", "cpu"),)),
        )
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(name)
