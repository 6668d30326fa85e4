"""One reply of several to each question: best of n.

majority    one whose answer most replies give
steps       one that takes most steps to the answer, less its wrong claims; of equally good ones, one whose
            answer most replies give
"""

from collections import Counter
from dataclasses import replace

from clutrr._data import Dataset
from clutrr._puzzle import Puzzle
from clutrr._score.predictions import Key, Predictions, ReadAnswer
from clutrr._score.replies import AnswerReader
from clutrr._score.reward import steps_taken
from clutrr.errors import ConfigError

MAJORITY, STEPS = "majority", "steps"
WAYS = (MAJORITY, STEPS)


def one_of_several(data: Dataset, predictions: Predictions, how: str) -> Predictions:
    """Return one answer to each question that has several; what is not of the data stays as it is.

    Args:
        data: the puzzles.
        predictions: the answers to them.
        how: one of `WAYS`.
    """
    if how not in WAYS:
        raise ConfigError(f"is not one of {', '.join(WAYS)}", setting="select", value=how)
    reader = AnswerReader(data.world)
    chosen = dict(predictions.answers)
    for part in data.parts():
        for puzzle in part.puzzles:
            key: Key | None = predictions.key(part.subset, puzzle.id)
            if key is None or len(predictions.answers[key]) < 2:
                continue
            read = predictions.read(part.subset, puzzle, reader)
            best = _best(read, puzzle, data, how)
            chosen[key] = (predictions.answers[key][best],)
    return replace(predictions, answers=chosen, selected=how)


def _best(read: list[ReadAnswer], puzzle: Puzzle, data: Dataset, how: str) -> int:
    """Return the number of the reply to keep."""
    votes = Counter(one.found for one in read if one.found is not None)
    values = [0.0] * len(read)
    if how == STEPS:
        values = [_value(one, puzzle, data) for one in read]
    return max(range(len(read)), key=lambda n: (values[n], votes[read[n].found or ""], -n))


def _value(one: ReadAnswer, puzzle: Puzzle, data: Dataset) -> float:
    """Return what the steps of a reply are worth, from 0 to 1; one without an answer is worth nothing."""
    if one.found is None:
        return 0.0
    said = "\n\n".join(filter(None, (one.given.reasoning, one.given.text)))
    found = steps_taken(said, puzzle.query, puzzle.given, data.world, data.assume)
    return 0.0 if found is None else found
