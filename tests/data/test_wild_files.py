"""Files as they circulate: odd spellings, noise with and without types, rows that are broken."""

import ast
import csv
import json
from collections import Counter
from pathlib import Path

import pytest

import clutrr
import sample_files
from clutrr._data import open_dataset
from clutrr._data.convert import Target, write_dataset
from clutrr._data.part import extra_of, unread_edges
from clutrr._puzzle import Puzzle
from clutrr._table import from_table
from clutrr.errors import RowError

HEADER = sample_files.V1.partition("\n")[0].split(",")
ROW = {
    "id": "a",
    "story": "[Bea] is [Ann]'s daughter. [Carl] is [Bea]'s son.",
    "query": "('Ann', 'Carl')",
    "target": "grandson",
    "text_target": "['[Carl] is [Ann]\\'s grandson.']",
    "task_name": "task_1.2",
    "story_edges": "[(0, 1), (1, 2)]",
    "edge_types": "['daughter', 'son']",
    "query_edge": "(0, 2)",
    "genders": "Ann:female,Bea:female,Carl:male",
    "task_split": "test",
}


def v1(path: Path, *rows: dict[str, str]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, HEADER, restval="")
        writer.writeheader()
        writer.writerows(ROW | row for row in rows)
    return path


def csv_rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("# ")))


def one(path: Path, **cells: str) -> Puzzle:
    (puzzle,) = clutrr.read(v1(path / "a.csv", cells))
    return puzzle


NOISY = {
    "story": ROW["story"]
    + " [Dan] is [Bea]'s brother. [Eve] is [Dan]'s wife. [Fay] is [Gus]'s neice.",
    "story_edges": "[(0, 1), (1, 2), (1, 3), (3, 4), (5, 6)]",
    "edge_types": "['daughter', 'son', 'brother', 'wife', 'neice']",
    "genders": "Ann:female,Bea:female,Carl:male,Dan:male,Eve:female,Gus:male,Fay:female",
    "task_name": "task_4.2",
}


def test_noise_that_the_file_types(tmp_path: Path) -> None:
    puzzle = one(tmp_path, **NOISY)
    assert puzzle.k == 2
    assert puzzle.roles == ("path", "path", "irrelevant", "irrelevant", "disconnected")
    assert puzzle.facts[-1] == ("Gus", "niece", "Fay")
    # The task's number is not needed where it is wrong.
    assert one(tmp_path, **(NOISY | {"task_name": "task_4.9"})).k == 2


def test_what_only_the_text_tells_and_was_not_read_is_counted(tmp_path: Path) -> None:
    """The role is that of the whole graph, though half of the way round was not read."""
    story = "[Ann] and her daughter [Bea] sang. [Bea] has a son, [Carl]. "
    story += "[Ann] met her husband [Dan]. [Dan] saw [Bea]."
    puzzle = one(
        tmp_path,
        story=story,
        story_edges="[(0, 1), (1, 2), (0, 3), (3, 1)]",
        genders=ROW["genders"] + ",Dan:male",
        task_name="task_2.2",
    )
    assert [(*fact, role) for fact, role in zip(puzzle.facts, puzzle.roles, strict=True)][2:] == [
        ("Ann", "husband", "Dan", "supporting")
    ]
    assert unread_edges(puzzle) == (("Dan", "Bea", "supporting"),)


def test_spellings_are_read(tmp_path: Path) -> None:
    path = v1(
        tmp_path / "a.csv",
        {"target": "neice", "id": "x"},
        {"target": "Mother in law", "edge_types": "['neice', 'Father_In_Law']"},
    )
    first, second = open_dataset(path).puzzles()
    assert (first.target, second.target) == ("niece", "mother-in-law")
    assert [fact.relation for fact in second.facts] == ["niece", "father-in-law"]
    assert extra_of(first)["own"]["target"] == "neice"  # as it was


def test_one_bad_row_refuses_nothing_but_itself(tmp_path: Path) -> None:
    path = v1(tmp_path / "a.csv", {}, {"target": "boss"}, {"genders": "who"}, {"id": "last"})
    path.write_text(path.read_text() + "too,few,cells\n")
    (tmp_path / "b.jsonl").write_text(
        sample_files.JSONL
        + "{\n"
        + json.dumps(sample_files.OWN | {"k": "three"})
        + "\n"
        + sample_files.JSONL
    )
    (tmp_path / "c.csv").write_text("this,is,other\n1,2,3\n")
    with pytest.raises(RowError, match=r"a\.csv, line 3: target: no relation 'boss'"):
        list(open_dataset(path).puzzles())
    data = open_dataset(tmp_path, skip_bad=True)
    assert Counter(puzzle.id for puzzle in data.puzzles()) == {
        "a": 1,
        "last": 1,
        "M1-test-000000000": 2,
    }
    assert [(Path(one.file).name, one.place) for one in data.notes.skipped] == [
        ("c.csv", "line 1"),
        ("b.jsonl", "line 2"),
        ("b.jsonl", "line 3"),
        ("a.csv", "line 3"),
        ("a.csv", "line 4"),
        ("a.csv", "line 6"),
    ]
    skipped = data.notes.skipped[3]
    assert (skipped.setting, skipped.reason) == ("target", "no relation 'boss'")


def test_a_converted_folder_says_what_it_is(tmp_path: Path) -> None:
    import yaml

    v1(tmp_path / "a.csv", {}, {"task_name": "task_1.10", "task_split": "train", "target": "neice"})
    write_dataset(open_dataset(tmp_path / "a.csv"), Target.of(tmp_path / "out", None))
    _, head, _ = (tmp_path / "out" / "README.md").read_text().split("---\n", 2)
    configs = yaml.safe_load(head)["configs"]
    assert [config["config_name"] for config in configs] == ["all", "1.2", "1.10"]
    assert configs[2]["data_files"] == [
        {"split": "train", "path": "data/1.10/train-00000-of-00001.parquet"}
    ]
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["subsets"]["1.10"]["train"]["rows"] == 1
    assert manifest["converted_from"] == "v1.0"


@pytest.mark.parametrize("name", ["v1.0/noise_samples", "v1-template/data_2d5007e7"])
def test_every_cell_of_the_published_files_is_kept(
    published: Path, tmp_path: Path, name: str
) -> None:
    """What a puzzle has no place for is in `extra`, through a conversion too."""
    folder = published / name
    said: list[str] = []
    write_dataset(open_dataset(folder), Target.of(tmp_path / "ours", None), say=said.append)
    assert not said
    kept = {
        p.id: {"id": p.id, "story": p.story, **extra_of(p)["own"]}
        for p in clutrr.read(tmp_path / "ours")
    }
    rows = [row for path in folder.rglob("*.csv") for row in csv_rows(path)]
    assert kept == {row["id"]: row for row in rows}
    assert len(kept) == len(rows)


@pytest.mark.parametrize("name", ["v1-template/data_2d5007e7", "v1.0/noise_samples"])
def test_roles_of_published_noise_are_those_of_its_task(published: Path, name: str) -> None:
    folder = published / name
    named = {"1": "", "2": "supporting", "3": "irrelevant", "4": "disconnected"}
    edges = 0
    for part in open_dataset(folder).parts():
        for puzzle in from_table(part.table):
            found = [*puzzle.roles[puzzle.k :], *(role for *_, role in unread_edges(puzzle))]
            assert set(found) <= {named[part.subset[0]]}
            edges += len(found)
    stated = 0
    for path in folder.glob("*.csv"):
        for row in csv_rows(path):
            stated += len(ast.literal_eval(row["story_edges"])) - int(
                row["task_name"].partition(".")[2]
            )
    assert edges == stated


def test_the_hub_library_keeps_subsets_apart(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    v1(tmp_path / "a.csv", {}, {"task_name": "task_1.10"})
    write_dataset(open_dataset(tmp_path / "a.csv"), Target.of(tmp_path / "two", None))
    v1(tmp_path / "b.csv", {})
    write_dataset(open_dataset(tmp_path / "b.csv"), Target.of(tmp_path / "one", None))
    cache = str(tmp_path / "cache")
    assert datasets.get_dataset_config_names(str(tmp_path / "two")) == ["all", "1.2", "1.10"]
    assert len(datasets.load_dataset(str(tmp_path / "two"), "1.10", cache_dir=cache)["test"]) == 1
    assert (
        datasets.load_dataset(str(tmp_path / "one"), cache_dir=cache)["test"][0]["target"]
        == "grandson"
    )
