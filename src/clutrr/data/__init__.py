"""Data sets and files: every format in and out."""

from clutrr.data.dataset import WORLD, Dataset, open_dataset
from clutrr.data.own import FORMATS
from clutrr.data.part import Part

__all__ = ["FORMATS", "WORLD", "Dataset", "Part", "open_dataset"]
