"""One question about one story, answered."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from clutrr.errors import DataError
from clutrr.facts import said
from clutrr.puzzle import Fact
from clutrr.solver.explain import Alternative, Explanation, explain
from clutrr.solver.solver import Solver
from clutrr.solver.verdict import Finding, Verdict
from clutrr.wording.reading import Reader
from clutrr.world import World
from clutrr.world.assumptions import Assumption

_SHOWN = 5  # sentences that were not understood


@dataclass(frozen=True)
class Solution:
    """What the second person of the query can be to the first, and why.

    answers: the possible relations of the label set. unread: sentences about kinship
    that were not understood; the answer does not depend on them.
    """

    query: tuple[str, str]
    facts: tuple[Fact, ...]
    unread: tuple[str, ...]
    verdict: Verdict
    explanation: Explanation

    @property
    def answers(self) -> tuple[str, ...]:
        return self.verdict.relations

    @property
    def answer(self) -> str | None:
        """The proved relation, if there is one."""
        return self.answers[0] if self.verdict.proved else None

    @property
    def status(self) -> Finding:
        return self.verdict.status

    @property
    def assume(self) -> Assumption:
        """Which families were assumed to be possible."""
        return self.verdict.assume

    @cached_property
    def proof(self) -> str:
        """The explanation as text."""
        return "\n".join(self._lines())

    def __str__(self) -> str:
        return self.proof

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        explanation = self.explanation
        return {
            "assume": self.assume.value,
            "query": list(self.query),
            "status": self.status.value,
            "answers": list(self.answers),
            "entailed": self.verdict.entailed,
            "outside": self.verdict.outside,
            "facts": [list(fact) for fact in self.facts],
            "unread": list(self.unread),
            "proof": self.proof.split("\n"),
            "alternatives": [
                {
                    "relation": alternative.relation,
                    "if": [list(fact) for fact in alternative.links],
                    "couples": [
                        {"partners": [p for p in couple.partners if p], "children": list(couple.children)}
                        for couple in alternative.family.couples
                    ],
                    "genders": alternative.family.genders,
                    "joined twice": list(alternative.family.twice),
                }
                for alternative in explanation.alternatives
            ],
            "conflict": [list(fact) for fact in explanation.conflict],
        }

    def _lines(self) -> Iterator[str]:
        yield from self._because()
        yield from (f"Not understood: {text}" for text in self.unread[:_SHOWN])
        if len(self.unread) > _SHOWN:
            yield f"Not understood: {len(self.unread) - _SHOWN} sentences more (--json lists them)."
        yield f"Assumed: {self.assume}, where {self.assume.brief}."

    def _because(self) -> Iterator[str]:
        first, last = self.query
        if self.status is Finding.NOT_DECIDED:
            yield f"Not decided: to tell what {last} can be to {first} takes more work than is allowed."
            return
        if self.status is Finding.CONTRADICTORY:
            yield "These facts cannot all hold:"
            yield from (f"  {said(fact)}." for fact in self.explanation.conflict)
            return
        if self.explanation.proof is not None:
            yield from self._proof_lines()
        elif self.status is Finding.OUTSIDE:
            yield f"{last} can be nothing of the label set to {first}."
        else:
            yield f"{last} can be {first}'s {_either(self.answers)}."
        for alternative in self.explanation.alternatives:
            called = f"{first}'s " if alternative.relation in self.answers else "a "
            yield f"  {called}{alternative.relation}{_given(alternative)}."

    def _proof_lines(self) -> Iterator[str]:
        first, last = self.query
        proof = self.explanation.proof
        assert proof is not None
        for i, step in enumerate(proof.steps, 1):
            line = f"{i}. {said(step.fact)}"
            if i > 1 or step.fact.head != first:
                can = [f"{first}'s {_either(step.verdict.relations)}"] if step.verdict.relations else []
                can += [f"a {step.other} of {first}"] if step.other is not None else []
                line += f"; so {step.person} is {', or '.join(can)}"
            yield line + "."
        if proof.besides:
            yield f"Besides: {'; '.join(map(said, proof.besides))}."
        for ruled in proof.ruled_out:
            yield f"Not {ruled.relation}: it would contradict {'; '.join(map(said, ruled.facts))}."
        if self.verdict.outside:
            yield f"So {last} is {first}'s {self.answer}, or no relation of the label set holds:"
        else:
            yield f"So {last} is {first}'s {self.answer}; nothing else is possible."


def _given(alternative: Alternative) -> str:
    """What the alternative requires, and the family that shows it."""
    links = f", if {' and '.join(map(said, alternative.links))}" if alternative.links else ""
    named = [name for name in alternative.family.twice if not name.startswith("?")]
    twice = f" ({' and '.join(named[:2])} are linked in two ways)" if len(named) > 1 and not links else ""
    return f"{links}, as in this family: {alternative.family}{twice}"


def _either(relations: Sequence[str]) -> str:
    return " or ".join(relations)


def solve_story(
    story: str, query: tuple[str, str], world: World, assume: Assumption | str = Assumption.OPEN
) -> Solution:
    """Read a story and answer what the second person of the query is to the first."""
    reading = Reader(world).read(story, people=None)
    first, last = query
    if first == last:
        raise DataError(f"query: {first} is named twice; name two people")
    named = {name for fact in reading.facts for name in (fact.head, fact.tail)}
    for name in query:
        if name not in named:
            unread = f"; not read: {' '.join(reading.unread)[:200]}" if reading.unread else ""
            raise DataError(f"query: no sentence of the story states a relation of {name}{unread}")
    solver = Solver(world, assume)
    return Solution(
        (first, last),
        reading.facts,
        reading.unread,
        solver.verdict(reading.facts, query),
        explain(solver, reading.facts, query),
    )
