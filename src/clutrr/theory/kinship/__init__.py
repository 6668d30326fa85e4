"""Kinship: families of people and couples."""

from clutrr.theory.kinship.families import Count, count_paths
from clutrr.theory.kinship.kinship import Kinship

__all__ = ["Count", "Kinship", "count_paths"]
