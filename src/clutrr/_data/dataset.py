"""A data set: files of puzzles, the world they are told in, and the assumption they were made under.

`open_dataset` is the one way in for every command. A folder that we wrote holds its world (`world/`), and
`manifest.json` the rest. For other data the world is the usual one of its format, or the built-in one that has
its relations.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from clutrr._data.asked import Columns, columns_named
from clutrr._data.named import in_names
from clutrr._data.own import divided
from clutrr._data.part import BATCH, Format, Notes, Part, isolate_bad_rows
from clutrr._data.published import SETS
from clutrr._data.read import OWN, detect, sources
from clutrr._data.source import DataFile
from clutrr._io.locations import Location, parse_location
from clutrr._io.manifests import MANIFEST
from clutrr._io.records import parse_json, read_json
from clutrr._lexicon import World, builtin_world
from clutrr._measure import natural
from clutrr._puzzle import CANNOT_BE_TOLD, NO, YES, Puzzle
from clutrr._statement import StatementKind, from_record
from clutrr._table import EXTRA, STATEMENTS, further_columns, to_table
from clutrr._worlds import infer_world, load_world
from clutrr._writing.questions import question_column
from clutrr.errors import DataError, Give, Hint, RowError, short
from clutrr.theory.registry import RECOGNISED

WORLD = "world"
_ABOVE = 3  # how many folders above a file are searched for the data set that it belongs to
_SAID = ("config", "world", "assume")  # in the metadata of a Parquet file
_STATED, _FORM = "relation of a statement", "form"
_IN_MEMORY = "puzzles"  # the name of the format of puzzles that are in no file


@dataclass(frozen=True)
class Dataset:
    """The data at a path or URL.

    - origin: how the world was found, in words.
    - assume: what the data was made under; None if that is not known.
    - manifest: that of the folder; empty if there is none.
    - notes: what is noted while the data is read.
    - made: yields the puzzles, if they are not just those of the files.
    """

    path: Location
    world: World
    origin: str
    assume: str | None
    manifest: dict[str, Any]
    files: tuple[tuple[DataFile, Format], ...]
    notes: Notes
    made: Callable[[], Iterator[Part]] | None = None

    @property
    def folder(self) -> Location | None:
        """The folder whose manifest describes the data."""
        return _folder(self.path)

    def parts(self) -> Iterator[Part]:
        """Yield the puzzles, part by part; a part is small, whatever the size of the files."""
        if self.made is not None:
            yield from self.made()
            return
        for source, form in self.files:
            try:
                for part in form.scan(source, self.world, self.notes):
                    told = partial(self._fill_questions, part.where)
                    yield from (
                        replace(part, table=t)
                        for t in isolate_bad_rows(part.table, told, self.notes.bad_row)
                    )
            except DataError as error:
                self.notes.bad(error)

    def _fill_questions(self, file: Location, table: pa.Table) -> pa.Table:
        """Return the table with the questions in the words of the world, where the file has none."""
        if foreign := _words_of(table) - _words_in(self.world):
            what, word = max(foreign)
            reason = f"the {what} {short(word)} is not in world {self.world.name}"
            place = f"puzzle {table['id'][0].as_py()[:60]!r}"
            hint = Hint("name the data's world: {}", (Give("world"),))
            raise RowError(file, place, DataError(reason, hint=hint))
        given = table["question"]
        if not given.null_count:
            return table
        asked = (pc.list_element(table["query"], i) for i in (0, 1))
        column = pc.coalesce(given, question_column(self.world.lexicon, *asked))
        return table.set_column(table.column_names.index("question"), "question", column)

    def puzzles(self) -> Iterator[Puzzle]:
        """Yield the puzzles, one by one."""
        for part in self.parts():
            yield from part.puzzles

    def split(self, name: str) -> dict[str, pa.Table]:
        """Return the puzzles of a split, by subset; all of them if the data has no splits."""
        found: dict[str | None, dict[str, list[pa.Table]]] = {}
        for part in self.parts():
            found.setdefault(part.split, {}).setdefault(part.subset, []).append(part.table)
        chosen = found.get(name) or found.get(None)
        if not chosen:
            there = ", ".join(sorted(filter(None, found))) or "nothing"
            raise DataError(f"no {name} stories, only {there}", place=self.path)
        return {
            subset: pa.concat_tables(chosen[subset], promote_options="default").combine_chunks()
            for subset in sorted(chosen, key=natural)
        }

    def to_learn(self, name: str) -> dict[str, pa.Table]:
        """Return the puzzles of a split for models: names in their stories are as they are, not in a case."""
        return {subset: in_names(table, self.world) for subset, table in self.split(name).items()}

    @property
    def kinds(self) -> str:
        """The kinds of its files, in words."""
        return ", ".join(sorted({form.name for _, form in self.files}))

    @property
    def in_memory(self) -> bool:
        """Whether it has no files: puzzles, or a frame."""
        return self.made is not None or self.kinds == _IN_MEMORY

    @property
    def has_text(self) -> bool:
        """Whether there are stories; a set may be facts alone."""
        return self.made_as != "STaR"

    @property
    def has_facts(self) -> bool:
        """Whether the data names its facts, and not just a story, a question and an answer."""
        return self.made_as not in (OWN, *(form.name for form in SETS))

    @property
    def made_as(self) -> str:
        """The kinds of the files that the data was converted from, or is in."""
        return str(self.manifest.get("converted_from", self.kinds))

    @property
    def about_world(self) -> str:
        """The world and where it comes from, in words."""
        return f"world {self.world.name} ({self.origin})"


def open_dataset(
    path: str | Location,
    world: str | Location | World | None = None,
    skip_bad: bool = False,
    columns: str | Mapping[str, str | Sequence[str]] | None = None,
    skip_rows: bool = False,
) -> Dataset:
    """Return the data set at a path or URL: a folder, or one file.

    - world: the one to read it with, instead of the data's own.
    - skip_bad: leave out rows, and files, that cannot be read; the data set's notes list them.
    - columns: where a story, its query and its target are, in files of other columns than ours:
      "story=text,query=one+two,target=label", or the same as a mapping.
    - skip_rows: leave out rows that cannot be read, but no files.
    """
    path = parse_location(path)
    notes = Notes(skip_bad, skip_rows)
    given = None if world is None else load_world(world)
    files = tuple(_detected(path, notes, None if columns is None else columns_named(columns)))
    folder = _folder(path)
    if (
        folder is None
        and not isinstance(path, Path)
        and any(source.path != path and form.world is None for source, form in files)
    ):
        raise DataError(
            f"not finished (no {MANIFEST})",
            place=path,
            hint="run the command that writes it again, or name one file",
        )
    about = _metadata(files) if folder is None else _manifest(folder)
    found, origin = (given, "given") if given else _world(folder, about, files, notes)
    assume = _assumption(about, folder or path, files, found)
    return Dataset(path, found, origin, assume, about, files, notes)


def _detected(
    path: Location, notes: Notes, columns: Columns | None
) -> Iterator[tuple[DataFile, Format]]:
    for source in sources(path):
        try:
            form = detect(source, columns)
        except DataError as error:
            notes.bad(error)
            continue
        yield source, form


def dataset_of(
    puzzles: Sequence[Puzzle],
    world: World | None = None,
    assume: str | None = None,
    places: Sequence[tuple[str, str | None]] | None = None,
) -> Dataset:
    """Return puzzles in memory as a data set told in a world.

    - world: None for the one that is found by their words
    - places: the subset and split of each; None for those that ids such as M3-test-7 name
    """
    source = DataFile(Path(_IN_MEMORY), _IN_MEMORY)

    def scan(source: DataFile, world: World, notes: Notes) -> Iterator[Part]:
        for at in range(0, len(puzzles), BATCH):
            some = list(puzzles[at : at + BATCH])
            if places is None:
                yield from divided(source, to_table(some))
                continue
            those = places[at : at + BATCH]
            for subset, split in dict.fromkeys(those):
                here = [
                    one for one, place in zip(some, those, strict=True) if place == (subset, split)
                ]
                yield Part(subset, split, to_table(here), source.path)

    further = further_columns(puzzles)
    form = Format(
        _IN_MEMORY,
        frozenset(),
        scan,
        extra=EXTRA.name in further,
        statements=STATEMENTS.name in further,
    )
    files = ((source, form),)
    found, origin = (world, "given") if world else _recognised(files, Notes())
    return Dataset(source.path, found, origin, assume, {}, files, Notes())


def _folder(path: Location) -> Location | None:
    """Return the folder of the data set that a path is, or lies in."""
    around: list[Location] = [path, *path.absolute().parents[:_ABOVE]] if path.is_file() else [path]
    return next((folder for folder in around if (folder / MANIFEST).is_file()), None)


def _manifest(folder: Location) -> dict[str, Any]:
    try:
        content = read_json(folder / MANIFEST)
    except (OSError, ValueError) as error:
        raise DataError(
            f"cannot be read: {short(str(error), quote=False)}", place=folder / MANIFEST
        ) from None
    if not isinstance(content, dict):
        raise DataError("not a JSON object", place=folder / MANIFEST)
    return content


def _metadata(files: Sequence[tuple[DataFile, Format]]) -> dict[str, Any]:
    """Return what one Parquet file of ours says of itself, as its folder's manifest did; often nothing."""
    if len(files) != 1 or files[0][1].world or not files[0][0].parquet:
        return {}
    said = files[0][0].parquet_schema().metadata or {}
    try:
        found = {
            key: parse_json(said[key.encode()].decode()) for key in _SAID if key.encode() in said
        }
    except ValueError:
        return {}
    config = found.get("config")
    return {"assume": config.get("assume"), **found} if isinstance(config, dict) else found


def _assumption(
    about: dict[str, Any], place: Location, files: Sequence[tuple[DataFile, Format]], world: World
) -> str | None:
    """Return what the data was made under, or what the authors of all its files assume, if that is known."""
    known = [assumption.name for assumption in world.theory.assumptions]
    if not about:
        found = {form.assume for _, form in files}
        return found.pop() if len(found) == 1 and found <= {*known} else None
    named = about.get("assume")
    if named is None:
        return None
    if named not in known:
        raise DataError(
            f"is not one of {', '.join(known)}", place=place, setting="assume", value=named
        )
    return str(named)


def _world(
    folder: Location | None,
    about: dict[str, Any],
    files: Sequence[tuple[DataFile, Format]],
    notes: Notes,
) -> tuple[World, str]:
    """Return the world of the data, and how it was found."""
    if folder is not None and (folder / WORLD).is_dir():
        return load_world(folder / WORLD), "the data's own"
    made_in = about.get("world")
    if isinstance(made_in, dict):
        for known in map(builtin_world, RECOGNISED):
            if known.digest == made_in.get("sha256"):
                return known, "named by the data"
    return _recognised(files, notes)


def _recognised(files: Sequence[tuple[DataFile, Format]], notes: Notes) -> tuple[World, str]:
    """Return the world that data is in without naming it, and how it was found.

    Rows that do not fit into it are refused when they are read.
    """
    implied = {form.world: form.origin for _, form in files if form.world}
    if len({builtin_world(name).theory.name for name in implied}) > 1:
        several = ", ".join(sorted(implied))
        raise DataError(
            f"files of several worlds, {several}: put those of each into a folder of their own"
        )
    # Of the worlds of formats the one with the most relations, or one that has more.
    among = RECOGNISED[max(map(RECOGNISED.index, implied), default=0) :]
    usual = builtin_world(among[0])
    words: set[tuple[str, str]] = set()
    for source, form in files:
        try:  # the format of the others implies the world
            for part in form.scan(source, usual, notes) if form.world is None else ():
                words |= _words_of(part.table)
        except DataError as error:
            notes.bad(error)
    relations = {word for what, word in words if what != _FORM} - {CANNOT_BE_TOLD, YES, NO}
    if relations:
        return infer_world(relations, among=among)
    return usual, implied.get(usual.name, "no relation tells another")


def _words_in(world: World) -> set[tuple[str, str]]:
    """Return every relation, kind and form of a world, marked as such; a statement may name a kind."""
    relations = {("relation", word) for word in (*world.relations, CANNOT_BE_TOLD, YES, NO)}
    stated = {(_STATED, word) for word in (*world.relations, *world.index)}
    forms = {(_FORM, name) for name in world.forms}
    return relations | {("kind", name) for name in world.index} | stated | forms


def _words_of(table: pa.Table) -> set[tuple[str, str]]:
    """Return every relation that the facts state or that is a target, and every kind of the patterns."""
    words = pc.list_flatten(pc.list_flatten(table["facts"]))
    stated = words.take(pa.array(range(1, len(words), 3), pa.int64())).unique().to_pylist()
    kinds = pc.list_flatten(table["pattern"]).unique().to_pylist()
    relations = {("relation", word) for word in (*stated, *table["target"].unique().to_pylist())}
    return relations | {("kind", name) for name in kinds} | _words_of_statements(table)


def _words_of_statements(table: pa.Table) -> set[tuple[str, str]]:
    """Return every relation and form that the statements of a table name."""
    if STATEMENTS.name not in table.column_names:
        return set()
    words: set[tuple[str, str]] = set()
    for record in pc.list_flatten(table[STATEMENTS.name]).to_pylist():
        one = from_record(record)
        what = _FORM if one.kind is StatementKind.FORM else _STATED
        words |= {(what, relation) for relation in one.relations}
    return words
