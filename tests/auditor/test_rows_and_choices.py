"""Findings row by row, training lengths chosen, and parts of a data set written."""

import json
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import clutrr
from clutrr._audit import examine
from clutrr._data import open_dataset
from clutrr._generate import Config
from clutrr._generate.folder import Job, generate_folder
from clutrr.errors import DataError
from commands import refused, told


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some questions have one answer, some several."""
    folder = tmp_path_factory.mktemp("made") / "described"
    generate_folder(
        Job(folder, Config(preset="described", k=(2, 3), train=60, test=40, distractors=0))
    )
    return folder


def test_every_row_has_its_finding(described: Path, tmp_path: Path) -> None:
    for name in ("rows.parquet", "rows.jsonl"):
        found = told("audit", described, "--rows", tmp_path / name, "--assume", "open")
        rows = (
            pq.read_table(tmp_path / name).to_pylist()
            if name.endswith("parquet")
            else list(map(json.loads, (tmp_path / name).read_text().splitlines()))
        )
        assert len(rows) == 200
        for subset, splits in found["subsets"].items():
            for split, group in splits.items():
                counts = Counter(
                    row["verdicts"][0]["finding"]
                    for row in rows
                    if (row["subset"], row["split"]) == (subset, split)
                )
                for finding, count in counts.items():
                    share = group["soundness"]["open"][finding]
                    assert share == pytest.approx(100 * count / group["rows"], abs=0.06)
        one = rows[0]
        assert one["verdicts"][0]["assume"] == "open"
        assert one["target"] in one["verdicts"][0]["possible"]
        assert (one["shortest_path"], one["unread"], one["text"]) == (one["k"], [], "agrees")
    assert not list(tmp_path.glob("*.making"))
    assert "ends in .parquet or .jsonl" in refused(
        "audit", described, "--rows", tmp_path / "rows.txt"
    )


def test_lengths_to_fit_on(described: Path) -> None:
    pooled = examine(open_dataset(described))
    assert pooled.fitted_on == "the training rows of M2 + M3 (120)"
    assert {cell["train"] for cell in pooled.matrix} == {"M2", "M3", "M2 + M3"}
    one = examine(open_dataset(described), train_on=(2,))
    assert one.fitted_on == "the training rows of M2 (60)"
    assert {cell["train"] for cell in one.matrix} == {"M2"}
    with pytest.raises(DataError, match="no training row of length 9"):
        examine(open_dataset(described), train_on=(9,))


def test_both_assumptions_where_the_data_says_none(described: Path, tmp_path: Path) -> None:
    (file,) = described.glob("data/M3/test-*")
    bare = tmp_path / "bare.jsonl"
    clutrr.write(file, bare)
    found = examine(open_dataset(bare))
    ((_, _, group),) = found.groups
    assert list(group.soundness) == ["tree", "open"]
    assert group.soundness["open"]["entailed"] == group.soundness["tree"]["entailed"]
    assert group.soundness["open"]["undetermined"] >= group.soundness["tree"]["undetermined"]
    assert list(examine(open_dataset(described)).groups[0][2].soundness) == ["tree"]


@pytest.mark.parametrize("only", ["proved", "entailed", "undetermined"])
def test_what_the_solver_vouches_for(described: Path, tmp_path: Path, only: str) -> None:
    said = told("convert", described, tmp_path / "out", "--only", only, "--assume", "open")
    assert said["kept"] == {"only": only, "assume": "open", "judged_by": "text"}
    data = open_dataset(tmp_path / "out")
    assert data.assume == "open"
    for *_, group in examine(data).groups:
        assert group.soundness["open"][only] == 100
    before = examine(open_dataset(described), assume="open")
    rows = sum(
        round(group.rows * group.soundness["open"][only] / 100) for *_, group in before.groups
    )
    assert said["rows"] == rows


def test_nothing_left_and_wrong_choices_write_nothing(described: Path, tmp_path: Path) -> None:
    convert = ("convert", described, tmp_path / "none")
    assert "no puzzle is left" in refused(*convert, "--only", "contradictory")
    for wrong in (("--only", "right"), ("--assume", "tree"), ("--facts",)):
        refused(*convert, *wrong)
    assert not (tmp_path / "none").exists()
