"""Every format, by its content alone: what is in the file is what the puzzles say."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import clutrr
import sample_files
from clutrr._data import FORMATS, open_dataset
from clutrr._data.about import describe
from clutrr._data.read import detect, sources
from clutrr._data.source import DataFile
from clutrr._generate import Config
from clutrr._generate.folder import Job, generate_folder
from clutrr._puzzle import Entity, Fact
from clutrr._table import to_table
from clutrr.errors import DataError


def write(folder: Path, text: str, name: str = "some.file") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("form", sample_files.TEXTS)
def test_format_is_told_by_content(tmp_path: Path, form: str) -> None:
    path = write(tmp_path, sample_files.TEXTS[form])
    zipped = tmp_path / "zipped"
    zipped.write_bytes(gzip.compress(path.read_bytes()))
    for file in (path, zipped):
        assert detect(sources(file)[0]).name == form
    told, again = ([replace(one, id="") for one in clutrr.read(file)] for file in (path, zipped))
    assert told == again != []


def test_v01(tmp_path: Path) -> None:
    first, second = clutrr.read(write(tmp_path, sample_files.V01, "gen_test.csv"))
    assert first.id == "gen_test-4"
    assert first.query == ("Ann", "Carl")
    assert first.target == "son"
    assert first.facts == (Fact("Ann", "daughter", "Bea"), Fact("Bea", "brother", "Carl"))
    assert first.pattern == ("child", "sibling")
    assert first.entities == (Entity("Ann", ""), Entity("Bea", "female"), Entity("Carl", "male"))
    assert first.abstract == "[Carl] is [Ann]'s son."
    assert second.entities[0] == Entity("Eva", "female")  # a husband's spouse


def test_v1_keeps_the_walk_and_reads_the_noise(tmp_path: Path) -> None:
    first, second = clutrr.read(write(tmp_path, sample_files.V1))
    assert first.id == "one"
    assert (first.target, first.k, first.pattern) == ("nephew", 2, ("inv-un", "child"))
    assert first.abstract == "[Carl] is here."
    assert second.k == 2
    assert second.facts[:2] == (Fact("Ann", "son", "Dan"), Fact("Dan", "brother", "Eli"))
    assert second.facts[2:] == (Fact("Ann", "brother", "Finn"),)
    assert [person.name for person in second.entities] == ["Ann", "Dan", "Eli", "Finn"]
    assert [(part.subset, part.split) for part in open_dataset(tmp_path / "some.file").parts()] == [
        ("1.2", "train"),
        ("3.2", "test"),
    ]


def test_v1_walk_that_revisits(tmp_path: Path) -> None:
    header, row, *_ = sample_files.V1.splitlines(keepends=True)
    row = row.replace("(1, 2)]", "(1, 0), (0, 1), (1, 2)]").replace(
        "'son']", "'niece', 'aunt', 'son']"
    )
    (puzzle,) = clutrr.read(write(tmp_path, header + row))
    assert puzzle.k == len(puzzle.pattern) == len(puzzle.facts) == 4
    assert [person.name for person in puzzle.entities] == ["Ann", "Bea", "Carl"]


def test_the_copy_on_the_hub(tmp_path: Path) -> None:
    path = write(tmp_path, sample_files.HUB)
    pq.write_table(pyarrow.csv.read_csv(path), tmp_path / "hub.parquet")
    (puzzle,) = clutrr.read(path)
    assert puzzle.target == "daughter"
    assert clutrr.read(tmp_path / "hub.parquet")[0].facts == puzzle.facts


def test_v13(tmp_path: Path) -> None:
    (puzzle,) = clutrr.read(write(tmp_path, sample_files.V13, "train.jsonl"))
    assert puzzle.id == "train-1"
    assert puzzle.target == "niece"
    assert puzzle.facts[2] == Fact("Dan", "niece", "Ann")
    assert puzzle.pattern == ("inv-un", "child")


def test_folder_names_subsets_and_splits(tmp_path: Path) -> None:
    (tmp_path / "test").mkdir()
    write(tmp_path / "test", sample_files.V01, "a.csv")
    write(tmp_path, sample_files.V1, "b.csv")
    write(tmp_path, sample_files.JSONL, "c.jsonl")
    write(tmp_path, "not data", "README.md")
    about = describe(open_dataset(tmp_path))
    assert about.format == "jsonl, v0.1, v1.0"
    assert about.rows == 5
    assert about.subsets == {
        "1.2": {"train": 1, "test": 0},
        "3.2": {"train": 0, "test": 1},
        "M1": {"train": 0, "test": 1},
        "M2": {"train": 0, "test": 2},
    }
    assert about.labels == {"son": 4, "nephew": 1}


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("gen_m3_test.csv", "test"),
        ("1.2,1.3_train.csv", "train"),
        ("train-00000-of-00001.parquet", "train"),
        ("dev.jsonl", "validation"),
        ("latest.csv", None),
        ("training.csv", None),
        ("test/puzzles.csv", "test"),
        ("test/train.csv", "train"),
    ],
)
def test_split_of_a_name(name: str, split: str | None) -> None:
    assert DataFile(Path(name), name).split == split


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file or folder"):
        clutrr.read(tmp_path / "none")
    with pytest.raises(DataError, match="no data file in this folder"):
        clutrr.read(tmp_path)


def test_row_groups_that_number_their_texts_differently(tmp_path: Path) -> None:
    """As our own files of long stories do: a group for each block."""
    puzzles = list(clutrr.generate("sound", 10, 40, seed=3))
    pq.write_table(to_table(puzzles), tmp_path / "M10.parquet", row_group_size=16)
    assert list(clutrr.read(tmp_path / "M10.parquet")) == puzzles


def test_lists_of_other_writers_are_read(tmp_path: Path) -> None:
    """Some libraries write large lists."""
    file = tmp_path / "large.parquet"
    clutrr.write(clutrr.generate(k=2, size=3), file)
    before = clutrr.read(file)
    table = pq.read_table(file)
    entities = table["entities"].cast(pa.large_list(table["entities"].type.value_type))
    at = table.column_names.index("entities")
    pq.write_table(table.set_column(at, "entities", entities), file)
    assert [puzzle.entities for puzzle in clutrr.read(file)] == [
        puzzle.entities for puzzle in before
    ]


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_without_questions_is_asked_in_the_words_of_its_world(
    tmp_path: Path, form: str
) -> None:
    generate_folder(Job(tmp_path / "data", Config(k=(2,), train=3, test=0), form=form))
    (file,) = (tmp_path / "data").glob("data/M2/*")
    given = [puzzle.question for puzzle in clutrr.read(file)]
    asked = [f"What is {b} to {a}?" for a, b in (puzzle.query for puzzle in clutrr.read(file))]
    assert given == asked
    if form == "parquet":
        table = pq.read_table(file)
        assert table.column_names[:3] == ["id", "story", "question"]
        pq.write_table(table.drop_columns(["question"]), file)
    elif form == "csv":
        table = pyarrow.csv.read_csv(file)
        pyarrow.csv.write_csv(table.drop_columns(["question"]), file)
    else:
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        assert [row.pop("question") for row in rows] == asked
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [puzzle.question for puzzle in clutrr.read(file)] == asked
    (tmp_path / "data/world/phrases.yaml").write_text('question: "{a}: {b}?"\n')
    assert [puzzle.question for puzzle in clutrr.read(tmp_path / "data")] == [
        f"{puzzle.query[0]}: {puzzle.query[1]}?" for puzzle in clutrr.read(file)
    ]
