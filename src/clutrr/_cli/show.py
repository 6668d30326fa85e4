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

from clutrr._cli.wording import message_of, reason_of
from clutrr._measure import counted
from clutrr.errors import plain, short

if TYPE_CHECKING:
    from rich.progress import Progress

    from clutrr._data.part import Notes
    from clutrr._report.experiment import Experiment
    from clutrr._score.result import Result

WIDTH = 100  # of a table where there is no terminal
_SKIPPED = 20
_LISTED = 10
_ENDING = 90  # characters of an answer that was not read: where the answer should be

_QUIET = 30  # seconds between two lines of progress where there is no terminal


def shown(text: object) -> str:
    """Return a text of one line or several as a terminal may show it."""
    return "\n".join(map(plain, str(text).split("\n")))


def say(text: object = "", file: TextIO | None = None, flush: bool = False) -> None:
    """Print a text of one line or several. file: None for standard output."""
    print(shown(text), file=file, flush=flush)


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
    numeric = [
        all(isinstance(row[i], int | float | None) for row in rows) for i in range(len(columns))
    ]
    for column, right in zip(columns, numeric, strict=True):
        table.add_column(shown(column), justify="right" if right else "left", overflow="fold")
    for row in rows:
        table.add_row(
            *(
                "" if cell is None else f"{cell:,}" if isinstance(cell, int) else shown(cell)
                for cell in row
            )
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
        rows = counted(len(notes.new_ids), "row")
        say(f"Ids that were there twice: {rows} got another, such as {new!r} for {short(old)}.")
    if notes.skipped:
        say(f"Left out: {len(notes.skipped):,}")
    for one in notes.skipped[:_SKIPPED]:
        say(f"  {message_of(one)}")
    if len(notes.skipped) > _SKIPPED:
        say(f"  ... and {len(notes.skipped) - _SKIPPED:,} more (--json lists all)")


def notes_json(notes: "Notes") -> dict[str, Any]:
    """Return the same as plain data."""
    skipped = [
        {"file": one.file, "place": one.place, "reason": reason_of(one)} for one in notes.skipped
    ]
    return {"new_ids": notes.new_ids, "skipped": skipped}


def print_result(title: str, result: "Result") -> None:
    """One model's table, and the answers that were not read."""
    header, *rows = result.rows()
    print_table(title, header, rows)
    _say_details(result)
    if result.unread:
        known = result.details.get("not_read", {})
        why = ", ".join(f"{count:,} {reason}" for reason, count in known.items())
        what = "1 answer was" if len(result.unread) == 1 else f"{len(result.unread):,} answers were"
        say(f"{what} not read{f' ({why})' if why else ''}:")
        for number, answer in result.unread[:_LISTED]:
            text = " ".join(answer.split()) or "(empty)"
            say(f"  {number}: {text if len(text) <= _ENDING else f'... {text[-_ENDING:]}'}")
        if len(result.unread) > _LISTED:
            say(f" {_more(result.unread)}")
        if "truncated" in known:
            say(
                "Truncated replies need more room: --sampling max-tokens=N, and the limits of the service."
            )


def _more(listed: Sequence[object]) -> str:
    return f" and {len(listed) - _LISTED:,} more; --json lists all" if len(listed) > _LISTED else ""


def _say_details(result: "Result") -> None:
    """What was not asked, how "cannot be told" went wrong, and how replies came to their answers."""
    from clutrr._report.table import detail_lines

    for line in detail_lines(result):
        say(line)
    if steps := result.details.get("steps"):
        by_length = {**steps["by_k"], "all": steps["all"]}
        rows = [
            {
                "k": k,
                **{
                    name.replace("_", " "): int(n) if n and not n % 1 else n
                    for name, n in one.items()
                },
            }
            for k, one in by_length.items()
        ]
        print_records(f"{result.model}: the steps of replies", rows)
        if steps["breaks"]:
            listed = ", ".join(
                f"{at} ({times:,})" for at, times in list(steps["breaks"].items())[:_LISTED]
            )
            say(f"First wrong claims, most often at: {listed}.")
            say(
                "One kind is a fact misread; two are what holds up to the last fact, and that fact."
            )


def experiment_json(experiment: "Experiment") -> dict[str, object]:
    """Return its file, and the entries that have figures."""
    cells = [entry.to_json() for entry in experiment.entries.values() if entry.seeds]
    return {**experiment.to_json(), "cells": cells}


def print_experiment(experiment: "Experiment") -> None:
    """Its table, and what to know when reading it."""
    from clutrr._report.table import closing_lines, terminal_rows

    header, *rows = terminal_rows(experiment)
    if experiment.planned:
        beside = ", and the paper's with our difference from it" if experiment.compared else ""
        spread = " ± the standard deviation over the seeds" if len(experiment.seeds) > 1 else ""
        print_table(f"Test accuracy in %{spread}, its 95 % interval{beside}", header, rows)
    else:
        print_table(experiment.caption, header, rows)
        _say_pairs(experiment)
        for result in experiment.results:
            _say_details(result)
    for line in closing_lines(experiment):
        say(line)


def _say_pairs(experiment: "Experiment") -> None:
    """Any two models on the same questions, and the ids of those that only one answers right."""
    from clutrr._report.table import pair_lines

    lines = pair_lines(experiment)
    for names, found in experiment.pairs.items():
        say(lines[names])
        for name, ids in zip(names, (found.first, found.second), strict=True):
            if ids:
                say(f"  only {name}: {', '.join(ids[:_LISTED])}{_more(ids)}")


@contextmanager
def progress(label: str, total: int | None = None) -> Iterator[Callable[..., None]]:
    """A bar on standard error; call with how much more is done, or with how much of how much, and a note.

    If standard error is no terminal, notes are printed instead, every 30 seconds. total: None if not known.
    """
    last = time.monotonic()

    def tell(
        more: int = 0, done: int | None = None, total: int | None = total, note: str = ""
    ) -> None:
        nonlocal last
        if bar is not None:
            bar.update(bar.task_ids[0], total=total, advance=more, completed=done, note=shown(note))
        elif note and time.monotonic() - last > _QUIET:
            last = time.monotonic()
            far = (
                [] if done is None else [f"{done:,}" if total is None else f"{done:,} of {total:,}"]
            )
            say(f"{label}: {', '.join([*far, note])}", file=sys.stderr, flush=True)

    with _bar() if sys.stderr.isatty() else nullcontext() as bar:
        if bar is not None:
            bar.add_task(shown(label), total=total, note="")
        yield tell


def _bar() -> "Progress":
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    label, note = (
        TextColumn(text, markup=False) for text in ("{task.description}", "{task.fields[note]}")
    )
    columns = (label, BarColumn(), MofNCompleteColumn(), note, TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
