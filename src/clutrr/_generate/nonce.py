"""Invented words for the relations of a world, and what they mean, for prompts to explain.

Kinds, scenes, questions and answers are those of the world; names and other words are, too. A label such as
"brother" becomes "dax", its sentences are the plain ones of the language ("B is the dax of A."), and a prompt says
what "dax" means. So what follows has to be worked out, and cannot be recalled.
"""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from clutrr._lexicon import Template, World
from clutrr._lexicon.entries import Entry
from clutrr._lexicon.phrases import read_phrases, theory_phrases

_STARTS = "b bl br d dr f fl g gl k kl kr l m n p pl pr r s sk sl t tr v w z".split()
_VOWELS = "a e i o u".split()
_ENDS = "b d f g k l m n p t v z sk lt rn mp".split()
_LABEL = re.compile(r"\{r(?::([^{}]*))?\}")
_ARTICLE = re.compile(r"\ban\s+\{r\}", re.IGNORECASE)  # no invented word starts with a vowel


def with_invented_words(world: World, seed: int) -> World:
    """Return a world with invented words for its relations, the same for the same seed."""
    labels = list(dict.fromkeys(world.relations))
    known = {part for label in labels for part in label.lower().split()} | set(world.lexicon.taken)
    known |= {name.lower() for names in world.lexicon.names for name in names}
    new = dict(zip(labels, _invented(seed, len(labels), known), strict=True))
    content = _phrases(world, new)
    usual = theory_phrases(world.theory.name)
    phrases = read_phrases(Entry(Path("invented words"), content), usual, list(new.values()))
    lexicon = replace(
        world.lexicon,
        words={kind: tuple(new[word] for word in of) for kind, of in world.lexicon.words.items()},
        templates={word: _templates(content, word) for word in new.values()},
        phrases=phrases,
        own_phrases=content,
        prose=None,
        partial=(),
        components={},
    )
    return World(f"{world.name}-nonce-{seed}", world.theory, lexicon)


def _invented(seed: int, count: int, known: set[str]) -> list[str]:
    """Return different words that are not known, each with another beginning."""
    drawn = random.Random(f"nonce {seed}")
    found: list[str] = []
    while len(found) < count:
        word = drawn.choice(_STARTS) + drawn.choice(_VOWELS) + drawn.choice(_ENDS)
        if count > len(found) > 40 or drawn.random() < 0.5:
            word += drawn.choice(_VOWELS) + drawn.choice(_ENDS)
        if word not in known and not any(one[:3] == word[:3] for one in found):
            found.append(word)
    return found


def _phrases(world: World, new: Mapping[str, str]) -> dict[str, Any]:
    """Return the content of phrases.yaml with the new words. new: by label."""
    phrases, own = world.lexicon.phrases, dict(world.lexicon.own_phrases)
    common = [text for text in phrases.common if not _ARTICLE.search(text)]
    forms = {
        name: {
            new[label]: _put(text, label, new[label])
            for label, text in texts.items()
            if label in new
        }
        for name, texts in phrases.forms.items()
    }
    told = {
        **own,
        "relation": phrases.relation,
        "question": phrases.question,
        "complete": phrases.complete,
        "confirm": phrases.confirm,
        "common": common or [phrases.complete],
        "forms": forms,
        "plurals": {},
        "synonyms": {},
        "meanings": {word: _meaning(world, label) for label, word in new.items()},
        "clauses": {},
    }
    if phrases.clauses:
        plain = told["common"][0].rstrip(".")
        told["clauses"] = {word: _with_label(plain, word, forms) for word in new.values()}
    return told


def _put(text: str, label: str, word: str) -> str:
    """Return the form of a label with another word in its place; the word alone, where it is not in it."""
    return text.replace(label, word) if label in text else word


def _meaning(world: World, label: str) -> str:
    """Return what a label means, with {a} and {b}: as the lexicon or the theory says it, or in its own words."""
    phrases, meaning = world.lexicon.phrases, world.meaning[label]
    if label in phrases.meanings:
        return phrases.meanings[label]
    defined = world.theory.define(meaning.kind.name, meaning.form)
    if defined and world.lexicon.language.split("-")[0] == "en":
        return defined
    plain = _with_label(phrases.complete, label, phrases.forms).rstrip(".")
    return re.sub(r"\{([ab]):([^{}|]*)\}", lambda slot: _in_case(world, slot[1], slot[2]), plain)


def _in_case(world: World, slot: str, case: str) -> str:
    """Return a slot with what its case puts around a name: "de {a}"."""
    letter = {"a": "X", "b": "Y"}[slot]  # as a prompt fills them
    return world.lexicon.spell(letter, case).written().replace(letter, f"{{{slot}}}")


def _with_label(text: str, word: str, forms: Mapping[str, Mapping[str, str]]) -> str:
    """Return a phrase with a word for {r}, in the form that it asks for."""

    def said(slot: re.Match[str]) -> str:
        form = forms.get(slot[1] or "", {}).get(word, word)
        return f"{{a:{form}}}" if "|" in form else form

    return _LABEL.sub(said, text)


def _templates(content: Mapping[str, Any], word: str) -> tuple[Template, ...]:
    """Return the plain sentences of the language with this word, each once."""
    texts = dict.fromkeys(_sentences(content["common"], word, content["forms"]))
    return tuple(Template.parse(text) for text in texts)


def _sentences(
    common: Sequence[str], word: str, forms: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    for text in common:
        found = _with_label(text, word, forms)
        slots = Template.parse(found).slots
        if sorted(slots) == ["a", "b"]:
            yield found
