"""The results of an experiment: alone and together, in folders and in files; what is refused."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clutrr import _paper as paper
from clutrr._report.loading import load_experiment
from clutrr._train.matrix import find_matrix
from clutrr.errors import DataError
from commands import refused as refused_command
from made_records import COMMAND, LOOKUPS, score_of, write_experiment, write_matrix, write_record

TRAININGS = [
    (model, train, seed) for seed in range(3) for model in ("lstm", "gnn") for train in ("M3", "M4")
]


@pytest.fixture
def experiment(tmp_path):
    return load_experiment(write_experiment(tmp_path / "out"))


def write(folder, trainings, **changes):
    """Results of these trainings; what each answered follows from its name."""
    models = [
        model for model in ("lstm", "gnn") if model in {training[0] for training in trainings}
    ]
    seeds = sorted({seed for _, _, seed in trainings})
    write_matrix(folder, seeds=",".join(map(str, seeds)), models=models)
    for model, train, seed in trainings:
        right = {"M3": (20 * seed + len(model), 7), "M4": (30 * seed + len(model),)}
        write_record(folder, model, train, right, seed, **changes)
    return folder


def file_of(folder, path):
    path.write_text(load_experiment(folder).to_text())
    return path


# The table


def test_table_1_is_the_paper_s(repository):
    source = repository.parent / "shared" / "paper.tex"
    if not source.is_file():
        pytest.skip("the paper's source is not here")
    found = source.read_text().partition("label{tab:results}")[2].partition("end{tabular}")[0]
    for model in paper.TABLE_1:
        (row,) = re.findall(rf"^{paper.title(model)} +&(.*?)\\\\", found, re.MULTILINE)
        figures = [float(re.sub(r"\\textbf{(.*)}", r"\1", cell.strip())) for cell in row.split("&")]
        ours = [paper.accuracy(model, i, j) for i in paper.SUBSETS for j in paper.SUBSETS]
        assert figures == ours


def test_what_the_paper_has_no_figure_for():
    assert paper.accuracy("gnn", "M4", "M5") == 87.8
    assert paper.accuracy("gnn+literal", "M4", "M5") == 87.8
    assert paper.accuracy("gnn", "M2", "M5") is None
    assert paper.accuracy("gnn", "M4", "M7") is None
    assert paper.accuracy("mine.py:MODEL", "M4", "M5") is None


def test_an_entry(experiment):
    entry = experiment.entry("gnn", "M3", "M4")
    assert (entry.accuracy, entry.paper, entry.difference) == (64, 69, -5)
    assert (len(entry.seeds), entry.rows, entry.spread, entry.best) == (1, 100, None, True)
    assert entry.interval == pytest.approx((54.24, 72.73), abs=0.01)
    assert experiment.lookups["M3", "M4"] == LOOKUPS


def test_what_is_missing(experiment):
    assert experiment.entry("lstm", "M4", "M3").accuracy is None
    assert experiment.to_json()["missing"] == ["lstm-M4-seed0"]


def test_best_of_the_models(experiment):
    best = {(e.model, e.train, e.test) for e in experiment.entries.values() if e.best}
    assert {model for model, *pair in best if pair == ["M3", "M3"]} == {"lstm", "gnn-attention"}
    assert {model for model, *pair in best if pair == ["M4", "M3"]} == {"gnn"}
    assert {model for model, *pair in best if pair == ["M4", "M4"]} == {"gnn"}


def test_nobody_is_best_at_zero(tmp_path):
    write_matrix(tmp_path, models=["lstm", "gnn"])
    for model in ("lstm", "gnn"):
        write_record(tmp_path, model, "M3", {"M3": (50, 50), "M4": (0,)})
    assert not any(e.best for e in load_experiment(tmp_path).entries.values() if e.test == "M4")


def test_how_many_are_near_the_paper_s(experiment):
    # ours - the paper's: lstm 0, 3.4; gnn -2.3, -5, -10.3, 4.7; attention 0.2, -27.79, -16.7, 0.8
    assert (
        experiment.near == "Of 10 cells there are 7 within 5 and 7 within 10 points of the paper's."
    )


def test_several_seeds(tmp_path):
    write_matrix(tmp_path, seeds=3, models=["gnn"])
    for seed, right in enumerate((40, 50, 60)):
        write_record(tmp_path, "gnn", "M3", {"M3": (right, right), "M4": (right,)}, seed)
    entry = load_experiment(tmp_path).entry("gnn", "M3", "M4")
    assert (entry.accuracy, entry.spread, len(entry.seeds), entry.rows) == (50, 10, 3, 100)
    assert entry.interval == pytest.approx((40.38, 59.62), abs=0.01)


def test_other_presets_have_no_figure_of_the_paper_s(tmp_path):
    write_matrix(tmp_path, {"preset": "sound"})
    write_record(tmp_path, "gnn", "M3", {"M3": (40, 40), "M4": (40,)})
    found = load_experiment(tmp_path)
    assert not found.compared
    assert {entry.paper for entry in found.entries.values()} == {None}


def test_files_with_more_subsets_than_were_trained_on(tmp_path):
    write_matrix(tmp_path, {"k": [4]}, wording="files", test="files", models=["gnn"])
    write_record(tmp_path, "gnn", "M4", {"M3": (0, 0), "M4": (100,), "M6": (40,)})
    found = load_experiment(tmp_path)
    assert found.tested_on == ("M3", "M4", "M6")
    assert found.entry("gnn", "M4", "M6").difference == pytest.approx(0.1)


# Files


def test_a_file_says_how_it_was_made_and_what_each_seed_answered(tmp_path):
    content = load_experiment(write(tmp_path / "out", TRAININGS)).to_json()
    assert list(content) == [
        "about", "commands", "settings", "missing", "inputs", "stories", "lookups", "verdicts", "results",
    ]  # fmt: skip
    assert content["settings"]["seeds"] == 3
    assert content["commands"] == [COMMAND]
    assert content["stories"]["trained on"] == {"M3": "of M3", "M4": "of M4"}
    assert content["lookups"][1] == {"train": "M3", "test": "M4", **LOOKUPS}
    assert len(content["results"]) == len(TRAININGS)
    assert content["results"][2] == {
        "model": "gnn",
        "train": "M3",
        "seed": 0,
        "device": "CPU, one thread",
        "versions": {"clutrr": "0.1.0", "torch": "2.13.0"},
        "command": COMMAND,
        "tested": {"M3": {"rows": 200, "right": 10}, "M4": {"rows": 100, "right": 3}},
    }


def test_a_file_holds_every_figure_of_its_experiment(tmp_path, experiment):
    path = tmp_path / "table.json"
    path.write_text(experiment.to_text())
    assert json.loads(path.read_text()) == experiment.to_json()
    again = load_experiment(path)
    assert again.to_text() == path.read_text()
    assert again.entries == experiment.entries
    assert again.lookups == experiment.lookups


@pytest.mark.parametrize(
    "said",
    [
        "[]",
        "{}",
        "no",
        '{"results": []}',
        '{"settings": {}, "inputs": {}, "stories": [], "lookups": [], "results": [{}]}',
        '{"settings": {"seeds": "x"}, "results": []}',
    ],
)
def test_what_is_no_file_of_an_experiment_is_one_line(tmp_path, said):
    path = tmp_path / "wrong.json"
    path.write_text(said)
    assert f"clutrr: {path}: " in refused_command("report", path, "--to", tmp_path / "to")
    assert not (tmp_path / "to").exists()


@pytest.mark.parametrize(
    "change",
    [
        {"model": "other"},
        {"model": "x" * 300},
        {"train": "M9"},
        {"seed": "x"},
        *(
            {"tested": {"M3": {"rows": 200, "right": right}}}
            for right in (201, -1, "x", float("nan"))
        ),
        {"tested": {"M3": {"rows": 0, "right": 0}}},
        {"tested": {"M3": {"right": 0}}},
        {"device": 3},
        {"seconds": float("inf")},
    ],
)
def test_a_result_that_cannot_be_is_one_line(tmp_path, change):
    path = file_of(write(tmp_path / "out", TRAININGS), tmp_path / "wrong.json")
    content = json.loads(path.read_text())
    first = content["results"][0]
    for results in ([{**first, **change}], [first, first]):  # that cannot be; there twice
        path.write_text(json.dumps({**content, "results": results}))
        with pytest.raises(DataError, match=r"wrong\.json: not the file of an experiment \(.+\)$"):
            load_experiment(path)


def test_files_of_the_same_name_keep_a_checksum_each(tmp_path):
    out = write(tmp_path / "out", TRAININGS)
    given = {"content of /one/files": {"a.csv": "1"}, "content of /two/files": {"a.csv": "2"}}
    (out / "inputs.json").write_text(json.dumps(given))
    assert load_experiment(out).inputs == {"files-1": {"a.csv": "1"}, "files-2": {"a.csv": "2"}}


def test_no_figure_is_left_out_whatever_the_order_of_the_styles(tmp_path):
    """A style is tested on itself, and the first on all; a result may have been tested on more."""
    styles = {"plain": {}, "noise": {"irrelevant": 1}}
    write_matrix(tmp_path, {"k": [3]}, models=["gnn"], styles=styles)
    matrix = find_matrix(str(tmp_path / "matrix.yaml"))
    score = {"rows": 10, "right": 1}
    for cell in matrix.cells():
        record = {
            "model": "gnn",
            "train": cell.train,
            "seed": 0,
            "config": matrix.training(cell).to_json(),
        }
        folder = tmp_path / "cells" / cell.name
        folder.mkdir(parents=True)
        every = {"tested": {"plain M3": score, "noise M3": score}}
        (folder / "result.json").write_text(json.dumps({**record, **every}))
    found = load_experiment(tmp_path)
    assert len([entry for entry in found.entries.values() if entry.seeds]) == 4


# Together


@settings(max_examples=25)
@given(st.sets(st.sampled_from(TRAININGS), min_size=1, max_size=len(TRAININGS) - 1), st.booleans())
def test_however_the_trainings_are_divided_together_they_are_those_of_one_machine(
    tmp_path_factory, here, files
):
    base = tmp_path_factory.mktemp("parts")
    whole = load_experiment(write(base / "whole", TRAININGS))
    parts = [
        write(base / name, [training for training in TRAININGS if (training in here) == mine])
        for name, mine in (("one", True), ("two", False))
    ]
    if files:
        parts = [file_of(part, base / f"{part.name}.json") for part in parts]
    joined = load_experiment(*parts)
    assert not joined.missing
    if joined.models == ("lstm", "gnn"):
        assert joined.to_text() == whole.to_text()
        assert files or joined.entries == whole.entries
    found, wanted = joined.to_json(), whole.to_json()
    for content in (found, wanted):  # a part may begin with the other model
        content["results"].sort(key=str)
        content["settings"]["models"].sort()
    assert found == wanted


def test_the_same_twice_is_the_same(tmp_path):
    out = write(tmp_path / "out", TRAININGS)
    file = file_of(out, tmp_path / "table.json")
    assert load_experiment(out, file, out).to_text() == load_experiment(out).to_text()


def test_machines_that_share_out_the_seeds(tmp_path):
    """What was not run is missing."""
    one = write_matrix(tmp_path / "one", seeds=2, models=["gnn"])
    two = write_matrix(tmp_path / "two", seeds="2-3", models=["gnn"])
    for folder, seed in ((one, 0), (one, 1), (two, 2), (two, 3)):
        write_record(folder, "gnn", "M4", {"M3": (seed, seed), "M4": (seed,)}, seed)
    found = load_experiment(two, one)
    assert (found.seeds, len(found.missing)) == ((0, 1, 2, 3), 4)
    entry = found.entry("gnn", "M4", "M3")
    assert (len(entry.seeds), entry.accuracy) == (4, 1.5)


def test_files_may_lie_elsewhere_on_another_machine(tmp_path):
    """What they hold is compared by its checksum."""
    parts = []
    for place in ("/here/files", "/there/data"):
        out = write_matrix(
            tmp_path / place.replace("/", "-"), wording=place, test=place, models=["gnn"]
        )
        write_record(out, "gnn", "M3", {"M3": (1, 1)})
        parts.append(out)
    assert len(load_experiment(*parts).results) == 1


@pytest.fixture
def refused(tmp_path):
    """Check that two folders, after a change to them, are refused together in one line."""

    def check(change, message):
        one, two = write_matrix(tmp_path / "one"), write_matrix(tmp_path / "two")
        change(one, two)
        with pytest.raises(DataError, match=re.escape(message)) as caught:
            load_experiment(one, two)
        assert "\n" not in str(caught.value)

    return check


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epochs": 4}, "different experiments: epochs is 3 and 4"),
        (
            {"data": {"preset": "sound"}},
            "different experiments: presets is ['published'] and ['sound']",
        ),
    ],
)
def test_another_matrix_is_refused(refused, changes, message):
    refused(lambda one, two: write_matrix(two, **changes), message)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("matrix.yaml", "[1, 2]", "matrix.yaml: not the settings of an experiment"),
        ("matrix.yaml", "k: [1,\n: :", "matrix.yaml: not YAML"),
        (
            "matrix.yaml",
            "profile: quick\n",
            "not the settings of an experiment (it has no models",
        ),
        ("matrix.yaml", None, "not the folder of an experiment"),
        ("audit.json", '{"matrix": [{"train": "M3"}]}', "not what an audit writes"),
        ("cells/gnn-M3-seed0/result.json", '{"model": "gnn", ', "result.json: cannot be read"),
    ],
)
def test_spoiled_files_are_refused(refused, file, text, message):
    def spoil(one, two):
        (two / file).unlink(missing_ok=True)
        (two / file).parent.mkdir(parents=True, exist_ok=True)
        if text is not None:
            (two / file).write_text(text)

    refused(spoil, message)


def test_other_files_are_refused(refused):
    def inputs(one, two):
        for folder in (one, two):
            given = {f"content of {folder}/files": {"a.csv": folder.name}}
            (folder / "inputs.json").write_text(json.dumps(given))

    refused(inputs, "are made from different files: files")


SCORES = {"M3": score_of((1, 1)), "M4": score_of((1,))}


@pytest.mark.parametrize(
    ("model", "train", "changes", "message"),
    [
        (
            "gnn",
            "M3",
            {"tested": {"M3": score_of((2, 1))}},
            "both hold gnn-M3-seed0, with different",
        ),
        ("lstm", "M3", {"data": {"sha256": "another"}}, "trained on different stories of M3"),
        (
            "lstm",
            "M3",
            {"tested": {"M4": score_of((1,), "b")}},
            "tested on different stories of M4",
        ),
        (
            "lstm",
            "M3",
            {"tested": {"M4": {"rows": 90, "right": 1}}},
            "tested on different stories of M4",
        ),
        ("gnn", "M3", {"tested": {"M3": [1, 2]}}, "not the result of a training"),
        ("gnn", "M3", {"tested": {}}, "not the result of a training"),
        ("gnn", "M3", {"tested": {"M3": {**SCORES["M3"], "rows": 1}}}, "do not add up"),
        ("other", "M3", {}, "its model, 'other', is not of the experiment"),
        ("gnn", "M6", {}, "its train, 'M6', is not of the experiment"),
        ("gnn", "M4", {"seed": 7}, "its seed, 7, is not of the experiment"),
    ],
)
def test_a_result_that_does_not_fit_is_refused(refused, model, train, changes, message):
    def results(one, two):
        tested = {**SCORES, "M4": score_of((1,), "a")}
        write_record(one, "gnn", "M3", {}, tested=tested)
        record = write_record(two, model, train, {}, tested=SCORES)
        (file,) = two.glob("cells/*/result.json")
        file.write_text(json.dumps({**record, **changes}))

    refused(results, message)
