"""Tables that a result file holds ready to be shown, for figures that are not cells of an experiment.

    {"tables": {"causes": {"columns": ["cause", "stories"], "rows": [["a fact is misread", 60.0], ...]}}}

A page names the file and the table: `results/real-text-tables.json#causes`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clutrr.errors import DataError
from clutrr.files import read_json


def rows_table(path: Path, name: str) -> Iterator[str]:
    """The lines of a table in a file: fractions with one decimal, whole numbers with commas."""
    try:
        table = read_json(path)["tables"][name]
        columns, rows = table["columns"], table["rows"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path}: has no table {name!r} ({type(error).__name__})") from None
    if not (isinstance(rows, list) and all(isinstance(row, list) for row in (columns, *rows))):
        raise DataError(f"{path}: the table {name!r} is not lists of values")
    if any(len(row) != len(columns) for row in rows):
        raise DataError(f"{path}: in the table {name!r} a row is not as long as the header")
    for row in (columns, ["---"] * len(columns), *rows):
        yield f"| {' | '.join(_shown(value) for value in row)} |"


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
