"""What a book can speak of: sorts of entities, links between them, words for relatives, comparisons. Data: book.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from clutrr._io.yamls import read_yaml
from clutrr.errors import WorldError

PREFACE = "preface"
CHILDREN = ("daughter", "son")
SIBLINGS = ("sister", "brother")
FEMALE = frozenset(("mother", "wife", "daughter", "sister"))


@dataclass(frozen=True)
class Sort:
    """A sort of entities. one, many: its words. letter: what the ids of its articles begin with."""

    name: str
    one: str
    many: str
    letter: str


@dataclass(frozen=True)
class Part:
    """A part of a book: the theory that it is about, and the sort of its entities."""

    name: str
    theory: str
    sort: str


@dataclass(frozen=True)
class Link:
    """What an entity is linked to, that is no relation of a theory.

    Args:
        name: of the link.
        of: the sort of the entities that have it.
        to: the sort of what they are linked to; "" for a word of `values`.
        many: whether there can be several.
        always: whether every entity has one, and it is always told.
        inverse: the link back, if lists of it may tell the same.
        preface: the claim of the preface that makes a list of the entities in the book a list of all.
        fact: sentences for one of them.
        every: sentences for all of them, several and one.
        none: sentences that there is none.
        word: in questions, what one is called, and several; of one entity, and of several.
        verb: in questions, that it is so, of one and of several; and whether it is.
        ask: a question for it.
    """

    name: str
    of: str
    to: str = ""
    many: bool = False
    always: bool = False
    inverse: str = ""
    preface: str = ""
    values: tuple[str, ...] = ()
    fact: tuple[str, ...] = ()
    every: tuple[str, ...] = ()
    none: tuple[str, ...] = ()
    word: tuple[str, ...] = ()
    verb: tuple[str, ...] = ()
    ask: str = ""


@dataclass(frozen=True)
class Relative:
    """A word for relatives. words: for one and for several. ways: steps to them. one: whether only one can be."""

    name: str
    words: tuple[str, str]
    ways: tuple[tuple[str, ...], ...]
    one: bool = False

    @property
    def hops(self) -> int:
        """How many links the longest way follows: to a sister or brother there are two."""
        return max(sum(2 if step in SIBLINGS else 1 for step in way) for way in self.ways)


@dataclass(frozen=True)
class Comparison:
    """What can be said of two entities of a theory.

    kinds: the kinds of its relations, seen from the second entity, that make it true. than: words, of one and of
    several, and whether it is. which: a question about two. most: what one of several is; ask: the question.
    """

    name: str
    part: str
    kinds: frozenset[str]
    than: tuple[str, ...]
    which: str = ""
    most: str = ""
    ask: str = ""


@dataclass(frozen=True)
class Vocabulary:
    """All of it, by name."""

    sorts: Mapping[str, Sort]
    parts: Mapping[str, Part]
    links: Mapping[str, Link]
    family: Mapping[str, Mapping[str, tuple[str, ...]]]
    relatives: Mapping[str, Relative]
    comparisons: Mapping[str, Comparison]
    preface: Mapping[str, str]
    clashing: frozenset[str]

    def part_of(self, theory: str) -> Part | None:
        """Return the part that is about a theory."""
        return next((part for part in self.parts.values() if part.theory == theory), None)


@cache
def vocabulary() -> Vocabulary:
    """Return what books can speak of; it is read once."""
    data: dict[str, Any] = read_yaml(resources.files("clutrr._books") / "book.yaml", WorldError)
    return Vocabulary(
        {name: Sort(name, **one) for name, one in data["sorts"].items()},
        {name: Part(name, **one) for name, one in data["parts"].items()},
        {name: _link(name, one) for name, one in data["links"].items()},
        {
            name: {what: tuple(some) for what, some in one.items()}
            for name, one in data["family"].items()
        },
        {name: _relative(name, one) for name, one in data["relatives"].items()},
        {
            name: Comparison(
                name, **{**one, "kinds": frozenset(one["kinds"]), "than": tuple(one["than"])}
            )
            for name, one in data["comparisons"].items()
        },
        {name: " ".join(text.split()) for name, text in data["preface"].items()},
        frozenset(data["clashing"]),
    )


def _link(name: str, one: Mapping[str, Any]) -> Link:
    fields: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in one.items()
        if key != "all"
    }
    return Link(name, **fields, every=tuple(one.get("all", ())))


def _relative(name: str, one: Mapping[str, Any]) -> Relative:
    first, several = one["words"]
    return Relative(name, (first, several), tuple(map(tuple, one["ways"])), one.get("one", False))
