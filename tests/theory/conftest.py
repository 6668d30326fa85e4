"""Data sets in a world of other words, whose own folder is gone, and in a world of another theory."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import seats

from commands import run


@pytest.fixture(scope="session")
def bench(tmp_path_factory) -> Iterator[Path]:
    """A world of seats, whose theory is a package that brings an entry point."""
    folder = str(seats.install(tmp_path_factory.mktemp("package")))
    sys.path.append(folder)
    yield seats.write_seats(tmp_path_factory.mktemp("worlds") / "bench")
    sys.path.remove(folder)


@pytest.fixture(scope="session")
def spanish(tmp_path_factory, repository) -> Path:
    folder = tmp_path_factory.mktemp("spanish")
    world = shutil.copytree(repository / "examples/spanish", folder / "spanish")
    run(
        "generate",
        folder / "data",
        "--world",
        world,
        *"--k 2,3 --train 80 --test 40 --distractors 2".split(),
    )
    shutil.rmtree(world)
    return folder / "data"


@pytest.fixture(scope="session")
def rows(bench, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("rows") / "rows"
    run("generate", out, "--world", bench, *"--k 2-4 --train 80 --test 40 --distractors 1".split())
    return out


@pytest.fixture(scope="session", params=["spanish", "rows"])
def data(request) -> Path:
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def trained(data, tmp_path_factory) -> Path:
    where = tmp_path_factory.mktemp("run") / "run"
    run("train", data, where, "--model", "gnn", "--k", 2, "--epochs", 2, "--device", "cpu")
    return where
