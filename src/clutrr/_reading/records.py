"""What reading a text returns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, overload

from clutrr._puzzle import Fact
from clutrr._statement import Statement, StatementKind


class Understood(StrEnum):
    """What became of a sentence.

    SILENT     it can state no relation
    READ       all of it is understood
    UNREAD     it might state something, and is not understood
    REVISING   it may take back what others say
    """

    SILENT = "silent"
    READ = "read"
    UNREAD = "unread"
    REVISING = "revising"


class Unread(NamedTuple):
    """A span that was not understood, `text[start:end]`, and why, "" where that is not known."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True)
class SentenceReading:
    """A sentence, `text[start:end]`, what became of it, and what it says.

    unread: spans of it that are not understood. settled: what it asserts, alternatives in the word of a form
    that the text tells anywhere: "Ann's child is Bo. He ..." is a son. worded: whether it has the wording of
    the world's own templates, or is of its prose.
    """

    start: int
    end: int
    understood: Understood
    statements: tuple[Statement, ...] = ()
    unread: tuple[Unread, ...] = ()
    settled: tuple[Statement, ...] = ()
    worded: bool = False

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts that it asserts."""
        return tuple(
            Fact(one.head, one.relations[0], one.tail)
            for one in self.settled
            if one.kind is StatementKind.FACT
        )

    @property
    def in_doubt(self) -> bool:
        """Whether it may say more than is known, or take something back."""
        return bool(self.unread) or self.understood in (Understood.UNREAD, Understood.REVISING)


@dataclass(frozen=True)
class Statements(Sequence[Statement]):
    """What a text says: a sequence of statements.

    sentences: of the text, in order. forms: of entities, as the text tells them anywhere.
    """

    text: str
    sentences: tuple[SentenceReading, ...]
    forms: Mapping[str, str] = field(default_factory=dict)

    @property
    def settled(self) -> tuple[Statement, ...]:
        """What is asserted, in the words of the forms that are told."""
        return tuple(one for sentence in self.sentences for one in sentence.settled)

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts that are asserted, as often as they are."""
        return tuple(fact for sentence in self.sentences for fact in sentence.facts)

    @property
    def unread(self) -> tuple[Unread, ...]:
        """The spans that were not understood."""
        return tuple(span for sentence in self.sentences for span in sentence.unread)

    @property
    def in_doubt(self) -> tuple[str, ...]:
        """The sentences that may say more than is known, or take something back."""
        return tuple(self.said(one) for one in self.sentences if one.in_doubt)

    @property
    def revised(self) -> bool:
        """Whether some sentence may take back what others say."""
        return any(sentence.understood is Understood.REVISING for sentence in self.sentences)

    def said(self, span: SentenceReading | Statement | Unread) -> str:
        """Return the words of a span."""
        return self.text[span.start : span.end]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, for JSON."""
        return {
            "statements": [
                {
                    "kind": one.kind.value,
                    "head": one.head,
                    "relations": list(one.relations),
                    "tail": one.tail,
                    "entities": list(one.entities),
                    "status": one.status.value,
                    "start": one.start,
                    "end": one.end,
                }
                for one in self
            ],
            "forms": dict(self.forms),
            "unread": [span._asdict() for span in self._gaps()],
        }

    def __str__(self) -> str:
        lines = [
            (one.start, f"{one.status.value}: {_in_short(one)}  ({self.said(one)})") for one in self
        ]
        for span in self._gaps():
            because = f" ({span.reason})" if span.reason else ""
            lines.append((span.start, f"not understood: {self.said(span)}{because}"))
        width = len(str(len(self.text)))
        return "\n".join(f"{at:{width}}  {line}" for at, line in sorted(lines))

    def _gaps(self) -> Iterator[Unread]:
        """Yield the spans that were not understood, and the sentences that may take something back."""
        for sentence in self.sentences:
            yield from sentence.unread
            if sentence.understood is Understood.REVISING:
                yield Unread(sentence.start, sentence.end, "it may take back what others say")

    @property
    def _all(self) -> tuple[Statement, ...]:
        return tuple(said for sentence in self.sentences for said in sentence.statements)

    @overload
    def __getitem__(self, index: int) -> Statement: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Statement]: ...

    def __getitem__(self, index: int | slice) -> Statement | Sequence[Statement]:
        return self._all[index]

    def __len__(self) -> int:
        return sum(len(sentence.statements) for sentence in self.sentences)

    def __iter__(self) -> Iterator[Statement]:
        return iter(self._all)


def _in_short(said: Statement) -> str:
    """Return what a statement says, as a formula."""
    words = " or ".join(said.relations)
    if said.kind is StatementKind.FORM:
        return f"{said.head} is {words}"
    if said.kind is StatementKind.CLOSURE:
        return f"{said.head}: {words} = {', '.join(said.entities) or 'nobody'}"
    denied = "not " if said.kind is StatementKind.DENIAL else ""
    return f"{said.head}: {denied}{words} = {said.tail}"
