"""What records say, alone and together; what is refused."""

import json
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_records import LOOKUPS, write_experiment, write_matrix, write_record

from clutrr import paper
from clutrr.errors import DataError
from clutrr.experiment.matrix_file import find_matrix, matrix_text
from clutrr.report.load import load_results
from clutrr.report.outcome import outcome_of
from clutrr.report.summary import summarise


@pytest.fixture
def summary(tmp_path):
    return summarise(load_results([write_experiment(tmp_path / "out")]))


def test_table_1_is_the_paper_s(repository):
    source = repository.parent / "shared" / "paper.tex"
    if not source.is_file():
        pytest.skip("the paper's source is not here")
    table = source.read_text().partition("label{tab:results}")[2].partition("end{tabular}")[0]
    for model in paper.TABLE_1:
        (row,) = re.findall(rf"^{paper.title(model)} +&(.*?)\\\\", table, re.MULTILINE)
        figures = [float(re.sub(r"\\textbf{(.*)}", r"\1", cell.strip())) for cell in row.split("&")]
        ours = [paper.accuracy(model, i, j) for i in paper.SUBSETS for j in paper.SUBSETS]
        assert figures == ours


def test_what_the_paper_has_no_figure_for():
    assert paper.accuracy("gnn", "M4", "M5") == 87.8
    assert paper.accuracy("gnn+literal", "M4", "M5") == 87.8
    assert paper.accuracy("gnn", "M2", "M5") is None
    assert paper.accuracy("gnn", "M4", "M7") is None
    assert paper.accuracy("mine.py:MODEL", "M4", "M5") is None


def test_a_cell(summary):
    cell = summary.grid.cell("gnn", "M3", "M4")
    assert (cell.accuracy, cell.paper, cell.difference) == (64, 69, -5)
    assert (cell.seeds, cell.n, cell.spread, cell.best) == (1, 100, None, True)
    assert cell.interval == pytest.approx((54.24, 72.73), abs=0.01)
    assert cell.lookups == LOOKUPS


def test_best_of_the_models(summary):
    best = {(c.model, c.train, c.test) for c in summary.grid.cells if c.best}
    assert {model for model, *pair in best if pair == ["M3", "M3"]} == {"lstm", "gnn-attention"}
    assert {model for model, *pair in best if pair == ["M4", "M3"]} == {"gnn"}
    assert {model for model, *pair in best if pair == ["M4", "M4"]} == {"gnn"}


def test_nobody_is_best_at_zero(tmp_path):
    write_matrix(tmp_path, models=["lstm", "gnn"])
    for model in ("lstm", "gnn"):
        write_record(tmp_path, model, "M3", {"M3": (50, 50), "M4": (0,)})
    summary = summarise(load_results([tmp_path]))
    assert not any(cell.best for cell in summary.grid.cells if cell.test == "M4")


def test_how_many_are_near_the_paper_s(summary):
    # ours - the paper's: lstm 0, 3.4; gnn -2.3, -5, -10.3, 4.7; attention 0.2, -27.79, -16.7, 0.8
    assert summary.grid.near("lstm").to_json() == {"of": 2, "within 5": 2, "within 10": 2}
    assert summary.grid.near("gnn").to_json() == {"of": 4, "within 5": 3, "within 10": 3}
    assert summary.grid.near("gnn-attention").to_json() == {"of": 4, "within 5": 2, "within 10": 2}
    assert (
        str(summary.grid.near()) == "of 10 cells there are 7 within 5 and 7 within 10 points of the paper's"
    )


def test_means_of_figure_2(summary):
    mean = summary.grid.mean("gnn", "M3")
    assert (mean.ours, mean.of) == (pytest.approx((96 + 49.5) / 2), 2)
    assert mean.paper == pytest.approx((98.3 + 59.8) / 2)
    part = summary.grid.mean("lstm", "M3")
    assert (part.ours, part.of) == (100, 1)


def test_what_is_missing(summary):
    assert [cell.name for cell in summary.results.missing] == ["lstm-M4-seed0"]
    assert summary.grid.cell("lstm", "M4", "M3").accuracy is None
    assert outcome_of(summary).missing == ["lstm-M4-seed0"]


def test_several_seeds(tmp_path):
    write_matrix(tmp_path, seeds=3, models=["gnn"])
    for seed, right in enumerate((40, 50, 60)):
        write_record(tmp_path, "gnn", "M3", {"M3": (right, right), "M4": (right,)}, seed)
    cell = summarise(load_results([tmp_path])).grid.cell("gnn", "M3", "M4")
    assert (cell.accuracy, cell.spread, cell.seeds, cell.n) == (50, 10, 3, 100)
    assert cell.interval == pytest.approx((40.38, 59.62), abs=0.01)


def test_other_presets_have_no_figure_of_the_paper_s(tmp_path):
    write_matrix(tmp_path, {"preset": "sound"})
    write_record(tmp_path, "gnn", "M3", {"M3": (40, 40), "M4": (40,)})
    summary = summarise(load_results([tmp_path]))
    assert not summary.grid.compared
    assert outcome_of(summary).to_json()["near"] is None
    assert {cell.paper for cell in summary.grid.cells} == {None}


def test_files_with_more_subsets_than_were_trained_on(tmp_path):
    write_matrix(tmp_path, {"k": [4], "wording": "files"}, test="files", models=["gnn"])
    write_record(tmp_path, "gnn", "M4", {"M3": (0, 0), "M4": (100,), "M6": (40,)})
    summary = summarise(load_results([tmp_path]))
    assert summary.results.tested_on == ("M3", "M4", "M6")
    assert summary.grid.cell("gnn", "M4", "M6").difference == pytest.approx(0.1)
    assert not any("test stories" in line for line in summary.results.reduced)


def test_what_was_reduced(tmp_path):
    for name, lines in (("full", 0), ("quick", 4)):
        (tmp_path / "matrix.yaml").write_text(matrix_text(find_matrix(name)))
        assert len(load_results([tmp_path]).reduced) == lines
    assert load_results([tmp_path]).reduced[0] == "training stories a subset: 1000 instead of 4000"


@settings(max_examples=20)
@given(st.sets(st.tuples(st.sampled_from(["lstm", "gnn"]), st.sampled_from(["M3", "M4"]), st.integers(0, 2))))
def test_records_of_two_machines_are_one_experiment(tmp_path_factory, here):
    """However the trainings are divided, together they give the table of one machine."""
    base = tmp_path_factory.mktemp("machines")
    folders = [write_matrix(base / name, seeds=3, models=["lstm", "gnn"]) for name in ("all", "one", "two")]
    for i, model in enumerate(("lstm", "gnn")):
        for train in ("M3", "M4"):
            for seed in range(3):
                where = folders[1] if (model, train, seed) in here else folders[2]
                for folder in (folders[0], where):
                    write_record(folder, model, train, {"M3": (seed, 7), "M4": (i + 30 * seed,)}, seed)
    whole, merged = (summarise(load_results(each)) for each in (folders[:1], folders[1:]))
    assert merged.grid == whole.grid
    assert merged.results.records == whole.results.records
    assert not merged.results.missing


def test_machines_that_ran_other_models_or_more_seeds(tmp_path):
    one = write_matrix(tmp_path / "one", models=["lstm"])
    two = write_matrix(tmp_path / "two", models=["gnn"], seeds=2)
    write_record(one, "lstm", "M3", {"M3": (1, 1), "M4": (1,)})
    write_record(two, "gnn", "M3", {"M3": (2, 2), "M4": (2,)}, seed=1)
    results = load_results([one, two])
    assert results.models == ("lstm", "gnn")
    assert results.seeds == 2
    assert len(results.missing) == 6
    assert len(load_results([one, one]).records) == 1


def test_machines_that_share_out_the_seeds(tmp_path):
    one = write_matrix(tmp_path / "one", seeds=2, models=["gnn"], epochs={"gnn": 3})
    two = write_matrix(tmp_path / "two", seeds="2-3", models=["gnn"])
    for folder, seeds in ((one, (0, 1)), (two, (2, 3))):
        for seed in seeds:
            for train in ("M3", "M4"):
                write_record(folder, "gnn", train, {"M3": (seed, seed), "M4": (seed,)}, seed)
    summary = summarise(load_results([two, one]))
    assert not summary.results.missing
    cell = summary.grid.cell("gnn", "M4", "M3")
    assert (cell.seeds, cell.accuracy) == (4, 1.5)
    assert summary.results.matrix.seeds == (0, 1, 2, 3)


def _other_epochs(one: Path, two: Path) -> None:
    write_matrix(two, epochs=4)


def _other_files(one: Path, two: Path) -> None:
    write_matrix(two, test="files")


def _other_preset(one: Path, two: Path) -> None:
    write_matrix(two, {"preset": "sound"})


def _other_result(one: Path, two: Path) -> None:
    for folder, right in ((one, 1), (two, 2)):
        write_record(folder, "gnn", "M3", {"M3": (right, 1), "M4": (1,)})


def _other_stories(one: Path, two: Path) -> None:
    write_record(one, "gnn", "M3", {"M3": (1, 1), "M4": (1,)})
    write_record(two, "lstm", "M3", {"M3": (1, 1), "M4": (1,)}, data={"sha256": "another"})


def _other_tests(one: Path, two: Path) -> None:
    write_record(one, "gnn", "M3", {"M3": (1, 1), "M4": (1,)})
    record = write_record(two, "lstm", "M3", {"M3": (1, 1), "M4": (1,)})
    record["tested"]["M4"] = {"accuracy": 1.0, "n": 90, "patterns": {"SO-child-SO-child": [1, 90]}}
    (two / "cells/lstm-M3-seed0/result.json").write_text(json.dumps(record))


def _other_audit(one: Path, two: Path) -> None:
    content = json.loads((two / "audit.json").read_text())
    content["matrix"][0]["last relation"] = 1.0
    (two / "audit.json").write_text(json.dumps(content))


def _nothing(one: Path, two: Path) -> None:
    shutil.rmtree(two)


def _no_mapping(one: Path, two: Path) -> None:
    (two / "matrix.yaml").write_text("[1, 2]")


def _no_yaml(one: Path, two: Path) -> None:
    (two / "matrix.yaml").write_text("k: [1,\n: :")


def _lacking(one: Path, two: Path) -> None:
    (two / "matrix.yaml").write_text("profile: quick\n")


def _half_a_record(one: Path, two: Path) -> None:
    write_record(two, "gnn", "M3", {"M3": (1, 1)})
    path = two / "cells/gnn-M3-seed0/result.json"
    path.write_text(path.read_text()[:200])


def _no_record(one: Path, two: Path) -> None:
    write_record(two, "gnn", "M3", {"M3": (1, 1)}, tested={"M3": [1, 2]})


def _wrong_sum(one: Path, two: Path) -> None:
    record = write_record(two, "gnn", "M3", {"M3": (1, 1)})
    record["tested"]["M3"]["n"] = 7
    write_record(two, "gnn", "M3", {}, tested=record["tested"])


def _foreign_model(one: Path, two: Path) -> None:
    write_record(two, "other", "M3", {"M3": (1, 1)})


def _foreign_subset(one: Path, two: Path) -> None:
    write_record(two, "gnn", "M6", {"M3": (1, 1)})


def _foreign_config(one: Path, two: Path) -> None:
    record = write_record(two, "gnn", "M3", {"M3": (1, 1)})
    write_record(two, "gnn", "M3", {"M3": (1, 1)}, config={**record["config"], "epochs": 9})


def _foreign_seed(one: Path, two: Path) -> None:
    folder = two / "cells/gnn-M3-seed0"
    record = write_record(two, "gnn", "M3", {"M3": (1, 1)})
    (folder / "result.json").write_text(json.dumps({**record, "seed": 7}))


def _half_an_audit(one: Path, two: Path) -> None:
    (two / "audit.json").write_text('{"matrix": [{"train": "M3"}]}')


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_other_epochs, "different experiments: epochs is 3 and 4"),
        (_other_files, "different experiments: data: test is 100 and 0"),
        (_other_preset, "different experiments: data: preset is published and sound"),
        (_other_result, "both hold gnn-M3-seed0, with different results"),
        (_other_stories, "trained on different stories of M3"),
        (_other_tests, "tested on different stories of M4"),
        (_other_audit, "their audits differ"),
        (_nothing, "not the folder of an experiment"),
        (_no_mapping, "matrix.yaml: expected a mapping of data, train"),
        (_no_yaml, "matrix.yaml: not YAML"),
        (_lacking, "matrix.yaml: there is no setting 'profile'"),
        (_half_a_record, "result.json: cannot be read"),
        (_no_record, "not the record of a training"),
        (_wrong_sum, "do not add up"),
        (_foreign_model, "does not belong to the matrix.yaml beside it: model"),
        (_foreign_subset, "does not belong to the matrix.yaml beside it: train"),
        (_foreign_config, "does not belong to the matrix.yaml beside it: epochs"),
        (_foreign_seed, "does not belong to the matrix.yaml beside it: seed"),
        (_half_an_audit, "not what an audit writes"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, spoil, message):
    one, two = write_matrix(tmp_path / "one"), write_matrix(tmp_path / "two")
    spoil(one, two)
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        load_results([one, two])
    assert "\n" not in str(caught.value)
