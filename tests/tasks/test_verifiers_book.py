"""The taskset of books for verifiers, with the real package: its tools read the book, its reward pays for sets."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import clutrr

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def module(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("verifiers.v1", reason="needs verifiers 0.4")
    pytest.importorskip("bm25s", reason="needs the extra `books`")
    monkeypatch.syspath_prepend(str(repository / "environments/clutrr_book"))
    import clutrr_book

    return clutrr_book


def test_tools_and_rewards(module: Any, tmp_path: Path) -> None:
    clutrr.book(tmp_path / "book", entities=40, questions=6)
    config = module.BookConfig(id="clutrr-book", data=str(tmp_path / "book"))
    tasks = list(module.BookTaskset(config).take(6))
    assert len({task.data.prompt_text for task in tasks}) == 6
    for task in tasks:
        right = f"Answer: {'; '.join(task.data.answers)}"
        for said, earned in ((right, 1.0), ("Answer: nobody I know", 0.0), ("", 0.0)):
            assert asyncio.run(task.right(SimpleNamespace(last_reply=said))) == earned
    tools = module.BookTools(module.BookToolsConfig(data=str(tmp_path / "book")))
    title = clutrr.book(entities=40, questions=6).book(0).articles[1].title
    assert title in asyncio.run(tools.search(title))
    assert title in asyncio.run(tools.open_article(title))
