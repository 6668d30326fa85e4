"""The form of a question, which decides what an answer can be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clutrr._puzzle import CANNOT_BE_TOLD, NO, YES

__all__ = ["NO", "SHORT", "WHICH", "YES", "QuestionForm"]

# What is an answer alone, and nothing of the kind beside other words.
SHORT = dict.fromkeys(
    (
        "y",
        "he is",
        "she is",
        "it is",
        "they are",
        "it does",
        "absolutely",
        "affirmative",
        "certainly",
        "definitely",
        "indeed",
        "of course",
        "sure",
        "exactly",
    ),
    YES,
) | dict.fromkeys(
    (
        "n",
        "not at all",
        "by no means",
        "negative",
        "never",
        "certainly not",
        "absolutely not",
        "definitely not",
        "of course not",
        "not true",
        "not so",
    ),
    NO,
)


@dataclass(frozen=True)
class QuestionForm:
    """The form of a question.

    Args:
        form: "which" relation; "yes-no", whether `relations[0]` holds; or "choice", which of the
            relations, lettered from A.
        relations: those that the question names.
        query: the two entities asked about, if they are known.
    """

    form: str = "which"
    relations: tuple[str, ...] = ()
    query: tuple[str, ...] = ()

    @property
    def claimed(self) -> str:
        """The relation whose holding is asked for, "" if it is not known: where several are listed."""
        return self.relations[0] if len(self.relations) == 1 else ""

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> "QuestionForm":
        """Return the form of a question by the columns of its prompt."""
        return cls(row["ask"], tuple(row["relations"]), tuple(row["query"]))

    def right(self, target: str, possible: Sequence[str] | None = None) -> str:
        """Return the right answer, if this is the target of the puzzle."""
        if self.form != "yes-no":
            return target
        if target == CANNOT_BE_TOLD:
            return CANNOT_BE_TOLD if self.relations[0] in (possible or self.relations) else NO
        return YES if self.relations[0] == target else NO


WHICH = QuestionForm()
