"""Answers to the questions of a data set, read and scored."""

from clutrr.scoring.answers import WHICH, AnswerReader, QuestionForm
from clutrr.scoring.predictions import (
    PREDICTIONS,
    Answer,
    Predictions,
    named,
    pair,
    read_predictions,
    read_result,
    score,
)
from clutrr.scoring.result import Result, Score, Trained

__all__ = [
    "PREDICTIONS",
    "WHICH",
    "Answer",
    "AnswerReader",
    "QuestionForm",
    "Predictions",
    "Result",
    "Score",
    "Trained",
    "named",
    "pair",
    "read_predictions",
    "read_result",
    "score",
]
