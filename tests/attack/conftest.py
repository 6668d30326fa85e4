"""What several attacks share."""

from pathlib import Path

import pytest

from clutrr._generate import Config
from clutrr._generate.folder import Job, generate_folder


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    """A few stories to train on. Tests that need other ones have a fixture of the same name."""
    out = tmp_path_factory.mktemp("attack") / "data"
    generate_folder(Job(out, Config("described", (2,), 30, 10, distractors=0)))
    return out
