"""Relation kinds and their meaning; sentences, attributes and names, as data."""

from clutrr.world.assumptions import Assumption
from clutrr.world.load import builtin_world, builtin_worlds, load_world
from clutrr.world.save import save_world, world_files
from clutrr.world.world import GENDERS, Attribute, Composition, Kind, Template, World

__all__ = [
    "GENDERS",
    "Assumption",
    "Attribute",
    "Composition",
    "Kind",
    "Template",
    "World",
    "builtin_world",
    "builtin_worlds",
    "load_world",
    "save_world",
    "world_files",
]
