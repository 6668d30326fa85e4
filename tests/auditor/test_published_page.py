"""The page on the published sets says what the files hold."""

from pathlib import Path

import pytest

from published import page


def test_the_page_is_current(repository: Path) -> None:
    folder = repository / ".." / "shared" / "published"
    if not folder.is_dir():
        pytest.skip("the published files are not at hand (../shared/published)")
    written = (repository / "docs" / "published-data.md").read_text(encoding="utf-8")
    assert written == page(folder), (
        "make it anew: tools/published.py ../shared/published > docs/published-data.md"
    )
