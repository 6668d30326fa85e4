"""Verdicts on questions, and findings about answers to them: one vocabulary for all."""

from dataclasses import dataclass
from enum import StrEnum

from clutrr._puzzle import CANNOT_BE_TOLD


class Finding(StrEnum):
    """The result of checking a question, or a target: the answer that somebody gives to it.

    A question is proved, undetermined, outside, contradictory or not decided. A target is proved,
    undetermined, refuted, contradictory or not decided. Either is unread if its text was; a target is proved
    from what was read if some of its text was not.
    """

    PROVED = "proved"  # exactly one relation of the label set is possible (and it is the target)
    PROVED_AS_READ = (
        "proved from what was read"  # whatever the sentences say that were not understood
    )
    UNDETERMINED = "undetermined"  # several are (and the target is one of them)
    REFUTED = "refuted"  # the target is not possible
    OUTSIDE = "outside"  # no relation of the label set is possible
    CONTRADICTORY = "contradictory"  # the facts contradict each other
    UNREAD = "unread"  # a sentence about relations was not understood
    NOT_DECIDED = "not decided"  # deciding it would take more work than is allowed


@dataclass(frozen=True)
class Verdict:
    """What the second entity of a query can be to the first, over all possible scenes with the facts.

    relations: those of the label set, in its order. outside: whether something else is possible.
    assume: the name of the assumption under which scenes are possible. decided: False if it would take too
    much work; relations and outside then mean nothing. form_open: whether the kind is proved and the form of
    the second entity is not: the relations are the words of one kind.
    """

    relations: tuple[str, ...]
    outside: bool
    assume: str
    decided: bool = True
    form_open: bool = False

    @property
    def status(self) -> Finding:
        """The finding about the question itself."""
        if not self.decided:
            return Finding.NOT_DECIDED
        if not self.relations:
            return Finding.OUTSIDE if self.outside else Finding.CONTRADICTORY
        return Finding.PROVED if len(self.relations) == 1 else Finding.UNDETERMINED

    @property
    def contradictory(self) -> bool:
        return self.status is Finding.CONTRADICTORY

    @property
    def proved(self) -> bool:
        return self.status is Finding.PROVED

    @property
    def entailed(self) -> bool:
        """Whether the one relation holds in every scene with the facts."""
        return self.proved and not self.outside

    def finding(self, target: str) -> Finding:
        """Return the finding about a target. "cannot be told" is right if several relations are possible."""
        status = self.status
        if status in (Finding.CONTRADICTORY, Finding.NOT_DECIDED):
            return status
        if target == CANNOT_BE_TOLD:
            return Finding.PROVED if status is Finding.UNDETERMINED else Finding.REFUTED
        return status if target in self.relations else Finding.REFUTED


@dataclass(frozen=True)
class Composition:
    """The kinds that can hold between the ends of a route, and whether it is possible that none holds.

    determined: exactly one kind of the label set is possible. entailed: nothing else is possible either.
    """

    kinds: tuple[str, ...]
    outside: bool

    @property
    def determined(self) -> bool:
        return len(self.kinds) == 1

    @property
    def entailed(self) -> bool:
        return self.determined and not self.outside
