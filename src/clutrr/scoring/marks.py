r"""Where in a reply its answer stands.

Reasoning between <think> tags is set aside. An answer is marked by <answer> tags, \boxed{}, or a line
that starts with "Answer:"; of several marks the last one counts. A reply without a mark is its answer
as a whole.
"""

import re
from dataclasses import dataclass

_THOUGHT = re.compile(
    r"<(think|thinking|thought|reasoning)\b[^>]*>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE
)
# A chat template may have opened the reasoning before the reply began.
_THOUGHT_BEFORE = re.compile(r"\A.*</(?:think|thinking|thought|reasoning)\s*>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<answer\b[^>]*>(.*?)(</answer\s*>|(?=<answer\b)|\Z)", re.DOTALL | re.IGNORECASE)
_BOXED = re.compile(r"\\f?boxed\s*\{")
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


def spoken(reply: str) -> str:
    """The reply without its reasoning; of one that was cut short while reasoning nothing is left."""
    return _THOUGHT_BEFORE.sub("", _THOUGHT.sub(" ", reply))


def marks(spoken_reply: str) -> list[Mark]:
    """The marked answers in their order; of one within another only the inner."""
    found = [
        Mark(m.start(), m.end(), m[1], closed=m[2].startswith("</")) for m in _TAG.finditer(spoken_reply)
    ]
    found += _boxes(spoken_reply)
    found += [Mark(m.start(), m.end(), m[1]) for m in _LINE.finditer(spoken_reply)]
    inner = [one for one in found if not any(_within(other, one) for other in found)]
    return sorted(inner, key=lambda mark: mark.end)


def _within(inner: Mark, outer: Mark) -> bool:
    return inner is not outer and outer.start <= inner.start and inner.end <= outer.end


def _boxes(text: str) -> list[Mark]:
    found = []
    for match in _BOXED.finditer(text):
        depth, at = 1, match.end()
        while depth and at < len(text):
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        inside = text[match.end() : at - (depth == 0)]
        found.append(Mark(match.start(), at, _LATEX.sub(r"\1", inside), closed=depth == 0))
    return found


def answer_in(reply: str, *, strict: bool = False) -> str | None:
    """What the reply gives as its answer. strict: None unless just one answer is marked, whole."""
    said = spoken(reply)
    found = marks(said)
    if strict:
        return found[0].text if len(found) == 1 and found[0].closed else None
    return found[-1].text if found else said
