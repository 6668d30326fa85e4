"""Where in a reply its answer is: marked by tags, a box, JSON, or a line that says so."""

import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from importlib import resources
from typing import Any, NamedTuple

from clutrr.errors import DataError
from clutrr.yamls import read_yaml

_THOUGHT = re.compile(
    r"<(think|thinking|thought|reasoning)\b[^<>]{0,100}>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE
)
# A chat template may have opened the reasoning before the reply began.
_THOUGHT_BEFORE = re.compile(
    r"\A.*(?:</(?:think|thinking|thought|reasoning)\s*>|<\|channel\|>final<\|message\|>)",
    re.DOTALL | re.IGNORECASE,
)
_TAG = re.compile(r"<answer\b[^<>]{0,100}>(.*?)(</answer\s*>|(?=<answer\b)|\Z)", re.DOTALL | re.IGNORECASE)
_BOXED = re.compile(r"\\f?boxed\s*\{")
_BRACE = re.compile(r"[{}]")
_JSON = re.compile(r'"(?:final[ _]?)?answer"\s*:\s*("(?:[^"\\]|\\.)*"?|[^,}\n]*)', re.IGNORECASE)
_WORDS: Mapping[str, Any] = read_yaml(resources.files("clutrr.scoring") / "words.yaml", DataError)


def words(name: str, languages: Iterable[str] = ()) -> frozenset[str]:
    """Return the words of a list, or those in these languages."""
    listed = _WORDS[name]
    found = [listed] if isinstance(listed, str) else [listed.get(language, "") for language in languages]
    return frozenset(" ".join(found).split())


def marked_lines(languages: Collection[str], other: bool = False) -> re.Pattern[str]:
    """Return what finds lines that mark an answer in these languages: "Answer: x", or a heading and x.

    other: in any but these.
    """
    word = "|".join(said for language, said in _WORDS["answer"].items() if (language in languages) != other)
    named = rf"(?:(?:the|my)[ \t]+)?(?:(?:final|correct|endgültige)[ \t]+)?(?:{word})"
    return re.compile(
        r"(?:^[^\w\n]*(?:\d{1,3}[.):][^\w\n]*)?(?:(?:so|thus|hence|therefore|finally|in conclusion)\b[ ,:]*)?"
        rf"{named}(?:(?:[ \t]+is)?[ \t*_`]*[:\uff1a]|[ \t]+is\b)|^[ \t]*[#*_]+[ \t]*{named}[ \t*_]*$"
        rf"|(?<=[.!?][ \t]){named}[*_]*:)"
        r"[ \t*_`]*(?:\n(?:[ \t]*```.*\n)?[ \t]*)*(.*)$",
        re.MULTILINE | re.IGNORECASE,
    )


_LATEX = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf|mathit|mbox)\s*\{([^{}]*)\}")


class _Mark(NamedTuple):
    """A marked answer by its places alone: the texts of nested marks would take memory without bound.

    start, stop: the place of what it says. closed: whether the end of the mark is there too.
    """

    begin: int
    end: int
    start: int
    stop: int
    closed: bool


def answer_in(reply: str, lines: re.Pattern[str], *, strict: bool = False) -> tuple[str | None, bool, str]:
    """Return what the reply gives as its answer, whether that is marked, and what comes after the mark.

    lines: what finds lines that mark one. strict: None unless exactly one is marked, completely.
    """
    # Without its reasoning; nothing is left if it was cut short while reasoning.
    said = _THOUGHT_BEFORE.sub("", _THOUGHT.sub(" ", reply))
    found = _innermost([*_tags(said), *_boxes(said), *_found(_JSON, said), *_found(lines, said)])
    marks = sorted(found, key=lambda mark: mark.end)
    if strict and (len(marks) != 1 or not marks[0].closed):
        return None, False, ""
    if not marks:
        return said, False, ""
    last = marks[-1]
    return _LATEX.sub(r"\1", said[last.start : last.stop]), True, said[last.end :]


def _innermost(marks: list[_Mark]) -> Iterator[_Mark]:
    """Yield those with no other within them."""
    least = sys.maxsize  # the first end among those that begin later
    for mark in sorted(marks, key=lambda mark: (mark.begin, -mark.end), reverse=True):
        if least > mark.end:
            yield mark
        least = min(least, mark.end)


def _tags(text: str) -> Iterator[_Mark]:
    for match in _TAG.finditer(text):
        yield _Mark(*match.span(), *match.span(1), closed=match[2].startswith("</"))


def _found(pattern: re.Pattern[str], text: str) -> Iterator[_Mark]:
    for match in pattern.finditer(text):
        yield _Mark(*match.span(), *match.span(1), closed=True)


def _boxes(text: str) -> Iterator[_Mark]:
    """Yield each box to the brace that closes it, or to the end."""
    closing, opened = dict[int, int](), list[int]()
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif opened:
            closing[opened.pop()] = brace.start()
    for match in _BOXED.finditer(text):
        close = closing.get(match.end() - 1)
        stop = len(text) if close is None else close
        yield _Mark(match.start(), stop + (close is not None), match.end(), stop, close is not None)
