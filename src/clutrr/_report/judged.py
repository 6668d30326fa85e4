"""Judges of chains, scored: anybody's judgements, and those of `verify`."""

from collections.abc import Iterable, Mapping
from typing import Any

from clutrr._chains.read import ChainData
from clutrr._io.locations import is_location, parse_location
from clutrr._score.judges import (
    VERIFY,
    Judgements,
    JudgeResult,
    number_of,
    read_judgements,
    score_judge,
)
from clutrr._score.predictions import name_of
from clutrr.errors import ArgumentError


def score_judges(
    data: ChainData, given: Iterable[Any], split: str | None, command: str
) -> list[JudgeResult]:
    """Return how judges agree with the labels of chains.

    Args:
        data: the chains.
        given: of each judge a file, judgements by id, or "verify".
        split: train, test or all; None for test, or all without one.
        command: to be recorded.
    """
    found = []
    for number, one in enumerate(given):
        name, judgements = _judgements(one, number)
        found.append(score_judge(data, name, judgements, split, command))
    return found


def _judgements(given: Any, number: int) -> tuple[str, Judgements | None]:
    """Return the name of a judge and what it says; None for `verify`. number: of the judge, for its name."""
    columns = getattr(given, "columns", ())
    if isinstance(columns, Iterable) and {"id", "first_error"} <= set(columns):
        given = dict(zip(given["id"], given["first_error"], strict=True))
    if isinstance(given, Mapping):
        name = f"judgements-{number + 1}" if number else "judgements"
        try:
            said = {str(one): number_of(number) for one, number in given.items()}
        except (TypeError, ValueError):
            raise ArgumentError(
                "expected the number of the first wrong step by id, -1 for none", setting="answers"
            ) from None
        return name, Judgements(said)
    if not is_location(given):
        raise ArgumentError(
            "expected a path, judgements by id, a frame with id and first_error, or 'verify', "
            f"not {type(given).__name__}",
            setting="answers",
        )
    path = parse_location(given)
    if str(given) == VERIFY and not path.is_file():
        return VERIFY, None
    return name_of(path), read_judgements(path)
