"""Names in text without square brackets, by the world's own wordings: what stands where a wording has a name is one."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from clutrr._lexicon import World
from clutrr._reading.names import any_name, is_no_name
from clutrr._reading.shapes import NAME, Shape
from clutrr._reading.tokens import Token

_LONGEST = 6  # tokens of a name
_ENDS = frozenset((".", "!", "?", "...", "\u2026", "\u3002"))


@dataclass
class _Node:
    """Where wordings that begin alike go on. ends: whether one ends here."""

    next: dict[str, "_Node"] = field(default_factory=dict)
    ends: bool = False


class WordedNames:
    """Finds the names of sentences in a world's own wordings.

    no_first: words that begin no name but those of the world: none of several words, and none in a sentence's first place.
    """

    def __init__(self, world: World, wordings: Iterable[Shape], no_first: Collection[str]) -> None:
        self._root = _Node()
        for wording in wordings:
            node = self._root
            for word in wording:
                node = node.next.setdefault(word, _Node())
            node.ends = True
        self._is_name = re.compile(any_name(world))
        self._usual = {name for names in world.lexicon.names for name in names}
        self._no_first = no_first

    def named(self, text: str, row: Sequence[Token]) -> list[Token] | None:
        """Return the tokens of a sentence with its names as one each; None if its wording is not known."""
        last = len(row)
        while last and row[last - 1].norm in _ENDS:
            last -= 1
        asks = any(token.norm == "?" for token in row[last:])
        spans = next(self._spans(text, row[:last], 0, self._root, asks), None)
        if spans is None:
            return None
        found: list[Token] = []
        at = 0
        for start, end in spans:
            name = text[row[start].start : row[end - 1].end]
            whole = row[start]._replace(text=name, norm="", end=row[end - 1].end, name=name)
            found += [*row[at:start], whole]
            at = end
        return [*found, *row[at:]]

    def _spans(
        self, text: str, row: Sequence[Token], at: int, node: _Node, asks: bool
    ) -> Iterator[tuple[tuple[int, int], ...]]:
        """Yield the spans of the names from here on, in every way that the wordings allow."""
        if at == len(row):
            ended = node.next.get("?") if asks else node
            if ended is not None and ended.ends:
                yield ()
            return
        same = node.next.get(row[at].norm)
        if same is not None:
            yield from self._spans(text, row, at + 1, same, asks)
        after = node.next.get(NAME)
        if after is None:
            return
        for end in range(at + 1, min(at + _LONGEST, len(row)) + 1):
            if self._may_be_name(text, row, at, end):
                for rest in self._spans(text, row, end, after, asks):
                    yield ((at, end), *rest)

    def _may_be_name(self, text: str, row: Sequence[Token], start: int, end: int) -> bool:
        name = text[row[start].start : row[end - 1].end]
        if name in self._usual:
            return True
        if self._is_name.fullmatch(name) is None or is_no_name(name):
            return False
        opens = start == 0 or end > start + 1
        return not opens or row[start].norm not in self._no_first
