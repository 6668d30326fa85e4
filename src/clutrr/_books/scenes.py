"""That an answer is open, shown by two scenes: both agree with all that the book states, and differ in the answer.

A scene is what the book states and a few statements more, by which everything that the question needs is settled: in one way in
the first scene, in another in the second. Where somebody unknown is needed, there is somebody outside the book.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from clutrr._books.plans import Plan
from clutrr._books.prove import Gap, Knowledge, Prover, Relating, Solvers
from clutrr._books.sentences import CLOSURE, FACT, Told
from clutrr._books.vocabulary import CHILDREN, FEMALE, SIBLINGS

_MOST = 40  # statements that settle a question
_TRIALS = 80  # scenes
# Ways to settle a gap: as many as a theory has kinds, the usual ones more often.
_WAYS = (*[0] * 4, *[1] * 4, *[2] * 3, *range(3, 14))
_MORE_OF = (0.0, 0.95, 0.5)  # how often, from trial to trial, a gap is settled by one more
_MANY = 9  # children, to have more than anybody else
_OUTSIDE = "somebody outside"
_SEXES = {"daughter": "daughter", "son": "son", "sister": "daughter", "brother": "son"}


@dataclass(frozen=True)
class Shown:
    """A scene that shows one answer. more: what it holds beside what the book states."""

    answers: tuple[str, ...]
    more: tuple[Told, ...]


class OpenProver:
    """Shows that answers are open."""

    def __init__(self, statements: Sequence[Told], solvers: Solvers) -> None:
        self._statements, self._solvers = statements, solvers
        self._known = Knowledge(statements, solvers)

    def two_scenes(self, plan: Plan) -> tuple[Shown, Shown] | None:
        """Return two scenes with different answers, if they are found."""
        first: Shown | None = None
        for number in range(_TRIALS):
            shown = self._settled(plan, number)
            if shown is None:
                continue
            if first is None:
                first = shown
            elif shown.answers != first.answers:
                return first, shown
        return None

    def _settled(self, plan: Plan, number: int) -> Shown | None:
        """Return a scene in which all is settled, if it agrees with what is known. number: of the trial."""
        known, rng = self._known.extended(), Random(number)
        settler = _Settler(plan, known, self._solvers, number)
        more: list[Told] = []
        while len(more) < _MOST:
            proved = Prover(known).prove(plan)
            if proved.answers is not None:
                return Shown(proved.answers, tuple(more)) if known.consistent() else None
            if not proved.gaps:
                return None
            more_of = _MORE_OF[number % len(_MORE_OF)]
            way = 0 if not number else 1 if rng.random() < more_of else rng.choice(_WAYS)
            added = settler.settle(proved.gaps[0], way)
            if not added:
                return None
            for one in added:
                known.add(one)
            more += added
        return None


@dataclass
class _Settler:
    """Settles what is open. plan: what is asked. scene: its number. named: how many have been invented."""

    plan: Plan
    known: Knowledge
    solvers: Solvers
    scene: int
    named: int = 0

    def settle(self, gap: Gap | Relating, way: int) -> list[Told]:
        """Return statements that close a gap. way: 0 with as little as can be; else in another way."""
        if isinstance(gap, Relating):
            return self._related(gap, way)
        name, step = gap
        known = self.known
        if step in known.words.links:
            return self._linked(name, step, way)
        labels = self.solvers.labels
        if step in (*CHILDREN, *SIBLINGS):
            return self._children(name, step, way)
        if step in ("spouse", "husband", "wife"):
            if way == 0 and not known.has_children(name):
                return [Told("", CLOSURE, name, (labels.wife, labels.husband), "", ())]
            sex = known.sex.get(name) or ("female" if way % 2 else "male")
            label = labels.husband if sex == "female" else labels.wife
            return [_fact(name, label, self._somebody())]
        return self._parent(name, step, way)

    def _children(self, name: str, step: str, way: int) -> list[Told]:
        """Return who all the daughters or sons are, of somebody or of the parents."""
        known, labels, parent = self.known, self.solvers.labels, name
        label, added = getattr(labels, _SEXES[step]), list[Told]()
        more = {1: 1, 2: _MANY}.get(way, 0)
        extra = tuple(self._somebody() for _ in range(more))
        if step in SIBLINGS:
            parents = known.parents(name)
            parent = parents[0] if parents else self._somebody()
            if not parents:
                own = labels.son if known.sex.get(name) == "male" else labels.daughter
                added.append(_fact(parent, own, name))
                if own == label:
                    extra = (name, *extra)
        found = known.step(parent, _SEXES[step]).members
        for number, child in enumerate(known.unsexed(parent)):
            own = (labels.daughter, labels.son)[(number + way) % 2]
            added.append(_fact(parent, own, child))
            if own == label:
                extra = (child, *extra)
        return [*added, Told("", CLOSURE, parent, (label,), "", (*found, *extra))]

    def _parent(self, name: str, step: str, way: int) -> list[Told]:
        """Return who the missing parent is, or who of two parents is the mother."""
        labels, parents = self.solvers.labels, self.known.parents(name)
        if not parents:
            label = labels.mother if step in FEMALE or step == "parent" else labels.father
            return [_fact(name, label, self._somebody())]
        known, other = parents[0], self._somebody()
        sex = self.known.sex.get(known)
        is_mother = sex == "female" if sex is not None else way % 2 == 0
        return [_fact(known, labels.husband if is_mother else labels.wife, other)]

    def _linked(self, name: str, step: str, way: int) -> list[Told]:
        link = self.known.words.links[step]
        found = self.known.step(name, step).members
        wanted = self._wanted(step)
        if not link.many:
            value = link.values[0] if link.values else self._somebody()
            if way == 1 and wanted:
                value = wanted
            elif way and link.values:
                value = next(one for one in link.values[1:] if one != wanted)
            return [_fact(name, step, value)]
        extra = (wanted or self._somebody(),) if way == 1 else (self._somebody(),) if way else ()
        return [Told("", CLOSURE, name, (step,), "", tuple(dict.fromkeys((*found, *extra))))]

    def _wanted(self, step: str) -> str:
        """Return what a condition asks of a link."""
        condition = self.plan.condition
        if condition is None or step not in condition.steps:
            return ""
        if condition.target is None:
            return condition.value
        return Prover(self.known).one(condition.target) or ""

    def _related(self, gap: Relating, way: int) -> list[Told]:
        """Return one of the relations that two can have."""
        possible = sorted(self.known.possible(gap.part, gap.head, gap.tail))
        if not possible:
            return []
        kind = possible[way % len(possible)]
        return [_fact(gap.head, self.known.label(gap.part, kind), gap.tail)]

    def _somebody(self) -> str:
        self.named += 1
        return f"{_OUTSIDE} {self.scene + 1}.{self.named}"


def _fact(head: str, relation: str, tail: str) -> Told:
    return Told("", FACT, head, (relation,), tail, ())
