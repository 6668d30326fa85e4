"""Data to ask about."""

from pathlib import Path

import pytest

from clutrr.generator import Config
from clutrr.generator.folder import Job, generate_folder


@pytest.fixture(scope="session")
def data(tmp_path_factory) -> Path:
    """Forty questions in each of three subsets, and some train stories."""
    out = tmp_path_factory.mktemp("asked") / "data"
    generate_folder(Job(out, Config(k=(2, 3, 4), train=30, test=40, distractors=2, seed=3)))
    return out
