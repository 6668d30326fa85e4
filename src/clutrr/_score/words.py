"""The words by which the answer reader follows a reply, and relations in other languages: data."""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any

from clutrr._io.yamls import read_yaml
from clutrr.errors import DataError


@cache  # read once: every reader of every world uses the same lists
def _lists(file: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = read_yaml(resources.files("clutrr._score") / file, DataError)
    return found


def words(name: str, languages: Iterable[str] = ()) -> frozenset[str]:
    """Return the words of a list, or those in these languages."""
    listed = _lists("words.yaml")[name]
    if isinstance(listed, str):
        return frozenset(listed.split())
    return frozenset(" ".join(listed.get(language, "") for language in languages).split())


def phrases(name: str) -> list[str]:
    """Return the phrases of a list, in all its languages."""
    listed = _lists("phrases.yaml")[name]
    if isinstance(listed, Mapping):
        listed = [phrase for language in listed.values() for phrase in language]
    return [str(phrase) for phrase in listed]


def translations() -> Mapping[str, Mapping[str, str]]:
    """Return words for English labels in other languages: by language, label by word."""
    listed = _lists("translations.yaml")
    return {
        language: {
            word.strip(): label for label, said in labels.items() for word in said.split(",")
        }
        for language, labels in listed.items()
    }
