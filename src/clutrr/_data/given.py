"""Data as users give it, opened: a path or URL, puzzles, rows, or a frame of any library."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from clutrr._arguments import LocationLike, public
from clutrr._data.asked import AskedReader, columns_named, world_of
from clutrr._data.convert import Target, write_dataset
from clutrr._data.dataset import Dataset, dataset_of, open_dataset
from clutrr._data.parquet import plain_table
from clutrr._data.part import Notes
from clutrr._data.puzzles import PuzzleSequence
from clutrr._io.locations import is_location, parse_location
from clutrr._lexicon import World
from clutrr._puzzle import Puzzle
from clutrr._worlds import load_world
from clutrr.errors import ArgumentError, RowError, short

WorldLike: TypeAlias = LocationLike | World
# A path, a data set, puzzles, or rows as dictionaries or as a frame of any library.
DataLike: TypeAlias = LocationLike | Dataset | Sequence[Puzzle] | Any
GivenColumns: TypeAlias = str | Mapping[str, str | Sequence[str]] | None
_FRAME = "rows"


@public
def read(
    data: DataLike,
    *,
    world: WorldLike | None = None,
    columns: GivenColumns = None,
    skip_bad: bool = False,
) -> PuzzleSequence:
    """Return the puzzles of a file or folder, of any format that is known, gzipped or not; or of a frame.

    Rows of your own may also be given as such: dictionaries, or a frame of pandas or polars.

    - world: the one to read it with, if the data does not carry its own
    - columns: where what is in them, "story=text,query=a+b,target=label", or the same as a dictionary
    - skip_bad: whether to leave out rows and files that cannot be read; `skipped` of what is returned lists them

    >>> from clutrr import generate, write
    >>> write(generate(k=2, size=3), "three.jsonl")
    3
    >>> [puzzle.k for puzzle in read("three.jsonl")]
    [2, 2, 2]
    """
    opened = open_data(data, world, columns, skip_bad)
    puzzles, places = list[Puzzle](), list[tuple[str, str | None]]()
    for part in opened.parts():
        read_here = list(part.puzzles)
        puzzles += read_here
        places += [(part.subset, part.split)] * len(read_here)
    return PuzzleSequence([puzzles], opened.world, opened.assume, opened.notes.skipped, places)


@public
def puzzle(
    story: str,
    query: tuple[str, str] | str,
    target: str,
    *,
    world: WorldLike | None = None,
) -> Puzzle:
    """Return the puzzle of a story of your own, with all that follows from reading it.

    - query: two names, or a question such as "What is Carl to Ann?"
    - target: the answer to be judged
    - world: of the story; None for the built-in one that has the target, or else reads the story

    >>> puzzle("Bob is Ann's son. Carl is Bob's brother.", ("Ann", "Carl"), "son").facts[1]
    Fact(head='Bob', relation='brother', tail='Carl')
    """
    told = world_of([target], story).world if world is None else load_world(world)
    return AskedReader(told).puzzle(story, query, target)[0]


@public
def write(
    puzzles: DataLike,
    out: LocationLike,
    *,
    world: WorldLike | None = None,
    assume: str | None = None,
    to: str | None = None,
    force: bool = False,
) -> int:
    """Write puzzles to a file (.parquet, .csv, .jsonl) or to a folder that carries its world and assumption.

    Returns how many there were.

    - world, assume: what puzzles are told in and were made under, where they do not know it: what `generate`
      and `read` return does
    - to: another format, as for `convert`
    - force: whether to replace what is there

    >>> from clutrr import generate
    >>> write(generate(k=2, size=3), "three.parquet")
    3
    """
    opened = open_data(puzzles, world, name="puzzles")
    if assume is not None:
        opened = replace(opened, assume=opened.world.theory.assumption(assume).name)
    return write_dataset(opened, Target.of(parse_location(out), to), force)


def open_data(
    data: DataLike,
    world: WorldLike | None = None,
    columns: GivenColumns = None,
    skip_bad: bool = False,
    name: str = "data",
    skip_rows: bool = False,
) -> Dataset:
    """Return whatever is data as a data set.

    - world: instead of its own
    - columns: where what is in them, as for `read`
    - skip_bad: whether to leave out rows and files that cannot be read
    - name: of the argument, for errors
    - skip_rows: whether to leave out rows that cannot be read, but no files
    """
    told = None if world is None else load_world(world)
    columns = None if columns is None else columns_named(columns)
    if isinstance(data, Dataset):
        return data
    if isinstance(data, PuzzleSequence):
        return dataset_of(data, told or data.world, data.assume, data.places)
    if isinstance(data, list | tuple) and all(isinstance(one, Puzzle) for one in data):
        return dataset_of(data, told)
    if is_location(data):
        return open_dataset(parse_location(data), told, skip_bad, columns, skip_rows)
    return _of_frame(data, told, columns, Notes(skip_bad, skip_rows), name)


def _of_frame(
    frame: Any, world: World | None, columns: GivenColumns, skip: Notes, name: str
) -> Dataset:
    """Return a frame, or rows as dictionaries, as a data set: read as a file of them would be."""
    of_datasets = getattr(getattr(frame, "data", None), "table", None)  # those of Hugging Face
    with TemporaryDirectory() as folder:
        path = Path(folder) / _FRAME
        try:
            if (
                isinstance(frame, Iterable)
                and not hasattr(frame, "columns")
                and of_datasets is None
            ):
                rows = [json.dumps(dict(row), ensure_ascii=False, default=str) for row in frame]
                path.write_text("\n".join(rows), encoding="utf-8")
            else:
                table = of_datasets if isinstance(of_datasets, pa.Table) else pa.table(frame)
                pq.write_table(plain_table(table), path)
        except (TypeError, ValueError, pa.ArrowException) as error:
            why = f" ({short(str(error), quote=False)})" if isinstance(frame, Iterable) else ""
            raise ArgumentError(
                f"expected a path, puzzles, rows, a frame or a data set, not "
                f"{type(frame).__name__}{why}",
                setting=name,
            ) from None
        try:
            opened = open_dataset(path, world, skip.skip_bad, columns, skip.skip_rows)
            parts = list(opened.parts())
        except RowError as error:
            _place_in_frame(error)
            raise
    for one in opened.notes.skipped:
        _place_in_frame(one)
    assume = getattr(frame, "attrs", {}).get("assume")  # as `PuzzleSequence.to_pandas` has it
    return replace(
        opened, path=Path(_FRAME), assume=assume or opened.assume, made=lambda: iter(parts)
    )


def _place_in_frame(error: RowError) -> None:
    """Name the row of a frame, instead of the line of the file that it was written to."""
    error.file, error.place = _FRAME, error.place.replace("line", "row")
