"""Data sets and files: every format in and out."""

from clutrr.data.dataset import MANIFEST, WORLD, Dataset, open_dataset
from clutrr.data.formats import FORMATS
from clutrr.data.part import Part

__all__ = ["FORMATS", "MANIFEST", "WORLD", "Dataset", "Part", "open_dataset"]
