"""Puzzles, pages and a browser for the tests of the explorer."""

import json
from pathlib import Path
from typing import Any

import pytest
from explore_files import write_data, write_page, write_run

from clutrr import generate
from clutrr._puzzle import Puzzle


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
    ann, bob = (
        "<img src=x onerror=document.title='hit'>",
        "</script><script>document.title='hit'</script>",
    )
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
