"""Tables and figures of pages are those of the result files that they name."""

import json
import re

import pytest

from clutrr.errors import DataError
from commands import refused
from render import app, drawn_from, render

RESULTS = [
    {"model": model, "train": train, "seed": seed, "tested": {test: {"rows": 1000, "right": right}}}
    for model, train, test, every in [
        ("gnn", "M3", "M4", (861, 881, 901)),
        ("gnn", "M3-4", "M6", (498, 501, 503)),
        ("lstm", "M3", "M4", (700,)),
    ]
    for seed, right in enumerate(every)
]
SETTINGS = {
    "data": {"preset": "published", "k": "3-4"},
    "train": [3, "3-4"],
    "models": ["gnn", "lstm"],
    "seeds": 3,
}


def file_of(results, **settings):
    whole = {"settings": {**SETTINGS, **settings}, "inputs": {}, "stories": {}, "lookups": []}
    return json.dumps({**whole, "results": results})


PAGE = """\
# A page

<!-- table by {layout}: {files} -->
old
<!-- end of table -->

after
"""


@pytest.fixture
def page(tmp_path):
    """Write a page beside two result files."""
    (tmp_path / "a.json").write_text(file_of(RESULTS))
    (tmp_path / "b.json").write_text(file_of(RESULTS[:3], models=["gnn"]))

    def write(layout="length", files="a.json, b.json (again)", text=PAGE):
        path = tmp_path / "page.md"
        path.write_text(text.format(layout=layout, files=files))
        return path

    return write


def test_the_docs_say_what_the_result_files_say(repository):
    pages = [repository / "README.md", *sorted((repository / "docs").glob("*.md"))]
    pages += sorted((repository / "experiments/notes").glob("*.md"))
    rendered = [render(page) for page in pages]
    assert not [path for each in rendered for path in each.changed]
    text = "".join(each.text for each in rendered)
    used = {
        name
        for line in re.findall(r"<!-- .+? -->", text)
        for name in re.findall(r"(\w[\w-]*)\.json", line)
    }
    there = {path.stem for path in (repository / "experiments/results").glob("*.json")}
    assert used <= there
    # Those that no table is rendered from have to be linked.
    assert all(f"results/{name}.json" in text for name in there)


def test_a_table_by_length(page):
    rendered = render(page())
    assert rendered.text.splitlines()[2:9] == [
        "<!-- table by length: a.json, b.json (again) -->",
        "| trained on | model | seeds | M4 | M6 |",
        "| --- | --- | --- | --- | --- |",
        "| M3 | `gnn` | 3 | 88.1 ±2.0 |  |",
        "| M3 | `lstm` | 1 | 70.0 |  |",
        "| M3-4 | `gnn` | 3 |  | 50.1 ±0.3 |",
        "| M3 again | `gnn` | 3 | 88.1 ±2.0 |  |",
    ]
    assert rendered.text.startswith("# A page\n\n")
    assert rendered.text.endswith("<!-- end of table -->\n\nafter\n")
    rendered.path.write_text(rendered.text)
    assert not render(rendered.path).changed


def test_a_table_by_cell(page):
    lines = render(page("cell", "a.json")).text.splitlines()
    assert lines[3:7] == [
        "| trained on | tested on | GNN | LSTM |",
        "| --- | --- | --- | --- |",
        "| M3 | M4 | **88.1** ±2.0 (69) | 70.0 (46.6) |",
        "| M3 | M6 | \N{EN DASH} (0) | \N{EN DASH} (0) |",
    ]


def test_a_table_by_model(page):
    lines = render(page("model", "a.json#M3")).text.splitlines()
    assert lines[3:7] == [
        "| model | M4 | M6 |",
        "| --- | --- | --- |",
        "| GNN | **88.1** | \N{EN DASH} |",
        "| LSTM | 70.0 | \N{EN DASH} |",
    ]
    with pytest.raises(DataError, match="no model is trained on 'M7'"):
        render(page("model", "a.json#M7"))


def test_the_command(tool, page, tmp_path):
    path = page(text=PAGE + "\n<!-- lengths of a.json -->\n![Curves](curves.png)\n")
    code, printed, errors = tool("render", path, "--check")
    assert (code, printed) == (2, "")
    assert re.fullmatch(
        r"clutrr: out of date: .*page\.md, .*curves\.png; run tools/render\.py .*\n", errors
    )
    assert "old" in path.read_text()
    assert not (tmp_path / "curves.png").exists()
    code, printed, _ = tool("render", path, "--json")
    assert (code, json.loads(printed)["changed"]) == (0, [str(path), str(tmp_path / "curves.png")])
    assert tool("render", path, "--check") == (0, "Everything is up to date.\n", "")
    picture = (tmp_path / "curves.png").read_bytes()
    (tmp_path / "a.json").write_text(file_of(RESULTS[:2]))
    assert tool("render", path)[0] == 0
    changed = (tmp_path / "curves.png").read_bytes()
    assert drawn_from(changed) != drawn_from(picture)
    pytest.importorskip("PIL.Image").open(tmp_path / "curves.png").verify()


@pytest.mark.parametrize(
    ("layout", "files", "text", "message"),
    [
        (
            "depth",
            "a.json",
            PAGE,
            "there is no table by 'depth'; there are tables by board, cell, length",
        ),
        ("length", "none.json", PAGE, "none.json: cannot be read"),
        ("cell", "a.json, b.json", PAGE, "takes one result file"),
        ("length", "a.json", PAGE.replace("<!-- end", "<!-- ende"), "no <!-- end of table -->"),
        (
            "length",
            "a.json",
            PAGE + "<!-- circle of a.json -->\n![x](x.png)\n",
            "no figure 'circle'",
        ),
        ("length", "page.md", PAGE, "page.md: cannot be read"),
        ("length", "wrong.json", PAGE, "wrong.json: not the file of an experiment"),
        ("length", "twice.json", PAGE, "twice.json: not the file of an experiment"),
    ],
)
def test_what_cannot_be_rendered_is_one_line(page, tmp_path, layout, files, text, message):
    (tmp_path / "wrong.json").write_text(file_of([{"model": "gnn"}]))
    (tmp_path / "twice.json").write_text(file_of(RESULTS[:1] * 2))
    path = page(layout, files, text)
    before = path.read_text()
    assert message in refused(path, commands=app)
    assert path.read_text() == before


def test_a_table_by_row_is_the_one_that_the_file_has_under_that_name(page, tmp_path):
    table = {
        "columns": ["what", "a", "b"],
        "rows": [["one", 80.75, 23455884], ["two", None, "as said"]],
    }
    (tmp_path / "c.json").write_text(json.dumps({"tables": {"mine": table}}))
    assert render(page("row", "c.json#mine")).text.splitlines()[2:8] == [
        "<!-- table by row: c.json#mine -->",
        "| what | a | b |",
        "| --- | --- | --- |",
        "| one | 80.8 | 23,455,884 |",
        "| two |  | as said |",
        "<!-- end of table -->",
    ]


@pytest.mark.parametrize("files", ["c.json#other", "c.json", "no.json#mine", "c.json#short"])
def test_a_table_by_row_that_is_not_there_is_refused(page, tmp_path, files):
    short = {"columns": ["what", "a"], "rows": [["one"]]}
    (tmp_path / "c.json").write_text(json.dumps({"tables": {"short": short}}))
    with pytest.raises(DataError, match="table"):
        render(page("row", files))
