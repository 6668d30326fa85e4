"""Data sets and files: every format in and out."""

from clutrr._data.dataset import WORLD, Dataset, open_dataset
from clutrr._data.own import FORMATS
from clutrr._data.part import Part
from clutrr._data.puzzles import PuzzleSequence

__all__ = ["FORMATS", "WORLD", "Dataset", "Part", "PuzzleSequence", "open_dataset"]
