"""The form of a question, which decides what an answer can be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clutrr._puzzle import CANNOT_BE_TOLD, NO, YES

__all__ = ["NO", "WHICH", "YES", "QuestionForm"]


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
