"""What several tests share."""

from pathlib import Path

import pytest

from clutrr.world import World, load_world


@pytest.fixture(scope="session")
def world() -> World:
    return load_world()


@pytest.fixture(scope="session")
def repository() -> Path:
    return Path(__file__).parents[1]
