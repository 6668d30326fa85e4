"""Families: their shape, genders and names; related pairs; counting and sampling paths."""

from clutrr.family.family import Families, Family, sample_families
from clutrr.family.led import LedWalks
from clutrr.family.paths import Count, Patterns, count_paths, enumerate_paths, enumerate_patterns
from clutrr.family.shape import Shape, people_in, regular, relations, sample
from clutrr.family.table import PathTable
from clutrr.family.walks import Walks

__all__ = [
    "Count",
    "Families",
    "Family",
    "LedWalks",
    "PathTable",
    "Patterns",
    "Shape",
    "Walks",
    "count_paths",
    "enumerate_paths",
    "enumerate_patterns",
    "people_in",
    "regular",
    "relations",
    "sample",
    "sample_families",
]
