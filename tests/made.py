"""Puzzles for tests, straight from the generator."""

from clutrr.generator import Config, puzzles
from clutrr.world import load_world


def made(preset=None, *, k=3, size=1000, seed=0, split="train", world="kinship", **settings):
    """The first puzzles of a subset and split."""
    config = Config(preset=preset, k=(k,), train=max(size, 1), test=max(size, 1), seed=seed, **settings)
    return puzzles(config, load_world(world), split, size)
