"""The answer that a reply gives, in three stages.

extract    where the reply gives it: a mark, or the whole reply      Extracted
interpret  what the words there name and deny, clause by clause      Clause
commit     the one answer that the reply ends with, if there is one  ReadAnswer

`AnswerReader` runs them: the one reader for scores, rewards and every integration.
"""

from clutrr._score.replies.commit import ReadAnswer
from clutrr._score.replies.question import NO, WHICH, YES, QuestionForm
from clutrr._score.replies.reader import AnswerReader

__all__ = ["NO", "WHICH", "YES", "AnswerReader", "QuestionForm", "ReadAnswer"]
