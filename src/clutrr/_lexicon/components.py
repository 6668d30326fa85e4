"""Words by component: the content of components.yaml, of a world whose theory is a product.

    across: {<: left of, =: in line with, >: right of}
    up: {<: below, =: level with, >: above}
    templates: ["{b} is {r} {a}."]

A label joins the words of all components, "left of and above", and is said in the same sentences as a word alone.
What is said of one component leaves the others open.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from clutrr._lexicon.entries import Entry
from clutrr._lexicon.lexicon import Partial, Template
from clutrr.errors import short

if TYPE_CHECKING:  # which needs numpy, as reading a world does not
    from clutrr.theory.products import Product

FILE = "components.yaml"
_TEMPLATES, AND = "templates", " and "
_SLOTS = ["a", "b", "r"]


class Components(NamedTuple):
    """What the file says, for a world: words by kind, sentences by label, and what leaves components open."""

    words: Mapping[str, str]
    templates: Mapping[str, tuple[Template, ...]]
    partial: tuple[Partial, ...]
    content: Mapping[str, Any]


def read_components(file: Entry, theory: "type[Product]") -> Components:
    """Return what the file of a world of this theory says. Raises WorldError."""
    from clutrr.theory.products import BETWEEN

    *parts, told = file.fields((*theory.components, _TEMPLATES))
    texts = told.texts()
    for text in texts:
        if sorted(Template.parse(text).slots) != _SLOTS:
            raise told.error(f"{short(text)} must hold {{a}}, {{b}} and {{r}}, each once")
    words: list[dict[str, str]] = []
    for part, (name, component) in zip(parts, theory.components.items(), strict=True):
        said = {kind: one.value for kind, one in part.items().items()}
        if set(said) != set(component.kinds):
            raise part.error(f"the kinds of {name} are {', '.join(component.kinds)}")
        if wrong := [word for word in said.values() if not isinstance(word, str) or not word]:
            raise part.error(f"{short(wrong[0])} is not a word")
        words.append(said)
    kinds = [dict(zip(theory.components, one, strict=True)) for one in _kinds(theory)]
    labels = {
        BETWEEN.join(kind.values()): AND.join(
            said[one] for said, one in zip(words, kind.values(), strict=True)
        )
        for kind in kinds
    }
    partial = tuple(
        Partial(name, word, theory.with_part(name, kind), _sentences(texts, word))
        for name, said in zip(theory.components, words, strict=True)
        for kind, word in said.items()
        if len(theory.components) > 1
    )
    templates = {label: _sentences(texts, label) for label in labels.values()}
    return Components(labels, templates, partial, file.value)


def _kinds(theory: "type[Product]") -> Any:
    return product(*(part.kinds for part in theory.components.values()))


def _sentences(texts: list[str] | tuple[str, ...], word: str) -> tuple[Template, ...]:
    return tuple(Template.parse(text.replace("{r}", word)) for text in texts)


def in_one_phrase(partial: Sequence[Partial], kinds: Collection[str]) -> str | None:
    """Return words for a set of kinds that fixes some components and leaves the others open; None if it does not.

    "left of and above" is said of three kinds of blocks: in front, beside and behind.
    """
    words: list[str] = []
    left = {kind for one in partial for kind in one.kinds}
    for component in dict.fromkeys(one.component for one in partial):
        said = [one for one in partial if one.component == component]
        fitting = [one for one in said if not set(kinds).isdisjoint(one.kinds)]
        if len(fitting) == 1:
            words.append(fitting[0].word)
            left.intersection_update(fitting[0].kinds)
        elif len(fitting) < len(said):
            return None
    return AND.join(words) if words and left == set(kinds) else None
