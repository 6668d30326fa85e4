"""Data files: writing and reading puzzles."""

from clutrr.data.folder import MANIFEST, Job, generate_folder
from clutrr.data.formats import FORMATS

__all__ = ["FORMATS", "MANIFEST", "Job", "generate_folder"]
