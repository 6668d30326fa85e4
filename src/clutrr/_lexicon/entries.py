"""Entries of a world's files, read as what they should be: every refusal names the file and the entry."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Any

from clutrr._io.yamls import read_yaml
from clutrr.errors import WorldError, short

SLOT = re.compile(r"\{(\w*)(?::[^{}]*)?\}")  # and how what is in it is written


@dataclass(frozen=True)
class Entry:
    """What a file holds at a place. name: of the place, "" for the file as a whole."""

    path: Traversable
    value: Any
    name: str = ""

    @classmethod
    def of_file(cls, path: Traversable) -> "Entry":
        """Return all of a file: a mapping that is not empty."""
        content = read_yaml(path, WorldError)
        if not isinstance(content, dict) or not content:
            raise WorldError("expected a mapping with at least one entry", place=path)
        return cls(path, content)

    def error(self, why: str) -> WorldError:
        place = f"{self.path}: {self.name}" if self.name else self.path
        return WorldError(why, place=place)

    def within(self, name: str) -> "Entry":
        """Return the entry of this name, None if there is none."""
        return Entry(self.path, self.value.get(name), f"{self.name}: {name}" if self.name else name)

    def items(self) -> dict[str, "Entry"]:
        """Return the entries of a mapping."""
        if not isinstance(self.value, dict):
            raise self.error("expected a mapping")
        return {name: self.within(name) for name in self.value}

    def fields(self, names: Sequence[str]) -> "list[Entry]":
        """Return the entries of a mapping that has exactly these."""
        if not isinstance(self.value, dict) or set(self.value) != set(names):
            raise self.error(f"expected exactly the fields {', '.join(names)}")
        return [self.within(name) for name in names]

    def list(self, least: int = 0) -> "list[Entry]":
        """Return the entries of a list."""
        if not isinstance(self.value, list) or len(self.value) < least:
            raise self.error("expected a list" + " with at least one entry" * least)
        return [Entry(self.path, one, self.name) for one in self.value]

    def text(self, without: str = "[]\n") -> str:
        """Return a text. without: characters that it may not have."""
        if (
            not isinstance(self.value, str)
            or not self.value.strip()
            or any(c in self.value for c in without)
        ):
            raise self.error(f"{short(self.value)} is not plain text, without brackets (quote it)")
        return self.value

    def texts(self) -> tuple[str, ...]:
        """Return a list of texts, each of them once."""
        found = [one.text() for one in self.list()]
        if twice := [one for one in found if found.count(one) > 1]:
            raise self.error(f"{short(twice[0])} appears twice")
        return tuple(found)

    def with_slots(self, slots: Collection[str], free: bool = False) -> str:
        """Return a text that holds each of these slots, once; free: any of them, and as often as it likes."""
        text = self.text()
        pieces = SLOT.split(text)
        fits = set(pieces[1::2]) <= set(slots) if free else sorted(pieces[1::2]) == sorted(slots)
        if not fits or any(mark in "".join(pieces[::2]) for mark in "{}"):
            named = " and ".join(f"{{{slot}}}" for slot in slots) or "none"
            why = (
                f"has another slot than {named}"
                if free
                else f"must hold {named} once, and no other slot"
            )
            raise self.error(f"{short(text)} {why}")
        return text
