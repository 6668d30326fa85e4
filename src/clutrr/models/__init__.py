"""Models that read a story and answer its question; `clutrr.models.parts` has the interface."""

from clutrr.models.batch import Batch, Stories, encode, learn_vocabulary
from clutrr.models.gnn import SentencePool
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
)
from clutrr.models.registry import NAMES, blueprint
from clutrr.models.vocabulary import Vocabulary

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
    "Stories",
    "ThreePartModel",
    "Vocabulary",
    "blueprint",
    "encode",
    "learn_vocabulary",
]
