"""Questions about stories: read, decided and explained. Never imports the generator."""

import html
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, overload

from clutrr._arguments import LocationLike, public
from clutrr._config import read_words
from clutrr._display import card
from clutrr._facts import named_in
from clutrr._lexicon import Speech, World
from clutrr._lexicon.saying import say_claim, say_forms, say_given
from clutrr._puzzle import Fact
from clutrr._reading import Statements, reader_of
from clutrr._reading.given import given_by
from clutrr._reading.own_wording import OwnWordingReader
from clutrr._statement import Statement
from clutrr._worlds import infer_world, load_world
from clutrr.errors import ArgumentError, DataError
from clutrr.theory import Drawing, Explanation, Finding, Verdict
from clutrr.theory.given import Given, all_facts, facts_in, names_in, statements_in
from clutrr.theory.solver import Alternative, Claim, Proof, ProofStep

_REMEMBERED = 1 << 15  # verdicts
_SHOWN = 5  # sentences that were not understood


@dataclass(frozen=True)
class Solution:
    """What the second entity of the query can be to the first, and why.

    answers: the possible relations of the label set. unread: sentences that may say more, with the reason where it
    is known: what follows from the others holds whatever they say. statements: what is given beside facts.
    unused: what the text says beside, of a kind that the solver cannot use. revised: whether a sentence may
    take back what others say, so that nothing follows.
    """

    world: World
    query: tuple[str, str]
    facts: tuple[Fact, ...]
    unread: tuple[str, ...]
    verdict: Verdict
    explanation: Explanation
    statements: tuple[Statement, ...] = ()
    unused: tuple[Statement, ...] = ()
    revised: bool = False

    @property
    def answers(self) -> tuple[str, ...]:
        return () if self.revised else self.verdict.relations

    @property
    def answer(self) -> str | None:
        """The proved relation, if there is one."""
        return self.answers[0] if self.status is Finding.PROVED else None

    @property
    def status(self) -> Finding:
        return Finding.UNREAD if self.revised else self.verdict.status

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

    def _repr_html_(self) -> str:
        """Return the solution as a card for a notebook: what is given, a scene, and the proof."""
        from clutrr.theory.svg import svg

        stated: list[Given] = [*self.facts, *self.statements]
        given = [html.escape(say_given(self.world, one)) for one in stated]
        shown = svg(self._drawing(), self.facts)
        asked = self.world.speech.ask("question", *self.query)
        parts = [
            ("Given", given),
            ("Scene", [shown] if shown else []),
            ("Answer", [html.escape(line) for line in self.proof.split("\n")]),
        ]
        return card(asked, parts)

    def _drawing(self) -> Drawing:
        """Return a scene in which the facts hold, as far as one can be shown."""
        for alternative in self.explanation.alternatives:
            return alternative.scene.drawing(self.query)
        given: list[Given] = [*self.facts, *self.statements]
        solver = self.world.theory.solver(self.world.labels, self.assume)
        scene = None if self.answer is None else solver.scene(given, self.query, self.answer)
        return solver.drawing(given) if scene is None else scene.drawing(self.query)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, for JSON."""
        explanation = self.explanation
        return {
            "assume": self.assume,
            "query": list(self.query),
            "status": self.status.value,
            "answers": list(self.answers),
            "entailed": self.verdict.entailed and not self.revised,
            "outside": self.verdict.outside,
            "form_open": self.verdict.form_open,
            "facts": [list(fact) for fact in self.facts],
            "statements": [_plain(one) for one in self.statements],
            "unused": [_plain(one) for one in self.unused],
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
            "conflict": [_plain(one) for one in explanation.conflict],
        }

    def _lines(self) -> Iterator[str]:
        yield from self._because()
        phrases, speech = self.world.lexicon.phrases, self.world.speech
        for one in self.unused[:_SHOWN]:
            yield speech.say("not used", claim=say_given(self.world, one))
        yield from (phrases.say("unread", text=text) for text in self.unread[:_SHOWN])
        if len(self.unread) > _SHOWN:
            more = f"{len(self.unread) - _SHOWN} more sentences."
            yield phrases.say("unread", text=more)
        for name, usual in self.explanation.presumed:
            yield phrases.say("presumed", brief=phrases.brief(name, usual))
        brief = phrases.brief(self.assume, self.world.theory.assumption(self.assume).brief)
        yield phrases.say("assumed", name=self.assume, brief=brief)

    def _because(self) -> Iterator[str]:
        first, last = self.query
        speech = self.world.speech
        stop = speech.say("stop")
        if self.revised:
            yield speech.say("taken back", a=first, b=last)
            return
        if self.status is Finding.NOT_DECIDED:
            yield speech.say("not decided", a=first, b=last)
            return
        if self.status is Finding.CONTRADICTORY:
            conflict = self.explanation.conflict
            yield speech.say("contradictory" if all_facts(conflict) else "conflict")
            yield from (f"  {say_given(self.world, one)}{stop}" for one in conflict)
            return
        if self.explanation.proof is not None:
            yield from self._proof_lines(self.explanation.proof)
        elif self.status is Finding.OUTSIDE:
            yield speech.say("no label", a=first, b=last)
        else:
            claim = say_claim(self.world, Claim(first, self.answers, last), "can be")
            yield speech.say("undetermined", claim=claim)
            if self.verdict.form_open:
                yield speech.say("form open", b=last, r=say_forms(self.world, self.world.forms))
        for alternative in self.explanation.alternatives:
            known = alternative.relation in self.answers
            called = (
                speech.relation(first, [alternative.relation])
                if known
                else speech.way(alternative.relation)
            )
            yield f"  {called}{self._given(alternative)}{stop}"

    def _proof_lines(self, proof: Proof) -> Iterator[str]:
        first, last = self.query
        before = None
        speech = self.world.speech
        routes = _route_names(proof.steps, speech)
        for i, (step, route) in enumerate(zip(proof.steps, routes, strict=True), 1):
            premises = [self._said(premise) for premise in step.premises if premise != before]
            names = [name for one in step.premises for name in (one.head, one.tail)]
            clause = speech.opening(speech.say("and").join(premises), names)
            line = f"{i}. {route}{clause}"
            if step.claim not in step.premises:
                head, relations, tail = step.claim
                other = (
                    "" if step.other is None else speech.say("of", r=speech.way(step.other), a=head)
                )
                can = [say_claim(self.world, step.claim)] if relations else []
                can += [other if can else speech.say("is", b=tail, r=other)] if other else []
                if can:
                    line += speech.say("so", claim=speech.say("or else").join(can))
            before = step.claim
            yield line + speech.say("stop")
        if proof.further:
            yield speech.say("besides", facts=self._listed(proof.further))
        for ruled in proof.ruled_out:
            yield speech.say("not", r=ruled.relation, facts=self._listed(ruled.facts))
        word = "proved" if self.verdict.outside else "entailed"
        yield speech.say(word, claim=say_claim(self.world, Claim(first, self.answers, last)))

    def _said(self, premise: Claim | Statement) -> str:
        if isinstance(premise, Statement):
            return say_given(self.world, premise)
        return say_claim(self.world, premise)

    def _listed(self, given: Iterable[Given], join: str = "listed") -> str:
        return self.world.speech.say(join).join(say_given(self.world, one) for one in given)

    def _given(self, alternative: Alternative) -> str:
        """Return what the alternative requires, and the scene that shows it."""
        scene = alternative.scene
        speech = self.world.speech
        links = (
            speech.say("if", facts=self._listed(alternative.links, "if and"))
            if alternative.links
            else ""
        )
        note = scene.note(speech.say)
        shown = scene.shown(speech.say)
        if note and not links:
            shown += speech.say("note", note=note)
        return links + speech.say("as in", scene=self.world.theory.scene, shown=shown)


def _route_names(steps: Sequence[ProofStep], speech: Speech) -> list[str]:
    """Return what to put before each step, where a proof follows several routes and brings them together."""
    together = speech.say("together")
    names, routes, before = [], 0, None
    for step in steps:
        pairs = {(premise.head, premise.tail) for premise in step.premises}
        if len(step.premises) > 1 and len(pairs) == 1:
            names.append(together)
        elif before in step.premises:
            names.append("")
        else:
            routes += 1
            names.append(speech.say("route", number=routes))
        before = step.claim
    return names if routes > 1 and together in names else [""] * len(names)


@overload
def solve(
    story: str,
    query: tuple[str, str],
    world: LocationLike | World | None = None,
    assume: str | None = None,
) -> Solution: ...


@overload
def solve(
    story: str,
    query: None = None,
    world: LocationLike | World | None = None,
    assume: str | None = None,
) -> Statements: ...


@public
def solve(
    story: str,
    query: tuple[str, str] | None = None,
    world: LocationLike | World | None = None,
    assume: str | None = None,
) -> Solution | Statements:
    """Return what the second entity of the query can be to the first, with a proof: `print` it.

    - query: two names; None for all that the story says, and what of it is not understood
    - world: of the story; None for the built-in one that reads it
    - assume: which scenes are possible (docs/assumptions.md); None for the theory's default

    >>> solve("Bob is Ann's son. Carl is Bob's brother.", ("Ann", "Carl")).answer
    'son'
    """
    world = _world_of(story, world)
    if query is None:
        return reader_of(world).read(story)
    if not (
        isinstance(query, list | tuple)
        and len(query) == 2
        and all(isinstance(name, str) for name in query)
    ):
        raise ArgumentError(
            "is not two names, such as ('Ann', 'Dan')", setting="query", value=query
        )
    first, last = query
    reader = reader_of(world)
    if isinstance(reader, OwnWordingReader):
        read = reader.read(story, also=query)
    else:
        read = reader.read(story)
    if first == last:
        raise DataError(
            f"{first} is named twice", setting="query", hint="ask about two different names"
        )
    solver = world.theory.solver(world.labels, world.theory.assumption(assume).name)
    given, unused = solver.usable(given_by(read, world.labels))
    unread = tuple(_in_doubt(read))
    named = names_in(given)
    for name in query:
        if name not in named:
            left = f"; not read: {' '.join(unread)[:200]}" if unread else ""
            raise DataError(
                f"no sentence of the story states a relation of {name}{left}", setting="query"
            )
    found = solve_given(given, (first, last), world, assume, unread)
    return replace(found, unused=unused, revised=read.revised)


@public
def statements(
    text: str,
    world: LocationLike | World | None = None,
    names: Collection[str] | None = None,
) -> Statements:
    """Return what a text says about entities, and nothing more: a sequence of statements.

    - world: of the text; None for the built-in one that reads it
    - names: the entities, if they are known; otherwise names are found

    What is not understood is in `unread`, with its place and the reason where that is known.

    >>> [one.status.value for one in statements("Bob is Ann's son. Carl isn't her son.")]
    ['asserted', 'denied']
    """
    entities = None if names is None else read_words(names, "names")
    return reader_of(_world_of(text, world)).read(text, entities)


def _world_of(text: str, world: LocationLike | World | None) -> World:
    return infer_world(story=text).world if world is None else load_world(world)


def _in_doubt(read: Statements) -> Iterator[str]:
    """Yield the sentences that may say more than is known, each with the reason if there is one."""
    for sentence in read.sentences:
        if sentence.in_doubt:
            reasons = dict.fromkeys(span.reason for span in sentence.unread if span.reason)
            because = f" ({'; '.join(reasons)})" if reasons else ""
            yield read.said(sentence) + because


def solve_given(
    given: Sequence[Given],
    query: tuple[str, str],
    world: World,
    assume: str | None = None,
    unread: tuple[str, ...] = (),
) -> Solution:
    """Return what follows from facts and statements, with a proof.

    - given: facts and statements; what is neither asserted nor denied is left out
    - query: two entities that they name
    - world: of their relations
    - assume: which scenes are possible; None for the theory's default
    - unread: what the text says besides
    """
    solver = world.theory.solver(world.labels, world.theory.assumption(assume).name)
    usable = solver.plain(given)
    return Solution(
        world,
        query,
        tuple(facts_in(usable)),
        unread,
        solver.verdict(usable, query),
        solver.explain(usable, query),
        statements_in(usable),
    )


def _plain(one: Given) -> Any:
    """Return a fact or a statement as plain data."""
    if not isinstance(one, Statement):
        return list(one)
    plain = {"kind": one.kind.value, "head": one.head, "relations": list(one.relations)}
    if one.tail:
        return {**plain, "tail": one.tail}
    return {**plain, "entities": list(one.entities)}


@dataclass(frozen=True)
class Judgement:
    """The finding, and whether the target is entailed: nothing else at all is possible.

    - possible: relations of the label set; none if nothing was decided
    - form_open: whether the kind is proved and nobody told the form
    """

    finding: Finding
    entailed: bool
    possible: tuple[str, ...] = ()
    form_open: bool = False


class Judge:
    """Judges targets by facts and statements.

    assume: the name of an assumption; None for the theory's default.
    """

    def __init__(self, world: World, assume: str | None = None) -> None:
        self.solver = world.theory.solver(world.labels, world.theory.assumption(assume).name)
        self._verdicts: dict[tuple[Hashable, ...], Verdict] = {}

    def judge(self, given: Sequence[Given], query: tuple[str, str], target: str) -> Judgement:
        """Return what is said of the target. Questions that differ only in names are decided once."""
        verdict = self._verdict(given, query)
        finding = verdict.finding(target)
        entailed = finding is Finding.PROVED and verdict.entailed
        return Judgement(finding, entailed, verdict.relations, verdict.form_open)

    def confirm(
        self,
        given: Sequence[Given],
        query: tuple[str, str],
        claimed: bool,
        relations: Collection[str],
    ) -> Judgement:
        """Return what is said of an answer to the question whether one of some relations holds.

        - claimed: whether the answer is yes
        """
        verdict = self._verdict(given, query)
        possible = {*verdict.relations}
        if verdict.status in (Finding.CONTRADICTORY, Finding.NOT_DECIDED):
            return Judgement(verdict.status, False, verdict.relations)
        holds, excluded = possible <= {*relations}, not possible & {*relations}
        if not holds and not excluded:
            return Judgement(Finding.UNDETERMINED, False, verdict.relations)
        if holds is not claimed:
            return Judgement(Finding.REFUTED, False, verdict.relations)
        # Where no relation of the label set holds, none of those asked about does.
        return Judgement(Finding.PROVED, excluded or not verdict.outside, verdict.relations)

    def _verdict(self, given: Sequence[Given], query: tuple[str, str]) -> Verdict:
        asked = _numbered(given, query)
        verdict = self._verdicts.get(asked)
        if verdict is None:
            if len(self._verdicts) >= _REMEMBERED:
                self._verdicts.clear()
            verdict = self._verdicts[asked] = self.solver.verdict(self.solver.plain(given), query)
        return verdict


def _numbered(given: Sequence[Given], query: tuple[str, str]) -> tuple[Hashable, ...]:
    """Return a question with numbers for names: the second name of the query, whose first one is 0, and what
    is given."""
    number = {query[0]: 0}
    asked: list[Hashable] = [number.setdefault(query[1], 1)]
    for head, relation, tail in facts_in(given):
        asked += (
            number.setdefault(head, len(number)),
            relation,
            number.setdefault(tail, len(number)),
        )
    for one in statements_in(given):
        names = [number.setdefault(name, len(number)) for name in named_in(one)]
        asked.append((one.kind, one.status, one.relations, *names))
    return tuple(asked)
