"""Large files are read in little memory, some rows at a time."""

import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import clutrr
import sample_files
from clutrr.puzzle import to_table

pytestmark = pytest.mark.process

PEAK = r"""
import re, sys
from clutrr.data import open_dataset
rows = sum(len(part.table) for part in open_dataset(sys.argv[1]).parts())
peak = re.search(r"VmHWM:\s*(\d+)", open("/proc/self/status").read())[1]  # getrusage may tell the parent's
print(rows, int(peak) // 1024)
"""


def peak(path: Path) -> tuple[int, int]:
    """The rows of a file, and the most memory that reading it took, in MB."""
    output = subprocess.run(
        [sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True, check=True
    ).stdout
    rows, megabytes = output.split()
    return int(rows), int(megabytes)


def test_long_cells_are_few_at_a_time(tmp_path: Path) -> None:
    """Two hundred stories of a megabyte each."""
    path = tmp_path / "long.jsonl"
    row = sample_files.JSONL.replace("[Ann] has", "[Ann] has " + "a very " * 150_000)
    with path.open("w") as file:
        for _ in range(200):
            file.write(row)
    rows, megabytes = peak(path)
    assert rows == 200
    assert megabytes < 350


@pytest.mark.slow
@pytest.mark.parametrize("form", ["jsonl", "v1.0"])
def test_a_gigabyte_streams(tmp_path: Path, form: str) -> None:
    path = tmp_path / "large"
    text = sample_files.TEXTS[form]
    header, rows = ("", text) if form == "jsonl" else text.split("\n", 1)
    rows = rows.replace("[Ann] ", "[Ann] " + "liked the long walk by the river, and " * 50, 1)
    each = rows.count("\n")
    times = 10**9 // len(rows) + 1
    with path.open("w") as file:
        file.write(header and header + "\n")
        for _ in range(times):
            file.write(rows)
    found, megabytes = peak(path)
    path.unlink()
    assert found == each * times
    assert megabytes < 500


def test_row_groups_that_number_their_texts_differently(tmp_path: Path) -> None:
    """As our own files of long stories do: a group for each block."""
    puzzles = list(clutrr.generate("sound", 10, 40, seed=3))
    path = tmp_path / "M10.parquet"
    pq.write_table(to_table(puzzles), path, row_group_size=16)
    assert list(clutrr.read(path)) == puzzles
