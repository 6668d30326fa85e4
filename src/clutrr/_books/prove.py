"""Plans answered from statements alone: what they prove, and what they leave open.

It knows nothing of scenes: statements are gathered by name, the theory of kinship is put to use here, step by step, and relations
of the other theories are decided by their solvers.
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from clutrr._books.plans import IS, NO, NONE, YES, Condition, Plan, Route
from clutrr._books.sentences import CLOSURE, Labels, Told
from clutrr._books.vocabulary import CHILDREN, FEMALE, SIBLINGS, Vocabulary, vocabulary
from clutrr._lexicon import World
from clutrr._puzzle import Fact
from clutrr.errors import DataError
from clutrr.theory import Solver

Gap = tuple[str, str]  # an entity, and the step from it of which not all is known
Key = TypeVar("Key")
Value = TypeVar("Value")
_FEMALE, _MALE = "female", "male"


@dataclass(frozen=True)
class Known:
    """A set of entities: those that are known to be in it, and whether these are all."""

    members: tuple[str, ...]
    complete: bool


@dataclass(frozen=True)
class Relating:
    """Two entities of a theory whose relation is needed. test: the comparison; "" for the label itself."""

    part: str
    head: str
    tail: str


@dataclass
class Proved:
    """What came of a plan. answers: None where it is not decided. gaps: what would have to be known for that."""

    answers: tuple[str, ...] | None
    gaps: list[Gap | Relating] = field(default_factory=list)


class Solvers:
    """The solvers of a book's theories. worlds: by part."""

    def __init__(self, worlds: Mapping[str, World]) -> None:
        self.worlds = worlds
        self._made: dict[str, Solver] = {}

    def possible(self, part: str, facts: Sequence[Fact], head: str, tail: str) -> frozenset[str]:
        """Return the kinds that tail can be to head."""
        world = self.worlds[part]
        if part not in self._made:
            theory = world.theory
            self._made[part] = theory.solver(world.labels, theory.assumption().name)
        named = {name for fact in facts for name in (fact.head, fact.tail)}
        if not {head, tail} <= named:
            return frozenset(kind.name for kind in world.kinds)
        verdict = self._made[part].verdict(facts, (head, tail))
        return frozenset(world.meaning[label].kind.name for label in verdict.relations)

    @cached_property
    def labels(self) -> Labels:
        return Labels.of(self.worlds["families"])

    @cached_property
    def part_of(self) -> Mapping[str, str]:
        """The part of each label of a theory that is not kinship."""
        return {
            label: part
            for part, world in self.worlds.items()
            if part != "families"
            for label in world.relations
        }


class Knowledge:
    """Statements, gathered by what they are about."""

    def __init__(self, statements: Iterable[Told], solvers: Solvers) -> None:
        self.words: Vocabulary = vocabulary()
        self._solvers = solvers
        self.claims: set[str] = set()
        self.sex: dict[str, str] = {}
        self._wed: dict[str, str] = {}
        self._single: set[str] = set()
        self._parents: dict[str, dict[str, None]] = {}
        self._children: dict[str, dict[str, None]] = {}
        self._all_children: dict[tuple[str, str], tuple[str, ...]] = {}
        self._linked: dict[tuple[str, str], dict[str, None]] = {}
        self._all_linked: set[tuple[str, str]] = set()
        self._related: dict[tuple[str, str], dict[Fact, None]] = {}
        self._touched: dict[str, None] = {}
        for one in statements:
            self.add(one)

    def add(self, one: Told) -> None:
        """Take in a statement."""
        name = one.relations[0]
        self._touched |= dict.fromkeys((one.head, one.tail, *one.entities))
        if not one.head:
            self.claims.add(name)
        elif name in self.words.links:
            self._add_link(one, name)
        elif name in self._solvers.part_of and "families" not in one.key:
            self._add_relation(one, self._solvers.part_of[name])
        elif "families" in self._solvers.worlds:
            self._add_family(one)
        else:
            raise DataError(f"{name!r} is nothing that this book speaks of", setting="statements")

    def _add_link(self, one: Told, name: str) -> None:
        others = one.entities if one.kind == CLOSURE else (one.tail,)
        _put(self._linked, (one.head, name), others)
        if one.kind == CLOSURE:
            self._all_linked.add((one.head, name))
            inverse = self.words.links[name].inverse
            for other in one.entities if inverse else ():
                _put(self._linked, (other, inverse), (one.head,))

    def _add_relation(self, one: Told, part: str) -> None:
        fact = Fact(one.head, one.relations[0], one.tail)
        for name in (one.head, one.tail):
            _put(self._related, (part, name), (fact,))

    def _add_family(self, one: Told) -> None:
        labels, label = self._solvers.labels, one.relations[0]
        if one.kind == CLOSURE and len(one.relations) == 2:
            self._single.add(one.head)
        elif label in (labels.daughter, labels.son):
            sex = _FEMALE if label == labels.daughter else _MALE
            for child in one.entities if one.kind == CLOSURE else (one.tail,):
                self._parent(one.head, child)
                self.sex[child] = sex
            if one.kind == CLOSURE:
                self._all_children[one.head, sex] = one.entities
        elif label in (labels.mother, labels.father):
            self._parent(one.tail, one.head)
            self.sex[one.tail] = _FEMALE if label == labels.mother else _MALE
        elif label in (labels.wife, labels.husband):
            woman, man = (one.tail, one.head) if label == labels.wife else (one.head, one.tail)
            self._wed[woman], self._wed[man] = man, woman
            self.sex[woman], self.sex[man] = _FEMALE, _MALE
        else:
            raise DataError(
                f"{label!r} is nothing that books say of families", setting="statements"
            )

    def _parent(self, parent: str, child: str) -> None:
        _put(self._parents, child, (parent,))
        _put(self._children, parent, (child,))
        if len(self._parents[child]) == 2:
            first, second = self._parents[child]
            self._wed[first], self._wed[second] = second, first

    def extended(self) -> "Knowledge":
        """Return the same knowledge, to be added to."""
        other = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, dict | set):  # what is inside is never changed, but replaced
                setattr(other, name, copy(value))
        other._touched = {}
        return other

    def parents(self, name: str) -> list[str]:
        """Return the parents that somebody is said to have."""
        return list(self._parents.get(name, ()))

    def has_children(self, name: str) -> bool:
        """Return whether somebody is said to have children."""
        return bool(self._children.get(name))

    def unsexed(self, name: str) -> list[str]:
        """Return the children of somebody of whom nothing tells whether they are daughters or sons."""
        couple = [name, *([self._wed[name]] if name in self._wed else [])]
        children = dict.fromkeys(one for parent in couple for one in self._children.get(parent, ()))
        return [one for one in children if self._sex(one) is None]

    def consistent(self) -> bool:
        """Return whether what was added last agrees with all that is known of families and links."""
        touched = [name for name in self._touched if name]
        wed = [self._wed[name] for name in touched if name in self._wed]
        near = dict.fromkeys((*touched, *wed))
        children = [one for name in near for one in self._children.get(name, ())]
        return (
            all(map(self._born_well, (*near, *children)))
            and all(map(self._wed_well, near))
            and all(self._linked_well(name) for name in touched)
        )

    def _born_well(self, child: str) -> bool:
        couple = set(self._parents.get(child, ()))
        couple |= {self._wed[parent] for parent in couple if parent in self._wed}
        if len(couple) > 2 or child in couple or couple & self._single:
            return False
        sex = self._sex(child)
        for parent in couple:
            closed = {one for one in (_FEMALE, _MALE) if (parent, one) in self._all_children}
            listed = {one for one in closed if child in self._all_children[parent, one]}
            if (sex in closed and sex not in listed) or (len(closed) == 2 and not listed):
                return False
        return True

    def _wed_well(self, name: str) -> bool:
        if name not in self._wed:
            return True
        spouse = self._wed[name]
        known = self._sex(name) is not None and self._sex(name) == self._sex(spouse)
        alone = name in self._single or name == spouse
        return self._wed.get(spouse) == name and not alone and not known

    def _linked_well(self, name: str) -> bool:
        links = self.words.links.values()
        return all(link.many or len(self._linked.get((name, link.name), ())) <= 1 for link in links)

    # Steps

    def step(self, name: str, step: str) -> Known:
        """Return where one step, or one link, leads to."""
        if step in self.words.links:
            return self._link(name, step)
        sex = _FEMALE if step in FEMALE else _MALE
        if step == "spouse":
            return self._spouse(name)
        if step in ("husband", "wife"):
            return self._spouse_of_sex(name, sex)
        if step in CHILDREN:
            return self._all_of(name, sex)
        if step in SIBLINGS:
            parents = self._parents.get(name, {})
            if not parents:
                return Known((), False)
            found = self._all_of(next(iter(parents)), sex)
            return Known(tuple(one for one in found.members if one != name), found.complete)
        both = self._both(name)
        if step == "parent":
            return Known(tuple(both), len(both) == 2)
        members = tuple(one for one in both if self._sex(one) == sex)
        return Known(members, bool(members))

    def _sex(self, name: str) -> str | None:
        return self.sex.get(name)

    def _both(self, name: str) -> list[str]:
        """Return the parents of somebody: of one, the other is the spouse."""
        found = list(self._parents.get(name, ()))
        if len(found) == 1 and found[0] in self._wed:
            found.append(self._wed[found[0]])
        return found

    def _spouse(self, name: str) -> Known:
        if name in self._single:
            return Known((), True)
        return Known((self._wed[name],), True) if name in self._wed else Known((), False)

    def _spouse_of_sex(self, name: str, sex: str) -> Known:
        found = self._spouse(name)
        if self._sex(name) == sex:
            return Known((), True)
        if any(self._sex(one) is None for one in found.members):
            return Known((), False)
        return Known(tuple(one for one in found.members if self._sex(one) == sex), found.complete)

    def _all_of(self, name: str, sex: str) -> Known:
        """Return the daughters or sons of somebody, who are those of the spouse, too."""
        if name in self._single:
            return Known((), True)
        couple = [name, *([self._wed[name]] if name in self._wed else [])]
        known: dict[str, None] = {}
        for parent in couple:
            if (parent, sex) in self._all_children:
                return Known(tuple(self._all_children[parent, sex]), True)
            for child in self._children.get(parent, ()):
                if self._sex(child) == sex:
                    known[child] = None
        return Known(tuple(known), False)

    def _link(self, name: str, link: str) -> Known:
        about = self.words.links[link]
        members = tuple(self._linked.get((name, link), ()))
        closed = (name, link) in self._all_linked
        if not about.many:
            return Known(members, bool(members) or closed)
        return Known(members, closed and (not about.preface or about.preface in self.claims))

    def possible(self, part: str, head: str, tail: str) -> frozenset[str]:
        """Return the kinds that tail can be to head."""
        return self._solvers.possible(part, self._joined(part, head), head, tail)

    def label(self, part: str, kind: str) -> str:
        """Return the word for a kind."""
        return self._solvers.worlds[part].kind(kind).words[0]

    def _joined(self, part: str, name: str) -> list[Fact]:
        """Return the facts that are joined to an entity, one by another."""
        found: dict[Fact, None] = {}
        seen, waiting = {name}, [name]
        while waiting:
            for fact in self._related.get((part, waiting.pop()), ()):
                found[fact] = None
                for other in (fact.head, fact.tail):
                    if other not in seen:
                        seen.add(other)
                        waiting.append(other)
        return list(found)


def _put(known: dict[Key, dict[Value, None]], key: Key, values: Iterable[Value]) -> None:
    """Add values to those of a key, in a dictionary that others may share."""
    known[key] = {**known.get(key, {}), **dict.fromkeys(values)}


class Prover:
    """Answers plans from what is known."""

    def __init__(self, known: Knowledge) -> None:
        self.known = known
        self.gaps: list[Gap | Relating] = []

    def prove(self, plan: Plan) -> Proved:
        """Return the answer that holds whatever else is so; none if there is not one."""
        self.gaps = []
        answers = self._answers(plan)
        return Proved(answers, [] if answers is not None else list(dict.fromkeys(self.gaps)))

    def _answers(self, plan: Plan) -> tuple[str, ...] | None:
        if plan.other is not None:
            return self._two(plan, plan.other)
        found = self.route(plan.route)
        if plan.kind == "exists":
            return self._exists(plan, found)
        if not found.complete:
            return None
        if plan.kind == "count":
            return (str(len(found.members)),)
        if plan.kind == "most":
            return self._most(plan, found.members)
        members = list(found.members)
        if plan.kind == "filter":
            assert plan.condition is not None
            held = [self.holds(one, plan.condition) for one in members]
            if None in held:
                return None
            members = [one for one, true in zip(members, held, strict=True) if true]
        return tuple(sorted(members)) or (NONE,)

    def route(self, route: Route) -> Known:
        """Return where a route leads to."""
        found = Known(route.names, True)
        for step in route.steps:
            found = self._further(found, step)
        return found

    def _further(self, found: Known, step: str) -> Known:
        relative = self.known.words.relatives.get(step)
        ways = relative.ways if relative is not None else ((step,),)
        members: dict[str, None] = {}
        complete = found.complete
        for one in found.members:
            for way in ways:
                led = self._way(one, way)
                members |= dict.fromkeys(led.members)
                complete = complete and led.complete
        return Known(tuple(members), complete)

    def _way(self, name: str, way: Sequence[str]) -> Known:
        here, complete = [name], True
        for step in way:
            members: dict[str, None] = {}
            for one in here:
                found = self.known.step(one, step)
                members |= dict.fromkeys(found.members)
                if not found.complete:
                    self.gaps.append((one, step))
                    complete = False
            here = list(members)
        return Known(tuple(here), complete)

    def one(self, route: Route) -> str | None:
        """Return the one entity that a route leads to."""
        found = self.route(route)
        return found.members[0] if found.complete and len(found.members) == 1 else None

    def _exists(self, plan: Plan, found: Known) -> tuple[str, ...] | None:
        if plan.condition is None:
            if found.members:
                return (YES,)
            return (NO,) if found.complete else None
        held = [self.holds(one, plan.condition) for one in found.members]
        if True in held:
            return (YES,)
        return (NO,) if found.complete and None not in held else None

    def holds(self, name: str, condition: Condition) -> bool | None:
        """Return whether a condition holds of an entity; None if that is open."""
        target = None if condition.target is None else self.one(condition.target)
        found = Known((name,), True)
        for step in condition.steps:
            found = self._further(found, step)
        if condition.target is not None and target is None:
            return False if found.complete and not found.members else None
        tested = [self._tested(one, condition, target) for one in found.members]
        if True in tested:
            return True
        return False if found.complete and None not in tested else None

    def _tested(self, one: str, condition: Condition, target: str | None) -> bool | None:
        if condition.test == IS:
            return one == (condition.value if target is None else target)
        assert target is not None
        return self.compared(one, condition.test, target)

    def compared(self, one: str, test: str, other: str) -> bool | None:
        """Return whether one is so, compared with the other; None if that is open."""
        comparison = self.known.words.comparisons[test]
        if one == other:
            return bool(comparison.kinds & {"=", "Eq", "EQ"})
        possible = self.known.possible(comparison.part, other, one)
        if possible <= comparison.kinds:
            return True
        if not possible & comparison.kinds:
            return False
        self.gaps.append(Relating(comparison.part, other, one))
        return None

    def _most(self, plan: Plan, members: Sequence[str]) -> tuple[str, ...] | None:
        for one in members:
            if all(self.compared(one, plan.test, other) for other in members if other != one):
                return (one,)
        return None if self.gaps else (NONE,)  # several of them are level

    def _two(self, plan: Plan, second: Route) -> tuple[str, ...] | None:
        one, other = self.one(plan.route), self.one(second)
        if one is None or other is None or one == other:
            return None
        if plan.kind == "relation":
            possible = self.known.possible(plan.part, one, other)
            if len(possible) == 1:
                return (self.known.label(plan.part, next(iter(possible))),)
            self.gaps.append(Relating(plan.part, one, other))
            return None
        if plan.kind == "more":
            return self._more(plan, one, other)
        for first, last in ((one, other), (other, one)):
            if self.compared(first, plan.test, last):
                return (first,)
        return None if self.gaps else (NONE,)

    def _more(self, plan: Plan, one: str, other: str) -> tuple[str, ...] | None:
        found = [self._further(Known((name,), True), plan.test) for name in (one, other)]
        for name, more, fewer in ((one, found[0], found[1]), (other, found[1], found[0])):
            if fewer.complete and len(more.members) > len(fewer.members):
                return (name,)
        return (NONE,) if found[0].complete and found[1].complete else None
