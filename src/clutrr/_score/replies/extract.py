r"""Where in a reply its answer is.

Reasoning between <think> tags is set aside, and so is what a base model goes on to invent: the end
of its turn, and the next question. An answer is marked by <answer> tags, \boxed{}, "answer" in
JSON, or a line that starts with "Answer:" in a common language. Where there is none of these, a
weaker mark counts ("Result:", "A:"). Of several marks the last one counts.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from clutrr._score.words import phrases

_THOUGHT = re.compile(
    r"<(think|thinking|thought|reasoning)\b[^<>]{0,100}>.*?(?:</\1\s*>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
# A chat template may have opened the reasoning before the reply began.
_THOUGHT_BEFORE = re.compile(
    r"\A.*(?:</(?:think|thinking|thought|reasoning)\s*>|<\|channel\|>final<\|message\|>)",
    re.DOTALL | re.IGNORECASE,
)
_END_OF_TURN = re.compile(
    r"</s>|<\|(?:im_end|eot_id|eom_id|endoftext|end_of_text|end)\|>|<end_of_turn>|<eos>"
)
# A line that begins another item, as a base model writes when it does not stop.
_NEXT_ITEM = re.compile(
    r"^[^\w\n]*(?:question|q|story|user|human|problem|example)\b[ \t]*\d*[ \t*_]*:"
    r"|^\W*read the story\b",
    re.IGNORECASE | re.MULTILINE,
)
_LATEX = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf|mathit|mbox)\s*\{([^{}]*)\}")
_STRUCK = re.compile(
    r"~~[^~\n]*~~|<(del|strike)>[^<>\n]*</\1>|(?<=\S )<s>[^<>\n]{1,40}</s>(?= *\S)"
)


def _braced(depth: int) -> str:
    """Return a pattern of what is between braces, with others in it; the last may not end."""
    inner = rf"|\{{{_braced(depth - 1)}(?:\}}|\Z)" if depth else ""
    return rf"(?:[^{{}}]++{inner})*+"


def _answer_line() -> str:
    """Return a pattern of a line that marks an answer: "Answer: x", or a heading and x below."""
    word = "|".join(phrases("answer"))
    lead_in = r"(?:(?:so|thus|hence|therefore|finally|in conclusion)\b[ ,:]*)?"
    named = rf"(?:(?:the|my)[ \t]+)?(?:(?:final|correct|endgültige)[ \t]+)?(?:{word})"
    colon = r"(?:[ \t]+is)?[ \t*_`]*[:\uff1a]"
    return (
        rf"(?:^[^\w\n]*(?:\d{{1,3}}[.):][^\w\n]*)?{lead_in}{named}(?:{colon}|[ \t]+is\b)"
        rf"|^[ \t]*[#*_]+[ \t]*{named}[ \t*_]*$"
        rf"|(?<=[.!?][ \t]){named}[*_]*:)"
        r"[ \t*_`]*(?:\n(?:[ \t]*```.*\n)?[ \t]*)*(.*)$"
    )


# The first group is what a mark says, the second the end of the mark, if it has one.
_STRONG = (
    re.compile(
        r"<answer\b[^<>]{0,100}>(.*?)(</answer\s*>|(?=<answer\b)|\Z)", re.DOTALL | re.IGNORECASE
    ),
    re.compile(rf"\\f?boxed\s*\{{(?=({_braced(3)})(\}}|\Z))"),  # looked ahead, for boxes within
    re.compile(r'"(?:final[ _]?)?answer"\s*:\s*("(?:[^"\\]|\\.)*"?|[^,}\n]*)', re.IGNORECASE),
    re.compile(_answer_line(), re.MULTILINE | re.IGNORECASE),
)
# In the middle of a line: "I first thought of a nephew, but the answer is son."
_SPOKEN = (
    re.compile(
        r"(?:(?<=[.!?])[ \t]+|,[ \t]+)(?:(?:so|but|hence|thus|therefore|and)\b[ ,]*)?(?:the|my)[ \t]+"
        rf"(?:(?:final|correct|right)[ \t]+)?(?:{'|'.join(phrases('answer'))})[ \t]+(?:is|must be|should be)\b[ \t:]*"
        r"([^.!?\n]+)",
        re.IGNORECASE,
    ),
)
# What denies the box behind it: "not \boxed{son}".
_DENIED_BEFORE = re.compile(
    r"(?:\bnot|n't|n\u2019t|\bnever)[ \t*_]+(?:an?[ \t]+|the[ \t]+)?[*_$]*$", re.IGNORECASE
)
_FAR = 40  # characters
_WEAK = (
    re.compile(
        rf"^[^\w\n]*(?:final[ \t]+)?(?:{'|'.join(phrases('result'))})[*_]*[ \t]*[:\uff1a](.*)$",
        re.MULTILINE | re.IGNORECASE,
    ),
    re.compile(rf"(?:{'|'.join(phrases('answer'))})\s*(?:是|为|は)\s*([^\n。]*)"),
    re.compile(r"(?<!\w)\*\*([^*\n]{1,60})\*\*[.!]?\s*\Z"),  # the last words, in bold
)


@dataclass(frozen=True)
class Extracted:
    """What a reply gives as its answer.

    Args:
        text: what the last mark says; the reply without its reasoning where nothing is marked.
        marked: whether a mark says so.
        single: whether exactly one answer is marked in the whole reply, and not cut off.
        after: what follows the mark.
    """

    text: str
    marked: bool = False
    single: bool = False
    after: str = ""


class _Mark(NamedTuple):
    """A mark by its places alone: the texts of nested marks would take memory without bound.

    start, stop: the place of what it says. closed: whether the end of the mark is there too.
    """

    begin: int
    end: int
    start: int
    stop: int
    closed: bool


def extract(reply: str) -> Extracted:
    """Return where a reply gives its answer; nothing is left of one cut short while reasoning."""
    said = _THOUGHT_BEFORE.sub("", _THOUGHT.sub(" ", reply))
    said = _STRUCK.sub(" ", said)
    if ended := _END_OF_TURN.search(said):
        said = said[: ended.start()]
    marks = _marks(said, _STRONG)
    single = len(marks) == 1 and marks[0].closed
    if not marks:
        marks = _marks(said, _SPOKEN) or _marks(said, _WEAK)
    if not marks:
        return Extracted(said)
    last = _last(said, _before_next_item(said, marks))
    later = [one for one in _marks(said, _SPOKEN) if one.begin >= last.end]
    if later and _NEXT_ITEM.search(said, last.end, later[0].begin) is None:
        last, single = later[-1], False
    text = _STRUCK.sub(" ", _LATEX.sub(r"\1", said[last.start : last.stop]))
    if _DENIED_BEFORE.search(said, max(0, last.begin - _FAR), last.begin):
        text = f"not {text}"
    return Extracted(text, True, single, said[last.end :])


def next_item(reply: str) -> int | None:
    """Return where the next item begins that a base model goes on with; None if there is none."""
    following = _NEXT_ITEM.search(reply)
    return following.start() if following else None


def _before_next_item(said: str, marks: Sequence[_Mark]) -> Sequence[_Mark]:
    """Leave out the marks behind the next question that a base model invents after its answer."""
    following = _NEXT_ITEM.search(said, marks[0].end)
    if following is None:
        return marks
    return [mark for mark in marks if mark.begin < following.start()]


def _last(said: str, marks: Sequence[_Mark]) -> _Mark:
    """Return the last mark, or the one before it where a reply repeats itself until it is cut off."""
    last = marks[-1]
    if len(marks) > 1 and last.stop == len(said.rstrip()):
        before = marks[-2]
        whole, begun = said[before.start : before.stop], said[last.start : last.stop]
        if whole != begun and whole.startswith(begun):
            return before
    return last


def _marks(said: str, patterns: Iterable[re.Pattern[str]]) -> list[_Mark]:
    """Return the marks in the order of their ends; of nested ones the innermost."""
    found = sorted(
        (mark for pattern in patterns for mark in _found(pattern, said)),
        key=lambda mark: (mark.begin, -mark.end),
        reverse=True,
    )
    innermost, least = [], sys.maxsize  # the first end among those that begin later
    for mark in found:
        if least > mark.end:
            innermost.append(mark)
        least = min(least, mark.end)
    return sorted(innermost, key=lambda mark: mark.end)


def _found(pattern: re.Pattern[str], text: str) -> Iterator[_Mark]:
    for match in pattern.finditer(text):
        last = match.lastindex or 0
        closed = last == 1 or bool(match[last])
        yield _Mark(match.start(), match.end(last), *match.span(1), closed=closed)
