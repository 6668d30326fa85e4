"""The models by name, and a user's own from a file."""

from collections.abc import Mapping
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from clutrr.errors import ConfigError
from clutrr.models.bilstm import MENTIONS, BiLSTM
from clutrr.models.classify import Keep, PairMLP
from clutrr.models.compose import Ask, Compose
from clutrr.models.epignn import EpiGNN
from clutrr.models.messages import MESSAGES, MessagePassing
from clutrr.models.ordered import WindowReader
from clutrr.models.pairs import Pairs, PairsRecipe
from clutrr.models.parts import Model, Recipe
from clutrr.models.routed import RoutedCompose
from clutrr.models.sentences import POOLS, SentencePool
from clutrr.world import World, load_world

LSTM, GNN, GNN_ATTENTION, COMPOSER = "lstm", "gnn", "gnn-attention", "composer"
EPIGNN, PAIRS = "epignn", "pairs"
NAMES = (LSTM, GNN, GNN_ATTENTION, COMPOSER, EPIGNN, PAIRS)
_POOL = tuple(f"{pool}-pool" for pool in POOLS)

# Where there is a choice: NAME+CHOICE picks another than the first, as in gnn+literal+values.
CHOICES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    LSTM: {"mentions": MENTIONS},
    GNN: {
        "message": MESSAGES,
        "nodes": ("people", "values"),
        "pool": _POOL,
    },
    COMPOSER: {
        "free": ("free", "no-free"),
        "heights": ("heights", "no-heights"),
        "ends": ("ends", "no-ends"),
        "kinds": ("kinds", "no-kinds"),
        "words": ("words", "no-words"),
        "table": ("open", "no-open"),
        "stories": ("unspliced", "spliced"),
        "reading": ("sentences", "windows"),
        "pool": _POOL,
    },
    EPIGNN: {"words": ("words", "no-words"), "pool": _POOL},
    PAIRS: {"taught by": ("facts", "answers"), "sentences": ("together", "apart")},
}

AnyRecipe = Recipe | PairsRecipe
AnyModel = Model | Pairs


def any_recipe(
    name: str, encoder: str = "", world: World | None = None, kept: Path | None = None
) -> AnyRecipe:
    """The model of this name, `pairs` among them.

    encoder, world: for `pairs`, what it reads with, and what relations mean; kinship where none is given.
    kept: see `PairsRecipe`.
    """
    if name.split("+")[0] != PAIRS:
        if encoder:
            raise ConfigError(f"encoder: {name} reads without one; --encoder is for {PAIRS}")
        return recipe(name)
    chosen = _chosen(name)
    if not encoder:
        raise ConfigError(f"model: {PAIRS} needs --encoder, a folder or the name of a model on the hub")
    facts, apart = chosen["taught by"] == "facts", chosen["sentences"] == "apart"
    return PairsRecipe(encoder, world or load_world(), facts, kept, apart)


def recipe(name: str) -> Recipe:
    """The model of this name: `gnn`, `gnn+values`, or `FILE.py:NAME` for a `Recipe` in a file."""
    if ".py:" in name:
        return _from_file(name)
    base, chosen = name.split("+")[0], _chosen(name)
    if base == PAIRS:
        raise ConfigError(f"model: {PAIRS} reads with an encoder, and cannot be used here")
    if base == LSTM:
        return Recipe(partial(BiLSTM, mentions=chosen["mentions"]), Keep, PairMLP)
    reader = partial(
        SentencePool,
        pool=chosen["pool"].removesuffix("-pool"),
        marked=chosen.get("words") == "words",
        way=base in (COMPOSER, EPIGNN),
    )
    if base == COMPOSER:
        windows = chosen["reading"] == "windows"
        if windows and chosen["pool"] != _POOL[0]:
            raise ConfigError(f"model: {name}: with windows there is no pool; leave {chosen['pool']!r} out")
        compose = partial(
            RoutedCompose if windows else Compose,
            free=chosen["free"] == "free",
            heights=chosen["heights"] == "heights",
            ends=chosen["ends"] == "ends",
            kinds=chosen["kinds"] == "kinds",
            open_table=chosen["table"] == "open",
            spliced=chosen["stories"] == "spliced",
        )
        ordered = partial(WindowReader, marked=chosen["words"] == "words")
        return Recipe(ordered if windows else reader, compose, Ask, windows=windows)
    if base == EPIGNN:
        return Recipe(reader, EpiGNN, Ask)
    return Recipe(
        reader,
        partial(MessagePassing, attention=base == GNN_ATTENTION, message=chosen["message"]),
        PairMLP,
        values=chosen["nodes"] == "values",
    )


def _chosen(name: str) -> dict[str, str]:
    """What a name chooses where there is a choice."""
    base, *wanted = name.split("+")
    if base not in NAMES:
        raise ConfigError(f"model: {name!r} is not one of {', '.join(NAMES)}, or FILE.py:NAME")
    choices = CHOICES[GNN if base == GNN_ATTENTION else base]
    chosen = {key: values[0] for key, values in choices.items()}
    for word in wanted:
        keys = [key for key, values in choices.items() if word in values[1:]]
        if not keys:
            if word in chosen.values():  # two names for one model would be two cells of an experiment
                raise ConfigError(f"model: {name}: {word!r} is the default; leave it out")
            known = ", ".join(value for values in choices.values() for value in values[1:])
            raise ConfigError(f"model: {base} has no choice {word!r}; its choices are {known}")
        chosen[keys[0]] = word
    return chosen


def _from_file(name: str) -> Recipe:
    file, _, attribute = name.rpartition(":")
    path = Path(file)
    if not path.is_file():
        raise ConfigError(f"model: {file} is not a file")
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ConfigError(f"model: {file} cannot be run: {type(error).__name__}: {error}") from error
    found = getattr(module, attribute, None)
    if not isinstance(found, Recipe):
        here = [key for key, value in vars(module).items() if isinstance(value, Recipe)]
        raise ConfigError(f"model: {file} has no Recipe {attribute!r}; it has {', '.join(here) or 'none'}")
    return found
