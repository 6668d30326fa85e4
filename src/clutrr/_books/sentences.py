"""Statements in words: the sentences of links, of families, of relations, and those that say nothing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import NamedTuple

from clutrr._books.scene import Scene
from clutrr._books.vocabulary import Vocabulary
from clutrr._lexicon import World
from clutrr._lexicon.lexicon import Template
from clutrr.errors import WorldError

NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split()
FACT, CLOSURE = "fact", "closure"
_SLOT = re.compile(r"\{([abn])\}")


class Told(NamedTuple):
    """A statement of an article.

    Args:
        key: its name in the article.
        kind: fact or closure.
        head: the entity that it begins from.
        relations: labels of a world, or the name of a link.
        tail: the other entity of a fact, or a word.
        entities: all those of a closure.
        start, end: where its words are in the article.
    """

    key: str
    kind: str
    head: str
    relations: tuple[str, ...]
    tail: str
    entities: tuple[str, ...]
    start: int = 0
    end: int = 0


class Piece(NamedTuple):
    """A sentence with two places to fill in. turned: whether {b} comes first."""

    before: str
    between: str
    after: str
    turned: bool

    @classmethod
    def of(cls, text: str) -> "Piece":
        """Return a sentence with {a} and {b}."""
        before, first, between, _, after = _SLOT.split(text)
        return cls(before, between, after, first == "b")

    def fill(self, a: str, b: str) -> str:
        if self.turned:
            a, b = b, a
        return f"{self.before}{a}{self.between}{b}{self.after}"


def listed(names: Sequence[str]) -> str:
    """Return names with commas and "and"."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


@dataclass(frozen=True)
class Labels:
    """The words that a world of kinship has for the steps of families."""

    mother: str
    father: str
    daughter: str
    son: str
    wife: str
    husband: str

    @classmethod
    def of(cls, world: World) -> "Labels":
        """Return the words of a world. Raises WorldError if it lacks one."""
        try:
            female, male = world.forms.index("female"), world.forms.index("male")
            by_kind = [world.kind(name).words for name in ("inv-child", "child", "SO")]
        except (KeyError, ValueError, StopIteration):
            raise WorldError(
                f"world {world.name} has no words for parents, children and spouses by gender"
            ) from None
        (mother, father), (daughter, son), (wife, husband) = (
            (words[female], words[male]) for words in by_kind
        )
        return cls(mother, father, daughter, son, wife, husband)


def pieces_of(world: World) -> dict[str, tuple[Piece, ...]]:
    """Return the sentences that a world has for each relation: those that need no grammar."""
    found = {}
    for label, templates in world.lexicon.templates.items():
        plain = [one.text for one in templates if not one.choices and not one.cases]
        if not plain:
            raise WorldError(f"world {world.name} has no plain template for {label}")
        found[label] = tuple(map(Piece.of, plain))
    return found


class Silent(NamedTuple):
    """What a world says of an entity beside relations: sentences, and the values to fill in."""

    pieces: tuple[Piece, ...]
    values: tuple[str, ...]


def silent(world: World, words: Vocabulary) -> list[Silent]:
    """Return the attributes of a world of which no sentence says what a book could say."""
    found = []
    for attribute in world.lexicon.attributes:
        templates = [one for one in attribute.templates if not one.choices]
        said = " ".join(literal for one in templates for literal in one.literals).lower()
        if templates and not words.clashing & set(re.findall(r"\w+", said)):
            pieces = [_about(one) for one in templates]
            found.append(Silent(tuple(pieces), attribute.values))
    return found


def _about(template: Template) -> Piece:
    """Return a sentence of an entity and a value."""
    before, between, after = template.literals
    return Piece(before, between, after, template.slots[0] == "value")


@dataclass
class Sayer:
    """What says the statements of a scene. rng: chooses the wording; None for the first one."""

    scene: Scene
    rng: Random | None = field(default=None)

    def choose(self, some: Sequence[Piece]) -> Piece:
        """Return one of several sentences."""
        if self.rng is None or len(some) == 1:
            return some[0]
        return some[int(self.rng.random() * len(some))]

    @cached_property
    def labels(self) -> Labels:
        return Labels.of(self.scene.worlds["families"])

    @cached_property
    def relations(self) -> dict[str, dict[str, tuple[Piece, ...]]]:
        """The sentences of relations, by part and label."""
        return {part: pieces_of(world) for part, world in self.scene.worlds.items()}

    @cached_property
    def kinds(self) -> dict[str, dict[str, str]]:
        """The label of each kind, by part; there are no forms but in families."""
        return {
            part: {kind.name: kind.words[0] for kind in world.kinds}
            for part, world in self.scene.worlds.items()
            if part != "families"
        }

    @cached_property
    def facts(self) -> dict[str, tuple[Piece, ...]]:
        """The sentences for one of a link."""
        links = self.scene.words.links
        return {name: tuple(map(Piece.of, links[name].fact)) for name in self.scene.link_names}

    def relation(self, part: str, a: str, label: str, b: str) -> str:
        """Return a sentence that b is so to a."""
        return self.choose(self.relations[part][label]).fill(a, b)

    def link(self, name: str, a: str, b: str) -> str:
        """Return a sentence that a is linked to b."""
        return self.choose(self.facts[name]).fill(a, b)

    def all_links(self, name: str, a: str, names: Sequence[str]) -> str:
        """Return a sentence that a is linked to these, and to nobody else."""
        link = self.scene.words.links[name]
        return _all(link.every, link.none, a, names)

    def all_children(self, name: str, a: str, names: Sequence[str]) -> str:
        """Return a sentence that these are all daughters, or sons."""
        texts = self.scene.words.family[name]
        return _all(texts["all"], texts["none"], a, names)

    def single(self, a: str) -> str:
        """Return a sentence that somebody is not married."""
        return self.scene.words.family["single"]["none"][0].replace("{a}", a)


def _all(every: Sequence[str], none: Sequence[str], a: str, names: Sequence[str]) -> str:
    if not names:
        return none[0].replace("{a}", a)
    text = every[0] if len(names) > 1 else every[-1]
    number = NUMBERS[len(names)] if len(names) < len(NUMBERS) else str(len(names))
    return text.replace("{n}", number).replace("{b}", listed(names)).replace("{a}", a)
