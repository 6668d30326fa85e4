"""A reply as plain sentences, with the place of each in the reply.

Models write what they conclude in many notations: lists, arrows, equations, tables. What each of them
says is put as a sentence of the world, in its place, and everything else is copied without its markup.
So one reader reads all of it, and what surrounds a notation ("Suppose ...") counts for it too.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple


class Line(NamedTuple):
    """A line of a reply without its markup. at: of each character, its place in the reply."""

    text: str
    at: tuple[int, ...]

    def cut(self, start: int, end: int | None = None) -> "Line":
        """Return a part of the line."""
        return Line(self.text[start:end], self.at[start:end])


@dataclass(frozen=True)
class Prose:
    """Sentences, and for each of their characters where it comes from in the reply.

    starts, ends: `reply[starts[i]:ends[i]]` is what character i stands for.
    """

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return the place in the reply of `text[start:end]`."""
        return self.starts[start], max(self.ends[start:end])


class ProseBuilder:
    """Puts sentences together, copied from a reply or in the place of a notation."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._begins = True  # whether a sentence begins here

    def copy(self, line: Line) -> None:
        """Add words of the reply; a sentence begins with a capital."""
        text = line.text
        if self._begins:
            first = len(text) - len(text.lstrip())
            text = text[:first] + text[first : first + 1].upper() + text[first + 1 :]
        self._begins = False
        self._pieces.append(text if len(text) == len(line.text) else line.text)
        self._starts += line.at
        self._ends += [place + 1 for place in line.at]

    def put(self, sentence: str, line: Line) -> None:
        """Add a sentence for what a notation says: all of it stands for all of the notation."""
        self._begins = False
        self._pieces.append(sentence)
        self._starts += [line.at[0]] * len(sentence)
        self._ends += [line.at[-1] + 1] * len(sentence)

    def stop(self) -> None:
        """End a sentence that may have no full stop."""
        if not self._starts:
            return
        last = "".join(self._pieces[-3:]).rstrip()[-1:]
        self._add(" " if last in ".!?" else ". ")
        self._begins = True

    def _add(self, text: str) -> None:
        self._pieces.append(text)
        self._starts += [self._ends[-1] - 1] * len(text)
        self._ends += [self._ends[-1]] * len(text)

    def done(self) -> Prose:
        """Return what was put together."""
        return Prose("".join(self._pieces), tuple(self._starts), tuple(self._ends))


_CROSSES = frozenset("\u2717\u2718\u274c\u2716")
_QUOTES = frozenset('"\u201c\u201d')
_MARKUP = frozenset("*`#$[]\u200b\u200c\u200d\u2060\ufeff")


def _is_picture(char: str) -> bool:
    """Return whether a character is an emoji or the like; a cross says something."""
    drawn = "\u2500" <= char <= "\u257f"  # the lines of tables and trees
    return (
        char > "\u2000"
        and char not in _CROSSES
        and not drawn
        and unicodedata.category(char) == "So"
    )


def lines(reply: str) -> Iterator[Line]:
    """Yield the lines of a reply without markup, but for its brackets and bars."""
    start = 0
    for whole in reply.splitlines(keepends=True):
        markup = _MARKUP if "{" in whole else _MARKUP | _QUOTES
        kept = [
            (char, start + number)
            for number, char in enumerate(whole.rstrip())
            if char not in markup and not _is_picture(char)
        ]
        if kept:
            yield Line("".join(char for char, _ in kept), tuple(at for _, at in kept))
        start += len(whole)


def replaced(line: Line, pattern: re.Pattern[str], words: Callable[[re.Match[str]], str]) -> Line:
    """Return a line with other words for what a pattern finds; each stands for all that it replaces."""
    text, last = "", 0
    at: tuple[int, ...] = ()
    for match in pattern.finditer(line.text):
        new = words(match)
        text += line.text[last : match.start()] + new
        at += line.at[last : match.start()]
        if new:
            at += (line.at[match.start()],) * (len(new) - 1) + (line.at[match.end() - 1],)
        last = match.end()
    return Line(text + line.text[last:], at + line.at[last:])
