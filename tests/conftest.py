"""What several tests share: a world, commands run in this process, a browser."""

import importlib
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from clutrr import load_world
from clutrr._lexicon import World
from commands import outcome
from processes import PATIENCE

_FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()

# How long an example takes says more about the machine than about the code.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# A shell starts background jobs with Ctrl-C ignored; what the tests start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def world() -> World:
    return load_world()


@pytest.fixture(scope="session")
def repository() -> Path:
    return Path(__file__).parents[1]


@pytest.fixture(scope="session")
def published(repository) -> Path:
    """The published files."""
    folder = repository.parent / "shared/published"
    if not folder.is_dir():
        pytest.skip("the published files are not at hand (../shared/published)")
    return folder


@pytest.fixture
def run():
    """Run a command in this process: its exit code, standard output and standard error."""
    return outcome


@pytest.fixture
def tool():
    """Run a script of tools/ by its name, in the same way."""
    return lambda name, *arguments: outcome(*arguments, commands=importlib.import_module(name).app)


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """Runs a line as a shell does, but in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run_line(line: str) -> None:
        if "$(" in line:
            path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
            environment = {"PATH": path, "HOME": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}
            done = subprocess.run(
                ["bash", "-c", line], env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
            return
        command, _, file = line.partition(" > ")
        code, printed, errors = outcome(*shlex.split(command)[1:])
        assert code == 0, f"{line}\n{errors}"
        assert printed, f"{line} prints nothing"
        Path(file or "printed").write_text(printed)

    return run_line


@pytest.fixture(scope="session")
def chromium(tmp_path_factory) -> Iterator[Any]:
    """Debian's chromium; nothing is downloaded."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    executable = shutil.which("chromium")
    if executable is None:
        pytest.skip("chromium is not installed")
    with playwright.sync_playwright() as driver:
        profile = tmp_path_factory.mktemp("profile")
        context = driver.chromium.launch_persistent_context(
            profile,
            executable_path=executable,
            headless=True,
            args=_FLAGS,
            viewport={"width": 1440, "height": 1000},
        )
        context.set_default_timeout(1000 * PATIENCE)
        yield context
        context.close()


@pytest.fixture
def browse(chromium) -> Iterator[Callable[..., Any]]:
    """Opens pages; after the test no page may have logged an error or asked for the network."""
    problems: list[str] = []
    pages = []

    def opened(file: Path, address: str = "", ready: str = "body[data-ready]") -> Any:
        page = chromium.new_page()
        pages.append(page)
        page.on(
            "console",
            lambda message: problems.append(message.text) if message.type == "error" else None,
        )
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: (problems.append("a dialog"), dialog.dismiss()))
        page.on("request", lambda request: _only_local(request.url, problems))
        page.goto(file.as_uri() + address)
        page.wait_for_selector(ready)
        return page

    yield opened
    for page in pages:
        page.close()
    assert problems == []


def _only_local(url: str, problems: list[str]) -> None:
    if not url.startswith(("file:", "data:")):
        problems.append(f"asked for {url}")
