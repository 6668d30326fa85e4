"""How a language states what is no fact: alternatives, denials, closures and forms, as `statements.yaml` has them.

words         of each label, how it stands in a list, if not as it is
open          words for several labels: "a parent of", "somewhere north of"
alternatives  sentences with {a}, {b} and {r}: one of these relations holds
denials       sentences with {a}, {b} and {r}: none of these holds
none          closures, sentences with {a} and {r}: nobody is that to a; {r} is one of `plurals` in phrases.yaml
none_of       by a key of `plurals`: other sentences, with {a}, for nobody
one           sentences with {a}, {b} and {r}: b alone is that to a
all           sentences with {a}, {names} and {r}: exactly these are that to a
forms         by form: sentences with {a}
or, and, comma   what stands in lists, if not as in English
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from importlib import resources
from typing import Any, NamedTuple

from clutrr._labels import Labels
from clutrr._lexicon.entries import Entry
from clutrr._statement import Statement, StatementKind, Status
from clutrr.errors import short

_Texts = tuple[str, ...]
_SLOTS = {
    "alternatives": ("a", "b", "r"),
    "denials": ("a", "b", "r"),
    "none": ("a", "r"),
    "one": ("a", "b", "r"),
    "all": ("a", "names", "r"),
}
_JOINS = ("or", "and", "comma")
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class StatementWords:
    """The content of a `statements.yaml`; see the head of this file. plurals: those of phrases.yaml."""

    words: Mapping[str, str] = field(default_factory=dict)
    open: Mapping[str, _Texts] = field(default_factory=dict)
    alternatives: _Texts = ()
    denials: _Texts = ()
    none: _Texts = ()
    none_of: Mapping[str, _Texts] = field(default_factory=dict)
    one: _Texts = ()
    all: _Texts = ()
    forms: Mapping[str, _Texts] = field(default_factory=dict)
    joins: Mapping[str, str] = field(default_factory=dict)
    plurals: Mapping[str, _Texts] = field(default_factory=dict)
    content: Mapping[str, Any] = field(default_factory=dict)

    def join(self, name: str) -> str:
        """Return what stands between the items of a list."""
        return self.joins.get(name, {"or": " or ", "and": " and ", "comma": ", "}[name])

    def texts(self, one: Statement, labels: Labels) -> "list[Worded]":
        """Return the sentences that state this, without names; none where there are no words for it."""
        if one.kind is StatementKind.FORM:
            return [Worded(text, "") for text in self.forms.get(one.relations[0], ())]
        if one.kind is StatementKind.CLOSURE:
            return list(self._closing(one, labels))
        denied = one.kind is StatementKind.DENIAL or one.status is Status.DENIED
        said = self.listed(one.relations, labels)
        return [Worded(text, said) for text in (self.denials if denied else self.alternatives)]

    def listed(self, relations: Sequence[str], labels: Labels) -> str:
        """Return labels as a list: those that a word is for together, if it is for no others."""
        left, said = [word for word in labels.relations if word in relations], []
        for word, of in sorted(self.open.items(), key=lambda pair: -len(pair[1])):
            if set(of) <= set(left):
                said.append(word)
                left = [one for one in left if one not in of]
        said += [self.words.get(word, word) for word in left]
        *others, last = said
        return f"{self.join('comma').join(others)}{self.join('or')}{last}" if others else last

    def _closing(self, one: Statement, labels: Labels) -> "Iterator[Worded]":
        key = closed_key(one.relations, labels)
        if key not in self.plurals:
            return
        only, several = self.plurals[key]
        if not one.entities:
            yield from (Worded(text, several) for text in self.none)
            yield from (Worded(text, "") for text in self.none_of.get(key, ()))
        elif len(one.entities) == 1:
            yield from (Worded(text, only) for text in self.one)
        else:
            yield from (Worded(text, several) for text in self.all)

    def names(self, names: Sequence[str]) -> str:
        """Return several names as a list."""
        *others, last = names
        return f"{self.join('comma').join(others)}{self.join('and')}{last}"


class Worded(NamedTuple):
    """A sentence that states something. said: what is in the place of {r}."""

    text: str
    said: str

    def filled(self, one: Statement, words: StatementWords, mark: Callable[[str], str]) -> str:
        """Return the sentence with its names. mark: how each is written."""
        b = one.tail or (one.entities[0] if len(one.entities) == 1 else "")
        slots = {"a": mark(one.head), "b": mark(b) if b else "", "r": self.said}
        if len(one.entities) > 1:
            slots["names"] = words.names([mark(name) for name in one.entities])
        return _SLOT.sub(lambda slot: slots[slot[1]], self.text)


def closed_key(relations: Sequence[str], labels: Labels) -> str:
    """Return the key in `plurals` of labels that a closure closes together."""
    return "/".join(word for word in dict.fromkeys(labels.relations) if word in relations)


@lru_cache
def theory_statements(theory: str) -> "Entry | None":
    """Return the file of English worlds without one: in the built-in world named like the theory."""
    path = resources.files("clutrr._lexicon") / "worlds" / theory / "statements.yaml"
    return Entry.of_file(path) if path.is_file() else None


def read_statements(
    file: Entry, labels: Labels, plurals: Mapping[str, _Texts], own: bool
) -> StatementWords:
    """Return the content of a file. own: whether it is a world's own, and not that of its theory."""
    found: dict[str, Any] = {"joins": {}}
    known = [one.name for one in fields(StatementWords) if one.name not in _INNER]
    for name, entry in file.items().items():
        if name not in (*known, *_JOINS):
            raise file.error(
                f"there is no entry {short(name)}; the entries are {', '.join((*known, *_JOINS))}"
            )
        if name in _JOINS:
            if not isinstance(entry.value, str) or not entry.value:
                raise entry.error(f"{short(entry.value)} is not a text (quote it)")
            found["joins"][name] = entry.value
        elif name in _SLOTS:
            found[name] = tuple(one.with_slots(_SLOTS[name]) for one in entry.list(1))
        else:
            found[name] = dict(_read(name, entry, labels, plurals))
    return StatementWords(**found, plurals=plurals, content=file.value if own else {})


_INNER = ("joins", "plurals", "content")


def _read(
    name: str, entry: Entry, labels: Labels, plurals: Mapping[str, _Texts]
) -> Iterator[tuple[str, Any]]:
    """Yield the entries of a mapping. What speaks of labels that a world lacks is left out."""
    for key, one in entry.items().items():
        if name == "words":
            yield key, one.text()
        elif name == "open":
            of = one.texts()
            if all(word in labels.meaning for word in of):
                yield key, of
        elif name == "none_of":
            if key in plurals:
                yield key, tuple(text.with_slots(("a",)) for text in one.list(1))
        else:
            if key not in labels.forms:
                raise one.error(f"there is no such form; the forms are {', '.join(labels.forms)}")
            yield key, tuple(text.with_slots(("a",)) for text in one.list(1))
