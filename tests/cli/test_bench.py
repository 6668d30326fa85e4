"""`clutrr bench`: what it measures, and the record that a page can name."""

import json

import pytest


def test_bench_prints_json(run):
    code, out, _ = run(
        *("bench", "generate", "--presets", "described", "--k", "3"),
        *("--told", "plain", "--stories", "8192", "--repeats", "1", "--json"),
    )
    assert code == 0
    (row,) = json.loads(out)["rows"]
    assert (row["preset"], row["k"], row["format"]) == ("described", 3, "parquet")
    assert row["ratio"] == pytest.approx(row["stories_per_cpu_s"] / row["writer_only_per_cpu_s"], abs=0.002)
    assert 10 < row["peak_rss_mb"] < 400


def test_bench_audit_counts_rows(run, tmp_path):
    run("generate", tmp_path / "d", "--k", "2", "--train", "30", "--test", "20")
    code, out, _ = run("bench", "audit", tmp_path / "d", "--repeats", "1", "--json")
    measured = json.loads(out)
    assert code == 0
    assert measured["rows"] == 50
    assert measured["rows_per_cpu_s"] > 0
    code, _, error = run("bench", "audit", tmp_path / "d", "--repeats", "0")
    assert (code, len(error.splitlines())) == (2, 1)


def test_bench_generate_writes_a_record_that_a_page_can_name(run, tmp_path):
    code, out, _ = run(
        *("bench", "generate", "--presets", "published,strict", "--k", "2,3", "--told", "plain"),
        *("--stories", "1", "--repeats", "1", "--json"),
    )
    record = json.loads(out)
    assert code == 0
    assert [(row["preset"], row["k"]) for row in record["rows"]] == [
        ("published", 3),
        ("strict", 2),
        ("strict", 3),
    ]
    speeds = {(row["preset"], row["k"]): row["stories_per_cpu_s"] for row in record["rows"]}
    assert record["tables"]["stories"] == {
        "columns": ["preset", "told", "format", "k = 2", "k = 3"],
        "rows": [
            ["published", "plain", "parquet", None, speeds["published", 3]],
            ["strict", "plain", "parquet", speeds["strict", 2], speeds["strict", 3]],
        ],
    }
    (tmp_path / "mine.json").write_text(out)
    page = tmp_path / "page.md"
    page.write_text("<!-- table by row: mine.json#stories -->\n<!-- end of table -->\n")
    assert run("render", page)[0] == 0
    assert f"| published | plain | parquet |  | {speeds['published', 3]:,} |" in page.read_text()
