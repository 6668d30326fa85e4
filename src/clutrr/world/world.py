"""A world: relation kinds with their meaning and words, sentences, attributes, first names.

A world is a folder of data that a user can copy and edit:

    relations.yaml      the relation kinds: steps, inverse, words
    templates.yaml      sentences for each relation
    attributes.yaml     what distractor sentences tell about a person
    prose.yaml          optional: the grammar of stories in prose
    names/female.txt    first names, one per line
    names/male.txt
    world.yaml          optional: `extends: kinship` takes what is missing here from that world;
                        `language: de` is the language of the sentences, `name: ...` the world's name

`load` reads and checks one; every error names the file and the entry.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from clutrr.world.chains import Chains
from clutrr.world.forced import Forced
from clutrr.world.prose import Prose
from clutrr.world.steps import Step, Steps, rise

Ints = npt.NDArray[np.integer[Any]]
GENDERS = ("female", "male")  # a gender is an index into this pair


@dataclass(frozen=True)
class Kind:
    """An ungendered relation: what b is to a, whatever the gender of b."""

    name: str
    steps: tuple[Steps, ...]  # every way that leads from a to b
    inverse: str
    words: tuple[str, str]  # the relation, by the gender of b

    @property
    def spouse(self) -> bool:
        """Whether it joins spouses, so that either's gender tells the other's."""
        return self.steps == ((Step.SPOUSE,),)

    @property
    def rise(self) -> int:
        """How many generations it leads up; all its ways lead up by the same number."""
        return rise(self.steps[0])


@dataclass(frozen=True)
class Template:
    """A sentence with slots: literals[0] slots[0] literals[1] ... literals[-1]."""

    literals: tuple[str, ...]
    slots: tuple[str, ...]

    @property
    def text(self) -> str:
        filled = [literal + f"{{{slot}}}" for literal, slot in zip(self.literals, self.slots, strict=False)]
        return "".join(filled) + self.literals[-1]

    def fill(self, values: Mapping[str, str]) -> str:
        """The sentence, with each value in square brackets."""
        parts = [self.literals[0]]
        for slot, literal in zip(self.slots, self.literals[1:], strict=True):
            parts += ["[", values[slot], "]", literal]
        return "".join(parts)


@dataclass(frozen=True)
class Attribute:
    """Something told about a person that has nothing to do with relations. Its sentences may lack a value."""

    name: str
    values: tuple[str, ...]
    templates: tuple[Template, ...]


@dataclass(frozen=True)
class World:
    """Everything that the sentences of a story can say, and what it means."""

    name: str
    kinds: tuple[Kind, ...]
    templates: Mapping[str, tuple[Template, ...]]  # by relation; slots a and b
    attributes: tuple[Attribute, ...]  # slots person and value
    names: tuple[tuple[str, ...], tuple[str, ...]]  # by gender
    language: str = "en"  # of its sentences, as a language tag
    prose: Prose | None = None

    @cached_property
    def relations(self) -> tuple[str, ...]:
        """The labels: every relation, kind by kind, female first."""
        return tuple(word for kind in self.kinds for word in kind.words)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Kind name to its place in `kinds`."""
        return {kind.name: i for i, kind in enumerate(self.kinds)}

    @cached_property
    def meaning(self) -> Mapping[str, tuple[Kind, int]]:
        """Relation to its kind and gender."""
        return {word: (kind, g) for kind in self.kinds for g, word in enumerate(kind.words)}

    @cached_property
    def digest(self) -> str:
        """A checksum of everything in the world."""
        content: list[Any] = [
            [(k.name, [[s.name for s in w] for w in k.steps], k.inverse, k.words) for k in self.kinds],
            {relation: [t.text for t in templates] for relation, templates in self.templates.items()},
            [(a.name, a.values, [t.text for t in a.templates]) for a in self.attributes],
            self.names,
        ]
        if self.prose is not None:
            content.append(self.prose.content)
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    def __hash__(self) -> int:
        return hash(self.digest)

    def kind(self, name: str) -> Kind:
        return self.kinds[self.index[name]]

    def word(self, kind: str, gender: int) -> str:
        """The relation of a kind, for a person of this gender."""
        return self.kind(kind).words[gender]

    def labels(self, kinds: Ints, genders: Ints) -> Ints:
        """Numbers of relations, from the numbers of their kinds and the genders of the people."""
        return kinds.astype(np.int32) * len(GENDERS) + genders

    @cached_property
    def chains(self) -> Chains:
        return Chains([kind.steps for kind in self.kinds])

    @cached_property
    def forced(self) -> Forced:
        """The patterns that entail their answer."""
        return Forced([kind.steps for kind in self.kinds])

    def compose(self, kinds: Iterable[str]) -> "Composition":
        """What the last person of a chain of facts can be to the first."""
        ways = self.chains.ways([self.index[kind] for kind in kinds])
        possible = tuple(kind.name for kind in self.kinds if not ways.isdisjoint(kind.steps))
        outside = ways.difference(*(kind.steps for kind in self.kinds))
        return Composition(possible, bool(outside))


@dataclass(frozen=True)
class Composition:
    """The kinds that can hold between the ends of a chain, and whether it is possible that none holds.

    determined: exactly one kind of the label set is possible. entailed: besides, nothing else is possible.
    """

    kinds: tuple[str, ...]
    outside: bool

    @property
    def determined(self) -> bool:
        return len(self.kinds) == 1

    @property
    def entailed(self) -> bool:
        return self.determined and not self.outside
