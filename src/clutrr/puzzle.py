"""The puzzle: the one record that everything exchanges."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from itertools import islice
from typing import Any, NamedTuple

import pyarrow as pa

# What a fact is for: on a route between the two queried entities; on another way between entities
# of the route; on a branch that leads off it; about entities that no fact joins to it.
ROLES = ("path", "supporting", "irrelevant", "disconnected")

# The target of a question that has several possible answers.
CANNOT_BE_TOLD = "cannot be told"


class Fact(NamedTuple):
    """One related pair: tail is head's relation."""

    head: str
    relation: str
    tail: str


class Entity(NamedTuple):
    """A member of the scene. form: what it adds to a word; "" where that is nothing or not known."""

    name: str
    form: str


shared_entity = lru_cache(1 << 14)(Entity)  # the same names come again and again


class Sentence(NamedTuple):
    """A sentence of the story, `story[start:end]`, and the numbers of the facts that it states.

    A distractor states none.
    """

    start: int
    end: int
    facts: tuple[int, ...]


@dataclass(frozen=True)
class Puzzle:
    """A story that states facts, and a question that it does not answer directly.

    story, abstract: the text, and the sentence that states the target; entities and attribute
    values are in square brackets. query (a, b): the target is what b is to a. pattern: the
    relation kinds along the routes, k of each. facts: first those of the routes, in their order, each leading
    on from the entity before; then any others. entities: all of them, those on the routes first and in their
    order. scene: the id of the scene they belong to, "" where it is not known.

    question: the query in the words of the world, "" if that is not known; the query alone counts.
    roles: of each fact, see `ROLES`. sentences: in the order of the story; none if the wording is
    not known. possible: every relation of the label set that the facts allow, and outside: whether
    something else is, both under the data set's assumption; None if they were not worked out.

    extra: what else the file said, as a JSON object by format, to be written back.
    """

    id: str
    story: str
    abstract: str
    query: tuple[str, str]
    target: str
    k: int
    pattern: tuple[str, ...]
    facts: tuple[Fact, ...]
    entities: tuple[Entity, ...]
    scene: str
    roles: tuple[str, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    possible: tuple[str, ...] | None = None
    outside: bool | None = None
    extra: str | None = field(default=None, compare=False)
    question: str = field(default="", compare=False)

    @classmethod
    def of(cls, story: str, query: tuple[str, str] | str, target: str, world: Any = "kinship") -> "Puzzle":
        """Return the puzzle of a story, with all that follows from reading it in a world.

        query: two names, or a question such as "What is Carl to Ann?"
        """
        make: Callable[..., Puzzle] = import_module("clutrr.data.asked").puzzle_of  # built on puzzles itself
        return make(story, query, target, world)

    @property
    def routes(self) -> tuple[tuple[str, ...], ...]:
        """The pattern of each route."""
        return routes_of(self.pattern, self.k)


def routes_of(pattern: tuple[str, ...], k: int) -> tuple[tuple[str, ...], ...]:
    """Return the pattern of each route, of k facts."""
    return tuple(pattern[at : at + k] for at in range(0, len(pattern), k or 1))


_SENTENCE = pa.struct([("start", pa.int32()), ("end", pa.int32()), ("facts", pa.list_(pa.int32()))])
SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("story", pa.string()),
        ("question", pa.string()),
        ("abstract", pa.string()),
        ("query", pa.list_(pa.string())),
        ("target", pa.string()),
        ("k", pa.int32()),
        ("pattern", pa.list_(pa.string())),
        ("facts", pa.list_(pa.list_(pa.string()))),
        ("entities", pa.list_(pa.struct([("name", pa.string()), ("form", pa.string())]))),
        ("scene", pa.string()),
        ("roles", pa.list_(pa.string())),
        ("sentences", pa.list_(_SENTENCE)),
        ("possible", pa.list_(pa.string())),
        ("outside", pa.bool_()),
    ]
)
# A table may have this column after the others.
EXTRA = pa.field("extra", pa.string())
WIDE = SCHEMA.append(EXTRA)
# Columns that older files do not have: they are filled in when those are read.
LATER = ("question", "roles", "sentences", "possible", "outside")
# What a puzzle says: all else follows from these columns.
CONTENT = tuple(name for name in SCHEMA.names if name not in LATER)


def to_table(puzzles: Sequence[Puzzle]) -> pa.Table:
    """The puzzles as columns; `extra` is one of them where some puzzle has any."""
    schema = WIDE if any(puzzle.extra is not None for puzzle in puzzles) else SCHEMA
    columns = {field.name: [getattr(puzzle, field.name) for puzzle in puzzles] for field in schema}
    for name in ("question", "roles"):  # worked out when they are read
        columns[name] = [value or None for value in columns[name]]
    return pa.table([pa.array(columns[field.name], field.type) for field in schema], schema=schema)


def from_table(table: pa.Table) -> Iterator[Puzzle]:
    """The puzzles of a table of `SCHEMA`, which may have the column `extra`."""
    has_extra = EXTRA.name in table.column_names
    names = (WIDE if has_extra else SCHEMA).names
    columns = [(_facts if name == "facts" else _values)(table[name].combine_chunks()) for name in names]
    rows = zip(*columns, *([] if has_extra else [[None] * len(table)]), strict=True)
    for id_, story, question, abstract, query, target, k, pattern, facts, entities, scene, *later in rows:
        roles, sentences, possible, outside, extra = later
        yield Puzzle(
            id_,
            story,
            abstract,
            tuple(query),
            target,
            k,
            tuple(pattern),
            tuple(facts),
            tuple([shared_entity(*entity) for entity in entities]),
            scene,
            tuple(roles or ()),
            tuple(Sentence(start, end, tuple(numbers)) for start, end, numbers in sentences),
            None if possible is None else tuple(possible),
            outside,
            extra,
            question or "",
        )


def _facts(column: pa.ListArray) -> list[list[Fact]]:
    """The facts of each puzzle: lists of lists of three words."""
    words = iter(_values(column.flatten().flatten()))
    every = map(Fact._make, zip(words, words, words, strict=True))
    return [list(islice(every, n)) for n in column.value_lengths().to_pylist()]


def _values(column: pa.Array) -> list[Any]:
    """The values of a column, records as tuples; level by level, several times as fast as `to_pylist`."""
    if pa.types.is_list(column.type):
        flat = iter(_values(column.flatten()))
        return [None if n is None else list(islice(flat, n)) for n in column.value_lengths().to_pylist()]
    if pa.types.is_struct(column.type):
        return list(zip(*map(_values, column.flatten()), strict=True))
    values = column.to_numpy(zero_copy_only=False) if pa.types.is_string(column.type) else column
    return list(values.tolist())
