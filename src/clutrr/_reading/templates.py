"""The wordings that a world knows: its templates, common wordings of its relations, and its attributes."""

import re
from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple

from clutrr._lexicon import Template, World


class Wording(NamedTuple):
    """What a wording says.

    relation: a label, "" for nothing. head: the number of its head among the names. cases: of the words for names;
    none if all are names as they are. kinds: of which one holds, if it says no more than that.
    """

    relation: str = ""
    head: int = 0
    cases: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


def known_shapes(world: World) -> Iterator[tuple[str, Wording]]:
    """Yield every wording as a text with [] for each slot."""
    lexicon = world.lexicon
    for relation in world.relations:
        for template in lexicon.templates[relation]:
            for one, shape in shapes(world, template, relation):
                yield shape, Wording(relation, one.slots.index("a"), one.cases)
    for attribute in lexicon.attributes:
        for template in attribute.templates:
            for _, shape in shapes(world, template):
                yield shape, Wording()
    for relation in world.relations:
        for common in lexicon.phrases.common:
            template = Template.parse(_with_label(common, relation, world))
            for one, shape in shapes(world, template, relation):
                yield shape, Wording(relation, one.slots.index("a"), one.cases)


def partial_shapes(world: World) -> Iterator[tuple[str, Wording]]:
    """Yield every wording that leaves open which of several kinds holds."""
    for partial in world.lexicon.partial:
        for template in partial.templates:
            for one, shape in shapes(world, template):
                head = one.slots.index("a")
                yield shape, Wording(partial.word, head, one.cases, partial.kinds)


def shapes(world: World, template: Template, label: str = "") -> Iterator[tuple[Template, str]]:
    """Yield what a template is for all forms of its entities, with [] for each word for a name.

    label: what it states, which may show the form of {b}.
    """
    for one in _agreeing(world, template, label):
        for beside in product(*(around(world, case) for case in one.slot_cases)):
            first, *rest = one.literals
            slots = zip(beside, rest, strict=True)
            yield one, first + "".join(f"{b}[]{a}{literal}" for (b, a), literal in slots)


def _agreeing(world: World, template: Template, label: str) -> list[Template]:
    """Return a template with its words chosen by the forms of the entities, each sentence once."""
    entities = dict.fromkeys(entity for entity, _ in template.choices)
    form = world.meaning[label].form if label else None
    of = [
        [form] if entity == "b" and form is not None else range(world.labels.each)
        for entity in entities
    ]
    every = [dict(zip(entities, forms, strict=True)) for forms in product(*of)]
    return list(dict.fromkeys(template.agreeing(**forms) for forms in every))


def around(world: World, case: str) -> list[tuple[str, str]]:
    """Return what may be written right before and behind a word for a name in a case."""
    if not case:
        return [("", "")]
    spelled = world.lexicon.spelled(case)
    return list(dict.fromkeys((one.before, one.after) for one in spelled))


def _with_label(phrase: str, label: str, world: World) -> str:
    """Return a phrase with a label in its place, in the form that it has there."""
    forms = world.lexicon.phrases.forms

    def said(slot: re.Match[str]) -> str:
        text = forms.get(slot[1] or "", {}).get(label, label)
        return f"{{a:{text}}}" if "|" in text and "{" not in text else text

    return re.sub(r"\{r(?::([^{}]*))?\}", said, phrase)


def label_pattern(words: Iterable[str], spaced: bool = True) -> re.Pattern[str]:
    """Return what finds these words or phrases in a text, the longest first, in upper or lower case.

    spaced: whether the language has spaces between words.
    """
    longest = sorted(map(re.escape, words), key=len, reverse=True)
    if not spaced:
        return re.compile("|".join(longest), re.IGNORECASE)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(longest)})(?![\w-])", re.IGNORECASE)
