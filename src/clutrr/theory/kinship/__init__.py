"""Kinship: families of people and couples."""

from clutrr.theory.kinship.kinship import Kinship

__all__ = ["Kinship"]
