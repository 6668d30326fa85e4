"""Config to blocks of puzzles."""

from clutrr._config import Config
from clutrr._generate.blocks import Generator, Puzzles
from clutrr._generate.stream import Stream

__all__ = ["Config", "Generator", "Puzzles", "Stream"]
