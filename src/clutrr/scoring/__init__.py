"""Answers to the questions of a data set, read and scored."""

from clutrr.scoring.answers import ASKS, WHICH, AnswerReader, Asked
from clutrr.scoring.predictions import (
    PREDICTIONS,
    READINGS,
    Answer,
    Predictions,
    named,
    read_predictions,
    read_result,
)
from clutrr.scoring.result import Result, Score, Trained
from clutrr.scoring.score import score

__all__ = [
    "ASKS",
    "PREDICTIONS",
    "READINGS",
    "WHICH",
    "Answer",
    "AnswerReader",
    "Asked",
    "Predictions",
    "Result",
    "Score",
    "Trained",
    "named",
    "read_predictions",
    "read_result",
    "score",
]
