"""A lexicon: how a language puts relations into words. Data, no code."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from clutrr.world.phrases import Phrases
from clutrr.world.prose import Prose

_SLOT = re.compile(r"\{(\w*)\}")
_WORD = re.compile(r"[\w-]+")


@dataclass(frozen=True)
class Template:
    """A sentence with slots: literals[0] slots[0] literals[1] ... literals[-1]."""

    literals: tuple[str, ...]
    slots: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "Template":
        """Take a text with {slots} apart."""
        pieces = _SLOT.split(text)
        return cls(tuple(pieces[::2]), tuple(pieces[1::2]))

    @property
    def text(self) -> str:
        filled = [literal + f"{{{slot}}}" for literal, slot in zip(self.literals, self.slots, strict=False)]
        return "".join(filled) + self.literals[-1]

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the sentence, with each value in square brackets."""
        parts = [self.literals[0]]
        for slot, literal in zip(self.slots, self.literals[1:], strict=True):
            parts += ["[", values[slot], "]", literal]
        return "".join(parts)


@dataclass(frozen=True)
class Attribute:
    """A property of an entity that has nothing to do with relations. Its sentences may lack a value."""

    name: str
    values: tuple[str, ...]
    templates: tuple[Template, ...]

    def sentence(self, template: Template, entity: str, value: str = "") -> str:
        """Return what a template says about an entity, with square brackets."""
        return template.fill({slot: value if slot == "value" else entity for slot in template.slots})


@dataclass(frozen=True)
class Lexicon:
    """The words and sentences of a world.

    words: of each kind, by form. templates: by label, with slots a and b. attributes: with slots entity (or
    person) and value. names: of entities, by form. language: of the sentences, as a language tag.
    own_phrases: the content of phrases.yaml, where the phrases are not just those of the theory.
    """

    words: Mapping[str, tuple[str, ...]]
    templates: Mapping[str, tuple[Template, ...]]
    attributes: tuple[Attribute, ...]
    names: tuple[tuple[str, ...], ...]
    language: str = "en"
    prose: Prose | None = None
    phrases: Phrases = field(default_factory=Phrases)
    own_phrases: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def taken(self) -> Mapping[str, str]:
        """What cannot be a name, in lower case, and why: values, and words of sentences."""
        taken = {value.lower(): f"a value of {a.name}" for a in self.attributes for value in a.values}
        for templates in (*self.templates.values(), *(a.templates for a in self.attributes)):
            for template in templates:
                words = {word.lower() for literal in template.literals for word in _WORD.findall(literal)}
                taken |= dict.fromkeys(words, f"a word of {template.text!r}")
        return taken
