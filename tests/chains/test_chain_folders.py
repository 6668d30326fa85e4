"""Chains as folders and files, in their own format and in those of others."""

import json
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import clutrr
from clutrr._chains.read import are_chains, open_chains
from clutrr.errors import ClutrrError, ConfigError, DataError, OutputError


@pytest.fixture(scope="module")
def stories(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("chains") / "stories"
    clutrr.generate(out=place, k=(2, 3), train=20, test=10)
    return place


@pytest.fixture(scope="module")
def folder(stories) -> Path:
    clutrr.chains(stories, stories.parent / "chains", per=2)
    return stories.parent / "chains"


def rows_of(folder: Path) -> list[dict]:
    return [
        row for path in sorted(folder.rglob("*.parquet")) for row in pq.read_table(path).to_pylist()
    ]


def test_columns_and_counts(folder):
    rows = rows_of(folder)
    assert len(rows) == 2 * 60
    promised = (
        "id puzzle world story query target steps right first_error error style answer answer_right"
    )
    assert set(promised.split()) <= set(rows[0])
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["all"]["errors"] == dict(
        sorted(Counter(row["error"] or "none" for row in rows).items())
    )
    for row in rows:
        wrong = row["right"].index(False) if False in row["right"] else -1
        assert row["first_error"] == wrong
        assert (
            len(row["steps"]) == len(row["right"]) == len(row["verdicts"]) == len(row["supported"])
        )
        assert row["answer_right"] == (row["answer"] == row["target"])
    card = (folder / "README.md").read_text()
    assert "config_name: M2" in card


def test_the_datasets_library_loads_it(folder):
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    loaded = datasets.load_dataset(str(folder), "M2", cache_dir=str(folder.parent / "cache"))
    assert {name: len(split) for name, split in loaded.items()} == {"train": 40, "test": 20}


def test_chains_are_read_back_as_they_were(stories, folder):
    made = list(clutrr.chains(stories, per=2))
    read = open_chains(folder)
    assert sorted(made, key=lambda one: one.id) == sorted(
        (chain for chains in read.parts.values() for chain in chains), key=lambda one: one.id
    )
    assert (read.world.name, read.assume) == ("kinship", "tree")
    assert are_chains(folder)
    assert not are_chains(stories)


def test_the_same_bytes_again(stories, folder, tmp_path):
    clutrr.chains(stories, tmp_path / "again", per=2)
    for path in folder.rglob("*.*"):
        if path.is_file():
            assert (tmp_path / "again" / path.relative_to(folder)).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_formats_of_others(stories, folder, tmp_path, form):
    own = {row["id"]: row for row in rows_of(folder)}
    clutrr.chains(stories, tmp_path / "bench", per=2, to="processbench", format=form)
    rows = _rows(tmp_path / "bench", form)
    assert {row["id"]: row["label"] for row in rows} == {
        name: row["first_error"] for name, row in own.items()
    }
    assert all(row["final_answer_correct"] == own[row["id"]]["answer_right"] for row in rows)
    clutrr.chains(stories, tmp_path / "prefer", per=2, to="stepwise_preference", format=form)
    rows = _rows(tmp_path / "prefer", form)
    assert set(rows[0]) == {"prompt", "completions", "labels"}
    assert all(len(row["completions"]) == len(row["labels"]) for row in rows)


def _rows(folder: Path, form: str) -> list[dict]:
    if form == "parquet":
        return rows_of(folder)
    lines = [line for path in folder.rglob("*.jsonl") for line in path.read_text().splitlines()]
    return list(map(json.loads, lines))


def test_bad_input_is_one_error_and_leaves_nothing(stories, tmp_path):
    for wrong in ({"to": "csv"}, {"format": "csv"}, {"errors": "all,typo"}):
        with pytest.raises(ConfigError):
            clutrr.chains(stories, tmp_path / "out", **wrong)
    with pytest.raises(ConfigError, match="a stream has no end"):
        clutrr.chains(clutrr.stream(k=2), tmp_path / "out")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(OutputError):
        clutrr.chains(stories, tmp_path / "mine", force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine"]


def test_puzzles_without_a_right_target_are_left_out_and_counted(tmp_path):
    story, query = "Bob is Ann's son. Carl is Bob's brother.", ("Ann", "Carl")
    wrong = clutrr.puzzle(story, query, "uncle", world="kinship-v1")
    right = clutrr.puzzle(story, query, "son", world="kinship-v1")
    done = clutrr.chains([wrong, right], tmp_path / "one", world="kinship-v1")
    assert (sum(done["left_out"].values()), done["all"]["chains"]) == (1, 4)
    with pytest.raises(DataError, match="no chain can be made"):
        clutrr.chains([wrong], tmp_path / "none", world="kinship-v1")
    assert not (tmp_path / "none").exists()


def test_a_file_that_is_no_chains_is_named(tmp_path):
    (tmp_path / "odd.jsonl").write_text('{"steps": [], "first_error": 0, "puzzle": "x"}\n')
    with pytest.raises(ClutrrError, match="not a chain"):
        open_chains(tmp_path / "odd.jsonl")
