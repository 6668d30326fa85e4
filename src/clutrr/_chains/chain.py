"""The chain: a solution in numbered steps, each judged."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import pyarrow as pa

from clutrr._puzzle import Fact
from clutrr._statement import Statement, from_record, to_record
from clutrr._table import STATEMENTS
from clutrr.theory.solver import Claim


class StepVerdict(StrEnum):
    """What a story says to a step: to its claims together."""

    STATED = "stated"  # each is one of the facts
    ENTAILED = "entailed"  # they follow from the facts
    POSSIBLE = "possible"  # the facts leave one of them open
    CONTRADICTED = "contradicted"  # one of them cannot be

    @property
    def right(self) -> bool:
        """Whether the story alone entails the step."""
        return self in (StepVerdict.STATED, StepVerdict.ENTAILED)


class ErrorKind(StrEnum):
    """What is wrong with a chain.

    MISREAD      a fact with another relation than the story states
    COMPOSITION  two claims put together to what does not follow
    CONVERSE     a relation the wrong way round
    INVENTED     a fact that the story neither states nor entails
    FORM         the right kind in the wrong form: "daughter" of a man
    ROUTE        a conclusion from one route, where only several together decide
    SKIPPED      a step left out, so that a later one does not follow from what is cited; nothing is wrong
    """

    MISREAD = "misread"
    COMPOSITION = "composition"
    CONVERSE = "converse"
    INVENTED = "invented"
    FORM = "form"
    ROUTE = "route"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Step:
    """One step of a chain.

    Args:
        text: as it stands in the chain.
        claims: what it asserts: facts that it brings in, and last what it concludes.
        verdict: what the story says to all its claims together.
        supported: whether each claim follows from what it cites by one composition, whatever its truth.
        premises: the numbers of the earlier steps that it cites, from 0.
        facts: the numbers of what it rests on, through all it cites: of the puzzle's facts, and then its statements.
    """

    text: str
    claims: tuple[Claim, ...]
    verdict: StepVerdict
    supported: bool
    premises: tuple[int, ...]
    facts: tuple[int, ...]

    @property
    def right(self) -> bool:
        return self.verdict.right


@dataclass(frozen=True)
class Chain:
    """A solution of a puzzle in numbered steps.

    Args:
        id: that of the puzzle and a number.
        puzzle: the id of the puzzle.
        world: its name.
        story, question, query, target, k, stated, statements: of the puzzle; stated are its facts.
        steps: in their order.
        first_error: the number of the first step that is not right, from 0; -1 if there is none.
        error: its kind, an `ErrorKind`; "" if nothing is wrong.
        style: how the steps are worded.
        order: how the argument goes: forward, backward, middle-out, ...
        answer: what the chain ends with.
        answer_right: whether that is the target.
    """

    id: str
    puzzle: str
    world: str
    story: str
    question: str
    query: tuple[str, str]
    target: str
    k: int
    stated: tuple[Fact, ...]
    statements: tuple[Statement, ...]
    steps: tuple[Step, ...]
    first_error: int
    error: str
    style: str
    order: str
    answer: str
    answer_right: bool

    @property
    def text(self) -> str:
        """The whole solution, a step a line."""
        return "\n".join(step.text for step in self.steps)

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """The place of each step in `text`: where it begins and ends."""
        found, start = [], 0
        for step in self.steps:
            found.append((start, start + len(step.text)))
            start += len(step.text) + 1
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """Return the chain as a row of plain data, by column."""
        return {
            "id": self.id,
            "puzzle": self.puzzle,
            "world": self.world,
            "story": self.story,
            "question": self.question,
            "query": list(self.query),
            "target": self.target,
            "k": self.k,
            "facts": [list(fact) for fact in self.stated],
            "statements": [to_record(one) for one in self.statements],
            "steps": [step.text for step in self.steps],
            "right": [step.right for step in self.steps],
            "verdicts": [step.verdict.value for step in self.steps],
            "supported": [step.supported for step in self.steps],
            "claims": [
                [
                    {"head": c.head, "relations": list(c.relations), "tail": c.tail}
                    for c in step.claims
                ]
                for step in self.steps
            ],
            "premises": [list(step.premises) for step in self.steps],
            "behind": [list(step.facts) for step in self.steps],
            "first_error": self.first_error,
            "error": self.error,
            "style": self.style,
            "order": self.order,
            "answer": self.answer,
            "answer_right": self.answer_right,
        }

    @classmethod
    def of_row(cls, row: dict[str, Any]) -> "Chain":
        """Return the chain that a row holds."""
        steps = tuple(
            Step(
                text,
                tuple(Claim(one["head"], tuple(one["relations"]), one["tail"]) for one in claims),
                StepVerdict(verdict),
                bool(supported),
                tuple(premises),
                tuple(behind),
            )
            for text, claims, verdict, supported, premises, behind in zip(
                *(row[name] for name in _OF_STEPS), strict=True
            )
        )
        first, second = row["query"]
        return cls(
            row["id"],
            row["puzzle"],
            row["world"],
            row["story"],
            row["question"],
            (first, second),
            row["target"],
            row["k"],
            tuple(Fact(*fact) for fact in row["facts"]),
            tuple(map(from_record, row.get("statements") or ())),
            steps,
            row["first_error"],
            row["error"],
            row["style"],
            row["order"],
            row["answer"],
            row["answer_right"],
        )


_OF_STEPS = ("steps", "claims", "verdicts", "supported", "premises", "behind")
_CLAIM = pa.struct(
    [("head", pa.string()), ("relations", pa.list_(pa.string())), ("tail", pa.string())]
)
SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("puzzle", pa.string()),
        ("world", pa.string()),
        ("story", pa.string()),
        ("question", pa.string()),
        ("query", pa.list_(pa.string())),
        ("target", pa.string()),
        ("k", pa.int32()),
        ("facts", pa.list_(pa.list_(pa.string()))),
        STATEMENTS,
        ("steps", pa.list_(pa.string())),
        ("right", pa.list_(pa.bool_())),
        ("verdicts", pa.list_(pa.string())),
        ("supported", pa.list_(pa.bool_())),
        ("claims", pa.list_(pa.list_(_CLAIM))),
        ("premises", pa.list_(pa.list_(pa.int32()))),
        ("behind", pa.list_(pa.list_(pa.int32()))),
        ("first_error", pa.int32()),
        ("error", pa.string()),
        ("style", pa.string()),
        ("order", pa.string()),
        ("answer", pa.string()),
        ("answer_right", pa.bool_()),
    ]
)


def to_table(chains: Sequence[Chain]) -> pa.Table:
    """Return chains as columns."""
    return pa.Table.from_pylist([chain.to_dict() for chain in chains], SCHEMA)


def from_table(table: pa.Table) -> Iterator[Chain]:
    """Yield the chains of a table."""
    for batch in table.to_batches(max_chunksize=1000):
        yield from map(Chain.of_row, batch.to_pylist())
