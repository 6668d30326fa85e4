"""From any format that is read to our own: a folder, or one file.

What is written takes its place when it is complete, and when it is known what it could not hold.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from clutrr._data import v1_writer
from clutrr._data.about import ConvertedFiles, converted_card, converted_manifest
from clutrr._data.dataset import WORLD, Dataset
from clutrr._data.own import FORMATS, divided, open_writer
from clutrr._data.part import UNSPLIT, Part, rows_unread
from clutrr._data.read import detect
from clutrr._data.source import DataFile
from clutrr._io.files import atomic_write, replace_text, writing
from clutrr._io.locations import Location
from clutrr._io.manifests import check_file_kind, seals, write_manifest
from clutrr._io.staging import staged_folder
from clutrr._lexicon import save_world
from clutrr._table import EXTRA, STATEMENTS, schema_with
from clutrr.errors import ConfigError, DataError
from clutrr.theory import WORLDS

# The formats to write: ours, and one of others.
TARGETS = (*FORMATS, v1_writer.NAME)
_SUFFIX = {form: f".{form}" for form in FORMATS} | {v1_writer.NAME: ".csv"}
_MOST_FILES = 200
_LOST = {  # where a file has no place for such a column
    EXTRA.name: "there is no place for the further columns of {rows} puzzles",
    STATEMENTS.name: "there is no place for the statements of {rows} puzzles that are no facts",
}


@dataclass(frozen=True)
class Target:
    """A place to write to and its format: one file, or a folder with a file for each subset and split."""

    out: Location
    form: str

    @classmethod
    def of(cls, out: Location, form: str | None) -> "Target":
        """Return the target of the format asked for, or else of the one that the file name implies."""
        implied = [known for known in TARGETS if out.suffix == _SUFFIX[known]]
        if form is not None and form not in TARGETS:
            raise ConfigError(f"is not one of {', '.join(TARGETS)}", setting="to", value=form)
        form = form or next(iter(implied), "parquet")
        if (implied and form not in implied) or out.suffix == ".gz":
            raise ConfigError(
                f"{form} in a file named {out.name}; expected {_SUFFIX[form]}", setting="to"
            )
        return cls(out, form)

    @property
    def one_file(self) -> bool:
        return self.out.suffix in _SUFFIX.values()

    def file(self, subset: str, split: str | None) -> DataFile:
        """Return the file for these puzzles, as it will be read."""
        if self.one_file:
            return DataFile(self.out, self.out.name)
        if self.form == v1_writer.NAME:
            name = f"{subset}_{split or UNSPLIT}.csv"  # as in the authors' release
        else:
            name = f"data/{subset}/{split or UNSPLIT}-00000-of-00001{_SUFFIX[self.form]}"
        return DataFile(self.out / name, name)


_Writer = Callable[[Part], None]
# What a file cannot hold of a data set, in words with {rows} for the puzzles that lose it.
_Losses = Counter[str]


def write_dataset(
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
    plan = {"converted from": str(data.path), "to": target.form}
    with (
        _file_aside(target.out, force)
        if target.one_file
        else staged_folder(target.out, plan, force) as folder
    ):
        losses: _Losses = Counter()
        written, unread = _write(data, target, folder, losses, tick)
        rows = sum(labels.total() for _, labels in written.values())
        if not rows:
            left = "is left" if kept or data.notes.skipped else "is there"
            why = f"; left out first: {data.notes.skipped[0]}" if data.notes.skipped else ""
            raise DataError(f"no puzzle {left}, so there is nothing to write{why}", place=data.path)
        for loss, lost in losses.items():
            say(loss.replace("{rows}", f"{lost:,}"))
        if not target.one_file:
            save_world(data.world, folder / WORLD)
            about = converted_manifest(data, target.form, written, kept or {}, unread)
            replace_text(folder / "README.md", converted_card(data, about))
            write_manifest(folder, about, seals(folder))
    return rows


@contextmanager
def _file_aside(out: Location, force: bool) -> Iterator[Path]:
    """Yield a folder to write a file of this name in, which then takes its place; only data is replaced."""
    check_file_kind(out, "data file", lambda file: bool(detect(DataFile(out, out.name))), force)
    with writing(out), atomic_write(out) as making:
        yield making.parent


def _write(
    data: Dataset, target: Target, folder: Path, losses: _Losses, tick: Callable[[int], None]
) -> tuple[ConvertedFiles, int]:
    """Write the files; return the labels of each, and of how many rows some of the text was not read."""
    writers: dict[str, _Writer] = {}
    written: ConvertedFiles = {}
    unread = 0
    schema = _schema_of(data)
    with ExitStack() as stack:
        for part in data.parts():
            for piece in _divided(part, target, schema, losses):
                file = target.file(piece.subset, piece.split)
                if file.named not in writers:
                    if len(writers) == _MOST_FILES:
                        raise DataError(
                            f"more than {_MOST_FILES} subsets and splits", place=data.path
                        )
                    path = folder / file.named
                    path.parent.mkdir(parents=True, exist_ok=True)
                    writers[file.named] = stack.enter_context(_writer(path, data, target, schema))
                writers[file.named](piece)
                labels = written.setdefault(
                    (piece.subset, piece.split or UNSPLIT), (file.named, Counter())
                )[1]
                labels.update(piece.labels())
                unread += rows_unread(piece)
                tick(len(piece.table))
    rows = sum(labels.total() for _, labels in written.values())
    if target.one_file and data.world.name not in WORLDS:
        losses[f"one file does not hold its world, {data.world.name}: a folder does"] = rows
    if target.one_file and target.form != "parquet" and data.assume:
        said_by = "a folder does, and Parquet"
        losses[f"{target.form} does not name its assumption, {data.assume}: {said_by}"] = rows
    return written, unread


def _schema_of(data: Dataset) -> pa.Schema:
    """Return the columns that hold all of the data, as far as its formats tell."""
    forms = [form for _, form in data.files]
    further = {
        EXTRA.name: any(form.extra for form in forms),
        STATEMENTS.name: any(form.statements for form in forms),
    }
    return schema_with([name for name, needed in further.items() if needed])


@contextmanager
def _writer(path: Path, data: Dataset, target: Target, schema: pa.Schema) -> Iterator[_Writer]:
    """Yield what writes parts of a data set to a new file."""
    if target.form == v1_writer.NAME:
        with v1_writer.open_v1_writer(path, data.world, data.assume) as write_rows:
            yield lambda part: write_rows(part.table, part.split)
        return
    about = {"world": {"name": data.world.name, "sha256": data.world.digest}, "assume": data.assume}
    said = {key: json.dumps(value) for key, value in about.items()}
    with open_writer(path, target.form, said, schema) as write:
        yield lambda part: write(part.table)


def _divided(part: Part, target: Target, schema: pa.Schema, losses: _Losses) -> Iterator[Part]:
    """Yield the pieces of a part that are written to one file each; note what will be read otherwise."""
    if not len(part.table):
        return
    if target.form == v1_writer.NAME:
        for piece in v1_writer.tasks_of(part):
            if piece.subset != part.subset:
                losses[f"subset {part.subset} becomes {piece.subset}"] += len(piece.table)
            if not target.one_file:
                yield piece
        if target.one_file:
            yield part
        return
    for back in divided(target.file(part.subset, part.split), part.table):
        if back.subset != part.subset:
            losses[f"subset {part.subset} becomes {back.subset}"] += len(back.table)
        if back.split != part.split:
            losses["the split is lost for {rows} puzzles"] += len(back.table)
    for further, lost in _LOST.items():
        if further in part.table.column_names and further not in schema.names:
            losses[lost] += len(part.table)
    yield part
