"""Worlds: a theory of relations and a lexicon, as folders of data."""

from clutrr._lexicon.lexicon import Attribute, Lexicon, Template
from clutrr._lexicon.load import builtin_world, read_world
from clutrr._lexicon.phrases import Phrases, RelationWords
from clutrr._lexicon.speech import Speech, speaking
from clutrr._lexicon.world import World, save_world, world_files

__all__ = [
    "Attribute",
    "Lexicon",
    "Phrases",
    "RelationWords",
    "Speech",
    "Template",
    "World",
    "builtin_world",
    "read_world",
    "save_world",
    "world_files",
    "speaking",
]
