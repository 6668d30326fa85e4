"""Several models' answers, side by side: the figures are those of `score`, and nothing is overwritten."""

import json
import re
import shutil

import pytest

import clutrr
from clutrr._data import open_dataset
from clutrr._report.comparison import compare, with_lookups
from clutrr._score.predictions import named, read_predictions
from clutrr._table import from_table
from commands import refused, run, told

pytest.importorskip("matplotlib")


def asked(folder):
    return (
        p
        for table in open_dataset(folder / "data").split("test").values()
        for p in from_table(table)
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory, repository):
    """Mixed stories in Spanish; the right answers, and those of a model that knows up to 3 facts."""
    folder = tmp_path_factory.mktemp("compare")
    shutil.copytree(repository / "examples/spanish", folder / "spanish")
    words = [
        "generate",
        folder / "data",
        "--preset",
        "mixed",
        "--world",
        folder / "spanish",
        "--k",
        "2-5",
    ]
    words += ["--distractors", 1, "--train", 40, "--test", 30]
    run(*words)
    puzzles = list(asked(folder))
    for name, known in (("gold", 5), ("short", 3)):
        answers = [{"id": p.id, "answer": p.target if p.k <= known else "?"} for p in puzzles]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in answers))
    return folder


def compared(data, *answers):
    return with_lookups(compare(data, [*map(read_predictions, answers)]), data)


def test_the_figures_by_length(folder):
    found = compared(open_dataset(folder / "data"), folder / "gold.jsonl", folder / "short.jsonl")
    assert (found.questions["split"], found.questions["assume"]) == ("test", "open")
    assert found.lengths == (2, 3, 4, 5)
    gold, short = found.results
    assert (gold.model, short.model) == ("gold", "short")
    assert [gold.lengths[k].accuracy for k in found.lengths] == [100] * 4
    assert [short.lengths[k].accuracy for k in found.lengths] == [100, 100, 0, 0]
    assert short.total.unread == 60
    assert short.total.accuracy == 50
    assert found.fitted_on == (2, 3, 4, 5)
    assert found.tested_on == ("M2", "M3", "M4", "M5", "all")
    lookups = found.lookups_by_length("", found.by_length()[""])
    assert set(lookups) == {
        "label known",
        "last relation",
        "longest known ending",
        "longest known beginning",
        "rules shown",
    }
    assert all(0 <= share <= 100 for by in lookups.values() for share in by.values())
    assert all(len(by) == 4 for by in lookups.values())
    assert len(list(found.rows())) == 1 + 4 + 1


def test_the_look_ups_are_the_audits(folder):
    """Each subset has one length, so that by length and by subset are the same."""
    found = compared(open_dataset(folder / "data"), folder / "gold.jsonl")
    cells = {
        cell["test"]: cell for cell in clutrr.audit(folder / "data").matrix if "+" in cell["train"]
    }
    for name, by_length in found.lookups_by_length("", found.by_length()[""]).items():
        assert by_length == {k: cells[f"M{k}"][name] for k in found.lengths}


def test_the_report_as_files(folder, tmp_path):
    answers = [folder / "gold.jsonl", folder / "short.jsonl"]
    words = ["score", folder / "data", *answers, "--to", tmp_path / "out"]
    content = told(*words)
    assert [result["model"] for result in content["results"]] == ["gold", "short"]
    assert content["results"][1]["by_k"]["4"]["accuracy"] == 0
    assert content["results"][1]["command"].startswith(f"clutrr score {folder / 'data'}")
    names = {"table.md", "table.json", "lengths.svg", "lengths.png", "index.html"}
    assert names <= {path.name for path in (tmp_path / "out").iterdir()}
    page = (tmp_path / "out" / "index.html").read_text()
    assert all(word in page for word in ("gold", "short", "50.0 %"))
    assert not re.search(r"(src|href)=.http", page)
    run(*words)
    before = {name: (tmp_path / "out" / name).read_bytes() for name in names}
    run(*words)
    assert before == {name: (tmp_path / "out" / name).read_bytes() for name in names}


def test_data_without_training_rows_has_no_look_ups(folder, tmp_path):
    clutrr.write(list(asked(folder)), tmp_path / "rows.jsonl", world=str(folder / "spanish"))
    found = compared(
        open_dataset(tmp_path / "rows.jsonl", str(folder / "spanish")), folder / "gold.jsonl"
    )
    assert (found.lookups, found.fitted_on) == ({}, ())
    assert found.results[0].total.accuracy == 100
    words = ["--world", folder / "spanish", "--to", tmp_path / "out"]
    run("score", tmp_path / "rows.jsonl", folder / "gold.jsonl", *words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["score", "data", "gold.jsonl", "--to", "new", "--split", "nope"],
            "no question in split 'nope'",
        ),
        (["score", "data", "none.jsonl", "--to", "new"], "none.jsonl: no such file"),
        (["report", "data"], "not the folder of an experiment"),
    ],
)
def test_what_cannot_be_compared_is_one_line(folder, monkeypatch, words, said):
    monkeypatch.chdir(folder)
    assert said in refused(*words)
    assert not (folder / "new").exists()


def test_models_are_named_by_their_files(tmp_path):
    (tmp_path / "a" / "gnn.2").mkdir(parents=True)
    paths = [
        tmp_path / "x.jsonl",
        tmp_path / "a" / "gnn.2",
        tmp_path / "b" / "lstm" / "predictions.parquet",
    ]
    assert list(named(paths)) == ["x", "gnn.2", "lstm"]
    same = [tmp_path / "a" / "x.jsonl", tmp_path / "b" / "x.csv"]
    assert list(named(same)) == [str(path) for path in same]
