"""The puzzle: the one record that everything exchanges."""

import html
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from clutrr._display import card
from clutrr._statement import Statement, StatementKind

# What a fact or a statement is for. A fact: on a route between the two queried entities; on another way between
# entities of the route; on a branch that leads off it; about entities that no fact joins to it. What the answer
# needs beside the routes is off the path.
OFF_PATH = "off-path"
ROLES = ("path", "supporting", "irrelevant", "disconnected", OFF_PATH)
NOISE = ROLES[1:4]

SPLITS = ("train", "test")  # of a data set

# The target of a question that has several possible answers.
CANNOT_BE_TOLD = "cannot be told"
YES, NO = "yes", "no"  # the targets of questions that ask whether a relation holds


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
    statements: what is given beside the facts: alternatives, denials, closures and forms, each with its role
    and the place of the sentence that states it.
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
    statements: tuple[Statement, ...] = ()

    @property
    def given(self) -> tuple[Fact | Statement, ...]:
        """All that the story gives: the facts, and the statements that are no facts."""
        return (*self.facts, *self.statements)

    @property
    def steps(self) -> tuple[Fact, ...]:
        """What a route can lead along: the facts, and the first of each statement's alternatives."""
        stated = (
            Fact(one.head, one.relations[0], one.tail)
            for one in self.statements
            if one.kind is StatementKind.ALTERNATIVES
        )
        return (*self.facts, *stated)

    @property
    def routed(self) -> int:
        """How many of the facts are those of the routes; a step of a route may be stated as alternatives."""
        stated = sum(one.role == ROLES[0] for one in self.statements)
        return len(self.pattern) - stated

    def _repr_html_(self) -> str:
        """Return the puzzle as a card for a notebook; `clutrr.solve` gives the proof."""
        story = re.sub(r"\[([^\[\]]*)\]", r"<b>\1</b>", html.escape(self.story))
        roles = [*self.roles, *[""] * (len(self.facts) - len(self.roles))]
        facts = [
            html.escape(
                f"{fact.head} \u2192 {fact.tail}: {fact.relation}"
                + (f" ({role})" if role not in ("", ROLES[0]) else "")
            )
            for fact, role in zip(self.facts, roles, strict=True)
        ]
        asked = self.question or f"What is {self.query[1]} to {self.query[0]}?"
        parts = [
            ("Story", [story]),
            ("Question", [f"{html.escape(asked)} <i>{html.escape(self.target)}</i>"]),
            ("Facts", facts),
            ("Possible", [html.escape(", ".join(self.possible or ()))] if self.possible else []),
        ]
        return card(f"{self.id}: {'-'.join(self.pattern)}", parts)

    @property
    def routes(self) -> tuple[tuple[str, ...], ...]:
        """The pattern of each route."""
        return tuple(
            self.pattern[at : at + self.k] for at in range(0, len(self.pattern), self.k or 1)
        )
