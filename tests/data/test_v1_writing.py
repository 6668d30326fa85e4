"""CLUTRR v1.0's CSV: what came from it is written as it was, and our kinship data can be read there."""

import ast
import csv
from dataclasses import replace
from pathlib import Path

import pytest

import clutrr
import sample_files
from clutrr._data import open_dataset
from clutrr._data.v1_writer import COLUMNS
from commands import refused, run, told

csv.field_size_limit(1 << 24)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def v1(tmp_path) -> Path:
    path = tmp_path / "v1.csv"
    path.write_text(sample_files.V1)
    return path


@pytest.mark.parametrize("between", ["parquet", "csv", "jsonl"])
def test_every_cell_comes_back(tmp_path, v1, between):
    run("convert", v1, tmp_path / f"ours.{between}")
    run("convert", tmp_path / f"ours.{between}", tmp_path / "back.csv", "--to", "v1.0")
    assert rows_of(tmp_path / "back.csv") == rows_of(v1)
    assert clutrr.write(tmp_path / f"ours.{between}", tmp_path / "again.csv", to="v1.0") == 2
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "back.csv").read_bytes()


def test_published_rows_come_back(tmp_path, published):
    """All 18 columns of every file that is there, of all the kinds of v1."""
    files = [*published.glob("v1.0/*/*.csv"), *published.glob("v1-template/*/*.csv")]
    assert len(files) > 10
    for number, path in enumerate(sorted(files)):
        out = tmp_path / f"{number}.csv"
        clutrr.write(clutrr.read(path), out, to="v1.0", world="kinship-v1")
        assert rows_of(out) == rows_of(path), path


def test_the_copy_on_the_hub_becomes_a_file_of_18_columns(tmp_path):
    (tmp_path / "hub.csv").write_text(sample_files.HUB)
    run("convert", tmp_path / "hub.csv", tmp_path / "v1.csv", "--to", "v1.0")
    (before,), (row,) = rows_of(tmp_path / "hub.csv"), rows_of(tmp_path / "v1.csv")
    assert row["target"] == before["target_text"]
    kept = before.keys() - {"target", "target_text"}
    assert {name: row[name] for name in kept} == {name: before[name] for name in kept}
    assert list(row) == list(COLUMNS)


def test_rows_of_v13_become_rows_of_v1(tmp_path):
    (tmp_path / "v13.jsonl").write_text(sample_files.V13)
    run("convert", tmp_path / "v13.jsonl", tmp_path / "v1.csv", "--to", "v1.0")
    assert clutrr.read(tmp_path / "v1.csv")[0].facts == clutrr.read(tmp_path / "v13.jsonl")[0].facts


@pytest.mark.parametrize(
    "settings",
    [
        {"k": (2, 4)},
        {"k": 3, "preset": "strict", "distractors": 2},
        {"k": 3, "noise": {"supporting": 1}},
        {"k": 3, "noise": {"irrelevant": 1, "disconnected": 1}},
        {"k": 2, "style": "prose"},
    ],
)
def test_our_own_rows_are_those_of_v1(tmp_path, settings):
    puzzles = clutrr.generate(size=30, **settings)
    clutrr.write(puzzles, tmp_path / "v1.csv", to="v1.0")
    again = clutrr.read(tmp_path / "v1.csv")
    assert open_dataset(tmp_path / "v1.csv").kinds == "v1.0"
    for puzzle, row, back in zip(puzzles, rows_of(tmp_path / "v1.csv"), again, strict=True):
        assert list(row) == list(COLUMNS)
        for name in (
            "id",
            "story",
            "query",
            "target",
            "k",
            "pattern",
            "facts",
            "roles",
        ):
            assert getattr(back, name) == getattr(puzzle, name), name
        assert sorted(back.entities) == sorted(puzzle.entities)
        as_others_read_it(row)


def as_others_read_it(row: dict[str, str]) -> None:
    """Check a row as a program for v1.0 reads it: by its literals alone."""
    edges, types = ast.literal_eval(row["story_edges"]), ast.literal_eval(row["edge_types"])
    assert len(edges) == len(types)
    people = [person.split(":")[0] for person in row["genders"].split(",")]
    assert {gender.split(":")[1] for gender in row["genders"].split(",")} <= {"male", "female"}
    first, last = ast.literal_eval(row["query_edge"])
    assert (people[first], people[last]) == ast.literal_eval(row["query"])
    k = int(row["task_name"].rpartition(".")[2])
    at = first
    for head, tail in edges[:k]:
        assert head == at
        at = tail
    assert at == last
    assert row["f_comb"].split("-") == "-".join(types[:k]).split("-")
    assert all(f"[{people[person]}]" in row["story"] for edge in edges[:k] for person in edge)
    assert len(row["clean_story"]) <= len(row["story"])
    assert set(ast.literal_eval(row["node_mapping"]).values()) == set(range(len(people)))
    steps = ast.literal_eval(row["proof_state"])
    known = {(people[a], of, people[b]) for (a, b), of in zip(edges[:k], types, strict=False)}
    proved = {whole for step in steps for whole in step}
    if k > 1 and steps:
        assert next(iter(steps[0])) == (people[first], row["target"], people[last])
        for step in steps:
            ((whole, parts),) = step.items()
            assert (whole[0], whole[2]) == (parts[0][0], parts[1][2])
            assert all(part in known | proved for part in parts)


def test_most_proofs_are_there(tmp_path):
    clutrr.write(clutrr.generate(k=(2, 3), preset="strict", size=30), tmp_path / "x.csv", to="v1.0")
    proofs = [ast.literal_eval(row["proof_state"]) for row in rows_of(tmp_path / "x.csv")]
    assert sum(map(bool, proofs)) > 0.8 * len(proofs)


def test_the_clean_story_states_the_route_in_its_order(tmp_path):
    puzzle = clutrr.generate(k=3, size=1, noise={"irrelevant": 2})[0]
    clutrr.write([puzzle], tmp_path / "x.csv", to="v1.0")
    (row,) = rows_of(tmp_path / "x.csv")
    whole = {number: one for one in puzzle.sentences for number in one.facts}
    assert row["clean_story"] == " ".join(
        puzzle.story[whole[number].start : whole[number].end] for number in range(3)
    )


def test_a_folder_has_the_files_of_the_release(tmp_path):
    run("generate", tmp_path / "ours", "--k", "2,3", "--train", 8, "--test", 4, "--distractors", 0)
    run("convert", tmp_path / "ours", tmp_path / "v1", "--to", "v1.0")
    names = {path.name for path in (tmp_path / "v1").glob("*.csv")}
    assert names == {f"1.{k}_{split}.csv" for k in (2, 3) for split in ("train", "test")}
    about = told("info", tmp_path / "v1")
    assert about["subsets"] == {f"1.{k}": {"train": 8, "test": 4} for k in (2, 3)}
    assert about["damage"] == {}


def test_a_puzzle_that_was_changed_is_not_written_as_it_was(tmp_path, v1):
    puzzles = [replace(puzzle, target="brother") for puzzle in clutrr.read(v1)]
    clutrr.write(puzzles, tmp_path / "new.csv", to="v1.0", world="kinship-v1")
    assert [row["target"] for row in rows_of(tmp_path / "new.csv")] == ["brother", "brother"]


def test_what_no_such_row_can_hold(tmp_path):
    for world, more, said in (
        ("time", [], "v1.0 holds kinship only"),
        ("kinship", ["--style", "prose", "--no-brackets"], "needs names in square brackets"),
        ("kinship", ["--preset", "mixed", "--undetermined", "1"], "has no target 'cannot be told'"),
    ):
        out = tmp_path / f"data{len(list(tmp_path.iterdir()))}"
        run("generate", out, "--world", world, "--k", 3, "--train", 9, "--test", 0, *more)
        assert said in refused("convert", out, tmp_path / "v1.csv", "--to", "v1.0")
        assert not (tmp_path / "v1.csv").exists()
    assert "expected .csv" in refused("convert", out, tmp_path / "v1.jsonl", "--to", "v1.0")
