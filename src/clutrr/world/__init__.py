"""Worlds: a theory of relations and a lexicon, as folders of data."""

from clutrr.world.lexicon import Attribute, Lexicon, Template
from clutrr.world.load import builtin_world, builtin_worlds, load_world
from clutrr.world.phrases import Phrases, RelationWords
from clutrr.world.world import World, save_world, world_files

__all__ = [
    "Attribute",
    "Lexicon",
    "Phrases",
    "RelationWords",
    "Template",
    "World",
    "builtin_world",
    "builtin_worlds",
    "load_world",
    "save_world",
    "world_files",
]
