"""Config to blocks of puzzles."""

from clutrr.generator.blocks import BLOCK, Generator, Puzzles, block_size, puzzles
from clutrr.generator.config import PRESETS, SPLITS, Config, Preset

__all__ = ["BLOCK", "PRESETS", "SPLITS", "Config", "Generator", "Preset", "Puzzles", "block_size", "puzzles"]
