"""From any format that is read to any that is written.

A first pass says what would be lost: each puzzle is put into the other format and read back. A
second pass writes, under a temporary name until all is there. On the way, stories can be told
again in the words of a world.
"""

import csv
import gzip
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from clutrr.data import own, v01, v1
from clutrr.data.dataset import WORLD, Dataset
from clutrr.data.formats import FORMATS, open_writer
from clutrr.data.part import Part, Row
from clutrr.data.read import detect
from clutrr.data.retell import Wording
from clutrr.data.source import Source
from clutrr.errors import ClutrrError, ConfigError, DataError, OutputError
from clutrr.files import check_free, made_here, workplace, write_manifest, writing
from clutrr.puzzle import CONTENT, from_table
from clutrr.world import World, builtin_world, save_world

_PUBLISHED = {"v0.1": v01, "v1.0": v1}
WRITTEN = (*FORMATS, *_PUBLISHED)
_SUFFIX = {"parquet": ".parquet", "csv": ".csv", "jsonl": ".jsonl", "v0.1": ".csv", "v1.0": ".csv"}
_MOST_FILES = 200
Tick = Callable[[int], None]


@dataclass(frozen=True)
class Target:
    """Where to write, and in which format: one file, or a folder with a file a subset and split."""

    out: Path
    form: str

    @classmethod
    def of(cls, out: Path, form: str | None) -> "Target":
        """The format asked for, or else the one that the name of the file tells."""
        name = out.name.removesuffix(".gz")
        told = next((known for known in FORMATS if name.endswith(_SUFFIX[known])), None)
        if form is not None and form not in WRITTEN:
            raise ConfigError(f"to: no format {form!r}; one of {', '.join(WRITTEN)}")
        form = form or told or "parquet"
        if told is not None and not name.endswith(_SUFFIX[form]):
            raise ConfigError(f"to: {form} in a file named {out.name}; expected {_SUFFIX[form]}")
        if out.suffix == ".gz" and (told is None or form == "parquet"):
            raise ConfigError("to: only files named .csv.gz or .jsonl.gz are gzipped")
        return cls(out, form)

    @property
    def one_file(self) -> bool:
        return self.out.name.removesuffix(".gz").endswith(tuple(_SUFFIX.values()))

    def told_in(self, data: Dataset, wording: Wording | None) -> World:
        """The world that will be read with: a folder holds it, a file is known by its format."""
        if self.one_file and self.form in _PUBLISHED:
            return builtin_world(_PUBLISHED[self.form].WORLD)
        return data.world if wording is None else wording.world

    def source(self, subset: str, split: str | None) -> Source:
        """The file for these puzzles, as it will be read."""
        if self.one_file:
            return Source(self.out, self.out.name)
        if self.form in FORMATS:
            name = f"data/{subset}/{split or 'all'}-00000-of-00001{_SUFFIX[self.form]}"
        else:
            name = f"{subset}_{split}.csv" if split else f"{subset}.csv"
        return Source(self.out / name, name)


@dataclass
class Losses:
    """What the target cannot hold. fields: how many puzzles lose or change each field."""

    rows: int = 0
    fields: Counter[str] = field(default_factory=Counter)
    subsets: dict[str, str] = field(default_factory=dict)  # those that get another name
    splits: int = 0  # puzzles whose split is lost
    refused: int = 0  # puzzles that cannot be held at all
    reason: str = ""  # why the first cannot

    def place(self, row: Part | Row, back: Part | Row, rows: int) -> None:
        """Note where puzzles would be found again."""
        if back.subset != row.subset:
            self.subsets[row.subset] = back.subset
        if back.split != row.split:
            self.splits += rows

    def said(self, form: str) -> Iterator[str]:
        """What is lost, in words."""
        for name, rows in self.fields.items():
            yield f"{form} cannot hold `{name}` as it is in {rows:,} of {self.rows:,} puzzles"
        for old, new in self.subsets.items():
            yield f"subset {old} becomes {new}"
        if self.splits:
            yield f"nothing will tell the split of {self.splits:,} puzzles"


def survey(
    data: Dataset, target: Target, tick: Tick = lambda rows: None, wording: Wording | None = None
) -> Losses:
    """What would be lost. Raises DataError where a puzzle cannot be held at all."""
    losses = Losses()
    readers: dict[Source, v01.Rows | v1.Rows] = {}
    for part in _parts(data, wording):
        source = target.source(part.subset, part.split)
        losses.rows += len(part.table)
        if target.form in FORMATS:
            for back in own.divided(source, part.table):  # these hold every puzzle as it is
                losses.place(part, back, len(back.table))
        else:
            if source not in readers:
                readers[source] = _PUBLISHED[target.form].Rows(source, target.told_in(data, wording))
            for row in _rows(part):
                _survey_row(row, readers[source], losses)
        tick(len(part.table))
    if losses.refused:
        raise DataError(
            f"{target.form} cannot hold {losses.refused:,} of {losses.rows:,} puzzles; "
            f"the first of them as {losses.reason}"
        )
    return losses


def _survey_row(row: Row, reader: v01.Rows | v1.Rows, losses: Losses) -> None:
    try:
        back = reader.row(reader.cells(row, 0), f"puzzle {row.puzzle.id}")
    except DataError as error:
        losses.refused += 1
        losses.reason = losses.reason or str(error)
        return
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
    wording: Wording | None = None,
) -> int:
    """Write the puzzles; how many. say: told of what is lost, before anything is written.

    wording: to tell the stated facts again in, instead of the stories as they are.
    """
    with writing(target.out), workplace(target.out) as place:
        if target.one_file and place.out.is_dir():
            raise OutputError(f"{target.out} is a folder; expected the name of a file")
        check_free(place.out, force, _is_data if target.one_file else made_here)
        place.clear()  # a killed run
        try:
            losses = survey(data, target, tick, wording)
            for loss in losses.said(target.form):
                say(loss)
            place.whole.mkdir()
            _write(data, target, place.whole, tick, wording)
            place.finish(place.whole / target.out.name if target.one_file else None)
        finally:
            place.clear()
    return losses.rows


def _is_data(path: Path) -> bool:
    """Whether it is a data file, which another may take the place of."""
    try:
        detect(Source(path, path.name))
    except ClutrrError:
        return False
    return path.is_file()


def _write(data: Dataset, target: Target, folder: Path, tick: Tick, wording: Wording | None) -> None:
    writers: dict[str, Callable[[Part], None]] = {}
    world = target.told_in(data, wording)
    with ExitStack() as stack:
        for part in _parts(data, wording):
            name = target.source(part.subset, part.split).named
            if name not in writers:
                if len(writers) == _MOST_FILES:
                    raise DataError(f"{data.path}: more than {_MOST_FILES} subsets and splits")
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                writers[name] = stack.enter_context(_writer(folder / name, target.form, world))
            writers[name](part)
            tick(len(part.table))
    if target.out.suffix == ".gz":
        _zip(folder / target.out.name)
    if not target.one_file:
        save_world(world, folder / WORLD)
        about = {
            "world": {"name": world.name, "sha256": world.digest},
            "assume": data.assume,
            "format": target.form,
            "converted_from": ", ".join(sorted({form.name for _, form in data.files})),
        }
        write_manifest(folder, about)


@contextmanager
def _writer(path: Path, form: str, world: World) -> Iterator[Callable[[Part], None]]:
    if form in FORMATS:
        with open_writer(path, form, {}) as writer:
            yield lambda part: writer.write(part.table)
        return
    published = _PUBLISHED[form]
    reader = published.Rows(Source(path, path.name), world)
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, published.HEADER)  # ends lines in \r\n, so it quotes both
        rows.writeheader()
        numbers = count()
        yield lambda part: rows.writerows(reader.cells(row, next(numbers)) for row in _rows(part))


def _zip(path: Path) -> None:
    plain = path.rename(path.with_name(path.name + ".plain"))
    with plain.open("rb") as content, path.open("wb") as file, gzip.GzipFile("", "wb", 6, file, 0) as zipped:
        shutil.copyfileobj(content, zipped)
    plain.unlink()


def _parts(data: Dataset, wording: Wording | None) -> Iterator[Part]:
    return data.parts() if wording is None else wording.retell(data.parts())


def _rows(part: Part) -> Iterator[Row]:
    for puzzle in from_table(part.table):
        yield Row(part.subset, part.split, puzzle)
