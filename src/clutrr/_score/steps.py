"""Reasoning judged step by step: what a reply claims on its way, compared with what its story says."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from statistics import median
from typing import Any

from clutrr._arguments import LocationLike, public
from clutrr._facts import kind_from, on_routes, shortest_path
from clutrr._lexicon import World
from clutrr._puzzle import Entity, Fact, Puzzle
from clutrr._reading import statements
from clutrr._score.claims import ClaimReader
from clutrr._statement import Statement, StatementKind, Status
from clutrr._worlds import infer_world, load_world
from clutrr.errors import ArgumentError, ConfigError
from clutrr.theory import Solver
from clutrr.theory.given import Given, facts_in, names_in, statements_in


class ClaimVerdict(StrEnum):
    """What a story says to a claim about two of its entities."""

    STATED = "stated"  # it is one of the facts
    ENTAILED = "entailed"  # it follows from them
    POSSIBLE = "possible"  # they leave it open, or deciding it takes too much work
    CONTRADICTED = "contradicted"  # it cannot be


@dataclass(frozen=True)
class JudgedClaim:
    """A claim of a reply, and what the story says to it: tail is one of these relations to head.

    Args:
        head, relations, tail: what is claimed.
        status: asserted, denied, possible, supposed or retracted; only what is asserted is judged.
        start, end: its place in the reply.
        verdict: what the story says to it; None unless it is asserted.
        tight: whether everything that it lists can be: "a son or an uncle" of a son is a guess.
    """

    head: str
    relations: tuple[str, ...]
    tail: str
    status: Status
    start: int
    end: int
    verdict: ClaimVerdict | None = None
    tight: bool = True

    @property
    def wrong(self) -> bool:
        """Whether it is asserted, and the story contradicts it or leaves it open."""
        return self.verdict in (ClaimVerdict.POSSIBLE, ClaimVerdict.CONTRADICTED)


@dataclass(frozen=True)
class FirstError:
    """The first wrong step of a reply.

    Args:
        number: of the claim, from 1.
        length: how many facts join its two entities; None if none do.
        composition: the kinds to put together: what holds up to the last fact, and that fact; one
            kind for a fact that was misread.
    """

    number: int
    length: int | None
    composition: tuple[str, ...]


@dataclass(frozen=True)
class Reasoning:
    """The claims of a reply in their order, each judged.

    Args:
        reply: the text.
        claims: what it says of two entities.
        broken: the first wrong claim, if there is one.
        progress: how many statements the reply derives on the way from one queried entity to the
            other, each from facts and earlier ones (see `progress_of`).
        derived: the numbers of the claims that do so, from 0.
    """

    reply: str
    claims: tuple[JudgedClaim, ...]
    broken: FirstError | None = None
    progress: int = 0
    derived: tuple[int, ...] = ()

    @property
    def right(self) -> bool | None:
        """Whether every claim that is asserted is right; None if there is none."""
        judged = any(one.verdict is not None for one in self.claims)
        return self.broken is None if judged else None

    def __str__(self) -> str:
        if not self.claims:
            return "The reply claims nothing about two entities of the story."
        said = [" ".join(self.reply[one.start : one.end].split()) for one in self.claims]
        lines = [
            f"{number}. {text}: {one.verdict or one.status}"
            for number, (text, one) in enumerate(zip(said, self.claims, strict=True), 1)
        ]
        if self.broken is not None:
            return "\n".join([*lines, f"Wrong first: {said[self.broken.number - 1]}."])
        return "\n".join([*lines, *(["All of it is right."] if self.right else [])])


class StepJudge:
    """Judges the claims of replies to questions about stories of one world, under an assumption."""

    def __init__(self, world: World, assume: str | None = None) -> None:
        self._world = world
        self._solver = world.theory.solver(world.labels, world.theory.assumption(assume).name)
        self._claims = ClaimReader(world)

    def judge(self, reply: str, puzzle: Puzzle) -> Reasoning:
        """Return the claims of a reply, each with what the facts of the puzzle say to it."""
        facts = puzzle.facts or _facts_read(puzzle.story, self._world)
        given, _ = self._solver.usable((*facts, *puzzle.statements))
        story = _Story(puzzle, self._world, self._solver, given)
        found = self._claims.find(reply, [*story.forms], story.forms)
        claims = tuple(story.judged(one) for one in found)
        derived = derived_by(claims, facts, puzzle.query)
        progress = len(derived)
        wrong = next((number for number, one in enumerate(claims, 1) if one.wrong), None)
        if wrong is None:
            return Reasoning(reply, claims, None, progress, derived)
        one = claims[wrong - 1]
        error = FirstError(wrong, *story.composition(one.head, one.tail))
        return Reasoning(reply, claims, error, progress, derived)


def progress_of(
    claims: Sequence[JudgedClaim], facts: Sequence[Fact], query: tuple[str, str]
) -> int:
    """Return how many statements an argument derives on its way (see `derived_by`)."""
    return len(derived_by(claims, facts, query))


def derived_by(
    claims: Sequence[JudgedClaim], facts: Sequence[Fact], query: tuple[str, str]
) -> tuple[int, ...]:
    """Return the numbers of the claims that derive a statement on the way, from 0.

    A statement counts if the facts entail it, nobody stated it of these two before, both are on a
    way between the queried entities, and it follows from what is known by then: there is somebody
    whose relation to either was stated, derived or narrowed down earlier ("she can be his mother or
    his aunt"). Statements of many alternatives, and those that list what cannot be, are guesses.

    Args:
        claims: in the order of the reply, each judged.
        facts: of the story.
        query: the two entities asked about.
    """
    stated = {frozenset((fact.head, fact.tail)) for fact in facts}
    known = set(stated)
    counted: set[frozenset[str]] = set()
    numbers: list[int] = []
    way = on_routes(facts, *query)
    for number, one in enumerate(claims):
        pair = frozenset((one.head, one.tail))
        if one.status is Status.POSSIBLE:
            known.add(pair)
        if one.verdict is not ClaimVerdict.ENTAILED or not one.tight or pair in stated | counted:
            continue
        if pair <= way and _follows(one.head, one.tail, known):
            known.add(pair)
            counted.add(pair)
            numbers.append(number)
    return tuple(numbers)


def _follows(first: str, second: str, known: set[frozenset[str]]) -> bool:
    """Return whether somebody joins two entities by two known statements."""
    beside = {name for pair in known if first in pair for name in pair} - {first}
    return any(frozenset((name, second)) in known for name in beside - {second})


def _facts_read(story: str, world: World) -> tuple[Fact, ...]:
    """Return the facts that a story states, where a puzzle has none of its own."""
    return tuple(
        Fact(one.head, one.relations[0], one.tail)
        for one in statements(story, world)
        if one.kind is StatementKind.FACT and one.status is Status.ASSERTED
    )


def _told_forms(facts: Iterable[Fact], world: World) -> dict[str, str]:
    """Return the forms that facts tell, by entity."""
    if not world.forms:
        return {}
    told = ((fact.tail, world.meaning[fact.relation].form) for fact in facts)
    return {name: world.forms[form] for name, form in told if form is not None}


class _Story:
    """What the facts of a puzzle say about any two of their entities."""

    def __init__(
        self, puzzle: Puzzle, world: World, solver: Solver, given: tuple[Given, ...]
    ) -> None:
        self._labels, self._solver, self._given = world.labels, solver, given
        self._query = set(puzzle.query)
        forms = dict(puzzle.entities)
        facts, names = facts_in(given), names_in(given)
        self.entities = [Entity(name, forms.get(name, "")) for name in names]
        self._forms = {name: world.labels.form(form) for name, form in self.entities}
        self.forms = dict(self.entities) | _told_forms(facts, world)
        self._stated = {frozenset((fact.head, fact.tail)) for fact in facts}
        # What leads from one entity to another, each as a fact and as it is given.
        related = [
            (Fact(one.head, one.relations[0], one.tail), one)
            for one in statements_in(given)
            if one.kind is StatementKind.ALTERNATIVES
        ]
        self._steps = [*facts, *(step for step, _ in related)]
        self._stating: list[Given] = [*facts, *(one for _, one in related)]
        # A long reply claims the same again and again, and deciding is slow.
        self._verdict, self._possible = cache(self._decided), cache(self._decide)
        self._between = cache(self._along)

    def judged(self, one: Statement) -> JudgedClaim:
        """Return a claim with what the facts say to it, if it is asserted."""
        asserted = one.status is Status.ASSERTED
        verdict = self._verdict(one.head, one.relations, one.tail) if asserted else None
        tight = asserted and self._is_tight(one.head, one.relations, one.tail)
        return JudgedClaim(
            one.head, one.relations, one.tail, one.status, one.start, one.end, verdict, tight
        )

    def _decide(self, head: str, tail: str) -> tuple[set[str], bool] | None:
        """Return what tail can be to head, and whether something outside the label set; None if not decided.

        Where the facts leave a form open, it is that of the entity.
        """
        verdict = self._solver.verdict(self._given, (head, tail))
        form, meaning = self._forms[tail], self._labels.meaning
        suited = {one for one in verdict.relations if form in (None, meaning[one].form)}
        found = (suited or set(verdict.relations), verdict.outside and {head, tail} != self._query)
        return found if verdict.decided else None

    def _is_tight(self, head: str, listed: tuple[str, ...], tail: str) -> bool:
        """Return whether the facts between two entities leave every kind possible that a claim lists."""
        kinds = {self._labels.meaning[one].kind.name for one in listed}
        if len(kinds) == 1:
            return True
        return len(kinds) <= len(self._labels.kinds) // 2 and kinds <= self._between(head, tail)

    def _along(self, head: str, tail: str) -> set[str]:
        """Return the kinds that the facts between two entities leave possible.

        Kinds, since which form it takes may be told elsewhere.
        """
        path = shortest_path(self._steps, head, tail)
        if path is None:
            return set()
        along = tuple(self._stating[one] for one in path.numbers)
        verdict = self._solver.verdict(along, (head, tail))
        return {self._labels.meaning[one].kind.name for one in verdict.relations}

    def _decided(self, head: str, listed: tuple[str, ...], tail: str) -> ClaimVerdict:
        """Return what the facts say to a claim."""
        if head == tail:
            return ClaimVerdict.CONTRADICTED
        known = self._possible(head, tail)
        if known is None:
            return ClaimVerdict.POSSIBLE
        (possible, outside), relations = known, set(listed)
        if self._forms[tail] is None:  # of two forms that are open, the one that is claimed
            kinds = {self._labels.meaning[one].kind for one in possible & relations}
            possible = {
                one
                for one in possible
                if one in relations or self._labels.meaning[one].kind not in kinds
            }
        if not possible & relations:
            return ClaimVerdict.CONTRADICTED
        if outside or not possible <= relations:
            return ClaimVerdict.POSSIBLE
        stated = frozenset((head, tail)) in self._stated
        return ClaimVerdict.STATED if stated else ClaimVerdict.ENTAILED

    def composition(self, head: str, tail: str) -> tuple[int | None, tuple[str, ...]]:
        """Return how many facts a claim puts together, and the kinds of the last step to it."""
        path = shortest_path(self._steps, head, tail)
        if path is None:
            return None, ()
        before, length = path.entities[-2], len(path.numbers)
        last = kind_from(self._steps[path.numbers[-1]], before, self._labels)
        if length == 1:
            return 1, (last,)
        known = self._possible(head, before)
        kinds = {self._labels.meaning[one].kind.name for one in known[0]} if known else set[str]()
        return length, (kinds.pop() if len(kinds) == 1 else "several", last)


def count_steps(judged: Sequence[tuple[int, bool, Reasoning]]) -> dict[str, Any]:
    """Return figures of replies by k and of all, and where they break: compositions, the most frequent first.

    judged: of each reply, k, whether its answer is right, and its reasoning.
    """
    lengths = sorted({k for k, _, _ in judged})
    by_k = {str(k): _figures([one for one in judged if one[0] == k]) for k in lengths}
    broken = [one.broken for _, _, one in judged if one.broken is not None]
    at = Counter(" + ".join(one.composition) or "unrelated" for one in broken)
    return {"by_k": by_k, "all": _figures(judged), "breaks": dict(at.most_common())}


def _figures(judged: Sequence[tuple[int, bool, Reasoning]]) -> dict[str, Any]:
    breaks = [one.broken for _, _, one in judged if one.broken is not None]
    return {
        "replies": len(judged),
        "with_claims": sum(bool(one.claims) for _, _, one in judged),
        "right": sum(right for _, right, _ in judged),
        "right_by_right_steps": sum(right and one.right is True for _, right, one in judged),
        "right_by_wrong_steps": sum(right and one.right is False for _, right, one in judged),
        "first_wrong": median(one.number for one in breaks) if breaks else None,
        "facts_put_together": median(one.length or 0 for one in breaks) if breaks else None,
    }


@public
def verify(
    reply: str,
    puzzle: Puzzle,
    world: LocationLike | World | None = None,
    assume: str | None = None,
) -> Reasoning:
    """Return every claim that a reply makes about two entities of the story, each judged: `print` it.

    - world: of the story; None for the built-in one that has its relations
    - assume: which scenes are possible; None for the theory's default

    >>> from clutrr import generate
    >>> puzzle = generate(preset="strict", k=2, size=1, distractors=0)[0]
    >>> print(verify("Russell is Alyssa's husband, so Sara is Alyssa's mother.", puzzle))
    1. Russell is Alyssa's husband: stated
    2. Sara is Alyssa's mother: contradicted
    Wrong first: Sara is Alyssa's mother.
    """
    if not isinstance(puzzle, Puzzle):
        raise ArgumentError("is not a puzzle", setting="puzzle", value=puzzle)
    told = _world_of(puzzle) if world is None else load_world(world)
    return judge_in(told, assume).judge(reply, puzzle)


def _world_of(puzzle: Puzzle) -> World:
    """Return the built-in world of a puzzle: by its facts, or else by its answers, or else by its story."""
    stated = {fact.relation for fact in puzzle.facts}
    world, _ = infer_world(stated or {puzzle.target, *(puzzle.possible or ())}, puzzle.story)
    if foreign := stated.difference(world.relations):
        raise ConfigError(
            f"no built-in world has the relations {', '.join(sorted(foreign))}",
            setting="world",
            hint="name it",
        )
    return world


judge_in = lru_cache(20)(StepJudge)
