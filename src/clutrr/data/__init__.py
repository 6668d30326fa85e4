"""Data files: every format in and out."""

from clutrr.data.formats import FORMATS
from clutrr.data.part import Part
from clutrr.data.read import read, scan

__all__ = ["FORMATS", "Part", "read", "scan"]
