"""An experiment as a file: what it means, what is refused and where, what ships."""

import json
import re
import shlex
from dataclasses import fields, replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clutrr.cli.reproduce import reproduce
from clutrr.errors import ConfigError
from clutrr.experiment.matrix import (
    Cell,
    Folder,
    Generated,
    Matrix,
    find_matrix,
    load_matrix,
    matrix_of,
    matrix_text,
    shipped,
)
from clutrr.generator import Config
from clutrr.measure import numbers, written
from clutrr.report.experiment import load_experiment

SAID = """\
about: Short and long.
data: {preset: sound, train: 4000, seed: 41, distractors: 2, children: 2-4, disjoint: [families, patterns]}
train: [3, 4, [1, 2, 3]]
test: 2-10,20
models: [composer, gnn]
seeds: 3-5
epochs: 9
learning_rate: {gnn: 1}
"""


def parse_matrix(text: str, where: str) -> Matrix:
    """The matrix of a file that holds this text; in a refusal, the file has this name."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "matrix.yaml"
        path.write_text(text)
        try:
            return load_matrix(path)
        except ConfigError as error:
            raise ConfigError(str(error).replace(str(path), where)) from None


@pytest.mark.parametrize(
    ("said", "scene", "disjoint"),
    [
        ("levels: 4, children: [2, 4]", "levels=4,children=2-4", ()),
        ("levels: null, children: [3, 3], disjoint: [families]", "", ()),
        ("disjoint: [families, wordings]", "", ("wordings",)),
    ],
)
def test_settings_of_version_0_2_are_read(said, scene, disjoint):
    (data,) = parse_matrix(f"data: {{{said}}}", "here.yaml").data
    assert data.config == Config(scene=scene, disjoint=disjoint)


def test_what_a_file_says():
    matrix = parse_matrix(SAID, "here.yaml")
    (data,) = matrix.data
    assert data.config == Config(
        "sound",
        (1, 2, 3, 4),
        4000,
        0,  # nobody is tested on these
        41,
        scene="children=2-4",
        distractors=2,
        disjoint=("patterns",),
    )
    assert matrix.test.config == replace(data.config, k=(*range(2, 11), 20), train=0, test=1000)
    assert matrix.trained_on == ("M3", "M4", "M1-3")
    assert matrix.tested_on == (*(f"M{k}" for k in range(2, 11)), "M20")
    assert matrix.seeds == (3, 4, 5)
    cells = list(matrix.cells())
    assert len(cells) == len({cell.name for cell in cells}) == 18
    assert cells[2].name == "composer-M1-3-seed3"
    gnn, composer = (matrix.training(Cell(model, (1, 2, 3), 4)) for model in ("gnn", "composer"))
    assert (gnn.k, gnn.seed, gnn.epochs, gnn.learning_rate) == ((1, 2, 3), 4, 9, 1.0)
    assert (composer.epochs, composer.learning_rate, composer.batch) == (9, 0.001, 100)


def test_what_is_left_out_is_as_in_generate_and_train():
    matrix = parse_matrix("{}", "here.yaml")
    assert matrix == Matrix((Generated(Config()),), ((3,), (4,), (5,), (6,)))


@pytest.mark.parametrize(
    ("said", "train", "test"),
    [
        ("data: stories\ntrain: [2-3]", Folder("stories"), None),
        ("data: stories\ntrain: [2-3]\ntest: 4,5", Folder("stories"), Folder("stories", (4, 5))),
        ("data: stories\ntrain: [2-3]\ntest: [4, 5]", Folder("stories"), Folder("stories", (4, 5))),
        ("data: a\ntrain: [2]\ntest: b", Folder("a"), Folder("b")),
        ("data: a\ntrain: [2]\ntest: {folder: c, k: 3}", Folder("a"), Folder("c", (3,))),
        (
            "data: {k: 3, train: 10, test: 5}\ntest: {preset: strict, k: 4, seed: 1}",
            Generated(Config(k=(3,), train=10, test=0)),
            Generated(Config("strict", (4,), 0, 5, 1)),
        ),
        (
            "data: {preset: published, k: 3, wording: files}\ntest: files",
            Generated(Config("published", (3,), test=0), wording="files"),
            Folder("files"),
        ),
    ],
)
def test_data_and_tests(said, train, test):
    matrix = parse_matrix(said, "here.yaml")
    assert (matrix.data, matrix.test) == ((train,), test)
    assert parse_matrix(matrix_text(matrix), "there.yaml") == matrix


def test_several_data_sets():
    both = "data: [{preset: sound, k: 1-4}, {preset: described, k: 1-4}]\ntrain: [1-4]\n"
    matrix = parse_matrix(both + "test: 5", "f")
    assert [source.config.preset for source in matrix.data] == ["sound", "described"]
    assert matrix.tested_on == ("M5",)
    with pytest.raises(ConfigError, match="f: test: say what to test on"):
        parse_matrix(both, "f")


STYLES = """\
data: {k: 2-3, train: 10, test: 5, seed: 4}
test: {k: 2-4}
styles: {plain: {}, noise: {irrelevant: 2}, prose: {style: prose, disjoint: [wordings]}}
models: [gnn]
"""


def test_styles():
    matrix = parse_matrix(STYLES, "f")
    assert matrix.trained_on == tuple(f"{s} M{k}" for s in ("plain", "noise", "prose") for k in (2, 3))
    assert matrix.tested_on == tuple(f"{s} M{k}" for s in ("plain", "noise", "prose") for k in (2, 3, 4))
    (data,), test = matrix.data_in("prose"), matrix.tested_in("prose")
    assert data.config == Config(k=(2, 3), train=10, test=0, seed=4, style="prose", disjoint=("wordings",))
    assert test.config == replace(data.config, k=(2, 3, 4), train=0, test=5)
    assert (matrix.data_in("plain"), matrix.tested_in("plain")) == (matrix.data, matrix.test)
    # Trained on the first style, a model is tested on all; trained on another, on that.
    pairs = [f"{a}-{b}" for a in matrix.styles for b in matrix.styles if matrix.tests_style(a, b)]
    assert pairs == ["plain-plain", "plain-noise", "plain-prose", "noise-noise", "prose-prose"]
    assert [cell.name for cell in matrix.cells()][1:3] == ["gnn-plain-M3-seed0", "gnn-noise-M2-seed0"]
    assert parse_matrix(matrix_text(matrix), "again") == matrix


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("styles: 3", "styles: 3 is not a mapping of styles by name"),
        ("styles: {a: 3}", "styles: a: 3 is not a mapping of settings such as style: prose"),
        ("styles: {a: {}, b: {k: 3}}", "styles: b: there is no setting 'k'; the settings are preset"),
        ("styles: {a: {}, b: {style: verse}}", "styles: b: style: 'verse' is not one of sentences, prose"),
        ("styles: {a: {}, b: {seed: x}}", "styles: b: seed: 'x' is not a whole number"),
        ("styles: {a: {}}", "styles: name at least two"),
        ("styles: {a: {}, ../b: {}}", "styles: '../b' is not a word"),
        ("data: x\ntrain: [3]\nstyles: {a: {}, b: {}}", "styles: they need exactly one generated data set"),
        ("k: 3", "there is no setting 'k'; the settings are data, train, test, styles"),
        ("data: {k: [3, x]}", "data: k: 'x' is not a whole number"),
        ("data: {k: 3-x}", "data: k: '3-x' is not a number, a range"),
        ("data: {kk: 3}", "data: there is no setting 'kk'; the settings are folder, preset"),
        ("data: {preset: [sound]}", "data: preset: ['sound'] is not a word"),
        ("data: {distractors: yes}", "data: distractors: True is not a whole number"),
        ("data: {world: a, wording: b}", "data: world, wording: give only one of them"),
        ("data: {folder: a, seed: 3}", "data: there is no setting 'seed'; the settings are folder, k"),
        ("data: 3", "data: 3 is neither a folder nor settings"),
        ("data: [a, b]\ntrain: [3]\ntest: c", "data: a folder cannot be combined with other data"),
        ("data: a", "train: say which lengths to train on"),
        ("train: 3", "train: 3 is not a list of training sets"),
        ("train: []", "train: [] is not a list of training sets"),
        ("train: [3, [1, a]]", "train: 'a' is not a whole number"),
        ("train: [0]", "train: 0 is not a list of ascending lengths, from 1"),
        ("train: [[2, 1]]", "train: [2, 1] is not a list of ascending lengths, from 1"),
        ("train: [3, 3]", "train: an entry appears twice"),
        ("train: [9]\ndata: {k: 3-4}", "train: 9 is not among the lengths of the data, 3-4"),
        ("test: {train: 3}", "test: there is no setting 'train'"),
        ("test: [a, b]", "test: ['a', 'b'] is neither a folder nor settings"),
        ("test: []", "test: [] is not a list of ascending lengths"),
        ("data: []", "data: expected at least one entry"),
        ("models: [3]", "models: 3 is not a word"),
        ("models: []", "models: expected at least one entry"),
        ("models: [gnn, gnn]", "models: an entry appears twice"),
        ("seeds: 0", "seeds: 0 is not a number of seeds"),
        ("seeds: 3-1", "seeds: the range 3-1 ends before it starts"),
        ("seeds: 10000000000", "seeds: 10000000000 is not a number of seeds"),
        ("epochs: 1.5", "epochs: 1.5 is not a whole number"),
        ("epochs: 0", "epochs: 0 is below 1"),
        ("learning_rate: fast", "learning_rate: 'fast' is not a number"),
        ("learning_rate: {lstm: x}", "learning_rate: lstm: 'x' is not a number"),
        ("learning_rate: {other: 1}", "learning_rate: 'other' is not one of the models lstm, gnn"),
        ("learning_rate: 11", "learning rate: 11.0 is not between 0 and 10"),
        ("[1]", "expected a mapping of data, train, test"),
        ("a: [", "not YAML: "),
        ("? [1]\n: 2", "line 1: [1] is not a word"),
        ("seeds: 1\nseeds: 2", "line 2: 'seeds' appears twice"),
    ],
)
def test_a_mistake_is_one_line_with_its_place(said, message):
    with pytest.raises(ConfigError) as caught:
        parse_matrix(said, "here.yaml")
    assert str(caught.value).startswith(f"here.yaml: {message}")
    assert "\n" not in str(caught.value)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_subnormal=False) | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from([f.name for f in (*fields(Matrix), *fields(Config))]), inner)
        ),
        max_leaves=8,
    )
)
def test_whatever_a_file_holds_it_is_a_matrix_or_a_refusal(content):
    refused = ""
    try:
        matrix = parse_matrix(json.dumps(content), "here.yaml")
    except ConfigError as error:
        refused = str(error)
    if refused:
        assert re.fullmatch(r"here\.yaml: .+", refused)
    else:
        assert parse_matrix(matrix_text(matrix), "again") == matrix


@given(st.sets(st.integers(0, 60), min_size=1))
def test_numbers_are_read_as_written(found):
    assert numbers(written(found), "k") == tuple(sorted(found))


@pytest.mark.parametrize("name", shipped())
def test_what_ships_can_be_run_and_edited(name, tmp_path):
    matrix = find_matrix(name)
    assert matrix.about
    (tmp_path / "copy.yaml").write_text(matrix_text(matrix))
    assert load_matrix(tmp_path / "copy.yaml") == find_matrix(str(tmp_path / "copy.yaml")) == matrix


def test_the_paper_s_sizes():
    full, quick = find_matrix("full"), find_matrix("quick")
    (data,) = full.data
    assert data == Generated(Config("published"))
    assert full.smaller_than(full) == []
    assert len(quick.smaller_than(full)) == 4
    (table,) = find_matrix("table-1").data
    assert table == data


def test_the_help_names_all_that_ship():
    named = re.split(r"[\s,.()]+", reproduce.__doc__.split("experiments by name:")[1])
    assert set(shipped()) <= set(named)


def test_every_result_file_is_of_a_matrix_that_ships(repository):
    """The docs' figures are those of experiments that one command runs again, in full."""
    files = sorted((repository / "docs/results").glob("*.json"))
    experiments = [path for path in files if "settings" in json.loads(path.read_text())]
    assert len(experiments) >= 9
    for path in experiments:
        experiment = load_experiment(path)
        assert path.read_text() == experiment.to_text(), path
        assert not experiment.missing, path
        words = shlex.split(experiment.commands[-1])
        given = dict(pairwise(words))
        assert given["--matrix"] == path.stem
        if path.stem == "real-text-retold":  # of a model of version 0.2 that is gone
            continue
        ours = find_matrix(f"builtin:{path.stem}")
        if "--data" in given:
            ours = ours.on_files(given["--data"])
        assert set(ours.models) <= set(experiment.models), path
        here, there = ours.anywhere(), experiment.matrix.anywhere()
        for name in ("data", "train", "test", "styles", "seeds", "prepare"):
            assert getattr(here, name) == getattr(there, name), path
        for cell in here.cells():
            assert here.training(cell) == there.training(cell), path


def test_the_name_of_a_world_counts_and_its_folder_does_not():
    worlds = [
        "builtin:kinship",
        "kinship-v1",
        "/home/me/mine",
        "mine",
        "/home/me/kinship",
    ]  # the last: not ours
    matrices = [
        matrix_of({"data": {"preset": "sound", "k": 3, "world": world}}).anywhere() for world in worlds
    ]
    found = [source.world for matrix in matrices for source in matrix.data]
    assert found == ["builtin:kinship", "kinship-v1", "./mine", "./mine", "./kinship"]


def test_settings_by_model_stay_with_the_models_that_stay(tmp_path):
    """Or the matrix that is written could not be read again."""
    matrix = find_matrix("composer").on_models(("gnn",))
    (tmp_path / "matrix.yaml").write_text(matrix_text(matrix))
    assert load_matrix(tmp_path / "matrix.yaml") == matrix


@pytest.mark.parametrize(
    "said",
    ["models: [gmm]", "models: [composer+splized]", "test: nowhere", "data: {world: nowhere}", "test: 9-2"],
)
def test_the_command_refuses_in_one_line(run, tmp_path, said):
    pytest.importorskip("torch", reason="torch is not installed")
    path = tmp_path / "wrong.yaml"
    path.write_text(said)
    code, printed, errors = run("reproduce", tmp_path / "out", "--matrix", path)
    assert (code, printed) == (2, "")
    assert re.fullmatch(rf"clutrr: {re.escape(str(path))}: \w+: .+\n", errors)
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_not_there_is_made_by_a_command(run, tmp_path, monkeypatch):
    pytest.importorskip("torch", reason="torch is not installed")
    monkeypatch.chdir(tmp_path)
    code, printed, errors = run("reproduce", "out", "--matrix", "composer-v1", "--device", "cpu")
    assert (code, printed) == (2, "")
    assert errors.splitlines()[-1].endswith(
        "there is no v1; it is made by: clutrr convert data_089907f8 v1 --wording kinship-v1 --to parquet"
    )


def test_what_makes_a_folder_is_said_of_that_folder_only():
    matrix = find_matrix("composer-v1")
    assert matrix.on_files("/there/v1").prepare == matrix.prepare
    assert len(matrix.prepare) == 1
    assert matrix.on_files("/there/v2").prepare == ()


def test_a_result_file_is_run_again(repository):
    again = find_matrix(str(repository / "docs/results/composer-v1.json"))
    assert again == find_matrix("composer-v1")
    assert again.prepare == find_matrix("composer-v1").prepare


@pytest.mark.parametrize("said", ["[1]", "{", '{"cells": []}', '{"settings": {"seeds": "x"}}'])
def test_what_is_no_result_file_is_refused_in_one_line(tmp_path, said):
    (tmp_path / "wrong.json").write_text(said)
    with pytest.raises(ConfigError, match=r"^[^\n]*wrong\.json: [^\n]+$"):
        find_matrix(str(tmp_path / "wrong.json"))
