"""The one answer that a reply ends with, and whether it stands by it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from clutrr._puzzle import CANNOT_BE_TOLD
from clutrr._score.replies.interpret import Clause
from clutrr._score.words import phrases, words

_HEDGED = re.compile(rf"\b(?:{'|'.join(words('hedge'))}|not (?:so |quite )?(?:sure|certain))\b")
_RETRACTED = re.compile(
    rf"(?:^|[.!?\n])\s*(?:{'|'.join(words('retraction'))})\b(?! other)"
    rf"|\b{re.escape(CANNOT_BE_TOLD)}\b"
)
_MARKS = " ,;:.-\u2013\u2014"
_CORRECTION = re.compile(
    rf"(?:^|[-\u2013\u2014,;:.!?…\s(])\s*(?:{'|'.join(phrases('correction'))})(?!\w)", re.IGNORECASE
)
_NO_BUT = re.compile(  # "a nephew... no, a son", "A? No, B"
    r"(?<=\w)\s*(?:\.\.\.|\u2026|\?|\s[-\u2013\u2014])\s*no\b[,.:]?\s+(?=\S)", re.IGNORECASE
)
_UNSURE = re.compile(r"[%≠~⊥=\xac]|</")  # in a marked answer: "father (0%)"
_EVERY = re.compile(r"\b(?:all|any|both|each|every|none|neither)\b")  # beside a letter or "yes"
_REFUSED = re.compile("|".join(phrases("refusal")))


@dataclass(frozen=True)
class ReadAnswer:
    """What a reply answers.

    Args:
        value: a relation, "cannot be told", "yes" or "no"; None if there is no single answer.
        refused: whether the reply declines to answer, or says that it does not know.
        committed: whether exactly one answer is marked, and the reply stands by it: nothing
            doubts it, denies it or takes it back. Rewards pay for such answers alone.
    """

    value: str | None = None
    refused: bool = False
    committed: bool = False


def corrected(text: str, yes_no: bool = False) -> str:
    """Return what stands behind the last correction in an answer: "a son - no, wait, a nephew".

    yes_no: whether "no" may be the answer itself.
    """
    if not yes_no:
        text = _NO_BUT.split(text)[-1]
    parts = _CORRECTION.split(text)
    return text if len(parts) == 1 else parts[-1].lstrip(_MARKS)


def settle(clauses: Iterable[Clause], marked: bool, start: Iterable[str | None]) -> set[str | None]:
    """Return what clauses name when all is said: one thing, if they give an answer.

    Args:
        clauses: those of the answer, in their order.
        marked: whether they are in a mark, so that a first clause is the answer and later ones
            explain it; else every clause counts, and a conclusion replaces what was before.
        start: what is named already, such as the option of a letter.
    """
    found: set[str | None] = {*start}
    for clause in clauses:
        # Several relations after "cannot be told" are the reason for it.
        reason = found == {CANNOT_BE_TOLD} and len(clause.named) > 1
        concluded = not marked and clause.concludes and clause.named
        if clause.against or not found or concluded:
            found = {*clause.named}
        elif (not marked and not reason) or clause.turns or (clause.bare and not reason):
            found.update(clause.named)
        found -= clause.denied
    return found


def takes_back(after: str) -> bool:
    """Return whether what follows a marked answer begins by taking it back: "Scratch that."."""
    return _CORRECTION.match(after.strip()[:100]) is not None


def refuses(reply: str) -> bool:
    """Return whether a reply, in lower case, declines to answer."""
    return _REFUSED.search(reply) is not None


def stands_by(
    said: str,
    clauses: Sequence[Clause],
    found: set[str | None],
    after: str,
    later: Iterable[Clause],
) -> bool:
    """Return whether a marked answer says what was found, and nothing doubts it or takes it back.

    Args:
        said: what the mark says, in lower case.
        clauses: its clauses.
        found: what they name.
        after: what follows the mark, in lower case.
        later: its clauses.
    """
    if _UNSURE.search(said) or _HEDGED.search(f"{said} {after}") or _CORRECTION.search(said):
        return False
    if found != {"no"} and any(clause.loose for clause in clauses):
        return False
    if found != {CANNOT_BE_TOLD} and (_RETRACTED.search(after) or takes_back(after)):
        return False
    return not any(
        clause.against or (clause.bare and clause.named and {*clause.named} != found)
        for clause in later
    )


def names_all(said: str) -> bool:
    """Return whether a text, in lower case, speaks of all options or of none: "any of A-D"."""
    return _EVERY.search(said) is not None
