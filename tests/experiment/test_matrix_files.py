"""An experiment as a file: what it means, what is refused and where, what ships."""

import json
import re
import shlex
from dataclasses import fields, replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clutrr._cli.reproduce import reproduce
from clutrr._generate import Config
from clutrr._measure import numbers, written
from clutrr._report.loading import load_experiment
from clutrr._train.config import TrainConfig
from clutrr._train.matrix import (
    Generated,
    Matrix,
    find_matrix,
    load_matrix,
    matrix_text,
    seeds_of,
    seeds_text,
    shipped,
)
from clutrr.errors import ConfigError
from commands import refused

SAID = """\
about: Short and long.
data: {preset: sound, train: 4000, seed: 41, distractors: 2, scene: children=2-4, disjoint: [patterns]}
train: [3, 4, [1, 2, 3]]
test: {k: "2-10,20"}
models: [composer, gnn]
seeds: 3-5
epochs: 9
learning_rate: 1
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
    assert matrix.seeds == (3, 4, 5)
    cells = list(matrix.cells())
    assert len(cells) == len({cell.name for cell in cells}) == 18
    assert cells[2].name == "composer-M1-3-seed3"
    assert matrix.training(cells[-1]) == TrainConfig("gnn", (1, 2, 3), 5, 9, 100, 1.0)


def test_what_is_left_out_is_as_in_generate_and_train():
    matrix = parse_matrix("{}", "here.yaml")
    assert matrix == Matrix((Generated(Config()),), ((3,), (4,), (5,), (6,)))


@pytest.mark.parametrize(
    ("said", "train", "test"),
    [
        ("data: stories\ntrain: [2-3]", "stories", None),
        ("data: a\ntrain: [2]\ntest: b", "a", "b"),
        (
            "data: {k: 3, train: 10, test: 5}\ntest: {preset: strict, k: 4, seed: 1}",
            Generated(Config(k=(3,), train=10, test=0)),
            Generated(Config("strict", (4,), 0, 5, 1)),
        ),
        (
            "data: {preset: published, k: 3}\nwording: files\ntest: files",
            Generated(Config("published", (3,), test=0)),
            "files",
        ),
    ],
)
def test_data_and_tests(said, train, test):
    matrix = parse_matrix(said, "here.yaml")
    assert (matrix.data, matrix.test) == ((train,), test)
    assert parse_matrix(matrix_text(matrix), "there.yaml") == matrix


def test_several_data_sets():
    both = "data: [{preset: sound, k: 1-4}, {preset: described, k: 1-4}]\ntrain: [1-4]\n"
    matrix = parse_matrix(both + "test: {k: 5}", "f")
    assert [source.config.preset for source in matrix.data] == ["sound", "described"]
    assert matrix.test.config.k == (5,)
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
    every = [f"{style} M{k}" for style in ("plain", "noise", "prose") for k in (2, 3)]
    assert [cell.train for cell in matrix.cells()] == every
    (data,), test = matrix.data_in("prose"), matrix.tested_in("prose")
    assert data.config == Config(
        k=(2, 3), train=10, test=0, seed=4, style="prose", disjoint=("wordings",)
    )
    assert test.config == replace(data.config, k=(2, 3, 4), train=0, test=5)
    assert (matrix.data_in("plain"), matrix.tested_in("plain")) == (matrix.data, matrix.test)
    # Trained on the first style, a model is tested on all; trained on another, on that.
    pairs = [f"{a}-{b}" for a in matrix.styles for b in matrix.styles if matrix.tests_style(a, b)]
    assert pairs == ["plain-plain", "plain-noise", "plain-prose", "noise-noise", "prose-prose"]
    assert [cell.name for cell in matrix.cells()][1:3] == [
        "gnn-plain-M3-seed0",
        "gnn-noise-M2-seed0",
    ]
    assert parse_matrix(matrix_text(matrix), "again") == matrix


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("styles: 3", "styles: 3 is not a mapping of settings by style"),
        ("styles: {a: 3}", "styles: {'a': 3} is not a mapping of settings by style"),
        (
            "styles: {a: {}, b: {k: 3}}",
            "styles: b: there is no setting 'k'; the settings are preset",
        ),
        (
            "styles: {a: {}, b: {style: verse}}",
            "styles: b: style: 'verse' is not one of sentences, prose",
        ),
        ("styles: {a: {}, b: {seed: x}}", "styles: b: seed: 'x' is not a whole number"),
        ("styles: {a: {}, ../b: {}}", "styles: '../b' is not a word"),
        ("data: x\ntrain: [3]\nstyles: {a: {}, b: {}}", "styles: they need generated data sets"),
        (
            "k: 3",
            "there is no setting 'k'; the settings are about, data, wording, train, test, styles",
        ),
        ("data: {k: [3, x]}", "data: k: [3, 'x'] is not a number, \"3-6\" or"),
        ("data: {k: 3-x}", "data: k: '3-x' is not a number, a range"),
        ("data: {kk: 3}", "data: there is no setting 'kk'; the settings are preset"),
        ("data: {preset: [sound]}", "data: preset: ['sound'] is not a text"),
        ("data: {distractors: yes}", "data: distractors: True is not a whole number"),
        ("data: 3", "data: 3 is neither a folder nor settings"),
        ("data: [a, b]\ntrain: [3]\ntest: c", "data: a folder cannot be combined with other data"),
        ("data: a", "train: say which lengths to train on"),
        ("train: 3", "train: 3 is not a list of training sets"),
        ("train: []", "train: [] is not a list of training sets"),
        ("train: [3, [1, a]]", "train: [1, 'a'] is not a number, "),
        ("train: [0]", "data: k: 0 is not a list of whole numbers of at least 1"),
        ("train: [3, 3]", "train: an entry appears twice"),
        ("train: [9]\ndata: {k: 3-4}", "train: 9 is not among the lengths of the data, 3-4"),
        ("test: {train: 3}", "test: there is no setting 'train'"),
        ("test: [a, b]", "test: ['a', 'b'] is neither a folder nor settings"),
        ("test: []", "test: [] is neither a folder nor settings"),
        ("data: []\ntrain: [3]", "data: expected at least one entry"),
        ("models: [3]", "models: a matrix has names"),
        ("models: []", "models: expected at least one entry"),
        ("models: [gnn, gnn]", "models: an entry appears twice"),
        ("seeds: 0", "seeds: 0 is not a number of seeds"),
        ("seeds: 3-1", "seeds: the range 3-1 ends before it starts"),
        ("seeds: 10000000000", "seeds: 10000000000 is not a number of seeds"),
        ("epochs: 1.5", "epochs: 1.5 is not a whole number"),
        ("epochs: 0", "epochs: 0 is below 1"),
        ("about: 3", "about: 3 is not a text"),
        ("wording: [a]", "wording: ['a'] is not a text"),
        ("encoder: 3", "encoder: 3 is not a text"),
        ("data: {world: 3}", "data: world: 3 is not a text"),
        ("data: {disjoint: [3]}", "data: disjoint: 3 is not one of"),
        ("learning_rate: fast", "learning_rate: 'fast' is not a number"),
        ("learning_rate: 11", "learning_rate: 11 is not between 0 and 10"),
        ("[1]", "expected a mapping of about, data, wording, train"),
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


@example({"seeds": [True]})
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_subnormal=False)
        | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from([f.name for f in (*fields(Matrix), *fields(Config))]), inner
            )
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
    assert (
        numbers(written(found), "k") == seeds_of(seeds_text(sorted(found))) == tuple(sorted(found))
    )


@pytest.mark.parametrize(
    "name", [*shipped(), *map(str, sorted(Path(__file__).parents[2].glob("experiments/*.yaml")))]
)
def test_what_ships_can_be_run_and_edited(name, tmp_path):
    matrix = find_matrix(name)
    assert matrix.about
    (tmp_path / "copy.yaml").write_text(matrix_text(matrix))
    assert load_matrix(tmp_path / "copy.yaml") == find_matrix(str(tmp_path / "copy.yaml")) == matrix


def test_the_paper_s_sizes():
    full, quick = find_matrix("full"), find_matrix("quick")
    (data,) = full.data
    assert data == Generated(Config("published"))
    (smaller,) = quick.data
    assert (smaller.config.train, smaller.config.test, smaller.config.distractors) == (1000, 250, 1)
    assert (quick.how.epochs, full.how.epochs) == (25, 60)
    (table,) = find_matrix("table-1").data
    assert table == data


def test_the_help_names_all_that_ship():
    named = re.split(r"[\s,.()]+", reproduce.__doc__.split("experiments by name")[1])
    assert set(shipped()) <= set(named)


def test_every_result_file_is_of_a_matrix_that_is_there(repository):
    """The docs' figures are those of experiments that one command runs again, in full."""
    files = sorted((repository / "experiments/results").glob("*.json"))
    experiments = [path for path in files if json.loads(path.read_text()).get("settings")]
    assert len(experiments) >= 9
    for path in experiments:
        experiment = load_experiment(path)
        assert path.read_text() == experiment.to_text(), path
        assert not experiment.missing, path
        words = shlex.split(experiment.commands[-1])
        given = dict(pairwise(words))
        name = Path(given["--matrix"])
        assert name.stem == path.stem
        if path.stem in (
            "composer-v1",
            "real-text-retold",
        ):  # of stories that version 0.2 told again
            continue
        ours = find_matrix(str(repository / name) if name.suffix else f"builtin:{name}")
        if "--data" in given:
            ours = ours.changed(data=given["--data"])
        assert set(ours.models) <= set(experiment.models), path
        assert {cell.train for cell in ours.cells()} == set(experiment.trained_on), path
        assert set(ours.seeds) <= set(experiment.seeds), path
        assert tuple(ours.styles) == experiment.styles, path
        assert [source.config.preset for source in ours.generated] == experiment.presets, path
        for model in ours.models:
            epochs = experiment.settings["epochs"]
            assert ours.how.epochs == (epochs[model] if isinstance(epochs, dict) else epochs), path


@pytest.mark.parametrize(
    "said",
    [
        "models: [gmm]",
        "models: [composer+splized]",
        "test: nowhere",
        "data: {world: nowhere}",
        "seeds: 9-2",
    ],
)
def test_the_command_refuses_in_one_line(tmp_path, said):
    pytest.importorskip("torch", reason="torch is not installed")
    path = tmp_path / "wrong.yaml"
    path.write_text(said)
    error = refused("reproduce", tmp_path / "out", "--matrix", path)
    assert re.match(rf"clutrr: {re.escape(str(path))}: \w+: ", error)
    assert not (tmp_path / "out").exists()
