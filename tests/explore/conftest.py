"""Puzzles, pages and a browser for the tests of the explorer."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from explore_files import write_data, write_page, write_run

from clutrr.api import generate
from clutrr.puzzle import Puzzle

_FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


@pytest.fixture(scope="session")
def puzzles() -> list[Puzzle]:
    """Determined and undetermined questions of several lengths."""
    return [
        *generate("sound", k=3, size=12, seed=5, distractors=2),
        *generate("described", k=4, size=24, seed=5, split="test", distractors=2),
    ]


@pytest.fixture(scope="session")
def hostile() -> dict[str, Any]:
    """A puzzle whose every text is markup or script."""
    ann, bob = "<img src=x onerror=document.title='hit'>", "</script><script>document.title='hit'</script>"
    return {
        "id": "M1-test-<b>&0",
        "story": f"[{ann}] has a son called [{bob}]. In politics, [{bob}] leans [<svg onload=alert(1)>].",
        "abstract": f"[{bob}] is [{ann}]'s son.",
        "query": [ann, bob],
        "target": "son",
        "k": 1,
        "pattern": ["child"],
        "facts": [[ann, "son", bob]],
        "people": [{"name": ann, "gender": "female"}, {"name": bob, "gender": "<u>"}],
        "family": "f",
    }


@pytest.fixture(scope="session")
def hostile_page(hostile, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    data = folder / "<i>data.jsonl"
    data.write_text(json.dumps(hostile) + "\n")
    return write_page(data, folder / "page.html")


@pytest.fixture(scope="session")
def page_file(puzzles, tmp_path_factory) -> Path:
    """The page of the puzzles with two runs: one wrong at every third, one wrong at every fifth."""
    folder = tmp_path_factory.mktemp("explore")
    runs = [write_run(folder / f"by{n}", puzzles, lambda i, n=n: i % n == 0) for n in (3, 5)]
    return write_page(write_data(folder, puzzles), folder / "page.html", runs)


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
        context.set_default_timeout(20_000)
        yield context
        context.close()


@pytest.fixture
def browse(chromium) -> Iterator[Callable[..., Any]]:
    """Opens pages; after the test no page may have logged an error or asked for the network."""
    problems: list[str] = []
    pages = []

    def opened(file: Path, address: str = "") -> Any:
        page = chromium.new_page()
        pages.append(page)
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: (problems.append("a dialog"), dialog.dismiss()))
        page.on("request", lambda request: _only_local(request.url, problems))
        page.goto(file.as_uri() + address)
        page.wait_for_selector("body[data-ready]")
        return page

    yield opened
    for page in pages:
        page.close()
    assert problems == []


def _only_local(url: str, problems: list[str]) -> None:
    if not url.startswith(("file:", "data:")):
        problems.append(f"asked for {url}")
