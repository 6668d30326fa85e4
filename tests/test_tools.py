"""The tools beside the package: they measure what they say, and the pages that they write are current."""

import json
from pathlib import Path

import pytest

import clutrr
from babi import measure
from field import page_of
from five_worlds import PANELS, picture
from gallery import gallery_page, write_gallery
from published import pages

RESULTS = Path(__file__).parents[1] / "experiments/results"


def test_bench_audit_counts_rows(run, tool, tmp_path):
    run("generate", tmp_path / "d", "--k", "2", "--train", "30", "--test", "20")
    code, out, _ = tool("bench", "audit", tmp_path / "d", "--repeats", "1", "--json")
    measured = json.loads(out)
    assert code == 0
    assert measured["rows"] == 50
    assert measured["rows_per_cpu_s"] > 0
    code, _, error = tool("bench", "audit", tmp_path / "d", "--repeats", "0")
    assert (code, len(error.splitlines())) == (2, 1)


@pytest.mark.process
def test_bench_generate_writes_a_record_that_a_page_can_name(run, tool, tmp_path):
    code, out, _ = tool(
        *("bench", "generate", "--presets", "published,strict", "--k", "2,3", "--style", "plain"),
        *("--stories", "1", "--repeats", "1", "--json"),
    )
    record = json.loads(out)
    assert code == 0
    made = [(row["preset"], row["k"]) for row in record["rows"]]
    assert made == [("published", 3), ("strict", 2), ("strict", 3)]
    for row in record["rows"]:
        writer = row["stories_per_cpu_s"] / row["writer_only_per_cpu_s"]
        assert row["ratio"] == pytest.approx(writer, abs=0.002)
        assert 10 < row["peak_rss_mb"] < 400
    speeds = {(row["preset"], row["k"]): row["stories_per_cpu_s"] for row in record["rows"]}
    assert record["tables"]["stories"] == {
        "columns": ["preset", "style", "format", "k = 2", "k = 3"],
        "rows": [
            ["published", "plain", "parquet", None, speeds["published", 3]],
            ["strict", "plain", "parquet", speeds["strict", 2], speeds["strict", 3]],
        ],
    }
    (tmp_path / "mine.json").write_text(out)
    page = tmp_path / "page.md"
    page.write_text("<!-- table by row: mine.json#stories -->\n<!-- end of table -->\n")
    assert tool("render", page)[0] == 0
    assert f"| published | plain | parquet |  | {speeds['published', 3]:,} |" in page.read_text()


@pytest.mark.process
def test_bench_stream_names_what_it_measures(tool):
    code, out, _ = tool(
        "bench", "stream", "--world", "kinship,order", "--style", "prose", "--items", "3", "--json"
    )
    measured = json.loads(out)["tables"]["streams"]
    assert code == 0
    assert [row[:3] for row in measured["rows"]] == [["kinship", 3, "prose"]]  # the other has none
    assert all(value > 0 for value in measured["rows"][0][4:])
    assert tool("bench", "stream", "--world", "nowhere")[0] == 2


@pytest.mark.process
def test_bench_train_and_scale(tool):
    pytest.importorskip("torch", reason="torch is not installed")
    quick = "--k 3 --stories 100 --seconds 0.2 --repeats 1 --device cpu --json".split()
    code, out, _ = tool("bench", "train", "--models", "gnn", *quick)
    (row,) = json.loads(out)["rows"]
    assert (code, row["model"], row["k"]) == (0, "gnn", 3)
    assert row["examples_per_s"] > 0
    quick = "--workers 1 --stories 500 --rows 50 --by processes --json".split()
    code, out, _ = tool("bench", "scale", *quick)
    assert code == 0
    found = [(row["work"], row["rows"]) for row in json.loads(out)["rows"]]
    assert found == [("generate", 500), ("audit", 50)]


@pytest.mark.process
def test_the_page_on_published_sets_is_written(run, tool, tmp_path):
    run("generate", tmp_path / "sets/small", *"--k 2 --train 20 --test 10 --distractors 0".split())
    code, out, _ = tool("published", tmp_path / "sets", tmp_path / "docs")
    assert (code, len(out.splitlines())) == (0, 2)
    assert "## small" in (tmp_path / "docs/published-data.md").read_text()


def test_samples_of_the_gallery_are_current(monkeypatch, repository):
    page = (repository / "docs/gallery.md").read_text()
    for preset, lengths in (("published", (3, 6)), ("strict", (4,))):
        monkeypatch.setattr("gallery._LENGTHS", {preset: lengths})
        monkeypatch.setattr("gallery._PROSE", {})
        assert gallery_page().split("## Facts beyond")[0].split("##", 1)[1] in page


def test_the_picture_of_the_worlds_is_true_and_current(repository):
    """Each story proves its answer; events, regions, ages and places are drawn as it says."""
    assert {panel.world for panel in PANELS} == {
        "kinship",
        "order",
        "time",
        "regions",
        "directions",
    }
    for panel in PANELS:
        solution = clutrr.solve(panel.story, panel.query, world=panel.world)
        assert (solution.answer, solution.verdict.outside) == (panel.answer, False)
    ann, carl = (boxes_of("order")[name] for name in ("Ann", "Carl"))
    gala, regatta = (boxes_of("time")[name] for name in ("Gala", "Regatta"))
    harbor, meadow = (boxes_of("regions")[name] for name in ("Harbor", "Meadow"))
    inn, tower = (boxes_of("directions")[name] for name in ("Inn", "Tower"))
    assert carl[0] < ann[0]  # born later is to the right
    assert gala[2] < regatta[0]
    assert meadow[2] < harbor[0]
    assert inn[0] < tower[0]
    assert tower[1] < inn[1]
    assert picture() == (repository / "docs/five-worlds.svg").read_text()


def boxes_of(world):
    return next(panel.boxes for panel in PANELS if panel.world == world)


@pytest.mark.slow
def test_the_gallery_is_current(tmp_path, repository):
    written = list(write_gallery(tmp_path))
    assert [path.name for path in written] == ["gallery.md", "five-worlds.svg"]
    for path in written:
        assert path.read_text() == (repository / "docs" / path.name).read_text()


def test_the_page_on_the_field_is_made_of_its_results(repository):
    made = page_of(json.loads((repository / "experiments/results/field.json").read_text()))
    assert (repository / "docs/field.md").read_text().partition("\n## Trained on mistakes")[
        0
    ] == made


@pytest.mark.slow
def test_the_page_on_published_sets_is_current(repository, published):
    for name, text in pages(published).items():
        assert (repository / "docs" / name).read_text(encoding="utf-8") == text, (
            f"write {name} again: python tools/published.py ../shared/published"
        )


def test_babi_is_read_in_three_ways(published):
    """The counts of the page on statements; no row of the data is in the repository."""
    rows = measure(published / "babi")
    kept = json.loads((RESULTS / "babi-readings.json").read_text("utf-8"))
    assert rows == kept["rows"]
