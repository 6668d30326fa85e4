"""From any format that is read to any that is written.

A first pass finds out what would be lost: each puzzle is put into the other format and read back. A
second pass writes, under a temporary name until it is complete. On the way, stories can be told
again in the words of another world.
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

from clutrr.data import own, v01, v1
from clutrr.data.card import Converted
from clutrr.data.dataset import WORLD, Dataset
from clutrr.data.extra import UNREAD, extra_keys
from clutrr.data.formats import FORMATS, open_writer
from clutrr.data.part import UNSPLIT, Part, PlacedPuzzle
from clutrr.data.read import detect
from clutrr.data.retell import retold
from clutrr.data.source import DataFile
from clutrr.errors import ClutrrError, ConfigError, DataError, OutputError
from clutrr.files import replace_text, write_manifest
from clutrr.places import made_aside
from clutrr.puzzle import CONTENT, EXTRA, SCHEMA, WIDE
from clutrr.storage import Where
from clutrr.world import World, builtin_world, save_world

_Rows = v01.V01Rows | v1.V1Rows
_PUBLISHED: Mapping[str, type[v01.V01Rows] | type[v1.V1Rows]] = {"v0.1": v01.V01Rows, "v1.0": v1.V1Rows}
WRITTEN = (*FORMATS, *_PUBLISHED)
_HELD = {"v1.0": v1.KEY}  # what of `extra` each can hold
_SUFFIX = {form: f".{form}" for form in FORMATS} | dict.fromkeys(_PUBLISHED, ".csv")
_MOST_FILES = 200
Tick = Callable[[int], None]


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

    def world(self, data: Dataset, wording: World | None) -> World:
        """Return the world the output will be read with: a folder holds it, a file implies it."""
        if self.one_file and self.form in _PUBLISHED:
            return builtin_world(_PUBLISHED[self.form].world_name)
        return wording or data.world

    def source(self, subset: str, split: str | None) -> DataFile:
        """Return the file for these puzzles, as it will be read."""
        if self.one_file:
            return DataFile(self.out, self.out.name)
        if self.form in FORMATS:
            name = f"data/{subset}/{split or UNSPLIT}-00000-of-00001{_SUFFIX[self.form]}"
        else:
            name = f"{subset}_{split}" if split else subset
            name += _SUFFIX[self.form]
        return DataFile(self.out / name, name)


@dataclass(frozen=True)
class Selection:
    """A choice of puzzles to write.

    - choose: picks those of a part.
    - about: how they are chosen, for the manifest.
    - assume: the assumption behind the choice, if the solver makes it.
    """

    choose: Callable[[Part], Part]
    about: Mapping[str, str] = field(default_factory=dict)
    assume: str | None = None


@dataclass
class Losses:
    """The content that a target cannot hold.

    - columns: the further ones that are kept.
    - wide: whether puzzles hold more than our columns do.
    - fields: how many puzzles lose or change each field.
    """

    rows: int = 0
    columns: dict[str, None] = field(default_factory=dict)
    wide: bool = False
    others: int = 0  # puzzles whose further columns have no place
    fields: Counter[str] = field(default_factory=Counter)
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


def survey(
    data: Dataset,
    target: Target,
    tick: Tick = lambda rows: None,
    wording: World | None = None,
    keep: Selection | None = None,
) -> Losses:
    """Return what would be lost. Raises DataError if a puzzle cannot be held at all."""
    losses = Losses()
    readers: dict[DataFile, _Rows] = {}
    for part in _parts(data, wording, keep):
        source = target.source(part.subset, part.split)
        losses.rows += len(part.table)
        losses.wide |= EXTRA.name in part.table.column_names
        if target.form in FORMATS:
            for back in own.divided(source, part.table):  # these hold every puzzle as it is
                losses.place(part, back, len(back.table))
        else:
            if source not in readers:
                readers[source] = _PUBLISHED[target.form](source, target.world(data, wording))
            for row in _rows(part):
                _survey_row(row, readers[source], target.form, losses)
        tick(len(part.table))
    if losses.refused:
        raise DataError(
            f"{target.form} cannot hold {losses.refused:,} of {losses.rows:,} puzzles; "
            f"the first because {losses.reason}"
        )
    if not losses.rows:
        left = " is left" if keep is not None or data.notes.skipped else ""
        raise DataError(f"{data.path}: there is no puzzle{left}, so there is nothing to write")
    return losses


def _survey_row(row: PlacedPuzzle, reader: _Rows, form: str, losses: Losses) -> None:
    try:
        cells = reader.cells(row, 0)
        back = reader.row(cells, f"puzzle {row.puzzle.id}")
    except DataError as error:
        losses.refused += 1
        losses.reason = losses.reason or str(error)
        return
    losses.columns |= dict.fromkeys(cells)
    losses.others += any(key not in (_HELD.get(form), UNREAD) for key in extra_keys(row.puzzle))
    for name in CONTENT:
        if getattr(back.puzzle, name) != getattr(row.puzzle, name):
            losses.fields[name] += 1
    losses.place(row, back, 1)


def convert(
    data: Dataset,
    target: Target,
    force: bool = False,
    say: Callable[[str], None] = lambda loss: None,
    tick: Tick = lambda rows: None,
    wording: World | None = None,
    keep: Selection | None = None,
) -> int:
    """Write the puzzles, and return how many.

    - force: replace what is there, if it is ours.
    - say: called with each loss, before anything is written.
    - tick: called with how many more puzzles are done.
    - wording: the world to tell the stated facts again in, instead of keeping the stories.
    - keep: which puzzles to write; all by default.
    """
    if target.one_file and target.out.is_dir():
        raise OutputError(f"{target.out} is a folder; expected the name of a file")
    plan = {"converted from": str(data.path), "to": target.form}
    with made_aside(target.out, plan, force, _is_data if target.one_file else None) as made:
        losses = survey(data, target, tick, wording, keep)
        for loss in losses.messages(target.form):
            say(loss)
        made.mkdir()
        _write(data, target, made, tick, wording, keep, losses)
    return losses.rows


def _is_data(path: Where) -> bool:
    """Return whether it is a data file, which may be replaced."""
    try:
        detect(DataFile(path, path.name))
    except ClutrrError:
        return False
    return path.is_file()


def _write(
    data: Dataset,
    target: Target,
    folder: Path,
    tick: Tick,
    wording: World | None,
    keep: Selection | None,
    losses: Losses,
) -> None:
    writers: dict[str, Callable[[Part], None]] = {}
    world = target.world(data, wording)
    made = Converted(data, world, target.form)
    with ExitStack() as stack:
        for part in _parts(data, wording, keep):
            name = target.source(part.subset, part.split).named
            if name not in writers:
                if len(writers) == _MOST_FILES:
                    raise DataError(f"{data.path}: more than {_MOST_FILES} subsets and splits")
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                writers[name] = stack.enter_context(_writer(folder / name, target.form, world, losses))
            writers[name](part)
            made.add(name, part)
            tick(len(part.table))
    if target.out.suffix == ".gz":
        _zip(folder / target.out.name)
    if not target.one_file:
        save_world(world, folder / WORLD)
        assume = (keep and keep.assume) or data.assume
        about = made.manifest(assume, keep.about if keep else {})
        replace_text(folder / "README.md", made.card(about))
        write_manifest(folder, about)


@contextmanager
def _writer(path: Path, form: str, world: World, losses: Losses) -> Iterator[Callable[[Part], None]]:
    if form in FORMATS:
        with open_writer(path, form, {}, WIDE if losses.wide else SCHEMA) as writer:
            yield lambda part: writer.write(part.table)
        return
    reader = _PUBLISHED[form](DataFile(path, path.name), world)
    numbers = count()
    with path.open("w", encoding="utf-8", newline="") as file:
        header = dict.fromkeys((*reader.header, *losses.columns))
        rows = csv.DictWriter(file, list(header))  # ends lines in \r\n, so it quotes both
        rows.writeheader()
        yield lambda part: rows.writerows(reader.cells(row, next(numbers)) for row in _rows(part))


def _zip(path: Path) -> None:
    plain = path.rename(path.with_name(path.name + ".plain"))
    with plain.open("rb") as content, path.open("wb") as file, gzip.GzipFile("", "wb", 6, file, 0) as zipped:
        shutil.copyfileobj(content, zipped)
    plain.unlink()


def _parts(data: Dataset, wording: World | None, keep: Selection | None) -> Iterator[Part]:
    kept = data.parts() if keep is None else map(keep.choose, data.parts())
    kept = (part for part in kept if len(part.table))
    return kept if wording is None else retold(kept, wording)


def _rows(part: Part) -> Iterator[PlacedPuzzle]:
    for puzzle in part.puzzles:
        yield PlacedPuzzle(part.subset, part.split, puzzle)
