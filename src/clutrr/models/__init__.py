"""Models that read a story and answer its question, by name; `clutrr.models.parts` has the interface."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from runpy import run_path

from clutrr.errors import ConfigError
from clutrr.models.algebra import Algebra, WordOrder
from clutrr.models.baselines import BiLSTM, MessagePassing, SentencePool
from clutrr.models.batch import Batch, StoryTensors, encode, learn_vocabulary
from clutrr.models.compose import WayCompose, WayPool
from clutrr.models.epignn import EpiGNN
from clutrr.models.parts import (
    Blueprint,
    Classifier,
    Encoded,
    Keep,
    Model,
    PairMLP,
    Processor,
    Reader,
    Reading,
    Recipe,
    Sizes,
    States,
    ThreePartModel,
    WholeScores,
)
from clutrr.models.routed import RoutedCompose, WindowReader
from clutrr.models.text.pairs import PairsBlueprint
from clutrr.models.tokens import Vocabulary
from clutrr.world import World, load_world

__all__ = [
    "Batch",
    "Blueprint",
    "Classifier",
    "Encoded",
    "Keep",
    "Model",
    "NAMES",
    "PairMLP",
    "Processor",
    "Reader",
    "Reading",
    "Recipe",
    "SentencePool",
    "Sizes",
    "States",
    "StoryTensors",
    "ThreePartModel",
    "Vocabulary",
    "WholeScores",
    "blueprint",
    "encode",
    "learn_vocabulary",
]

RECIPES: Mapping[str, Recipe] = {
    "lstm": Recipe(BiLSTM, Keep, PairMLP),
    "gnn": Recipe(SentencePool, MessagePassing, PairMLP),
    "gnn+literal": Recipe(SentencePool, partial(MessagePassing, literal=True), PairMLP),
    "gnn-attention": Recipe(SentencePool, partial(MessagePassing, attention=True), PairMLP),
    "gnn-attention+literal": Recipe(
        SentencePool, partial(MessagePassing, attention=True, literal=True), PairMLP
    ),
    "composer": Recipe(WayPool, WayCompose, WholeScores),
    "composer+spliced": Recipe(WayPool, partial(WayCompose, spliced=True), WholeScores),
    "composer+windows": Recipe(WindowReader, RoutedCompose, WholeScores, windows=True),
    "epignn": Recipe(WayPool, EpiGNN, WholeScores),
    "algebra": Recipe(WordOrder, Algebra, WholeScores, recorded=False),
}
PAIRS = "pairs"  # it reads with a pretrained encoder
NAMES = (*RECIPES, PAIRS)


def blueprint(
    name: str, encoder: str = "", world: World | None = None, kept: Path | None = None
) -> Blueprint:
    """Return how to make the model of this name, or `FILE.py:NAME`, a `Blueprint` in a file.

    encoder, world: what `pairs` reads with, and what relations mean; kinship where none is given.
    kept: see `PairsBlueprint`.
    """
    own = ".py:" in name
    if not own and name not in NAMES:
        raise ConfigError(f"model: {name!r} is not one of {', '.join(NAMES)}, or FILE.py:NAME")
    if name == PAIRS:
        if not encoder:
            raise ConfigError(f"model: {name} needs --encoder, a folder or the name of a model on the hub")
        return PairsBlueprint(encoder, world or load_world(), kept)
    if encoder:
        raise ConfigError(f"encoder: {name} reads without one; --encoder is for pairs")
    return _from_file(name) if own else RECIPES[name]


def _from_file(name: str) -> Blueprint:
    file, _, attribute = name.rpartition(":")
    path = Path(file)
    if not path.is_file():
        raise ConfigError(f"model: {file} is not a file")
    try:
        made = run_path(str(path))
    except Exception as error:
        raise ConfigError(f"model: {file} cannot be run: {type(error).__name__}: {error}") from error
    found = made.get(attribute)
    if not isinstance(found, Blueprint):
        here = [key for key, value in made.items() if isinstance(value, Blueprint)]
        raise ConfigError(f"model: {file} has no Recipe {attribute!r}; it has {', '.join(here) or 'none'}")
    return found
