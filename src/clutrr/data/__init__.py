"""Data files: writing and reading puzzles."""

from clutrr.data.folder import MANIFEST, Job, generate_folder
from clutrr.data.formats import FORMATS
from clutrr.data.part import Part
from clutrr.data.read import read, scan

__all__ = ["FORMATS", "MANIFEST", "Job", "Part", "generate_folder", "read", "scan"]
