"""Result files: what they say, and several of one experiment put together."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_records import LOOKUPS, write_experiment, write_matrix, write_record

from clutrr.errors import DataError
from clutrr.experiment.matrix_file import find_matrix, matrix_text
from clutrr.report.load import load_results
from clutrr.report.merge import Part, load_part, merge
from clutrr.report.outcome import outcome_of
from clutrr.report.result_file import load_grid, load_outcome, result_text
from clutrr.report.summary import summarise

TRAININGS = [(model, train, seed) for seed in range(3) for model in ("lstm", "gnn") for train in ("M3", "M4")]


def write(folder, trainings, **changes):
    """Records of these trainings; what each answered follows from its name."""
    models = [model for model in ("lstm", "gnn") if model in {training[0] for training in trainings}]
    seeds = sorted({seed for _, _, seed in trainings})
    write_matrix(folder, seeds=",".join(map(str, seeds)), models=models)
    for model, train, seed in trainings:
        right = {"M3": (20 * seed + len(model), 7), "M4": (30 * seed + len(model),)}
        write_record(folder, model, train, right, seed, **changes)
    return folder


def file_of(folder, path):
    path.write_text(result_text(load_part(folder).outcome))
    return path


def test_a_result_file_says_how_it_was_made_and_what_each_seed_answered(tmp_path):
    out = write(tmp_path / "out", TRAININGS)
    content = load_part(out).outcome.to_json()
    assert list(content) == [
        "about", "matrix", "commands", "settings", "reduced", "made", "missing", "inputs", "stories",
        "near", "lookups", "cells",
    ]  # fmt: skip
    assert content["settings"]["seeds"] == 3
    (made,) = content["made"]
    assert made["device"] == "CPU, one thread"
    assert made["versions"] == {"clutrr": "0.1.0", "torch": "2.13.0"}
    assert len(made["trainings"]) == len(TRAININGS)
    assert content["stories"]["trained on"] == {"M3": "of M3", "M4": "of M4"}
    assert content["lookups"][1] == {"train": "M3", "test": "M4", **LOOKUPS}
    cell = next(c for c in content["cells"] if (c["model"], c["train"], c["test"]) == ("gnn", "M3", "M4"))
    assert cell == {
        "model": "gnn",
        "train": "M3",
        "test": "M4",
        "seeds": 3,
        "accuracy": 33.0,
        "spread": 30.0,
        "stories": 100,
        "right": {"0": 3, "1": 33, "2": 63},
        "interval": [24.56, 42.69],
        "paper": 69,
    }
    assert str(tmp_path) not in result_text(load_part(out).outcome)


def test_a_result_file_holds_every_figure_of_its_experiment(tmp_path):
    out = write_experiment(tmp_path / "out")
    outcome = outcome_of(summarise(load_results([out])))
    path = tmp_path / "result.json"
    path.write_text(result_text(outcome))
    assert json.loads(path.read_text()) == outcome.to_json()
    again = load_outcome(path)
    assert result_text(again) == path.read_text()
    assert again.missing == outcome.missing == ["lstm-M4-seed0"]


@settings(deadline=None, max_examples=25)
@given(st.sets(st.sampled_from(TRAININGS), min_size=1, max_size=len(TRAININGS) - 1), st.booleans())
def test_however_the_trainings_are_divided_the_file_is_that_of_one_machine(tmp_path_factory, here, files):
    base = tmp_path_factory.mktemp("parts")
    whole = write(base / "whole", TRAININGS)
    parts = [
        write(base / name, [training for training in TRAININGS if (training in here) == mine])
        for name, mine in (("one", True), ("two", False))
    ]
    if files:
        parts = [file_of(part, base / f"{part.name}.json") for part in parts]
    merged = merge(map(load_part, parts))
    found, wanted = merged.to_json(), load_part(whole).outcome.to_json()
    if merged.matrix.models == ("lstm", "gnn"):
        assert result_text(merged) == result_text(load_part(whole).outcome)
    for content in (found, wanted):  # a part may begin with the other model
        content["cells"].sort(key=str)
        content["settings"]["models"].sort()
        content["made"][0]["trainings"].sort()
    assert found == wanted


def test_parts_of_what_ships_are_the_whole_byte_for_byte(tmp_path):
    """In whatever order: the matrix of that name says in which its models are."""
    whole = tmp_path / "whole"
    whole.mkdir()
    (whole / "matrix.yaml").write_text(matrix_text(find_matrix("table-1")))
    for cell in find_matrix("table-1").cells():
        write_record(
            whole, cell.model, cell.train, {"M3": (cell.seed, 7), "M4": (len(cell.model),)}, cell.seed
        )
    content = load_part(whole).outcome.to_json()
    parts = [{**content, "settings": dict(content["settings"]), "made": []} for _ in range(2)]
    for part, models in zip(parts, (["composer", "gnn"], ["lstm", "gnn-attention"]), strict=True):
        part["settings"]["models"] = models
        part["cells"] = [cell for cell in content["cells"] if cell["model"] in models]
        (made,) = content["made"]
        names = [name for name in made["trainings"] if name.rpartition("-M")[0] in models]
        part["made"] = [{**made, "trainings": names}]
        (tmp_path / f"{models[0]}.json").write_text(json.dumps(part))
    merged = merge(load_part(tmp_path / f"{name}.json") for name in ("composer", "lstm"))
    assert result_text(merged) == result_text(load_part(whole).outcome)
    assert merged.to_json()["commands"] == ["clutrr reproduce OUT --matrix table-1"]


def test_the_same_twice_is_the_same(tmp_path):
    out = write(tmp_path / "out", TRAININGS)
    part = load_part(out)
    assert result_text(merge([part, part, part])) == result_text(part.outcome)


def test_files_of_the_same_name_keep_a_checksum_each(tmp_path):
    out = write(tmp_path / "out", TRAININGS)
    given = {"content of /one/files": {"a.csv": "1"}, "content of /two/files": {"a.csv": "2"}}
    (out / "inputs.json").write_text(json.dumps(given))
    assert load_part(out).outcome.inputs == {"files-1": {"a.csv": "1"}, "files-2": {"a.csv": "2"}}


def test_a_part_without_any_finished_training_is_merged_too(tmp_path):
    """And what its audit says is kept."""
    empty = file_of(write_matrix(tmp_path / "empty", models=["lstm"], seeds=3), tmp_path / "empty.json")
    assert result_text(load_outcome(empty)) == empty.read_text()
    assert len(load_outcome(empty).lookups) == 4
    whole = load_part(write(tmp_path / "whole", TRAININGS))
    for parts in ([load_part(empty), whole], [whole, load_part(empty)]):
        assert result_text(merge(parts)) == result_text(whole.outcome)


def only_means(part: Part) -> Part:
    """As an older file says it."""
    outcome = part.outcome
    cells = tuple(replace(cell, right={}, interval=None, n=0) for cell in outcome.grid.cells)
    made = tuple(replace(each, versions={}) for each in outcome.made)
    grid = replace(outcome.grid, cells=cells)
    return Part(part.name, replace(outcome, made=made, trained_on={}, tested_on={}, grid=grid))


def test_other_models_are_added_to_means(tmp_path):
    old = only_means(load_part(write(tmp_path / "old", [t for t in TRAININGS if t[0] == "lstm"])))
    new = load_part(write(tmp_path / "new", [t for t in TRAININGS if t[0] == "gnn"]))
    merged = merge([old, new])
    assert merged.grid.models == ("lstm", "gnn")
    assert {bool(cell.right) for cell in merged.grid.cells if cell.model == "gnn"} == {True}
    assert not merged.grid.cell("lstm", "M3", "M4").right
    assert merged.grid.cell("lstm", "M3", "M4").seeds == 3
    assert [made.versions == {} for made in merged.made] == [True, False]


def test_what_is_measured_again_replaces_what_was(tmp_path):
    one = write(tmp_path / "one", TRAININGS)
    two = write(tmp_path / "two", [t for t in TRAININGS if t[0] == "gnn" and t[2] < 2])
    for train in ("M3", "M4"):
        for seed in (0, 1):
            write_record(two, "gnn", train, {"M3": (1, 1), "M4": (9 + seed,)}, seed, device="GPU")
    parts = [load_part(one), load_part(two)]
    with pytest.raises(DataError, match="both hold gnn trained on M3 with seed 0, with different"):
        merge(parts)
    merged = merge(parts, later=True)
    assert merged.grid.cell("gnn", "M3", "M4").right == {0: 9, 1: 10}
    assert merged.grid.cell("lstm", "M3", "M4").right == {0: 4, 1: 34, 2: 64}
    assert {made.device: len(made.trainings) for made in merged.made} == {"CPU, one thread": 6, "GPU": 4}
    assert merged.missing == ["gnn-M3-seed2", "gnn-M4-seed2"]
    whole = merge([load_part(two), load_part(one)], later=True)
    assert result_text(whole) == result_text(load_part(one).outcome)


def test_if_every_figure_is_replaced_seeds_and_models_that_are_not_there_again_are_missing(tmp_path):
    one = write(tmp_path / "one", [t for t in TRAININGS if t[0] == "gnn"])
    write_matrix(one, seeds=3, models=["lstm", "gnn"])
    two = write(tmp_path / "two", [("gnn", "M3", 1), ("gnn", "M4", 1)])
    merged = merge([load_part(one), load_part(two)], later=True)
    assert merged.grid.cell("gnn", "M3", "M4").right == {1: 33}
    assert [name for name in merged.missing if name.startswith("gnn")] == [
        f"gnn-{train}-seed{seed}" for seed in (0, 2) for train in ("M3", "M4")
    ]
    assert len([name for name in merged.missing if name.startswith("lstm")]) == 6


def _epochs(two):
    write_matrix(two, epochs=4, models=["gnn"])


def _preset(two):
    write_matrix(two, {"preset": "sound"}, models=["gnn"])


def _trained(two):
    write_record(two, "gnn", "M3", {"M3": (1, 1), "M4": (1,)}, data={"sha256": "another"})


def _tested(two):
    record = write_record(two, "gnn", "M3", {"M3": (1, 1), "M4": (1,)})
    record["tested"]["M4"]["sha256"] = "another"
    write_record(two, "gnn", "M3", {}, tested=record["tested"])


def _fewer(two):
    tested = {"M4": {"accuracy": 10.0, "n": 10, "patterns": {"SO-child-SO-child": [1, 10]}}}
    write_record(two, "gnn", "M3", {}, tested=tested)


def _audited(two):
    content = json.loads((two / "audit.json").read_text())
    content["matrix"][0]["last relation"] = 1.0
    (two / "audit.json").write_text(json.dumps(content))
    write_record(two, "gnn", "M3", {"M3": (1, 1), "M4": (1,)})


def _inputs(two):
    (two / "inputs.json").write_text(json.dumps({"content of /there/files": {"a.csv": "another"}}))
    write_record(two, "gnn", "M3", {"M3": (1, 1), "M4": (1,)})


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_epochs, "different experiments: epochs is 3 and 4"),
        (_preset, "different experiments: data: preset is published and sound"),
        (_trained, "were trained on different stories of M3"),
        (_tested, "were tested on different stories of M4"),
        (_fewer, "were tested on different stories of M4"),
        (_audited, "were tested on different stories of M3: their look-ups differ"),
        (_inputs, "are made from different files: files"),
    ],
)
def test_what_does_not_belong_together_is_refused(run, tmp_path, spoil, message, later):
    one = write_matrix(tmp_path / "one", models=["lstm", "gnn"])
    record = write_record(one, "lstm", "M3", {"M3": (1, 1), "M4": (1,)})
    record["tested"]["M4"]["sha256"] = "of M4"
    write_record(one, "lstm", "M3", {}, tested=record["tested"])
    write_record(one, "gnn", "M4", {"M3": (1, 1), "M4": (1,)})
    (one / "inputs.json").write_text(json.dumps({"content of /here/files": {"a.csv": "one"}}))
    two = write_matrix(tmp_path / "two", models=["gnn"])
    spoil(two)
    if not list(two.glob("cells/*")):
        write_record(two, "gnn", "M3", {"M3": (1, 1), "M4": (1,)})
    to = tmp_path / "merged.json"
    flags = ["--replace"] if later else []
    code, printed, errors = run("merge", one, file_of(two, tmp_path / "two.json"), "--to", to, *flags)
    assert (code, printed) == (2, "")
    assert re.fullmatch(rf"clutrr: .*{re.escape(message)}\n", errors)
    assert not to.exists()


@pytest.mark.parametrize("spoil", [_preset, _trained, _tested, _audited, _inputs])
def test_even_if_every_figure_is_replaced_it_must_be_the_same_experiment(tmp_path, spoil):
    one, two = (write_matrix(tmp_path / name, models=["gnn"]) for name in ("one", "two"))
    record = write_record(one, "gnn", "M3", {"M3": (1, 1), "M4": (1,)})
    record["tested"]["M4"]["sha256"] = "of M4"
    write_record(one, "gnn", "M3", {}, tested=record["tested"])
    (one / "inputs.json").write_text(json.dumps({"content of /here/files": {"a.csv": "one"}}))
    spoil(two)
    if not list(two.glob("cells/*")):
        write_record(two, "gnn", "M3", {"M3": (1, 1), "M4": (1,)})
    with pytest.raises(DataError, match="different"):
        merge([load_part(one), load_part(two)], later=True)


def test_how_a_model_is_trained_may_change_if_all_its_figures_are_replaced(tmp_path):
    one, two = write(tmp_path / "one", TRAININGS), tmp_path / "two"
    write_matrix(two, models=["gnn"], seeds=3, epochs=4)
    for _, train, seed in (t for t in TRAININGS if t[0] == "gnn"):
        write_record(two, "gnn", train, {"M3": (1, 1), "M4": (1,)}, seed)
    merged = merge([load_part(one), load_part(two)], later=True)
    assert merged.matrix.epochs == {"lstm": 3, "gnn": 4}
    assert merged.missing == []


def test_other_data_is_named_in_a_few_words(tmp_path):
    one, two = (tmp_path / f"{name}.json" for name in ("one", "two"))
    for path, data in ((one, {"preset": "sound"}), (two, [{"preset": "sound"}, {"preset": "described"}])):
        content = load_part(write(tmp_path / path.stem, TRAININGS)).outcome.to_json()
        content["settings"] |= {"data": data, "test": "3-6"}
        path.write_text(json.dumps(content))
    with pytest.raises(DataError, match=r"experiments: data is one data set and a list of 2 data sets$"):
        merge(map(load_part, (one, two)))


def test_means_of_the_same_training_are_not_put_together(tmp_path):
    part = load_part(write(tmp_path / "out", TRAININGS))
    with pytest.raises(DataError, match="both hold lstm trained on M3, and not both say"):
        merge([only_means(part), part])
    assert result_text(merge([only_means(part), part], later=True)) == result_text(part.outcome)
    assert merge([only_means(part), only_means(part)]).grid == only_means(part).outcome.grid


def test_the_command(run, tmp_path):
    out, to = write(tmp_path / "out", TRAININGS), tmp_path / "result.json"
    code, printed, errors = run("merge", out, "--to", to)
    assert (code, errors) == (0, "")
    assert printed == f"{to}: 12 trainings of lstm, gnn; 0 missing\n"
    assert run("report", out)[0] == 0
    assert to.read_text() == (out / "report/table.json").read_text()
    code, printed, _ = run("merge", to, out, "--to", to, "--json")
    assert code == 0
    assert json.loads(printed) == {**json.loads(to.read_text()), "file": str(to)}
    other = tmp_path / "other.json"
    other.write_text("mine")
    code, _, errors = run("merge", out, "--to", other)
    assert code == 2
    assert errors == f"clutrr: {other} already exists: choose another name, or merge it too\n"
    assert other.read_text() == "mine"


@pytest.mark.parametrize(
    "said",
    [
        "[]",
        "{}",
        "no",
        '{"cells": []}',
        '{"settings": {}, "made": [], "inputs": {}, "stories": {}, "lookups": [], "cells": []}',
        '{"settings": {"seeds": "x"}, "cells": []}',
    ],
)
def test_what_is_no_result_file_is_one_line(run, tmp_path, said):
    path = tmp_path / "wrong.json"
    path.write_text(said)
    code, printed, errors = run("merge", path, "--to", tmp_path / "to.json")
    assert (code, printed) == (2, "")
    assert re.fullmatch(rf"clutrr: {re.escape(str(path))}: .+\n", errors)


def test_no_figure_is_left_out_whatever_the_order_of_the_cells(tmp_path):
    """A style is tested on itself, and the first on all; a file may name another one first."""
    pairs = [("noise M2", "noise M2"), ("plain M2", "noise M2"), ("plain M2", "plain M2")]
    cells = [
        {"model": "gnn", "train": train, "test": test, "seeds": 1, "accuracy": 10.0 + i}
        for i, (train, test) in enumerate(pairs)
    ]
    for order in (cells, cells[::-1]):
        path = tmp_path / "result.json"
        path.write_text(json.dumps({"cells": order}))
        grid = load_grid(path)
        assert {(cell.train, cell.test): cell.accuracy for cell in grid.cells if cell.seeds} == {
            pair: 10.0 + i for i, pair in enumerate(pairs)
        }


def test_what_a_file_lacks_is_named(run, tmp_path):
    path = tmp_path / "wrong.json"
    _, _, errors = run("merge", path, "--to", tmp_path / "to.json")
    assert errors == f"clutrr: {path}: cannot be read: No such file or directory\n"
    path.write_text('{"cells": []}')
    _, _, errors = run("merge", path, "--to", tmp_path / "to.json")
    assert errors == f"clutrr: {path}: not the result file of an experiment (it has no settings)\n"


@pytest.mark.parametrize(
    "change",
    [
        {"model": "other"},
        {"train": "M9"},
        {"right": {"0": 201}},
        {"right": {"0": -1}},
        {"right": {"x": 1}},
        {"right": {"7": 1}},
        {"stories": 0},
        {"right": {}, "seeds": "x"},
        {"right": {}, "seeds": 0},
        {"right": {}, "accuracy": float("nan")},
        {"right": {}, "accuracy": 101},
        {"right": {}, "accuracy": None},
        {"right": {}, "spread": float("inf")},
    ],
)
def test_a_cell_that_cannot_be_is_one_line(run, tmp_path, change):
    path = file_of(write(tmp_path / "out", TRAININGS), tmp_path / "wrong.json")
    content = json.loads(path.read_text())
    content["cells"][0] |= change
    path.write_text(json.dumps(content))
    code, printed, errors = run("merge", path, "--to", tmp_path / "to.json")
    assert (code, printed) == (2, "")
    assert re.fullmatch(rf"clutrr: {re.escape(str(path))}: not the result file of an experiment .+\n", errors)
