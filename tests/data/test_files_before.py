"""Data sets of version 0.2, with other names for columns, are read as they were."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import clutrr
from clutrr.data import FORMATS
from clutrr.files import seal
from clutrr.generator import Config
from clutrr.generator.folder import Job, generate_folder
from commands import told

OLD = {"entities": "people", "scene": "family"}
PERSON = pa.list_(pa.struct([("name", pa.string()), ("gender", pa.string())]))


def make_old(file: Path) -> None:
    """Give a file the columns of version 0.2."""
    if file.suffix == ".parquet":
        table = pq.read_table(file)
        people = table["entities"].combine_chunks().view(PERSON)
        table = table.set_column(table.column_names.index("entities"), "entities", people)
        pq.write_table(table.rename_columns([OLD.get(name, name) for name in table.column_names]), file)
    elif file.suffix == ".csv":
        header, rows = file.read_text().split("\n", 1)
        for name, old in OLD.items():
            header = header.replace(f'"{name}"', f'"{old}"')
        file.write_text(header + "\n" + rows.replace('""form"":', '""gender"":'))
    else:
        rows = []
        for row in map(json.loads, file.read_text().splitlines()):
            people = [{"name": one["name"], "gender": one["form"]} for one in row.pop("entities")]
            rows.append(row | {"people": people, "family": row.pop("scene")})
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture(params=FORMATS)
def folders(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Path, Path]:
    """A data set of today, and the same as version 0.2 wrote it."""
    today, old = tmp_path / "today", tmp_path / "old"
    for out in (today, old):
        generate_folder(Job(out, Config(k=(2, 3), train=6, test=3, seed=4), form=request.param))
    (old / "world" / "phrases.yaml").unlink(missing_ok=True)
    for file in old.glob("data/*/*"):
        make_old(file)
    manifest = json.loads((old / "manifest.json").read_text())
    manifest["levels"] = {subset: int(about["levels"]) for subset, about in manifest.pop("scene").items()}
    del manifest["config"]["scene"]
    manifest["config"] |= {"levels": None, "children": [3, 3], "disjoint": ["families"]}
    manifest["files"] = {name: seal(old / name) for name in manifest["files"] if (old / name).exists()}
    (old / "manifest.json").write_text(json.dumps(manifest))
    return today, old


def test_version_0_2_is_read(folders: tuple[Path, Path], tmp_path: Path) -> None:
    today, old = folders
    puzzles = clutrr.read(today)
    assert clutrr.read(old) == puzzles
    first, second = told("info", today), told("info", old)
    assert second["damage"] == {}
    for name in ("format", "rows", "subsets", "labels", "assume"):
        assert second[name] == first[name]
    first, second = told("audit", today), told("audit", old)
    for report in (first, second):
        assert report.pop("data")
    assert first == second
    for form in FORMATS:
        told("convert", old, tmp_path / form, "--to", form)
        assert clutrr.read(tmp_path / form) == puzzles


def test_lists_of_other_writers_are_read(tmp_path: Path) -> None:
    """Some libraries write large lists."""
    file = tmp_path / "old.parquet"
    clutrr.write(clutrr.generate(k=2, size=3), file)
    before = clutrr.read(file)
    make_old(file)
    table = pq.read_table(file)
    people = table["people"].cast(pa.large_list(PERSON.value_type))
    pq.write_table(table.set_column(table.column_names.index("people"), "people", people), file)
    assert [puzzle.entities for puzzle in clutrr.read(file)] == [puzzle.entities for puzzle in before]


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_without_questions_is_asked_in_the_words_of_its_world(tmp_path: Path, form: str) -> None:
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
