"""From any format that is read to any that is written.

What is written takes its place when it is complete, and when it is known what the format could not hold:
each puzzle that goes to v1.0 is read back.
"""

import csv
import gzip
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pyarrow as pa

from clutrr.data import v1
from clutrr.data.about import ConvertedFiles, converted_card, converted_manifest
from clutrr.data.dataset import WORLD, Dataset
from clutrr.data.own import FORMATS, divided, open_writer
from clutrr.data.part import UNREAD, UNSPLIT, Part, PlacedPuzzle, extra_of
from clutrr.data.read import detect
from clutrr.data.source import DataFile
from clutrr.errors import ClutrrError, ConfigError, DataError, OutputError
from clutrr.files import Where, replace_text, write_manifest
from clutrr.places import made_aside
from clutrr.table import CONTENT, EXTRA, SCHEMA, WIDE
from clutrr.world import World, builtin_world, save_world

V1 = "v1.0"
WRITTEN = (*FORMATS, V1)
_SUFFIX = {form: f".{form}" for form in FORMATS} | {V1: ".csv"}
_MOST_FILES = 200


@dataclass(frozen=True)
class Target:
    """A place to write to and its format: one file, or a folder with a file for each subset and split."""

    out: Where
    form: str

    @classmethod
    def of(cls, out: Where, form: str | None) -> "Target":
        """Return the target of the format asked for, or else of the one that the file name implies."""
        name = out.name.removesuffix(".gz")
        implied = next((known for known in FORMATS if name.endswith(_SUFFIX[known])), None)
        if form is not None and form not in WRITTEN:
            raise ConfigError(f"to: {form!r} is not one of {', '.join(WRITTEN)}")
        form = form or implied or "parquet"
        if implied is not None and not name.endswith(_SUFFIX[form]):
            raise ConfigError(f"to: {form} in a file named {out.name}; expected {_SUFFIX[form]}")
        if out.suffix == ".gz" and (implied is None or form == "parquet"):
            raise ConfigError("to: only files named .csv.gz or .jsonl.gz are gzipped")
        return cls(out, form)

    @property
    def one_file(self) -> bool:
        return self.out.name.removesuffix(".gz").endswith(tuple(_SUFFIX.values()))

    def world(self, data: Dataset) -> World:
        """Return the world the output will be read with: a folder holds it, a file of v1.0 implies it."""
        return builtin_world(v1.WORLD) if self.one_file and self.form == V1 else data.world

    def file(self, subset: str, split: str | None) -> DataFile:
        """Return the file for these puzzles, as it will be read."""
        if self.one_file:
            return DataFile(self.out, self.out.name)
        if self.form == V1:
            name = f"{subset}_{split}.csv" if split else f"{subset}.csv"
        else:
            name = f"data/{subset}/{split or UNSPLIT}-00000-of-00001{_SUFFIX[self.form]}"
        return DataFile(self.out / name, name)


@dataclass
class Losses:
    """The content that a target cannot hold. fields: how many puzzles lose or change each field."""

    rows: int = 0
    fields: Counter[str] = field(default_factory=Counter)
    others: int = 0  # puzzles whose further columns have no place
    subsets: dict[str, str] = field(default_factory=dict)  # those that get another name
    splits: int = 0  # puzzles whose split is lost
    refused: int = 0  # puzzles that cannot be held at all
    reason: str = ""  # why the first cannot

    def place(self, row: Part | PlacedPuzzle, back: Part | PlacedPuzzle, rows: int) -> None:
        """Note in which subset and split puzzles would be found when read back."""
        if back.subset != row.subset:
            self.subsets[row.subset] = back.subset
        if back.split != row.split:
            self.splits += rows

    def messages(self, form: str) -> Iterator[str]:
        """Yield the losses in words."""
        for name, rows in self.fields.items():
            yield f"{form} cannot hold `{name}` as it is in {rows:,} of {self.rows:,} puzzles"
        if self.others:
            yield f"{form} has no place for the further columns of {self.others:,} of {self.rows:,} puzzles"
        for old, new in self.subsets.items():
            yield f"subset {old} becomes {new}"
        if self.splits:
            yield f"the split is lost for {self.splits:,} puzzles"


def convert(
    data: Dataset,
    target: Target,
    force: bool = False,
    say: Callable[[str], None] = lambda loss: None,
    tick: Callable[[int], None] = lambda rows: None,
    kept: Mapping[str, str] | None = None,
) -> int:
    """Write the puzzles, and return how many.

    - force: replace what is there, if it is ours.
    - say: called with each loss, before the output takes its place.
    - tick: called with how many more puzzles are done.
    - kept: how the puzzles were chosen, for the manifest.
    """
    if target.one_file and target.out.is_dir():
        raise OutputError(f"{target.out} is a folder; expected the name of a file")
    theory = builtin_world(v1.WORLD).theory.name
    if target.form == V1 and data.world.theory.name != theory:
        raise ConfigError(f"to: {V1} holds stories of {theory} only, not of world {data.world.name!r}")
    plan = {"converted from": str(data.path), "to": target.form}
    with made_aside(target.out, plan, force, _is_data if target.one_file else None) as folder:
        folder.mkdir()
        losses = Losses()
        written = _write(data, target, folder, losses, tick)
        if losses.refused:
            raise DataError(
                f"{target.form} cannot hold {losses.refused:,} of {losses.rows:,} puzzles; "
                f"the first because {losses.reason}"
            )
        if not losses.rows:
            left = " is left" if kept or data.notes.skipped else ""
            raise DataError(f"{data.path}: there is no puzzle{left}, so there is nothing to write")
        for loss in losses.messages(target.form):
            say(loss)
        if target.out.suffix == ".gz":
            _zip(folder / target.out.name)
        if not target.one_file:
            save_world(data.world, folder / WORLD)
            about = converted_manifest(data, target.form, written, kept or {})
            replace_text(folder / "README.md", converted_card(data, about))
            write_manifest(folder, about)
    return losses.rows


def _is_data(path: Where) -> bool:
    """Return whether it is a data file, which may be replaced."""
    try:
        detect(DataFile(path, path.name))
    except ClutrrError:
        return False
    return path.is_file()


def _write(
    data: Dataset, target: Target, folder: Path, losses: Losses, tick: Callable[[int], None]
) -> ConvertedFiles:
    """Write the files, and return the labels of each."""
    writers: dict[str, Callable[[Part], None]] = {}
    written: ConvertedFiles = {}
    schema = WIDE if any(form.extra for _, form in data.files) else SCHEMA
    with ExitStack() as stack:
        for part in data.parts():
            if not len(part.table):
                continue
            file = target.file(part.subset, part.split)
            if file.named not in writers:
                if len(writers) == _MOST_FILES:
                    raise DataError(f"{data.path}: more than {_MOST_FILES} subsets and splits")
                path = folder / file.named
                path.parent.mkdir(parents=True, exist_ok=True)
                if target.form == V1:
                    opened = _v1_writer(path, v1.V1Rows(file, target.world(data)), losses)
                else:
                    opened = _own_writer(path, target.form, schema, file, losses)
                writers[file.named] = stack.enter_context(opened)
            writers[file.named](part)
            losses.rows += len(part.table)
            labels = written.setdefault((part.subset, part.split or UNSPLIT), (file.named, Counter()))[1]
            labels.update(part.labels())
            tick(len(part.table))
    return written


@contextmanager
def _own_writer(
    path: Path, form: str, schema: pa.Schema, file: DataFile, losses: Losses
) -> Iterator[Callable[[Part], None]]:
    """Yield what writes parts in one of our formats, which hold every puzzle as it is."""
    with open_writer(path, form, {}, schema) as write:

        def write_part(part: Part) -> None:
            for back in divided(file, part.table):
                losses.place(part, back, len(back.table))
            if EXTRA.name in part.table.column_names and EXTRA.name not in schema.names:
                losses.others += len(part.table)
            write(part.table)

        yield write_part


@contextmanager
def _v1_writer(path: Path, format_: v1.V1Rows, losses: Losses) -> Iterator[Callable[[Part], None]]:
    """Yield what writes parts in the format v1.0, with the further columns of the first."""
    numbers = count()
    with path.open("w", encoding="utf-8", newline="") as file:
        rows: csv.DictWriter[str] | None = None

        def write_part(part: Part) -> None:
            nonlocal rows
            placed = [PlacedPuzzle(part.subset, part.split, puzzle) for puzzle in part.puzzles]
            cells = [_v1_cells(row, format_, next(numbers), losses) for row in placed]
            found = [one for one in cells if one is not None]
            if rows is None:
                header = dict.fromkeys([*v1.HEADER, *(name for one in found for name in one)])
                rows = csv.DictWriter(file, list(header), extrasaction="ignore")  # its lines end in \r\n
                rows.writeheader()
            losses.others += sum(not set(one) <= set(rows.fieldnames) for one in found)
            rows.writerows(found)

        yield write_part


def _v1_cells(row: PlacedPuzzle, format_: v1.V1Rows, number: int, losses: Losses) -> dict[str, str] | None:
    """Return the cells of a puzzle, and note what they do not say; None if it cannot be held."""
    try:
        cells = format_.cells(row, number)
        back = format_.row(cells, f"puzzle {row.puzzle.id}")
    except DataError as error:
        losses.refused += 1
        losses.reason = losses.reason or str(error)
        return None
    losses.others += any(key not in (v1.KEY, UNREAD) for key in extra_of(row.puzzle))
    for name in CONTENT:
        if getattr(back.puzzle, name) != getattr(row.puzzle, name):
            losses.fields[name] += 1
    losses.place(row, back, 1)
    return cells


def _zip(path: Path) -> None:
    plain = path.rename(path.with_name(path.name + ".plain"))
    with plain.open("rb") as content, path.open("wb") as file, gzip.GzipFile("", "wb", 6, file, 0) as zipped:
        shutil.copyfileobj(content, zipped)
    plain.unlink()
