"""Phrases: how proofs and questions put a relation, and words about relations that are not labels."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from clutrr.errors import WorldError, short
from clutrr.yamls import read_yaml

_SLOT = re.compile(r"\{(\w*)\}")
# The slots of each phrase: {a} and {b} are entities, {r} is a label.
_SLOTS = {
    "relation": ("a", "r"),
    "question": ("a", "b"),
    "complete": ("a", "b", "r"),
    "confirm": ("a", "b", "r"),
    "entities": (),
}


@dataclass(frozen=True)
class Phrases:
    """The phrases of a lexicon; {a} and {b} are entities, {r} is the label that says what b is to a.

    relation: what b is, after "is" or "can be". question, complete, confirm: what a prompt asks: what the
    relation is, a sentence to complete, and whether it is {r}. common: wordings that state a fact, beside the
    templates. topic: words that speak of relations without being labels; a sentence with one of them is not
    taken for a distractor. unlabelled: words for further relations, which an answer may name. synonyms: other
    words for labels. modifiers: by language, words that make another relation of the label after them.
    form_words: words that suit one form only, such as pronouns. prefixes: parts of labels that may be written
    apart. suffixes: words behind a label that make it another one. entities: what the entities are.
    """

    relation: str = "{r} {a}"
    question: str = "How is {b} related to {a}?"
    complete: str = "{b} is {r} {a}."
    confirm: str = "Is {b} {r} {a}?"
    common: tuple[str, ...] = ("{b} is {r} {a}.",)
    topic: frozenset[str] = frozenset()
    unlabelled: frozenset[str] = frozenset()
    synonyms: Mapping[str, str] = field(default_factory=dict)
    modifiers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    form_words: frozenset[str] = frozenset()
    prefixes: frozenset[str] = frozenset()
    suffixes: frozenset[str] = frozenset()
    entities: str = "entities"

    def content(self, theory: str) -> dict[str, Any]:
        """Return the content of phrases.yaml: what differs from the phrases of a theory."""
        usual = theory_phrases(theory)
        changed = [one.name for one in fields(self) if getattr(self, one.name) != getattr(usual, one.name)]
        return {name: _plain(name, getattr(self, name)) for name in changed}


def phrases_file(theory: str) -> Traversable:
    """Return the path of the phrases of worlds without any: in the built-in world named like the theory."""
    return resources.files("clutrr.world") / theory / "phrases.yaml"


@lru_cache
def theory_phrases(theory: str) -> Phrases:
    """Return the phrases of worlds without any."""
    path = phrases_file(theory)
    return read_phrases(path, Phrases()) if path.is_file() else Phrases()


def read_phrases(path: Traversable, usual: Phrases) -> Phrases:
    """Return the phrases of a file. usual: for those that it leaves out."""
    content = read_yaml(path, WorldError)
    if not isinstance(content, dict) or not content:
        raise WorldError(f"{path}: expected a mapping with at least one entry")
    known = [one.name for one in fields(Phrases)]
    for name in content:
        if name not in known:
            raise WorldError(f"{path}: there is no phrase {short(name)}; the phrases are {', '.join(known)}")
    return replace(usual, **{name: _read(path, name, value) for name, value in content.items()})


def _read(path: Traversable, name: str, value: Any) -> Any:
    if name in _SLOTS:
        return _phrase(path, name, value, _SLOTS[name])
    if name == "common":
        return tuple(_phrase(path, name, text, ("a", "b", "r")) for text in _list(path, name, value))
    if name in ("topic", "unlabelled", "form_words", "prefixes", "suffixes"):
        return frozenset(_words(path, name, value))
    if not isinstance(value, dict):
        raise WorldError(f"{path}: {name}: expected a mapping")
    by_key = {key: tuple(_words(path, f"{name}: {key}", words)) for key, words in value.items()}
    return by_key if name == "modifiers" else {word: key for key, words in by_key.items() for word in words}


def _phrase(path: Traversable, name: str, text: Any, slots: tuple[str, ...]) -> str:
    if not isinstance(text, str) or any(mark in text for mark in "[]\n"):
        raise WorldError(f"{path}: {name}: {short(text)} is not plain text (quote it)")
    pieces = _SLOT.split(text)
    if sorted(pieces[1::2]) != sorted(slots) or any(mark in "".join(pieces[::2]) for mark in "{}"):
        needs = " and ".join(f"{{{slot}}}" for slot in slots)
        raise WorldError(f"{path}: {name}: {short(text)} must hold {needs}, each once, and no other slot")
    return text


def _list(path: Traversable, name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise WorldError(f"{path}: {name}: expected a list")
    return value


def _words(path: Traversable, name: str, value: Any) -> Iterator[str]:
    for word in _list(path, name, value):
        if not isinstance(word, str) or not word.strip():
            raise WorldError(f"{path}: {name}: {short(word)} is not a word (quote it)")
        yield word


def _plain(name: str, value: Any) -> Any:
    """A field of `Phrases` as the file has it."""
    if name == "synonyms":
        return {label: [word for word, of in value.items() if of == label] for label in value.values()}
    if name == "modifiers":
        return {language: list(words) for language, words in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    return value if isinstance(value, str) else list(value)
