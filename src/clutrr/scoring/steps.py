"""Reasoning judged step by step: what a reply claims on its way, compared with what its story says."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from statistics import median
from typing import Any, NamedTuple

from clutrr.errors import ConfigError
from clutrr.facts import kind_from, shortest_path
from clutrr.files import Where
from clutrr.puzzle import Entity, Fact, Puzzle
from clutrr.scoring.claims import ClaimReader, FoundClaim
from clutrr.theory import Solver
from clutrr.theory.solver import Claim
from clutrr.wording import StoryReader
from clutrr.world import World, builtin_worlds, load_world


class Standing(StrEnum):
    """What a story says to a claim about two of its entities."""

    STATED = "stated"  # it is one of the facts
    ENTAILED = "entailed"  # it follows from them
    POSSIBLE = "possible"  # they leave it open, or deciding it takes too much work
    CONTRADICTED = "contradicted"  # it cannot be


class JudgedClaim(NamedTuple):
    """A claim of a reply, and what the story says to it. tight: whether all that it lists can be."""

    said: FoundClaim
    standing: Standing
    tight: bool = True

    @property
    def wrong(self) -> bool:
        """Whether it is contradicted, or left open and claimed all the same."""
        claimed = self.standing is Standing.POSSIBLE and not self.said.hedged
        return claimed or self.standing is Standing.CONTRADICTED


@dataclass(frozen=True)
class Break:
    """The first wrong step of a reply.

    number: of the claim, from 1. length: facts between its two entities; None if none join them. composition:
    the kinds to put together, what holds up to the last fact and that fact; one kind for a fact misread.
    """

    number: int
    length: int | None
    composition: tuple[str, ...]


@dataclass(frozen=True)
class Reasoning:
    """The claims of a reply in their order, each judged. broken: the first wrong one, if there is one."""

    reply: str
    claims: tuple[JudgedClaim, ...]
    broken: Break | None = None

    @property
    def right(self) -> bool | None:
        """Whether every claim is right; None if there is none."""
        return self.broken is None if self.claims else None

    def __str__(self) -> str:
        if not self.claims:
            return "The reply claims nothing about two entities of the story."
        said = [" ".join(self.reply[one.said.start : one.said.end].split()) for one in self.claims]
        lines = [f"{text}: {one.standing}" for text, one in zip(said, self.claims, strict=True)]
        end = (
            "All of it is right." if self.broken is None else f"Wrong first: {said[self.broken.number - 1]}."
        )
        return "\n".join([*(f"{number}. {line}" for number, line in enumerate(lines, 1)), end])


class StepJudge:
    """Judges the claims of replies to questions about stories of one world, under an assumption."""

    def __init__(self, world: World, assume: str | None = None) -> None:
        self._world = world
        self._solver = world.theory.solver(world.labels, world.theory.assumption(assume).name)
        self._claims = ClaimReader(world)
        self._stories = StoryReader(world)

    def judge(self, reply: str, puzzle: Puzzle) -> Reasoning:
        """Return the claims of a reply, each with what the facts of the puzzle say to it."""
        story = _Story(
            puzzle, self._world, self._solver, puzzle.facts or self._stories.read(puzzle.story).facts
        )
        found = self._claims.find(reply, story.entities)
        claims = tuple(JudgedClaim(said, story.standing(*said[2:]), story.tight(said)) for said in found)
        wrong = next((number for number, one in enumerate(claims, 1) if one.wrong), None)
        if wrong is None:
            return Reasoning(reply, claims)
        return Reasoning(reply, claims, Break(wrong, *story.composition(found[wrong - 1].claim)))


class _Story:
    """What the facts of a puzzle say about any two of their entities."""

    def __init__(self, puzzle: Puzzle, world: World, solver: Solver, facts: tuple[Fact, ...]) -> None:
        self._labels, self._solver, self._facts = world.labels, solver, facts
        self._query = set(puzzle.query)
        forms = dict(puzzle.entities)
        names = dict.fromkeys(name for fact in facts for name in (fact.head, fact.tail))
        self.entities = [Entity(name, forms.get(name, "")) for name in names]
        self._forms = {name: world.labels.form(form) for name, form in self.entities}
        self._stated = {frozenset((fact.head, fact.tail)) for fact in facts}
        self.standing, self._possible = cache(self._standing), cache(self._decide)
        self._between = cache(self._along)

    def _decide(self, head: str, tail: str) -> tuple[set[str], bool] | None:
        """Return what tail can be to head, and whether something outside the label set; None if not decided.

        Where the facts leave a form open, it is that of the entity.
        """
        verdict = self._solver.verdict(self._facts, (head, tail))
        form, meaning = self._forms[tail], self._labels.meaning
        suited = {one for one in verdict.relations if form in (None, meaning[one].form)}
        found = (suited or set(verdict.relations), verdict.outside and {head, tail} != self._query)
        return found if verdict.decided else None

    def tight(self, said: FoundClaim) -> bool:
        """Return whether the facts between two entities leave every relation possible that a claim lists."""
        head, listed, tail = said.claim
        if len(listed) == 1 and not said.other:
            return True
        kinds, outside = self._between(head, tail)
        return {self._labels.meaning[one].kind.name for one in listed} <= kinds and outside >= said.other

    def _along(self, head: str, tail: str) -> tuple[set[str], bool]:
        """Return the kinds that the facts between two entities leave, and whether something without a word.

        Kinds, since which form it takes may be told elsewhere.
        """
        path = shortest_path(self._facts, head, tail)
        if path is None:
            return set(), True
        verdict = self._solver.verdict(tuple(self._facts[one] for one in path.numbers), (head, tail))
        return {self._labels.meaning[one].kind.name for one in verdict.relations}, verdict.outside

    def _standing(self, claim: Claim, denied: bool, hedged: bool, other: bool) -> Standing:
        """Return what the facts say to a claim."""
        head, listed, tail = claim
        if head == tail:
            return Standing.CONTRADICTED
        known = self._possible(head, tail)
        if known is None:
            return Standing.POSSIBLE
        (possible, outside), relations = known, set(listed)
        if self._forms[tail] is None:  # of two forms that are open, the one that is claimed
            kinds = {self._labels.meaning[one].kind for one in possible & relations}
            possible = {
                one for one in possible if one in relations or self._labels.meaning[one].kind not in kinds
            }
        if denied:
            follows, excluded = not possible & relations, possible <= relations and not outside
        else:
            follows = possible <= relations and (other or not outside)
            excluded = not possible & relations and not (other and outside)
            excluded |= hedged and not relations <= possible
        if excluded or not (possible or outside):
            return Standing.CONTRADICTED
        if not follows:
            return Standing.POSSIBLE
        stated = not denied and len(listed) == 1 and frozenset((head, tail)) in self._stated
        return Standing.STATED if stated else Standing.ENTAILED

    def composition(self, claim: Claim) -> tuple[int | None, tuple[str, ...]]:
        """Return how many facts a claim puts together, and the kinds of the last step to it."""
        path = shortest_path(self._facts, claim.head, claim.tail)
        if path is None:
            return None, ()
        before, length = path.entities[-2], len(path.numbers)
        last = kind_from(self._facts[path.numbers[-1]], before, self._labels)
        if length == 1:
            return 1, (last,)
        known = self._possible(claim.head, before)
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


def verify(
    reply: str, puzzle: Puzzle, world: str | Where | World | None = None, assume: str | None = None
) -> Reasoning:
    """Return every claim that a reply makes about two entities of the story, each judged: `print` it.

    - world: of the story; None for the built-in world that has its relations
    - assume: which scenes are possible; None for the theory's default

    >>> from clutrr import generate
    >>> puzzle = generate(preset="strict", k=2, size=1, distractors=0)[0]
    >>> print(verify("Russell is Alyssa's husband, so Sara is Alyssa's mother.", puzzle))
    1. Russell is Alyssa's husband: stated
    2. Sara is Alyssa's mother: contradicted
    Wrong first: Sara is Alyssa's mother.
    """
    found = _world_of(frozenset(fact.relation for fact in puzzle.facts)) if world is None else world
    return judge_in(load_world(found), assume).judge(reply, puzzle)


@cache
def _world_of(relations: frozenset[str]) -> World:
    """Return the first built-in world that has these relations."""
    for name in sorted(builtin_worlds(), key=len):
        world = load_world(name)
        if relations <= set(world.relations):
            return world
    raise ConfigError(f"world: no built-in world has the relations {', '.join(sorted(relations))}; name it")


judge_in = lru_cache(20)(StepJudge)
