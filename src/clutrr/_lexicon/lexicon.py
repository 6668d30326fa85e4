"""A lexicon: how a language puts relations into words. Data, no code."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from clutrr._lexicon.cases import Cases, Spelling
from clutrr._lexicon.phrases import Phrases
from clutrr._lexicon.prose import Prose
from clutrr._lexicon.statements import StatementWords

_SLOT = re.compile(r"\{(\w*)(?::(\w+))?\}")  # with the case of a name
_CHOICE = re.compile(r"\{(\w+):([^{}]*\|[^{}]*)\}")  # words by the form of an entity
_WORD = re.compile(r"[\w-]+")
_UNSPACED = frozenset(("ja", "km", "lo", "my", "th", "zh"))  # languages without spaces


@dataclass(frozen=True)
class Template:
    """A sentence with slots: literals[0] slots[0] literals[1] ... literals[-1].

    A literal may hold a choice of words by the form of an entity, {b:her|his}. cases: of the name in each
    slot; none if every name is written as it is.
    """

    literals: tuple[str, ...]
    slots: tuple[str, ...]
    cases: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Template":
        """Take a text with {slots} apart."""
        pieces = _SLOT.split(text)
        cases = tuple(case or "" for case in pieces[2::3])
        return cls(tuple(pieces[::3]), tuple(pieces[1::3]), cases if any(cases) else ())

    @property
    def text(self) -> str:
        filled = [
            f"{literal}{{{slot}:{case}}}" if case else f"{literal}{{{slot}}}"
            for literal, slot, case in zip(self.literals, self.slots, self.slot_cases, strict=False)
        ]
        return "".join(filled) + self.literals[-1]

    @property
    def slot_cases(self) -> tuple[str, ...]:
        """The case of each slot."""
        return self.cases or ("",) * len(self.slots)

    @property
    def choices(self) -> list[tuple[str, list[str]]]:
        """The entity and the words of each choice."""
        found = (choice for literal in self.literals for choice in _CHOICE.findall(literal))
        return [(entity, words.split("|")) for entity, words in found]

    def agreeing(self, **forms: int) -> "Template":
        """Return the sentence with its words chosen by the forms of the entities."""

        def choose(found: re.Match[str]) -> str:
            return found[2].split("|")[forms[found[1]]]

        chosen = tuple(_CHOICE.sub(choose, literal) for literal in self.literals)
        return replace(self, literals=chosen)

    def for_form(self, form: int) -> "Template":
        """Return a sentence about one entity, with its words chosen by its form."""
        return self.agreeing(**dict.fromkeys(self.slots, form))

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the sentence, with each value as it is, in square brackets."""
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


@dataclass(frozen=True)
class Partial:
    """Words that leave open which of several kinds holds, as "left of" does among blocks.

    component: what is spoken of. word: what is said of it. kinds: of which one holds. templates: sentences that
    say it.
    """

    component: str
    word: str
    kinds: tuple[str, ...]
    templates: tuple[Template, ...]


class Parallel(NamedTuple):
    """The world whose scenes, questions and order of sentences this one has for the same seed.

    names: how many names it has of each form: as many are drawn from, and stand for those of this world.
    """

    world: str
    names: tuple[int, ...]


@dataclass(frozen=True)
class Lexicon:
    """The words and sentences of a world.

    words: of each kind, by form. templates: by label, with slots a and b. attributes: with slots entity (or
    person) and value. names: of entities, by form. language: of the sentences, as a language tag. cases: of
    the names. own_phrases: the content of phrases.yaml, where the phrases are not just those of the theory.
    partial: what is said of one component of a product. components: the content of components.yaml.
    statements: how what is no fact is stated; None in a language without words for that.
    """

    words: Mapping[str, tuple[str, ...]]
    templates: Mapping[str, tuple[Template, ...]]
    attributes: tuple[Attribute, ...]
    names: tuple[tuple[str, ...], ...]
    language: str = "en"
    prose: Prose | None = None
    phrases: Phrases = field(default_factory=Phrases)
    own_phrases: Mapping[str, Any] = field(default_factory=dict)
    cases: Cases = field(default_factory=Cases)
    statements: StatementWords | None = None
    parallel: Parallel | None = None
    partial: tuple[Partial, ...] = ()
    components: Mapping[str, Any] = field(default_factory=dict)

    @property
    def drawn(self) -> tuple[int, ...]:
        """How many names of each form are drawn from."""
        return self.parallel.names if self.parallel else tuple(map(len, self.names))

    @property
    def space(self) -> str:
        """What is between two sentences."""
        return "" if self.language.split("-")[0].lower() in _UNSPACED else " "

    @cached_property
    def form_of(self) -> Mapping[str, int]:
        """The number of the form of each name."""
        return {name: form for form, names in enumerate(self.names) for name in names}

    def spell(self, name: str, case: str) -> Spelling:
        """Return how a name is written in a case: as it is, if nothing says otherwise."""
        found = self.cases.spell(name, case, self.form_of.get(name))
        return found or Spelling("", name, "")

    def spelled(self, case: str) -> Iterator[Spelling]:
        """Yield how each name is written in a case, those of the first form first."""
        return (self.spell(name, case) for names in self.names for name in names)

    @cached_property
    def named(self) -> Mapping[str, Mapping[str, str]]:
        """The name that a word stands for, by case, and under "" for names as they are."""
        return {
            case: {self.spell(name, case).word: name for names in self.names for name in names}
            for case in ("", *self.cases.known)
        }

    @cached_property
    def declined(self) -> frozenset[str]:
        """The cases in which some name is another word, not only something around it."""
        by_case = self.named.items()
        return frozenset(c for c, names in by_case if any(w != n for w, n in names.items()))

    def name_of(self, word: str, case: str) -> str | None:
        """Return the name that a word stands for in a case; None if it is not known."""
        return self.named[case].get(word) if case in self.declined else word

    def sentence(self, template: Template, **values: str) -> str:
        """Return a sentence with square brackets. values: the name of each entity, and the value."""
        forms = {slot: self.form_of.get(name, 0) for slot, name in values.items()}
        agreeing = template.agreeing(**forms)
        parts = [agreeing.literals[0]]
        slots = zip(agreeing.slots, agreeing.slot_cases, agreeing.literals[1:], strict=True)
        for slot, case, literal in slots:
            parts += [self.spell(values[slot], case).written("[{}]"), literal]
        return "".join(parts)

    @cached_property
    def taken(self) -> Mapping[str, str]:
        """What cannot be a name, in lower case, and why: values, and words of sentences."""
        taken = {
            value.lower(): f"a value of {a.name}" for a in self.attributes for value in a.values
        }
        for templates in (*self.templates.values(), *(a.templates for a in self.attributes)):
            for template in templates:
                words = {
                    word.lower() for literal in template.literals for word in _WORD.findall(literal)
                }
                taken |= dict.fromkeys(words, f"a word of {template.text!r}")
        return taken
