"""Questions about stories: read, decided and explained. Never imports the generator."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from clutrr.config import DEFAULT_WORLD
from clutrr.errors import ConfigError, DataError
from clutrr.files import Where
from clutrr.puzzle import Fact
from clutrr.theory import Explanation, Finding, Verdict
from clutrr.theory.solver import Alternative, Claim, Proof, ProofStep
from clutrr.wording import StoryReader
from clutrr.wording.reading import ReadAs
from clutrr.world import Phrases, World, load_world

_REMEMBERED = 1 << 15  # verdicts
_SHOWN = 5  # sentences that were not understood


@dataclass(frozen=True)
class Solution:
    """What the second entity of the query can be to the first, and why.

    answers: the possible relations of the label set. unread: sentences about relations
    that were not understood; the answer does not depend on them.
    """

    world: World
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
    def assume(self) -> str:
        """The name of the assumption under which scenes are possible."""
        return self.verdict.assume

    @cached_property
    def proof(self) -> str:
        """The explanation as text."""
        return "\n".join(self._lines())

    def __str__(self) -> str:
        return self.proof

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, for JSON."""
        explanation = self.explanation
        return {
            "assume": self.assume,
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
                    **alternative.scene.to_dict(),
                }
                for alternative in explanation.alternatives
            ],
            "conflict": [list(fact) for fact in explanation.conflict],
        }

    def _lines(self) -> Iterator[str]:
        yield from self._because()
        phrases = self.world.lexicon.phrases
        yield from (phrases.say("unread", text=text) for text in self.unread[:_SHOWN])
        if len(self.unread) > _SHOWN:
            more = f"{len(self.unread) - _SHOWN} more sentences."
            yield phrases.say("unread", text=more)
        brief = phrases.assumption(self.assume, self.world.theory.assumption(self.assume).brief)
        yield phrases.say("assumed", name=self.assume, brief=brief)

    def _because(self) -> Iterator[str]:
        first, last = self.query
        phrases = self.world.lexicon.phrases
        if self.status is Finding.NOT_DECIDED:
            yield phrases.say("not decided", a=first, b=last)
            return
        if self.status is Finding.CONTRADICTORY:
            yield phrases.say("contradictory")
            yield from (f"  {self.world.say(*fact)}." for fact in self.explanation.conflict)
            return
        if self.explanation.proof is not None:
            yield from self._proof_lines(self.explanation.proof)
        elif self.status is Finding.OUTSIDE:
            yield phrases.say("no label", a=first, b=last)
        else:
            yield phrases.say("undetermined", claim=self._claimed(Claim(first, self.answers, last), "can be"))
        for alternative in self.explanation.alternatives:
            known = alternative.relation in self.answers
            called = self._either(first, [alternative.relation]) if known else self._a(alternative.relation)
            yield f"  {called}{self._given(alternative)}."

    def _proof_lines(self, proof: Proof) -> Iterator[str]:
        first, last = self.query
        before = None
        phrases = self.world.lexicon.phrases
        routes = _route_names(proof.steps, phrases)
        for i, (step, route) in enumerate(zip(proof.steps, routes, strict=True), 1):
            premises = [self._claimed(premise) for premise in step.premises if premise != before]
            clause = re.sub(r"\Athe ", "The ", phrases.say("and").join(premises))  # a name stays as it is
            line = f"{i}. {route}{clause}"
            if step.claim not in step.premises:
                head, relations, tail = step.claim
                other = "" if step.other is None else phrases.say("of", r=self._a(step.other), a=head)
                can = [self._claimed(step.claim)] if relations else []
                can += [other if can else phrases.say("is", b=tail, r=other)] if other else []
                line += phrases.say("so", claim=phrases.say("or else").join(can))
            before = step.claim
            yield line + "."
        if proof.further:
            yield phrases.say("besides", facts=self._listed(proof.further))
        for ruled in proof.ruled_out:
            yield phrases.say("not", r=ruled.relation, facts=self._listed(ruled.facts))
        word = "proved" if self.verdict.outside else "entailed"
        yield phrases.say(word, claim=self._claimed(Claim(first, self.answers, last)))

    def _claimed(self, claim: Claim, verb: str = "is") -> str:
        """Return that one of several relations holds, or can hold, in words."""
        head, relations, tail = claim
        if len(relations) == 1:
            return self.world.say(head, relations[0], tail)
        if not self.world.lexicon.phrases.clauses:
            return self.world.lexicon.phrases.say(verb, b=tail, r=self._either(head, relations))
        left_out = [relation for relation in self.world.relations if relation not in relations]
        if 0 < len(left_out) < len(relations):
            verb, relations = {"is": "is not", "can be": "cannot be"}[verb], tuple(left_out)
        *others, last = (f'"{relation}"' for relation in relations)
        listed = f"{', '.join(others)} or {last}" if others else last
        return f"the relation of {tail} to {head} {verb} {listed}"

    def _either(self, first: str, relations: Sequence[str]) -> str:
        """Return one of several relations to an entity, in words."""
        phrases = self.world.lexicon.phrases
        return phrases.relation.format(a=first, r=phrases.say("or").join(relations))

    def _a(self, relation: str) -> str:
        """Return something that has no label, in words, with its article."""
        return relation if relation.startswith("no ") else self.world.lexicon.phrases.say("a", r=relation)

    def _listed(self, facts: Iterable[Fact], join: str = "; ") -> str:
        return join.join(self.world.say(*fact) for fact in facts)

    def _given(self, alternative: Alternative) -> str:
        """Return what the alternative requires, and the scene that shows it."""
        scene = alternative.scene
        phrases = self.world.lexicon.phrases
        links = phrases.say("if", facts=self._listed(alternative.links, " and ")) if alternative.links else ""
        note = f" ({scene.note})" if scene.note and not links else ""
        return links + phrases.say("as in", scene=self.world.theory.scene, shown=f"{scene}{note}")


def _route_names(steps: Sequence[ProofStep], phrases: Phrases) -> list[str]:
    """Return what to put before each step, where a proof follows several routes and brings them together."""
    together = phrases.say("together")
    names, routes, before = [], 0, None
    for step in steps:
        pairs = {(head, tail) for head, _, tail in step.premises}
        if len(step.premises) > 1 and len(pairs) == 1:
            names.append(together)
        elif before in step.premises:
            names.append("")
        else:
            routes += 1
            names.append(phrases.say("route", number=routes))
        before = step.claim
    return names if routes > 1 and together in names else [""] * len(names)


def solve(
    story: str,
    query: tuple[str, str],
    world: str | Where | World = DEFAULT_WORLD,
    assume: str | None = None,
) -> Solution:
    """Return what the second entity of the query can be to the first, with a proof: `print` it.

    assume: which scenes are possible (docs/assumptions.md); None for the theory's default.

    >>> solve("Bob is Ann's son. Carl is Bob's brother.", ("Ann", "Carl")).answer
    'son'
    """
    if isinstance(query, str) or len(query) != 2:
        raise ConfigError(f"query: {query!r} is not two names, such as ('Ann', 'Dan')")
    world = load_world(world)
    reading = StoryReader(world).read(story, entities=None)
    first, last = query
    if first == last:
        raise DataError(f"query: {first} is named twice; ask about two different names")
    # A fact whose label needs a form that no sentence shows is not used.
    facts = tuple(fact for fact in reading.facts if reading.forms.get(fact.tail) != "")
    unread = tuple(
        sentence.text
        for sentence in reading.sentences
        if sentence.read_as is ReadAs.UNREAD or not set(facts).issuperset(sentence.facts)
    )
    named = {name for fact in facts for name in (fact.head, fact.tail)}
    for name in query:
        if name not in named:
            left = f"; not read: {' '.join(unread)[:200]}" if unread else ""
            raise DataError(f"query: no sentence of the story states a relation of {name}{left}")
    solver = world.theory.solver(world.labels, world.theory.assumption(assume).name)
    verdict = solver.verdict(facts, query)
    explanation = solver.explain(facts, query)
    return Solution(world, (first, last), facts, unread, verdict, explanation)


@dataclass(frozen=True)
class Judgement:
    """The finding, and whether the target is entailed: nothing else at all is possible.

    possible: those of the label set; none if nothing was decided.
    """

    finding: Finding
    entailed: bool
    possible: tuple[str, ...] = ()


class Judge:
    """Judges targets by facts. assume: the name of an assumption; None for the theory's default."""

    def __init__(self, world: World, assume: str | None = None) -> None:
        self.solver = world.theory.solver(world.labels, world.theory.assumption(assume).name)
        self._verdicts: dict[tuple[int | str, ...], Verdict] = {}

    def judge(self, facts: Sequence[Fact], query: tuple[str, str], target: str) -> Judgement:
        """Return what the facts say of the target. Questions that differ only in names are decided once."""
        asked = _numbered(facts, query)
        verdict = self._verdicts.get(asked)
        if verdict is None:
            if len(self._verdicts) >= _REMEMBERED:
                self._verdicts.clear()
            verdict = self._verdicts[asked] = self.solver.verdict(facts, query)
        finding = verdict.finding(target)
        return Judgement(finding, finding is Finding.PROVED and verdict.entailed, verdict.relations)


def _numbered(facts: Sequence[Fact], query: tuple[str, str]) -> tuple[int | str, ...]:
    """Return a question with numbers for names: the second name of the query, whose first one is 0, and the
    facts."""
    number = {query[0]: 0}
    asked: list[int | str] = [number.setdefault(query[1], 1)]
    for head, relation, tail in facts:
        asked += number.setdefault(head, len(number)), relation, number.setdefault(tail, len(number))
    return tuple(asked)
