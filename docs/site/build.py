"""Build the site: python docs/site/build.py OUT. Everything that a page needs is inside OUT."""

import sys
import tempfile
from pathlib import Path

from reference import commands_page, python_page, results_page
from sphinx.cmd.build import main as sphinx
from stage import ROOT, stage

import clutrr

_EXPLORER = """# The explorer

`clutrr explore DATA` makes one page of a data set: stories, the families behind them, proofs. Here is that
page for 60 test questions of the preset `mixed`; half of them cannot be told.
<a href="explorer/stories.html">Open it alone.</a>

<iframe class="explorer" src="explorer/stories.html" title="The explorer on 60 stories"></iframe>
"""


def build(out: Path) -> int:
    """Build the site into a folder; Sphinx's exit code, which counts a warning as a failure."""
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        made = {
            "commands": commands_page(),
            "python": python_page(),
            "results": results_page(ROOT / "experiments/results", scratch),
            "explorer": _EXPLORER,
        }
        stage(scratch / "pages", made)
        for file in (ROOT / "experiments/results").glob("*.json"):
            (scratch / "pages/results").mkdir(exist_ok=True)
            (scratch / "pages/results" / file.name).write_bytes(file.read_bytes())
        settings = str(Path(__file__).parent)
        doctrees = str(scratch / "doctrees")
        code = sphinx(
            [
                "-q",
                "-W",
                "--keep-going",
                "-c",
                settings,
                "-d",
                doctrees,
                str(scratch / "pages"),
                str(out),
            ]
        )
        if code == 0:
            _explorer(out / "explorer/stories.html")
    return code


def _explorer(page: Path) -> None:
    """The explorer on a small data set."""
    puzzles = [
        puzzle
        for k in (2, 3, 4)
        for puzzle in clutrr.generate("mixed", k, 20, split="test", distractors=1)
    ]
    clutrr.explore(puzzles, out=page)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python docs/site/build.py OUT")
    raise SystemExit(build(Path(sys.argv[1])))
