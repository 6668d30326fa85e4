"""Models that read a story and answer its question, from three parts: see `parts`."""

from clutrr.models.batch import Batch, Stories, encode, learn_vocabulary
from clutrr.models.named import CHOICES, NAMES, recipe
from clutrr.models.parts import (
    Classifier,
    Model,
    Processor,
    Reader,
    Reading,
    Recipe,
    Sizes,
    States,
)
from clutrr.models.vocabulary import Vocabulary

__all__ = [
    "Batch",
    "CHOICES",
    "Classifier",
    "Model",
    "NAMES",
    "Processor",
    "Reader",
    "Reading",
    "Recipe",
    "Sizes",
    "States",
    "Stories",
    "Vocabulary",
    "encode",
    "learn_vocabulary",
    "recipe",
]
