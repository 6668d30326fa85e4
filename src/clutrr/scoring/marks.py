r"""Where in a reply the answer is.

Reasoning between <think> tags is set aside. An answer is marked by <answer> tags, \boxed{}, or a line
that starts with "Answer:"; of several marks the last one counts. A reply without a mark
is read as a whole.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

_THOUGHT = re.compile(
    r"<(think|thinking|thought|reasoning)\b[^<>]{0,100}>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE
)
# A chat template may have opened the reasoning before the reply began.
_THOUGHT_BEFORE = re.compile(r"\A.*</(?:think|thinking|thought|reasoning)\s*>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<answer\b[^<>]{0,100}>(.*?)(</answer\s*>|(?=<answer\b)|\Z)", re.DOTALL | re.IGNORECASE)
_BOXED = re.compile(r"\\f?boxed\s*\{")
_BRACE = re.compile(r"[{}]")
# "Answer:" in the languages in which worlds are likely to be written; any of them in any reply.
_ANSWER = "answer|antwort|réponse|reponse|respuesta|risposta|resposta|antwoord|svar|odpowiedź|ответ|答案|答え"
_LINE = re.compile(
    rf"^[^\w\n]*(?:(?:the|my|so|so the)\s+)?(?:(?:final|correct|endgültige)\s+)?(?:{_ANSWER})"
    r"(?:\s+is)?[ \t*_`]*[:\uff1a][ \t*_`]*(?:\n[ \t]*)*(.*)$",
    re.MULTILINE | re.IGNORECASE,
)
_LATEX = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf|mathit|mbox)\s*\{([^{}]*)\}")


@dataclass(frozen=True)
class Mark:
    """A marked answer: its place in the reply, and what it says. closed: whether its end is there too."""

    start: int
    end: int
    text: str
    closed: bool = True


@dataclass(frozen=True)
class _Found:
    """A mark by its places alone: the texts of nested marks would take memory without bound.

    inside: the place of what it says.
    """

    start: int
    end: int
    inside: tuple[int, int]
    closed: bool = True


def spoken(reply: str) -> str:
    """Return the reply without its reasoning; nothing if it was cut short while reasoning."""
    return _THOUGHT_BEFORE.sub("", _THOUGHT.sub(" ", reply))


def marks(spoken_reply: str) -> list[Mark]:
    """Return the marked answers in order; if one contains another, only the inner one."""
    found = [
        _Found(m.start(), m.end(), m.span(1), closed=m[2].startswith("</"))
        for m in _TAG.finditer(spoken_reply)
    ]
    found += _boxes(spoken_reply)
    found += [_Found(m.start(), m.end(), m.span(1)) for m in _LINE.finditer(spoken_reply)]
    inner = sorted(_innermost(found), key=lambda one: one.end)
    texts = (spoken_reply[slice(*one.inside)] for one in inner)
    return [
        Mark(one.start, one.end, _LATEX.sub(r"\1", text), one.closed)
        for one, text in zip(inner, texts, strict=True)
    ]


def _innermost(found: list[_Found]) -> Iterator[_Found]:
    """Yield those with no other within them."""
    least = sys.maxsize  # the first end among those that start later
    for one in sorted(found, key=lambda one: (one.start, -one.end), reverse=True):
        if least > one.end:
            yield one
        least = min(least, one.end)


def _boxes(text: str) -> Iterator[_Found]:
    """Yield each box to the brace that closes it, or to the end."""
    closing, opened = dict[int, int](), list[int]()
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif opened:
            closing[opened.pop()] = brace.start()
    for match in _BOXED.finditer(text):
        close = closing.get(match.end() - 1)
        end = len(text) if close is None else close
        yield _Found(match.start(), end + (close is not None), (match.end(), end), close is not None)


def answer_in(reply: str, *, strict: bool = False) -> str | None:
    """Return what the reply gives as its answer. strict: None unless exactly one is marked, completely."""
    said = spoken(reply)
    found = marks(said)
    if strict:
        return found[0].text if len(found) == 1 and found[0].closed else None
    return found[-1].text if found else said
