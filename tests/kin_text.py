"""Reads stories back by the wording of the kinship world's files, with nothing of the package."""

import re
from pathlib import Path
from typing import NamedTuple

import yaml

FOLDER = Path(__file__).parents[1] / "src/clutrr/_lexicon/worlds/kinship"
_BRACKETS = re.compile(r"\[([^\]]*)\]")
_SENTENCE = re.compile(r"(?:\[[^\]]*\]|[^\[.])+\.")


class Said(NamedTuple):
    """A sentence: a fact (head, relation, tail), or what an attribute is (person, attribute, value)."""

    fact: bool
    subject: str
    what: str
    object: str


def _forms() -> dict[str, tuple[bool, str, list[str]]]:
    """The text of each template with empty brackets, and what it says."""
    forms = {}
    for relation, texts in yaml.safe_load((FOLDER / "templates.yaml").read_text()).items():
        for text in texts:
            forms[re.sub(r"\{\w+\}", "[]", text)] = True, relation, re.findall(r"\{(\w+)\}", text)
    for attribute, content in yaml.safe_load((FOLDER / "attributes.yaml").read_text()).items():
        for text in content["templates"]:
            forms[re.sub(r"\{\w+\}", "[]", text)] = False, attribute, re.findall(r"\{(\w+)\}", text)
    return forms


_FORMS = _forms()
VALUES = {
    attribute: set(content["values"])
    for attribute, content in yaml.safe_load((FOLDER / "attributes.yaml").read_text()).items()
}


def sentences(text: str) -> list[Said]:
    """Every sentence of a text; a KeyError where one is not of the world."""
    found = _SENTENCE.findall(text)
    assert " ".join(sentence.strip() for sentence in found) == text
    return [_read(sentence.strip()) for sentence in found]


def _read(sentence: str) -> Said:
    fact, what, slots = _FORMS[_BRACKETS.sub("[]", sentence)]
    filled = dict(zip(slots, _BRACKETS.findall(sentence), strict=True))
    return Said(fact, filled.get("a") or filled["person"], what, filled.get("b") or filled["value"])
