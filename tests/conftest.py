"""What several tests share."""

import sys
from pathlib import Path

import pytest

from clutrr.cli import main
from clutrr.world import World, load_world


@pytest.fixture(scope="session")
def world() -> World:
    return load_world()


@pytest.fixture(scope="session")
def repository() -> Path:
    return Path(__file__).parents[1]


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command in this process: its exit code, standard output and standard error."""

    def command(*arguments: object):
        monkeypatch.setattr(sys, "argv", ["clutrr", *map(str, arguments)])
        code: int | str | None = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return command
