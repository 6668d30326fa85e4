"""Why an answer holds: a proof, families that show the alternatives, or the facts that conflict."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clutrr.facts import shortest_path
from clutrr.puzzle import Fact
from clutrr.solver.solver import WORK, Solver
from clutrr.solver.verdict import Verdict
from clutrr.solver.witness import Witness
from clutrr.world import GENDERS
from clutrr.world.assumptions import Assumption
from clutrr.world.steps import Steps

Facts = tuple[Fact, ...]


@dataclass(frozen=True)
class Step:
    """One more fact, and what somebody can be to the first person by the facts so far.

    other: something outside the label set that they can be, if anything.
    """

    fact: Fact
    person: str
    verdict: Verdict
    other: str | None


@dataclass(frozen=True)
class RuledOut:
    """A relation of the right generation that cannot hold, and facts that are enough to say so."""

    relation: str
    facts: Facts


@dataclass(frozen=True)
class Proof:
    """Facts that are enough for the answer, and how.

    steps: along the path of facts from the first person to the last. besides: facts off that path
    that the answer needs too. ruled_out: the nearest other answers.
    """

    facts: Facts
    steps: tuple[Step, ...]
    besides: Facts
    ruled_out: tuple[RuledOut, ...]


@dataclass(frozen=True)
class Alternative:
    """Something that the second person can be to the first, and a family in which they are.

    links: what it needs that no tree allows, as relations between other people; under `open` only.
    """

    relation: str
    family: Witness
    links: Facts = ()


@dataclass(frozen=True)
class Explanation:
    """proof: if the answer is proved. alternatives: what is possible, if it is not, or what else
    is, outside the label set. conflict: facts that contradict each other."""

    proof: Proof | None
    alternatives: tuple[Alternative, ...]
    conflict: Facts


def explain(solver: Solver, facts: Sequence[Fact], query: tuple[str, str]) -> Explanation:
    """Why the verdict on the question is what it is."""
    verdict = solver.verdict(facts, query)
    if not verdict.decided:
        return Explanation(None, (), ())
    if verdict.contradictory:
        allowed = _Allowance(solver)
        conflict = _least(facts, lambda rest: allowed.left and solver.consistent(rest) is False)
        return Explanation(None, (), conflict)
    alternatives = []
    if not verdict.proved:
        for relation in verdict.relations:
            family = solver.witness(facts, query, relation)
            if family is not None:
                alternatives.append(Alternative(relation, family, _links(solver, facts, query, family)))
    if verdict.outside:
        found = solver.outside_witness(facts, query)
        if found is not None:
            family = found[0]
            alternatives.append(Alternative(describe(found[1]), family, _links(solver, facts, query, family)))
    proof = _prove(solver, facts, query, verdict.relations[0]) if verdict.proved else None
    return Explanation(proof, tuple(alternatives), ())


class _Allowance:
    """A little extra work that the solver may do to make an explanation shorter."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._limit = solver.spent + WORK

    @property
    def left(self) -> bool:
        return self._solver.spent < self._limit


_UNDECIDED = {assume: Verdict((), False, assume, decided=False) for assume in Assumption}


def _prove(solver: Solver, facts: Sequence[Fact], query: tuple[str, str], answer: str) -> Proof:
    first, last = query
    allowed = _Allowance(solver)

    def possible(rest: Facts) -> tuple[str, ...] | None:
        if not allowed.left or not _names_both(rest, query):
            return None
        verdict = solver.verdict(rest, query)
        return verdict.relations if verdict.decided else None

    needed = _least(facts, lambda rest: possible(rest) == (answer,))
    way = shortest_path(needed, first, last)
    path = tuple(needed[number] for number in way.numbers) if way else ()
    steps = []
    for i, (fact, person) in enumerate(zip(path, way.people[1:] if way else (), strict=True)):
        so_far, asked = path[: i + 1], (first, person)
        verdict = solver.verdict(so_far, asked) if allowed.left else _UNDECIDED[solver.assume]
        other = solver.outside_witness(so_far, asked) if verdict.outside else None
        steps.append(Step(fact, person, verdict, other and describe(other[1])))
    ruled_out = []
    for relation in _near(solver, answer):
        why = _least(needed, lambda rest, r=relation: r not in (possible(rest) or (r,)))  # type: ignore[misc]
        ruled_out.append(RuledOut(relation, why))
    besides = tuple(fact for fact in needed if fact not in path)
    return Proof(needed, tuple(steps), besides, tuple(ruled_out))


def _links(solver: Solver, facts: Sequence[Fact], query: tuple[str, str], family: Witness) -> Facts:
    """The closest relations in a family that the facts rule out under `tree`, the query's aside."""
    if solver.assume is Assumption.TREE or not family.twice:
        return ()
    tree = Solver(solver.world, Assumption.TREE)
    named = dict.fromkeys(name for fact in facts for name in (fact.head, fact.tail))
    found = []
    for one, step, other in family.close():
        if one not in named or other not in named or {one, other} == set(query):
            continue
        words = [kind.words for kind in solver.world.kinds if (step,) in kind.steps]
        gender = family.genders.get(other)
        verdict = tree.verdict(facts, (one, other))
        if not words or gender is None or not verdict.decided or verdict.contradictory:
            continue
        word = words[0][GENDERS.index(gender)]
        if word not in verdict.relations:
            found.append(Fact(one, word, other))
    # Said once, and about the first queried person if possible.
    found.sort(key=lambda fact: query[0] != fact.head)
    said: dict[frozenset[str], Fact] = {}
    for fact in found:
        said.setdefault(frozenset((fact.head, fact.tail)), fact)
    return tuple(said.values())


def _near(solver: Solver, answer: str) -> list[str]:
    """The other relations of the same generation and gender."""
    kind, gender = solver.world.meaning[answer]
    return [
        other.words[gender]
        for other in solver.world.kinds
        if other is not kind and solver.rise(other.words[0]) == solver.rise(answer)
    ]


def _names_both(facts: Sequence[Fact], query: tuple[str, str]) -> bool:
    named = {name for fact in facts for name in (fact.head, fact.tail)}
    return named.issuperset(query)


def _least(facts: Sequence[Fact], enough: Callable[[Facts], bool]) -> Facts:
    """A subset of the facts that is enough and from which nothing can be left out.

    First many facts at a time are left out, then fewer and fewer: any set with enough facts in it is enough.
    """
    kept = tuple(dict.fromkeys(facts))
    size = len(kept)
    while size > 1:
        size = (size + 1) // 2
        start = 0
        while start < len(kept):
            rest = kept[:start] + kept[start + size :]
            if rest and enough(rest):
                kept = rest
            else:
                start += size
    return kept


def describe(steps: Steps | None) -> str:
    """A relation that has no name, in words: the way to it, nearest person last."""
    if steps is None:
        return "no relative"
    return " of a ".join(step.name.lower() for step in reversed(steps))
