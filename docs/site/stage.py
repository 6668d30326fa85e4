"""The pages of the site, gathered in one folder for the generator: written by hand, or made here.

Pages by hand are the README (the front page), docs/*.md, experiments/notes/*.md and a few other files. They
link each other, source files and results as they lie in the repository; here each link is turned to where
that page is on the site. All pages are in one folder there: a note keeps its name, which starts with its
date, and the index of the notes is `notes`. A page that `NAVIGATION` does not name is put under its last
heading, so nothing is lost.
"""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]

# The headings of the navigation, and the pages below each; those that are not there yet are left out.
NAVIGATION = {
    "Start here": [
        "tutorial",
        "language-models",
        "books",
        "train-with-rewards",
        "own-model",
        "your-data",
    ],
    "How to": [
        "reasoning",
        "judge-reasoning",
        "worlds",
        "statements",
        "write-a-world",
        "write-a-theory",
        "cluster",
    ],
    "Understand": [
        "assumptions",
        "what-the-table-measures",
        "how-the-solver-proves",
        "stories",
        "models",
        "composer",
        "algebra",
        "real-text",
        "growth",
        "scale",
    ],
    "Reference": [
        "prompts-and-replies",
        "frozen-sets",
        "commands",
        "python",
        "file-formats",
        "matrix-files",
    ],
    "Look": ["gallery", "explorer", "field", "published-data", "experiments", "results"],
    "Project": ["contributing", "changelog", "security", "notes"],
    "More": [],
}
_BY_HAND = {
    "README.md": "index",
    "CONTRIBUTING.md": "contributing",
    "CHANGELOG.md": "changelog",
    "SECURITY.md": "security",
    "experiments/README.md": "experiments",
}
_LINK = re.compile(r"(?<=\]\()([^)#\s]+)(?=[)#])")
_FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)


def stage(folder: Path, made: dict[str, str]) -> None:
    """Put every page into the folder. made: the text of the pages that nobody wrote, by name."""
    pages = {ROOT / file: name for file, name in _BY_HAND.items()}
    pages |= {page: page.stem for page in sorted((ROOT / "docs").glob("*.md"))}
    notes = sorted((ROOT / "experiments/notes").glob("*.md"))
    pages |= {note: "notes" if note.stem == "README" else note.stem for note in notes}
    site = _Site(folder, pages)
    folder.mkdir(parents=True)
    for page, name in pages.items():
        # Notes are found from their index and the pages that link them.
        head = "---\norphan: true\n---\n" if page in notes and name != "notes" else ""
        (folder / f"{name}.md").write_text(head + site.linked(page), encoding="utf-8")
    for name, text in (made | site.code).items():
        (folder / f"{name}.md").parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    with (folder / "index.md").open("a", encoding="utf-8") as index:
        below = {name for page, name in pages.items() if page not in notes} | {"notes"}
        index.write("\n".join(_navigation({*below, *made})))


class _Site:
    """Where things of the repository are on the site. code: the pages of source files that are linked."""

    def __init__(self, folder: Path, pages: dict[Path, str]) -> None:
        self.folder = folder
        self.pages = pages
        self.code: dict[str, str] = {}

    def linked(self, page: Path) -> str:
        """The text of a page with its links turned; code is left as it is."""
        parts = _FENCE.split(page.read_text(encoding="utf-8"))
        return "".join(
            part
            if part.startswith("```")
            else _LINK.sub(lambda link: self._target(page, link[1]), part)
            for part in parts
        )

    def _target(self, page: Path, link: str) -> str:
        if "://" in link or link.startswith("mailto:"):
            return link
        there = Path(os.path.normpath(page.parent / link))
        place = there.relative_to(ROOT)
        if there in self.pages:
            return f"{self.pages[there]}.md"
        if there.is_dir():  # the folder of results
            return f"{there.name}.md"
        if there.suffix == ".py":
            name = f"code/{place.as_posix().replace('/', '-').removesuffix('.py')}"
            text = there.read_text(encoding="utf-8")
            self.code[name] = f"---\norphan: true\n---\n# `{place}`\n\n```python\n{text}```\n"
            return f"{name}.md"
        name = place.as_posix().removeprefix("docs/").removeprefix("experiments/")
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(there, self.folder / name)
        return name


def _navigation(names: set[str]) -> Iterator[str]:
    named = {name for below in NAVIGATION.values() for name in below}
    rest = sorted(names - named - {"index"})
    for heading, below in NAVIGATION.items():
        there = [name for name in below if name in names] + (rest if heading == "More" else [])
        if there:
            yield from ("", "```{toctree}", ":hidden:", f":caption: {heading}", "", *there, "```")
    yield ""
