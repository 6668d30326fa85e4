"""Questions to be answered with yes or no, as data: "Is Bob Ann's son?" The relations asked about are kept in
`extra`; the target of such a puzzle is the answer.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from clutrr._data.part import extra_of, extra_with
from clutrr._lexicon import World
from clutrr._puzzle import NO, YES, Puzzle
from clutrr._reading import statements
from clutrr._statement import StatementKind, Status

ASKED = "asked"  # the key of the relations asked about, in `extra`
_ANSWERS = {"yes": YES, "true": YES, "no": NO, "false": NO}
_CLAIM = re.compile(r"\s*(?P<verb>is|was|are|were)\s+(?P<rest>.+?)\s*\?\s*", re.IGNORECASE)
_READ = (StatementKind.FACT, StatementKind.ALTERNATIVES)


def yes_or_no(answer: str) -> str | None:
    """Return the answer of a question to be answered with yes or no; None for another answer."""
    return _ANSWERS.get(answer.strip().rstrip(".").lower())


def asked_relations(puzzle: Puzzle) -> tuple[str, ...]:
    """Return the relations that a puzzle asks about with yes or no; none if it asks which one holds."""
    if puzzle.target not in (YES, NO):
        return ()
    listed = extra_of(puzzle).get(ASKED)
    return tuple(map(str, listed)) if isinstance(listed, list) else ()


def with_asked(puzzle: Puzzle, relations: tuple[str, ...], answer: str) -> Puzzle:
    """Return a puzzle that asks whether one of these relations holds."""
    known: Mapping[str, Any] = extra_of(puzzle)
    columns, others = known.get("own"), {n: c for n, c in known.items() if n != "own"}
    extra = extra_with(columns, **{**others, ASKED: list(relations)})
    return replace(puzzle, target=answer, abstract="", extra=extra)


def read_claim(question: str, world: World) -> tuple[tuple[str, str], tuple[str, ...]] | None:
    """Return what a question asks to confirm: the two entities, and the relations; None if that is not read.

    "Is Bob Ann's son?" is read as "Bob is Ann's son." would be, wherever its verb stands.
    """
    asked = _CLAIM.fullmatch(question)
    if asked is None:
        return None
    words = asked["rest"].split(" ")
    for at in range(1, len(words)):
        claim = " ".join([*words[:at], asked["verb"].lower(), *words[at:]])
        said = statements(f"{claim}.", world)
        told = [one for one in said if one.kind in _READ and one.status is Status.ASSERTED]
        if len(told) == len(said) == 1 and not said.unread:
            return (told[0].head, told[0].tail), told[0].relations
    return None
