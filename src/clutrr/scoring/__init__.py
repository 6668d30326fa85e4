"""Answers to the questions of a data set, read and scored."""

from clutrr.scoring.answers import ASKS, WHICH, AnswerReader, Asked
from clutrr.scoring.predictions import READINGS, Answer, Predictions, named, read_predictions
from clutrr.scoring.score import Score, Scores, score

__all__ = [
    "ASKS",
    "READINGS",
    "WHICH",
    "Answer",
    "AnswerReader",
    "Asked",
    "Predictions",
    "Score",
    "Scores",
    "named",
    "read_predictions",
    "score",
]
