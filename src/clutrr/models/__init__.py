"""Models that read a story and answer its question, from three parts: see `parts`."""

from clutrr.models.batch import Batch, Stories, encode, learn_vocabulary
from clutrr.models.named import CHOICES, NAMES, AnyModel, AnyRecipe, any_recipe, recipe
from clutrr.models.parts import (
    Answering,
    Classifier,
    Model,
    Processor,
    Reader,
    Reading,
    Recipe,
    SelfTaught,
    Sizes,
    States,
)
from clutrr.models.passages import Passages
from clutrr.models.vocabulary import Vocabulary

__all__ = [
    "Answering",
    "AnyModel",
    "AnyRecipe",
    "Batch",
    "CHOICES",
    "Classifier",
    "Model",
    "NAMES",
    "Passages",
    "Processor",
    "Reader",
    "Reading",
    "Recipe",
    "SelfTaught",
    "Sizes",
    "States",
    "Stories",
    "Vocabulary",
    "any_recipe",
    "encode",
    "learn_vocabulary",
    "recipe",
]
