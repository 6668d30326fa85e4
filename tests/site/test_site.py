"""The site: it builds without a warning, every link leads somewhere, and it works in a browser from disk."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import typer

import clutrr
from clutrr._cli import app
from clutrr._table import SCHEMA, STATEMENTS

pytestmark = pytest.mark.process
ROOT = Path(__file__).parents[2]
HEADINGS = ["Start here", "How to", "Understand", "Reference", "Look", "Project"]


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Path:
    for package in ("sphinx", "furo", "myst_parser"):
        pytest.importorskip(package, reason="the extra `docs` is not installed")
    out = tmp_path_factory.mktemp("site") / "html"
    command = [sys.executable, ROOT / "docs/site/build.py", out]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return out


class Page(HTMLParser):
    """What a page has: its title, the ids in it, what it links to, what it loads."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.tags: list[str] = []
        self.title = ""
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.append(tag)
        self.ids |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif tag in ("script", "img", "iframe") and given.get("src"):
            self.loads.append(given["src"])
        elif tag == "link" and given.get("rel") in ("stylesheet", "icon", "search", "index"):
            self.loads.append(given["href"])

    def handle_data(self, data):
        if self.tags and self.tags[-1] == "title" and not self.title:
            self.title = data.strip()


@pytest.fixture(scope="session")
def pages(site) -> dict[Path, Page]:
    return {file: Page(file) for file in site.rglob("*.html") if "explorer" not in file.parts}


def test_every_link_and_anchor_is_there(pages):
    broken = []
    titles = [page.title for page in pages.values()]
    assert all(titles)
    assert len(set(titles)) == len(titles)
    for file, page in pages.items():
        for link in (*page.links, *page.loads):
            parts = urlsplit(link)
            if parts.scheme in ("http", "https", "mailto"):
                continue
            there = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if not there.is_file():
                broken.append(f"{file.name}: {link}")
            elif (
                parts.fragment
                and there in pages
                and unquote(parts.fragment) not in pages[there].ids
            ):
                broken.append(f"{file.name}: {link}: no such place")
    assert not broken
    assert sum(len(page.links) for page in pages.values()) > 500


def test_nothing_is_loaded_from_elsewhere(site, pages):
    for file, page in pages.items():
        assert not [address for address in page.loads if "//" in address], file
    for file in (*site.rglob("*.css"), *site.rglob("*.js")):
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"@import\s+url\(['\"]?(https?:)?//|url\(['\"]?(https?:)?//", text), (
            file
        )


def test_every_page_of_the_docs_is_in_the_navigation(site, pages):
    text = (site / "index.html").read_text(encoding="utf-8")
    places = [text.index(f">{heading}</span>") for heading in HEADINGS]
    assert places == sorted(places)
    linked = set(pages[site / "index.html"].links)
    assert {f"{page.stem}.html" for page in (ROOT / "docs").glob("*.md")} <= linked
    assert {"commands.html", "python.html", "explorer.html", "results.html"} <= linked


def test_a_page_that_comes_later_is_found_and_one_that_is_missing_left_out(tmp_path):
    """Pages that nobody named come last; of those named, only what is there."""
    code = (
        "import sys; sys.path.insert(0, 'docs/site'); import stage; from pathlib import Path\n"
        f"made = dict.fromkeys(('brand-new', 'commands'), '# A page\\n')\n"
        f"stage.stage(Path({str(tmp_path / 'pages')!r}), made)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    index = (tmp_path / "pages/index.md").read_text(encoding="utf-8")
    trees = re.findall(r"```\{toctree\}\n:hidden:\n:caption: (.+?)\n\n(.*?)```", index, re.DOTALL)
    listed = {heading: below.split() for heading, below in trees}
    assert "brand-new" in listed["More"]
    assert "commands" in listed["Reference"]
    assert "python" not in listed["Reference"]  # it is made, and was not here
    assert all(
        (tmp_path / f"pages/{name}.md").is_file() for below in listed.values() for name in below
    )


def test_the_commands_are_those_of_the_program(site):
    text = (site / "commands.html").read_text(encoding="utf-8")
    plain = re.sub(r"<[^>]+>", "", text)
    root = typer.main.get_command(app())
    for name, command in root.commands.items():
        assert f'id="{name}"' in text or getattr(command, "commands", None), name
        for one in getattr(command, "commands", {name: command}).values():
            for parameter in one.params:
                if parameter.param_type_name == "option" and parameter.name != "help":
                    spelled = parameter.opts or parameter.secondary_opts
                    assert spelled[0] in plain, (name, spelled)


def test_the_public_names_are_documented(pages, site):
    named = set(clutrr.__all__) - {
        "__version__",
        "errors",
    }  # whose classes are documented one by one
    missing = {f"clutrr.{name}" for name in named} - {
        one.replace("clutrr.errors.", "clutrr.") for one in pages[site / "python.html"].ids
    }
    assert not missing


def test_the_columns_of_a_record_are_those_of_the_schema():
    text = (ROOT / "docs/file-formats.md").read_text(encoding="utf-8")
    table = text.split("## Columns of a record")[1].split("\n## ")[0]
    named = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    assert named == [*SCHEMA.names, STATEMENTS.name]


SHOWN = ["index", "commands", "file-formats", "gallery", "published-data"]


@pytest.mark.parametrize("name", SHOWN)
def test_a_page_on_a_phone_and_in_the_dark(site, browse, name):
    page = browse(site / f"{name}.html", ready="article h1")
    assert "CLUTRR" in page.title()
    page.set_viewport_size({"width": 390, "height": 844})
    wider = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert wider <= 0
    brightness = "c => c.match(/[0-9.]+/g).slice(0, 3).reduce((sum, x) => sum + Number(x), 0)"
    shown = {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        colours = (
            "e => [getComputedStyle(document.body).backgroundColor, getComputedStyle(e).color]"
        )
        ground, ink = page.locator("article p").first.evaluate(colours)
        shown[scheme] = [page.evaluate(f"({brightness})('{colour}')") for colour in (ground, ink)]
    assert shown["light"][0] > shown["light"][1] + 300
    assert shown["dark"][1] > shown["dark"][0] + 300


def test_search_finds_a_page(site, browse):
    page = browse(site / "index.html", ready="article h1")
    page.get_by_placeholder("Search").fill("bracketing")
    page.keyboard.press("Enter")
    page.wait_for_selector("#search-results li a")
    page.locator("#search-results li a", has_text="Commands").first.click()
    page.wait_for_selector("article h1")
    assert page.title().startswith("Commands")


def test_the_explorer_is_live(site, browse):
    page = browse(site / "explorer.html", ready="iframe.explorer")
    inside = page.frame_locator("iframe.explorer")
    inside.locator("body[data-ready]").wait_for()
    assert "mixed" in page.locator("article").inner_text()
