"""The puzzle: the one record that everything exchanges."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa


class Fact(NamedTuple):
    """One related pair: tail is head's relation."""

    head: str
    relation: str
    tail: str


class Person(NamedTuple):
    """Somebody on the path. gender: "female" or "male"."""

    name: str
    gender: str


@dataclass(frozen=True)
class Puzzle:
    """A story that states facts, and a question that it does not answer in so many words.

    story, abstract: the text, and the sentence that states the target; people and attribute
    values stand in square brackets. query (a, b): the target is what b is to a. pattern: the k
    relation kinds along the path. people: those on the path, in its order. family: the id of
    the family they belong to.
    """

    id: str
    story: str
    abstract: str
    query: tuple[str, str]
    target: str
    k: int
    pattern: tuple[str, ...]
    facts: tuple[Fact, ...]
    people: tuple[Person, ...]
    family: str


SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("story", pa.string()),
        ("abstract", pa.string()),
        ("query", pa.list_(pa.string())),
        ("target", pa.string()),
        ("k", pa.int32()),
        ("pattern", pa.list_(pa.string())),
        ("facts", pa.list_(pa.list_(pa.string()))),
        ("people", pa.list_(pa.struct([("name", pa.string()), ("gender", pa.string())]))),
        ("family", pa.string()),
    ]
)


def to_table(puzzles: Sequence[Puzzle]) -> pa.Table:
    """The puzzles as columns."""
    return pa.Table.from_pylist([_row(puzzle) for puzzle in puzzles], SCHEMA)


def from_table(table: pa.Table) -> Iterator[Puzzle]:
    """The puzzles of a table of `SCHEMA`."""
    for row in table.to_pylist():
        yield from_row(row)


def from_row(row: dict[str, Any]) -> Puzzle:
    """The puzzle of a row of a table of `SCHEMA`."""
    return Puzzle(
        **{field: row[field] for field in ("id", "story", "abstract", "target", "k", "family")},
        query=tuple(row["query"]),
        pattern=tuple(row["pattern"]),
        facts=tuple(Fact(*fact) for fact in row["facts"]),
        people=tuple(Person(person["name"], person["gender"]) for person in row["people"]),
    )


def _row(puzzle: Puzzle) -> dict[str, Any]:
    return {
        **puzzle.__dict__,
        "facts": [list(fact) for fact in puzzle.facts],
        "people": [person._asdict() for person in puzzle.people],
    }
