"""Labels: the kinds of a theory with the words that a language has for them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple


@dataclass(frozen=True)
class Kind:
    """A relation, whatever the form of its second entity.

    converse: the kind seen from the other entity. words: by form, which may be the same for all; one word
    where a theory has no forms.
    """

    name: str
    converse: str
    words: tuple[str, ...]


class Meaning(NamedTuple):
    """What a label means: a kind, and the form of the second entity.

    0 where a theory has no forms, None where one word is for all.
    """

    kind: Kind
    form: int | None


@dataclass(frozen=True)
class Labels:
    """The label set of a world. forms: their names; none where entities add nothing to a word."""

    kinds: tuple[Kind, ...]
    forms: tuple[str, ...] = ()

    @property
    def each(self) -> int:
        """The number of labels of a kind."""
        return max(1, len(self.forms))

    @cached_property
    def relations(self) -> tuple[str, ...]:
        """The labels: kind by kind, in the order of the forms."""
        return tuple(word for kind in self.kinds for word in kind.words)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The number of each kind, by name."""
        return {kind.name: number for number, kind in enumerate(self.kinds)}

    @cached_property
    def meaning(self) -> Mapping[str, Meaning]:
        """The kind and the form of each label."""
        return {
            word: Meaning(kind, None if kind.words.count(word) > 1 else form)
            for kind in self.kinds
            for form, word in enumerate(kind.words)
        }

    def kind(self, name: str) -> Kind:
        return self.kinds[self.index[name]]

    def word(self, kind: str, form: str) -> str:
        """Return the label of a kind for a form; the kind itself where a form is needed and is not known."""
        words = self.kind(kind).words
        if len(words) == 1:
            return words[0]
        return words[self.forms.index(form)] if form in self.forms else kind

    def form(self, name: str) -> int | None:
        """Return the number of a form; None where it is not known ("")."""
        return self.forms.index(name) if name in self.forms else None
