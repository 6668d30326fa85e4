"""Trees in text, each branch with the relation that leads to it.

Ann
└─ son: Bob
   └─ sister: Carol, so Ann's daughter
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from clutrr._puzzle import Fact

_DRAWN = re.compile(r"^[\s─-╿|`+-]*[─-╿][\s─-╿|`+-]*")


class Branch(NamedTuple):
    """What a line of a tree says: a fact, and the rest of the line as a clause about whom it names."""

    facts: tuple[Fact, ...]
    rest: str


class Branches:
    """Reads trees, line by line.

    Args:
        names: of the entities, each as it may be written, with the entity that it names.
        relations: words of relations, each with its label.
    """

    def __init__(self, names: Mapping[str, str], relations: Mapping[str, str]) -> None:
        self._names, self._relations = names, relations
        name = _any(names)
        self._root = re.compile(rf"\s*(?P<name>{name})\s*:?\s*$")
        self._branch = re.compile(
            rf"(?P<relation>{_any(relations)})\s*[:=]\s*(?P<name>{name})\b(?P<rest>.*)$",
            re.IGNORECASE,
        )
        self._open: list[
            tuple[int, str]
        ] = []  # entities that may have branches, with their columns

    def next(self, line: str) -> Branch | None:
        """Return what a line says as part of a tree, None if it is no part of one that is understood."""
        root = self._root.match(line)
        if root:
            self._open = [(-1, self._names[root["name"]])]
            return None
        drawn = _DRAWN.match(line)
        match = self._branch.match(line, drawn.end()) if drawn else None
        if drawn is None or match is None:
            return None
        self._open = [one for one in self._open if one[0] < drawn.end()]
        if not self._open:
            return None
        owner, name = self._open[-1][1], self._names.get(match["name"])
        if name is None:
            return None
        self._open.append((drawn.end(), name))
        rest = re.sub(r"^\s*,?\s*(?:so|thus|hence|therefore)\s+", f" So {name} is ", match["rest"])
        label = self._relations[match["relation"].lower()]
        return Branch((Fact(owner, label, name),), rest)


def _any(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True))) or r"(?!)"
