"""What the page on statements shows of proofs is what is printed."""

import doctest
from pathlib import Path

import clutrr

PAGE = Path(__file__).parents[1] / "docs/statements.md"


def test_the_proofs_of_the_page():
    text = "\n".join(
        "" if line.startswith("```") else line for line in PAGE.read_text("utf-8").splitlines()
    )
    found = doctest.DocTestParser().get_doctest(text, {"clutrr": clutrr}, "statements", None, 0)
    assert len(found.examples) >= 8
    failed = doctest.DocTestRunner(verbose=False).run(found)
    assert failed.failed == 0
