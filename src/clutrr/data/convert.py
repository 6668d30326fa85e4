"""From any format that is read to our own: a folder, or one file.

What is written takes its place when it is complete, and when it is known what it could not hold.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clutrr.data.about import ConvertedFiles, converted_card, converted_manifest
from clutrr.data.dataset import WORLD, Dataset
from clutrr.data.own import FORMATS, divided, open_writer
from clutrr.data.part import UNSPLIT
from clutrr.data.read import detect
from clutrr.data.source import DataFile
from clutrr.errors import ConfigError, DataError
from clutrr.files import Where, atomic_write, check_kind, replace_text, seals, write_manifest, writing
from clutrr.places import made_aside
from clutrr.table import EXTRA, SCHEMA, WIDE
from clutrr.world import builtin_worlds, save_world

_SUFFIX = {form: f".{form}" for form in FORMATS}
_MOST_FILES = 200


@dataclass(frozen=True)
class Target:
    """A place to write to and its format: one file, or a folder with a file for each subset and split."""

    out: Where
    form: str

    @classmethod
    def of(cls, out: Where, form: str | None) -> "Target":
        """Return the target of the format asked for, or else of the one that the file name implies."""
        implied = next((known for known in FORMATS if out.suffix == _SUFFIX[known]), None)
        if form is not None and form not in FORMATS:
            raise ConfigError(f"to: {form!r} is not one of {', '.join(FORMATS)}")
        form = form or implied or "parquet"
        if implied not in (None, form) or out.suffix == ".gz":
            raise ConfigError(f"to: {form} in a file named {out.name}; expected {_SUFFIX[form]}")
        return cls(out, form)

    @property
    def one_file(self) -> bool:
        return self.out.suffix in _SUFFIX.values()

    def file(self, subset: str, split: str | None) -> DataFile:
        """Return the file for these puzzles, as it will be read."""
        if self.one_file:
            return DataFile(self.out, self.out.name)
        name = f"data/{subset}/{split or UNSPLIT}-00000-of-00001{_SUFFIX[self.form]}"
        return DataFile(self.out / name, name)


# What a file cannot hold of a data set, in words with {rows} for the puzzles that lose it.
_Losses = Counter[str]


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
    plan = {"converted from": str(data.path), "to": target.form}
    with _file_aside(target.out, force) if target.one_file else made_aside(target.out, plan, force) as folder:
        losses: _Losses = Counter()
        written = _write(data, target, folder, losses, tick)
        rows = sum(labels.total() for _, labels in written.values())
        if not rows:
            left = "is left" if kept or data.notes.skipped else "is there"
            why = f"; left out first: {data.notes.skipped[0]}" if data.notes.skipped else ""
            raise DataError(f"{data.path}: no puzzle {left}, so there is nothing to write{why}")
        for loss, lost in losses.items():
            say(loss.replace("{rows}", f"{lost:,}"))
        if not target.one_file:
            save_world(data.world, folder / WORLD)
            about = converted_manifest(data, target.form, written, kept or {})
            replace_text(folder / "README.md", converted_card(data, about))
            write_manifest(folder, about, seals(folder))
    return rows


@contextmanager
def _file_aside(out: Where, force: bool) -> Iterator[Path]:
    """Yield a folder to write a file of this name in, which then takes its place; only data is replaced."""
    check_kind(out, "data file", lambda file: bool(detect(DataFile(out, out.name))), force)
    with writing(out), atomic_write(out) as making:
        yield making.parent


def _write(
    data: Dataset, target: Target, folder: Path, losses: _Losses, tick: Callable[[int], None]
) -> ConvertedFiles:
    """Write the files, and return the labels of each."""
    writers: dict[str, Callable[[Any], None]] = {}
    written: ConvertedFiles = {}
    schema = WIDE if any(form.extra for _, form in data.files) else SCHEMA
    about = {"world": {"name": data.world.name, "sha256": data.world.digest}, "assume": data.assume}
    said = {key: json.dumps(value) for key, value in about.items()}
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
                writers[file.named] = stack.enter_context(open_writer(path, target.form, said, schema))
            for back in divided(file, part.table):
                if back.subset != part.subset:
                    losses[f"subset {part.subset} becomes {back.subset}"] += len(back.table)
                if back.split != part.split:
                    losses["the split is lost for {rows} puzzles"] += len(back.table)
            if EXTRA.name in part.table.column_names and EXTRA.name not in schema.names:
                losses["there is no place for the further columns of {rows} puzzles"] += len(part.table)
            writers[file.named](part.table)
            labels = written.setdefault((part.subset, part.split or UNSPLIT), (file.named, Counter()))[1]
            labels.update(part.labels())
            tick(len(part.table))
    rows = sum(labels.total() for _, labels in written.values())
    if target.one_file and data.world.name not in builtin_worlds():
        losses[f"one file does not hold its world, {data.world.name}: a folder does"] = rows
    if target.one_file and target.form != "parquet" and data.assume:
        said_by = "a folder does, and Parquet"
        losses[f"{target.form} does not name its assumption, {data.assume}: {said_by}"] = rows
    return written
