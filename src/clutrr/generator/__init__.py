"""Config to blocks of puzzles."""

from clutrr.config import SPLITS, Config
from clutrr.generator.blocks import Generator, Puzzles
from clutrr.generator.stream import Stream

__all__ = ["SPLITS", "Config", "Generator", "Puzzles", "Stream"]
