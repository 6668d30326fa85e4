"""Phrases: how proofs and questions put a relation, and words about relations that are not labels."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from clutrr._io.yamls import read_yaml
from clutrr._lexicon.entries import SLOT, Entry
from clutrr.errors import WorldError, short

# The slots of each phrase: {a} and {b} are entities, {r} is a label.
_SLOTS = {
    "relation": ("a", "r"),
    "question": ("a", "b"),
    "complete": ("a", "b", "r"),
    "confirm": ("a", "b", "r"),
    "entities": (),
}


_ASSUMED = ("assume ", "brief ")  # and the name of an assumption


@dataclass(frozen=True)
class RelationWords:
    """Words about relations, as readers of stories and answers need them.

    topic: words that speak of relations without being labels; a sentence with one of them is not taken for a
    distractor. unlabelled: words for further relations, which an answer may name. synonyms: other words for
    labels. modifiers: by language, words that make another relation of the label after them. form_words:
    words that suit one form only, such as pronouns. prefixes: parts of labels that may be written apart.
    suffixes: words behind a label that make it another one.
    """

    topic: frozenset[str] = frozenset()
    unlabelled: frozenset[str] = frozenset()
    synonyms: Mapping[str, str] = field(default_factory=dict)
    modifiers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    form_words: frozenset[str] = frozenset()
    prefixes: frozenset[str] = frozenset()
    suffixes: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Phrases:
    """The phrases of a lexicon; {a} and {b} are entities, {r} is the label that says what b is to a.

    relation: what b is, after "is" or "can be". question, complete, confirm: what a prompt asks: what the
    relation is, a sentence to complete, and whether it is {r}. common: wordings that state a fact, beside the
    templates. entities: what the entities are. clauses: by label, how a fact is stated in the middle of a
    sentence; others are "{b} is" and the relation. meanings: by label, its definition for a prompt; where
    there is none at all, the theory explains its labels. words: further words about relations. texts: what
    proofs and prompts say beside relations, if not as in texts.yaml. forms: forms of labels, for {r:the}: of
    each form, the text by label, which may hold {a}. plurals: by label, or by all labels of a kind ("daughter/son"), what the only
    one is called and what several are ("only child", "children"). form_names: by form of an entity, what it
    then is ("a woman").
    """

    relation: str = "{r} {a}"
    question: str = "How is {b} related to {a}?"
    complete: str = "{b} is {r} {a}."
    confirm: str = "Is {b} {r} {a}?"
    common: tuple[str, ...] = ("{b} is {r} {a}.",)
    entities: str = "entities"
    clauses: Mapping[str, str] = field(default_factory=dict)
    meanings: Mapping[str, str] = field(default_factory=dict)
    words: RelationWords = RelationWords()
    texts: Mapping[str, str] = field(default_factory=dict)
    forms: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    plurals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    form_names: Mapping[str, str] = field(default_factory=dict)

    def say(self, name: str, /, **slots: object) -> str:
        """Return what proofs and prompts say beside relations."""
        return (self.texts if name in self.texts else english_texts())[name].format(**slots)

    def assumption(self, name: str, usual: str) -> str:
        """Return what an assumption says. usual: in English."""
        return self.texts.get(f"assume {name}", usual)

    def brief(self, name: str, usual: str) -> str:
        """Return what distinguishes an assumption, in half a sentence. usual: in English."""
        return self.texts.get(f"brief {name}", usual)

    def knows(self, name: str) -> bool:
        """Return whether there is a text of this name."""
        return name in self.texts or name in english_texts()


# The phrases that are mappings.
_MAPPINGS = frozenset(
    {"clauses", "meanings", "synonyms", "modifiers", "texts", "forms", "plurals", "form_names"}
)
_WORDS = [one.name for one in fields(RelationWords)]
_ENTRIES = [
    *(one.name for one in fields(Phrases) if one.name != "words"),
    *_WORDS,
]  # of phrases.yaml


def has_forms(phrase: str) -> bool:
    """Return whether a phrase has a name in a case, words by the form of an entity, or a form of a label."""
    return re.search(r"\{[abr]:", phrase) is not None


def phrases_file(theory: str) -> Traversable:
    """Return the path of the phrases of worlds without any: in the built-in world named like the theory."""
    return resources.files("clutrr._lexicon") / "worlds" / theory / "phrases.yaml"


@lru_cache
def english_texts() -> Mapping[str, str]:
    """Return what proofs and prompts say beside relations where a lexicon has nothing of its own."""
    found: dict[str, str] = read_yaml(resources.files("clutrr._lexicon") / "texts.yaml", WorldError)
    return found


@lru_cache
def theory_phrases(theory: str) -> Phrases:
    """Return the phrases of worlds without any."""
    path = phrases_file(theory)
    return read_phrases(Entry.of_file(path), Phrases()) if path.is_file() else Phrases()


def read_phrases(file: Entry, usual: Phrases, labels: Collection[str] | None = None) -> Phrases:
    """Return the phrases of a file. usual: for those that it leaves out. labels: None if not yet known."""
    found: dict[str, Any] = {}
    for name, entry in file.items().items():
        if name not in _ENTRIES:
            known = ", ".join(_ENTRIES)
            raise file.error(f"there is no phrase {short(name)}; the phrases are {known}")
        found[name] = _read(name, entry, labels)
    if "texts" in found:
        found["texts"] = {**usual.texts, **found["texts"]}
    words = replace(usual.words, **{name: found.pop(name) for name in _WORDS if name in found})
    return replace(usual, **found, words=words)


def _read(name: str, entry: Entry, labels: Collection[str] | None) -> Any:
    if name in _SLOTS:
        return _with_slots(entry, _SLOTS[name])
    if name == "common":
        return tuple(_with_slots(one, ("a", "b", "r")) for one in entry.list())
    if name not in _MAPPINGS:
        return frozenset(_words(entry))
    inner = entry.items()
    if name == "texts":
        return {key: _text(entry, key, one) for key, one in inner.items()}
    if name == "forms":
        return {key: _form(one, labels) for key, one in inner.items()}
    if name == "form_names":
        return {form: one.text() for form, one in inner.items()}
    if name == "plurals":
        return {key: _plural(one) for key, one in inner.items()}
    if name in ("clauses", "meanings"):
        for label, one in inner.items():
            if labels is not None and label not in labels:
                raise one.error("relations.yaml has no such relation")
        return {
            label: one.with_slots(("a", "b"), free=name == "meanings")
            for label, one in inner.items()
        }
    by_key = {key: tuple(_words(one)) for key, one in inner.items()}
    return (
        by_key
        if name == "modifiers"
        else {word: key for key, words in by_key.items() for word in words}
    )


def _with_slots(entry: Entry, slots: Sequence[str]) -> str:
    """A phrase with these slots. A form of a label, {r:of}, may hold {a} in its stead."""
    held = isinstance(entry.value, str) and "{r:" in entry.value and "{a" not in entry.value
    return entry.with_slots([slot for slot in slots if slot != "a" or not held])


def _text(entry: Entry, key: str, one: Entry) -> str:
    """A text of proofs or prompts, with slots of the English one."""
    usual = english_texts()
    if key not in usual and not str(key).startswith(_ASSUMED):
        raise entry.error(f"there is no {short(key)}; there are {', '.join(usual)}")
    return one.value and one.with_slots(sorted(set(SLOT.findall(usual.get(key, "")))), free=True)


def _form(entry: Entry, labels: Collection[str] | None) -> dict[str, str]:
    """The text of each label in a form."""
    texts = {label: one.text() for label, one in entry.items().items()}
    for label in labels or ():
        if label not in texts:
            raise entry.error(f"has no text for {short(label)}")
    return texts


def _plural(entry: Entry) -> tuple[str, ...]:
    """What the only one is called, and what several are."""
    words = tuple(_words(entry))
    if len(words) != 2:
        raise entry.error("expected two texts: what the only one is called, and what several are")
    return words


def _words(entry: Entry) -> Iterator[str]:
    for one in entry.list():
        if not isinstance(one.value, str) or not one.value.strip():
            raise one.error(f"{short(one.value)} is not a word (quote it)")
        yield one.value
