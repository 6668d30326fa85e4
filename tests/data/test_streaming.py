"""Large files are read in little memory, some rows at a time."""

import subprocess
import sys
from pathlib import Path

import pytest

import sample_files

pytestmark = pytest.mark.process

PEAK = r"""
import re, sys
from clutrr._data import open_dataset
rows = sum(len(part.table) for part in open_dataset(sys.argv[1]).parts())
peak = re.search(r"VmHWM:\s*(\d+)", open("/proc/self/status").read())[1]  # getrusage may tell the parent's
print(rows, int(peak) // 1024)
"""


@pytest.mark.parametrize(
    ("form", "cell", "size", "most"),
    [
        ("jsonl", 10**6, 10**8, 350),  # a hundred stories of a megabyte each
        pytest.param("jsonl", 2000, 10**9, 500, marks=pytest.mark.slow),
        pytest.param("v1.0", 2000, 10**9, 500, marks=pytest.mark.slow),
    ],
)
def test_a_large_file_streams(tmp_path: Path, form: str, cell: int, size: int, most: int) -> None:
    text = sample_files.TEXTS[form]
    header, rows = ("", text) if form == "jsonl" else text.split("\n", 1)
    rows = rows.replace(
        "[Ann] ", "[Ann] " + "liked the long walk by the river, and " * (cell // 38), 1
    )
    times = size // len(rows) + 1
    with (tmp_path / "large").open("w") as file:
        file.write(header and header + "\n")
        for _ in range(times):
            file.write(rows)
    found = subprocess.run(
        [sys.executable, "-c", PEAK, tmp_path / "large"], capture_output=True, text=True, check=True
    )
    (tmp_path / "large").unlink()
    read, megabytes = map(int, found.stdout.split())
    assert (read, megabytes < most) == (rows.count("\n") * times, True)
