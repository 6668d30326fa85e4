"""Models that read a story and answer its question, by name; `clutrr.models.parts` has the interface."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from runpy import run_path

from clutrr._config import DEFAULT_WORLD
from clutrr._lexicon import World, builtin_world
from clutrr.errors import ConfigError, Give, Hint
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
        raise ConfigError(
            f"is not one of {', '.join(NAMES)}, or FILE.py:NAME", setting="model", value=name
        )
    if name == PAIRS:
        if not encoder:
            raise ConfigError(
                "needs an encoder",
                setting="model",
                value=name,
                hint=Hint(
                    "give {}, a folder or the name of a model on the hub", (Give("encoder"),)
                ),
            )
        return PairsBlueprint(encoder, world or builtin_world(DEFAULT_WORLD), kept)
    if encoder:
        raise ConfigError(
            f"{name} reads without one", setting="encoder", hint=f"only {PAIRS} needs one"
        )
    return _from_file(name) if own else RECIPES[name]


def _from_file(name: str) -> Blueprint:
    file, _, attribute = name.rpartition(":")
    path = Path(file)
    if not path.is_file():
        raise ConfigError(f"{file} is not a file", setting="model")
    try:
        made = run_path(str(path))
    except Exception as error:
        raise ConfigError(
            f"{file} cannot be run: {type(error).__name__}: {error}", setting="model"
        ) from error
    found = made.get(attribute)
    if not isinstance(found, Blueprint):
        here = [key for key, value in made.items() if isinstance(value, Blueprint)]
        raise ConfigError(
            f"{file} has no Recipe {attribute!r}; it has {', '.join(here) or 'none'}",
            setting="model",
        )
    return found
