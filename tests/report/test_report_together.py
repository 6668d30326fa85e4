"""One path of results: whatever wrote them, `report` shows them, alone and together."""

import json
import re

import pytest

import clutrr
from commands import refused, run, told
from made_records import write_experiment

pytest.importorskip("torch", reason="needs the extra `models`")
pytest.importorskip("matplotlib")

LENGTHS = ["M2", "M3", "M4", "all"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Stories, two models that were evaluated on them, and answers of anybody."""
    folder = tmp_path_factory.mktemp("together")
    puzzles = clutrr.generate("sound", k="2-4", size=30, split=("train", "test"), distractors=0)
    clutrr.write(puzzles, folder / "data")
    for model in ("gnn", "lstm"):
        clutrr.train(folder / "data", folder / model, model=model, k="2-3", epochs=1, device="cpu")
        clutrr.evaluate(folder / model, folder / "data", device="cpu")
    answers = [{"id": one.id, "answer": one.target} for one in puzzles if "test" in one.id]
    (folder / "gold.jsonl").write_text("".join(json.dumps(one) + "\n" for one in answers))
    return folder


def accuracies(experiment):
    return {
        model: [experiment.entry(model, "", row).accuracy for row in experiment.tested_on]
        for model in experiment.models
    }


def test_runs_stand_side_by_side(folder):
    """By folder and by file of answers: the figures are those of `score`."""
    found = clutrr.report(folder / "gnn", folder / "lstm/predictions.parquet")
    assert (found.models, list(found.tested_on)) == (("gnn", "lstm"), LENGTHS)
    scored = clutrr.score(folder / "data", [folder / "gnn", folder / "lstm"])
    assert accuracies(found) == accuracies(scored)
    assert found.lengths_trained_on == (2, 3)


def test_a_report_of_scores_is_the_same_report(folder, tmp_path):
    """The file in it holds all: the answers are not read again."""
    given = [folder / "gnn", folder / "lstm", folder / "gold.jsonl"]
    words = ["score", folder / "data", *given, "--steps", "--to", tmp_path / "scored"]
    first = told(*words)
    again = told("report", tmp_path / "scored", "--to", tmp_path / "again")
    assert again["pairs"] == first["pairs"]
    names = {path.name for path in (tmp_path / "scored").iterdir()}
    assert names == {"table.md", "table.json", "lengths.svg", "lengths.png", "index.html"}
    for name in names - {"index.html"}:
        before, after = ((tmp_path / place / name).read_bytes() for place in ("scored", "again"))
        assert before == after, name
    page = (tmp_path / "again/index.html").read_text()
    (pair,) = [one for one in first["pairs"] if one["models"] == ["gnn", "gold"]]
    assert f"<td>{len(pair['second'])}</td>" in page
    assert all(f">{name}</td>" in page for name in ("gnn", "lstm", "gold"))


def test_one_result_as_json(folder, tmp_path):
    """What `score --json` prints is a result, too."""
    printed = told("score", folder / "data", folder / "gold.jsonl")
    (tmp_path / "gold.json").write_text(json.dumps(printed))
    found = clutrr.report(tmp_path / "gold.json", folder / "gnn")
    assert accuracies(found)["gold"] == [100] * 4
    assert "gold" in run("info", tmp_path / "gold.json")


def test_a_run_joins_the_table_of_an_experiment(folder, tmp_path):
    """It has a training set of its own there; the file of the report holds it, and is read again."""
    out = write_experiment(tmp_path / "out")
    whole = clutrr.report(out)
    short = clutrr.generate("sound", k=2, size=20, split="test", distractors=0)
    file = tmp_path / "short.parquet"
    result = clutrr.evaluate(folder / "gnn", short, device="cpu", to=file).result
    found = clutrr.report(out, file, to=tmp_path / "to")
    assert found.trained_on == ("M3", "M4", "M2-3")
    assert found.missing == whole.missing
    for key, entry in whole.entries.items():
        assert found.entries[key].seeds == entry.seeds
    entry = found.entry("gnn", "M2-3", "M2")
    assert entry.seeds[0] == result.tested["M2"]
    assert clutrr.report(tmp_path / "to").entries == found.entries


def test_answers_to_subsets_that_are_no_lengths_are_counted_by_length_too():
    puzzles = clutrr.generate("sound", k="2-3", size=10, split=("train", "test"), distractors=0)
    answers = {one.id: one.target if one.k == 2 else "?" for one in puzzles}
    found = clutrr.score(puzzles, [answers], split="all")
    assert list(found.tested_on) == [
        *("M2 test", "M2 train", "M3 test", "M3 train"),
        *("2 facts", "3 facts", "all"),
    ]
    shown = [found.entry("answers", "", row).accuracy for row in found.tested_on]
    assert shown == [100, 100, 0, 0, 100, 0, 50]


def test_what_holds_no_result_is_one_line(folder, tmp_path):
    (tmp_path / "empty").mkdir()
    said = refused("report", tmp_path / "empty")
    assert "not the folder of an experiment, of an evaluated run or of a report" in said
    clutrr.train(folder / "data", tmp_path / "run", model="gnn", k=2, epochs=1, device="cpu")
    assert re.search(
        "run: a run that was not evaluated yet; .*clutrr evaluate",
        refused("report", tmp_path / "run"),
    )
    data = next((folder / "data").rglob("*.parquet"))
    assert "holds no result" in refused("report", data, "--to", tmp_path / "to")
    assert not (tmp_path / "to").exists()


def test_the_same_name_with_other_answers_is_refused(folder, tmp_path):
    (tmp_path / "gold.jsonl").write_text((folder / "gold.jsonl").read_text().replace("son", "aunt"))
    for place in (folder, tmp_path):
        words = [
            "score",
            folder / "data",
            place / "gold.jsonl",
            "--to",
            tmp_path / place.name / "to",
        ]
        run(*words)
    folders = [tmp_path / place.name / "to" for place in (folder, tmp_path)]
    said = refused("report", *folders, "--to", tmp_path / "both")
    assert "both hold gold, with different results: remove one" in said
