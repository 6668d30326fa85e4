"""Printing: lines, tables, JSON, progress. Whatever a command shows on a terminal goes through here.

It may come from anybody's data, and some characters are commands to a terminal: those are spelt out.
"""

import json
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, TextIO

from clutrr.errors import plain, short

if TYPE_CHECKING:
    from rich.progress import Progress

    from clutrr.data.part import Notes

WIDTH = 100  # of a table where there is no terminal
_SKIPPED = 20

_QUIET = 30  # seconds between two lines of progress where there is no terminal


def shown(text: object) -> str:
    """Return a text of one line or several as a terminal may show it."""
    return "\n".join(map(plain, str(text).split("\n")))


def say(text: object = "", end: str = "\n", file: TextIO | None = None, flush: bool = False) -> None:
    """Print a text of one line or several. file: None for standard output."""
    print(shown(text), end=end, file=file, flush=flush)


def command_line() -> str:
    """The command as it was typed."""
    return plain(shlex.join(("clutrr", *sys.argv[1:])))


def print_json(content: Any) -> None:
    """Print one JSON document on standard output."""
    text = json.dumps(content, ensure_ascii=False)
    print(text if plain(text) == text else json.dumps(content))


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table; numbers to the right."""
    from rich.console import Console
    from rich.table import Table

    table = Table()  # "fold": nothing is cut off
    numeric = [all(isinstance(row[i], int | float | None) for row in rows) for i in range(len(columns))]
    for column, right in zip(columns, numeric, strict=True):
        table.add_column(shown(column), justify="right" if right else "left", overflow="fold")
    for row in rows:
        table.add_row(
            *("" if cell is None else f"{cell:,}" if isinstance(cell, int) else shown(cell) for cell in row)
        )
    # What is shown is data: nothing in it is markup.
    width = None if Console().is_terminal else WIDTH
    console = Console(width=width, markup=False, emoji=False)
    if title:  # not as the table's own, which would be broken to the width of a narrow table
        console.print(shown(title), style="bold", highlight=False)
    console.print(table)


def print_records(title: str, records: Sequence[Mapping[str, object]]) -> None:
    """Print a table with a column for each name in any of the records."""
    columns = list(dict.fromkeys(name for record in records for name in record))
    print_table(title, columns, [[record.get(name) for name in columns] for record in records])


def print_notes(notes: "Notes") -> None:
    """Print what was left out, and which ids were there twice."""
    for new, old in list(notes.new_ids.items())[:1]:
        rows = len(notes.new_ids)
        what = "1 row" if rows == 1 else f"{rows:,} rows"
        say(f"Ids that were there twice: {what} got another, such as {new!r} for {short(old)}.")
    if notes.skipped:
        say(f"Left out: {len(notes.skipped):,}")
    for one in notes.skipped[:_SKIPPED]:
        say(f"  {one}")
    if len(notes.skipped) > _SKIPPED:
        say(f"  ... and {len(notes.skipped) - _SKIPPED:,} more (--json lists all)")


def notes_json(notes: "Notes") -> dict[str, Any]:
    """Return the same as plain data."""
    skipped = [{"file": one.file, "place": one.place, "reason": one.reason} for one in notes.skipped]
    return {"new_ids": notes.new_ids, "skipped": skipped}


@contextmanager
def progress(label: str, total: int | None = None) -> Iterator[Callable[..., None]]:
    """A bar on standard error; call with how much more is done, or with how much of how much, and a note.

    If standard error is no terminal, notes are printed instead, every 30 seconds. total: None if not known.
    """
    last = time.monotonic()

    def tell(more: int = 0, done: int | None = None, total: int | None = total, note: str = "") -> None:
        nonlocal last
        if bar is not None:
            bar.update(bar.task_ids[0], total=total, advance=more, completed=done, note=shown(note))
        elif note and time.monotonic() - last > _QUIET:
            last = time.monotonic()
            say(f"{label}: {done:,} of {total:,}, {note}", file=sys.stderr, flush=True)

    with _bar() if sys.stderr.isatty() else nullcontext() as bar:
        if bar is not None:
            bar.add_task(shown(label), total=total, note="")
        yield tell


def _bar() -> "Progress":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    label, note = (TextColumn(text, markup=False) for text in ("{task.description}", "{task.fields[note]}"))
    columns = (label, BarColumn(), MofNCompleteColumn(), note, TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
