"""Kinship: families of people and couples."""

from clutrr.theory.kinship.kinship import Kinship
from clutrr.theory.kinship.paths import Count, count_paths

__all__ = ["Count", "Kinship", "count_paths"]
