"""Plans on the indices of a scene: a hop is a look-up, an answer comes with its evidence.

What is known is what is told, and what follows. A set of entities is known to be complete only where claims say so; otherwise it
has a gap:

    child   a daughter or a son more may be somewhere: nothing says that these are all
    one     there is one, or may be one, and nothing says who or what it is
    many    there may be more: nothing says that these are all
    more    there may be more of a family, of whom others may tell
    unsure  what is not told here may follow from elsewhere: nothing is asked about it
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from clutrr._books.families import Families
from clutrr._books.plans import IS, Condition, Plan, Route
from clutrr._books.scene import LISTED, OWN, Scene
from clutrr._books.vocabulary import FEMALE, SIBLINGS
from clutrr._puzzle import Fact
from clutrr.theory import Solver
from clutrr.theory.algebra import RelationAlgebra, bits
from clutrr.theory.models import ModelTheory

PREFACE_ENTITY = -1
_LONGEST = 4  # statements from which a relation is taken
Ref = tuple[int, str]  # the entity of an article, and the key of a statement in it
Refs = frozenset[Ref]
_NOTHING: Refs = frozenset()
GAPS = ("", "many", "child", "one", "more", "unsure")  # from none to the worst


class Found(NamedTuple):
    """What a step or a route leads to: each with evidence. complete: evidence that these are all; None: a gap."""

    members: Mapping[int, Refs]
    complete: Refs | None
    gap: str = ""


@dataclass
class _Gathering:
    """Results put together."""

    members: dict[int, Refs] = field(default_factory=dict)
    complete: Refs | None = _NOTHING
    gap: str = ""

    def add(self, found: Found, reached: Refs = _NOTHING) -> None:
        for one, refs in found.members.items():
            refs = refs | reached
            if one not in self.members or len(refs) < len(self.members[one]):
                self.members[one] = refs
        if found.complete is None:
            self.complete = None
            self.gap = _both(self.gap, found.gap)
        elif self.complete is not None:
            self.complete = self.complete | found.complete | reached

    def done(self) -> Found:
        return Found(self.members, self.complete, self.gap)


def _both(gap: str, other: str) -> str:
    """Return what two gaps are together: of the sort of which least is known."""
    return max(gap, other, key=GAPS.index)


class Index:
    """Look-ups in a scene."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.words = scene.words
        self.relations = {
            part.name: Relations(scene, part.name)
            for part in scene.parts
            if part.name != "families"
        }
        self._tables = {name: scene.links(name) for name in scene.link_names}
        self._offset = scene.offset

    # Links of families

    @cached_property
    def _families(self) -> Families:
        assert self.scene.families is not None
        return self.scene.families

    def _birth(self, person: int) -> Ref:
        """Return what tells whose child somebody is, of the parent who tells of the children."""
        families, told = self._families, self.scene.told
        couple = families.born[person]
        if not told.listed[couple]:
            return person, "parent"
        female = families.female[person]
        key = "daughters" if female else "sons"
        if (told.daughters if female else told.sons)[couple]:
            return self.scene.teller(couple), key
        first = families.first[couple]
        number = sum(families.female[one] == female for one in range(first, person + 1))
        return self.scene.teller(couple), f"{key}-{number}"

    def _marriage(self, couple: int) -> Ref | None:
        """Return what tells that two are married."""
        side = self.scene.told.married[couple]
        families = self._families
        return ((families.wife, families.husband)[side - 1][couple], "spouse") if side else None

    def _parents(self, person: int) -> Found:
        families = self._families
        couple = families.born[person]
        if couple < 0:
            return Found({}, None, "one")
        refs = frozenset((self._birth(person),))
        teller, marriage = self.scene.teller(couple), self._marriage(couple)
        if marriage is None:
            return Found({teller: refs}, None, "one")
        both = refs | {marriage}
        return Found({teller: refs, families.spouse(teller): both}, both)

    def _parent(self, person: int, female: bool) -> Found:
        found, families = self._parents(person), self._families
        couple = families.born[person]
        if couple < 0:
            return found
        wanted = (families.wife if female else families.husband)[couple]
        if self.scene.told.listed[
            couple
        ]:  # only who is married to whom tells a mother from a father
            if found.complete is None:
                return Found({}, None, "unsure")
            return Found({wanted: found.complete}, found.complete)
        if wanted not in found.members:
            return Found({}, None, "one")
        refs = found.members[wanted]
        return Found({wanted: refs}, refs)

    def _spouse(self, person: int) -> Found:
        families = self._families
        couple = families.own[person]
        if couple < 0:
            if self.scene.told.single[person]:
                return Found({}, frozenset(((person, "single"),)))
            return Found({}, None, "one")
        marriage = self._marriage(couple)
        if marriage is None:
            return Found({}, None, "unsure")
        refs = frozenset((marriage,))
        return Found({families.spouse(person): refs}, refs)

    def _spouse_of_sex(self, person: int, female: bool) -> Found:
        found = self._spouse(person)
        if found.gap:  # nobody asks for a woman's wife
            fits = self._families.female[person] != female
            return found if fits else Found({}, None, "unsure")
        members = {
            one: refs for one, refs in found.members.items() if self._families.female[one] == female
        }
        return Found(members, found.complete)

    def _children(self, person: int, female: bool) -> Found:
        families = self._families
        couple = families.own[person]
        if couple < 0:
            if self.scene.told.single[person]:
                return Found({}, frozenset(((person, "single"),)))
            return Found({}, None, "child")
        known = _NOTHING
        if self.scene.teller(couple) != person:
            marriage = self._marriage(couple)
            if marriage is None:
                return Found({}, None, "child")
            known = frozenset((marriage,))
        return self._brood(couple, female, known)

    def _brood(self, couple: int, female: bool, known: Refs, but: int = -1) -> Found:
        """Return the daughters or sons of a couple. known: evidence that leads to it. but: one who does not count."""
        families, told = self._families, self.scene.told
        if not told.listed[couple]:
            return Found({}, None, "more")
        first = families.first[couple]
        members = {
            one: known | {self._birth(one)}
            for one in range(first, first + families.children[couple])
            if families.female[one] == female and one != but
        }
        if not (told.daughters if female else told.sons)[couple]:
            return Found(members, None, "child")
        key = "daughters" if female else "sons"
        return Found(members, known | {(self.scene.teller(couple), key)})

    def _siblings(self, person: int, female: bool) -> Found:
        couple = self._families.born[person]
        if couple < 0:
            return Found({}, None, "child")
        return self._brood(couple, female, frozenset((self._birth(person),)), person)

    @lru_cache(200_000)  # noqa: B019  an index lives as long as its look-ups
    def step(self, entity: int, step: str) -> Found:
        """Return what one step of a family, or one link, leads to."""
        if step in self._tables:
            return self._linked(entity, step)
        female = step in FEMALE
        if step == "parent":
            return self._parents(entity)
        if step in ("mother", "father"):
            return self._parent(entity, female)
        if step == "spouse":
            return self._spouse(entity)
        if step in ("husband", "wife"):
            return self._spouse_of_sex(entity, female)
        if step in SIBLINGS:
            return self._siblings(entity, female)
        return self._children(entity, female)

    # Other links

    def _linked(self, entity: int, name: str) -> Found:
        table = self._tables[name]
        link, at = table.link, entity - self._offset[table.link.of]
        told, own = table.told[at], frozenset(((entity, name),))
        offset = self._offset[link.to] if link.to else 0
        values = [offset + one for one in table.row(at)]
        if link.many and link.inverse:
            if not told:
                return Found({}, None, "unsure")
            claim = frozenset(((PREFACE_ENTITY, link.preface),))
            return Found(dict.fromkeys(values, own), own | claim)
        if link.many:
            if told:
                return Found(dict.fromkeys(values, own), own)
            refs = {
                value: frozenset(((entity, f"{name}-{number}"),))
                for number, value in enumerate(values, 1)
            }
            return Found(refs, None, "many")
        if told == LISTED:
            own = frozenset(((values[0], link.inverse),))
        elif told != OWN:
            return Found({}, None, "one")
        return Found(dict.fromkeys(values, own), own)

    # Plans

    def word(self, entity: int, name: str) -> Found:
        """Return what a word for relatives, or a link, leads to."""
        relative = self.words.relatives.get(name)
        if relative is None:
            return self.step(entity, name)
        found = _Gathering()
        for way in relative.ways:
            found.add(self._way(entity, way))
        return found.done()

    def _way(self, entity: int, way: Sequence[str]) -> Found:
        found = Found({entity: _NOTHING}, _NOTHING)
        for step in way:
            found = self._further(found, step, self.step)
        return found

    def _further(self, found: Found, step: str, look: Callable[[int, str], Found]) -> Found:
        gathered = _Gathering(complete=found.complete, gap=found.gap)
        for one, refs in found.members.items():
            gathered.add(look(one, step), refs)
        return gathered.done()

    def route(self, start: Iterable[int], steps: Sequence[str]) -> Found:
        """Return where a route leads to."""
        found = Found(dict.fromkeys(start, _NOTHING), _NOTHING)
        for step in steps:
            found = self._further(found, step, self.word)
        return found


class Answered(NamedTuple):
    """An answer on the indices: entities, a number, a truth or a label; with evidence.

    relations: how many statements the longest chain of a theory's relations has.
    """

    value: object
    refs: Refs
    relations: int = 0


class Relations:
    """The relations of one theory that are told: look-ups in small groups."""

    def __init__(self, scene: Scene, part: str) -> None:
        self.scene, self.part = scene, part
        world = scene.worlds[part]
        theory = world.theory
        assert isinstance(theory, ModelTheory)
        self.algebra = RelationAlgebra.of(type(theory))
        self.number = {kind: at for at, kind in enumerate(theory.kinds)}
        self.labels = [world.kind(kind).words[0] for kind in theory.kinds]
        self.every = self.algebra.every
        self._solver: Solver = theory.solver(world.labels, theory.assumption().name)

    def mask(self, kinds: Iterable[str]) -> int:
        """Return kinds as a set of bits."""
        return sum(1 << self.number[kind] for kind in kinds)

    @lru_cache(2048)  # noqa: B019
    def _beside(self, start: int, stop: int) -> Mapping[int, list[tuple[int, int, Ref]]]:
        """Return, of each member of a group, those it is told to be related to, and how."""
        found: dict[int, list[tuple[int, int, Ref]]] = {one: [] for one in range(start, stop)}
        for a, kind, b, owner, number in self.scene.edges(self.part, start, stop):
            ref = owner, f"{self.part}-{number}"
            bit = 1 << self.number[kind]
            found[a].append((b, bit, ref))
            found[b].append((a, self.algebra.turn(bit), ref))
        return found

    def neighbours(self, one: int) -> list[int]:
        """Return the entities of which something is told beside this one."""
        return [other for other, _, _ in self._beside(*self.scene.group(self.part, one))[one]]

    @lru_cache(20_000)  # noqa: B019
    def chain(self, head: int, tail: int, mask: int = 0) -> tuple[int, Refs] | None:
        """Return what tail is to head by the shortest chain of statements that decides, and the statements.

        mask: a set of kinds, of which it is to be known whether the relation is one; 0: a single kind.
        """
        group = self.scene.group(self.part, head)
        if not group[0] <= tail < group[1]:
            return None
        beside = self._beside(*group)
        paths: list[tuple[int, int, tuple[int, ...], Refs]] = [(head, 0, (head,), _NOTHING)]
        for _ in range(_LONGEST):
            longer = []
            for at, kinds, passed, refs in paths:
                for other, bit, ref in beside[at]:
                    if other in passed:
                        continue
                    made = self.algebra.compose(kinds, bit) if kinds else bit
                    if other != tail:
                        if made != self.every:
                            longer.append((other, made, (*passed, other), refs | {ref}))
                    elif _decides(made, mask):
                        return made, refs | {ref}
            paths = longer
        return None

    def shown(self, head: int, tail: int, mask: int, refs: set[Ref]) -> bool:
        """Return whether a chain of these statements shows that tail is so to head."""
        beside = self._beside(*self.scene.group(self.part, head))
        paths: list[tuple[int, int, tuple[int, ...]]] = [(head, 0, (head,))]
        while paths:
            at, kinds, passed = paths.pop()
            for other, bit, ref in beside[at]:
                if other in passed or ref not in refs:
                    continue
                made = self.algebra.compose(kinds, bit) if kinds else bit
                if other == tail and not made & ~mask:
                    return True
                if other != tail and made != self.every:
                    paths.append((other, made, (*passed, other)))
        return False

    def possible(self, head: int, tail: int) -> int:
        """Return all that tail can be to head, by the theory's solver."""
        group = self.scene.group(self.part, head)
        if not group[0] <= tail < group[1]:
            return self.every
        facts = [
            Fact(str(edge.a), self.labels[self.number[edge.kind]], str(edge.b))
            for edge in self.scene.edges(self.part, *group)
        ]
        verdict = self._solver.verdict(facts, (str(head), str(tail)))
        return sum(1 << self.labels.index(label) for label in verdict.relations)


def _decides(kinds: int, mask: int) -> bool:
    if not mask:
        return kinds & (kinds - 1) == 0
    return not kinds & mask or not kinds & ~mask


class Executor:
    """Answers plans from a scene's indices. start: of each name, its entity."""

    def __init__(self, index: Index) -> None:
        self.index, self.words = index, index.words

    def answer(self, plan: Plan, at: Mapping[str, int]) -> Answered | None:
        """Return the answer, if it is known, and its evidence."""
        kind = plan.kind
        if kind in ("relation", "compare", "more"):
            return self._two(plan, at)
        found = self.index.route([at[name] for name in plan.route.names], plan.route.steps)
        if kind == "exists":
            return self._exists(plan, found, at)
        if found.complete is None or found.gap:
            return None
        refs = found.complete.union(*found.members.values())
        if kind == "list" or kind == "count" or kind == "value":
            return Answered(tuple(found.members), refs)
        if kind == "most":
            best = self._most(list(found.members), plan.test)
            return (
                None if best is None else Answered((best.value,), refs | best.refs, best.relations)
            )
        return self._filter(plan, found, refs, at)

    def _filter(
        self, plan: Plan, found: Found, refs: Refs, at: Mapping[str, int]
    ) -> Answered | None:
        assert plan.condition is not None
        kept, longest = [], 0
        for one in found.members:
            held = self.holds(one, plan.condition, at)
            if held is None:
                return None
            refs, longest = refs | held.refs, max(longest, held.relations)
            if held.value:
                kept.append(one)
        return Answered(tuple(kept), refs, longest)

    def _exists(self, plan: Plan, found: Found, at: Mapping[str, int]) -> Answered | None:
        best: Answered | None = None
        closed, longest, whole = found.complete, 0, True
        for one, reached in found.members.items():
            held = (
                Answered(True, _NOTHING)
                if plan.condition is None
                else self.holds(one, plan.condition, at)
            )
            if held is None:
                whole = False
            elif held.value:
                refs = reached | held.refs
                if best is None or len(refs) < len(best.refs):
                    best = Answered(True, refs, held.relations)
            elif closed is not None:
                closed, longest = closed | reached | held.refs, max(longest, held.relations)
        if best is not None:
            return best
        if closed is None or found.gap or not whole:
            return None
        return Answered(False, closed, longest)

    def one(self, route: Route, at: Mapping[str, int]) -> tuple[int, Refs] | None:
        """Return the one entity that a route leads to."""
        found = self.index.route([at[name] for name in route.names], route.steps)
        if found.complete is None or len(found.members) != 1:
            return None
        ((entity, refs),) = found.members.items()
        return entity, refs

    def holds(self, entity: int, condition: Condition, at: Mapping[str, int]) -> Answered | None:
        """Return whether a condition holds of an entity; None if that is not known."""
        target: int | None = None
        known = _NOTHING
        if condition.target is not None:
            led = self.one(condition.target, at)
            if led is None:
                return None
            target, known = led
        found = self.index.route([entity], condition.steps)
        no: Refs | None = None if found.complete is None else found.complete
        longest = 0
        for one, reached in found.members.items():
            tested = self._tested(one, condition, target)
            if tested is None:
                no = None
            elif tested.value:
                return Answered(True, reached | tested.refs | known, tested.relations)
            elif no is not None:
                no, longest = no | reached | tested.refs, max(longest, tested.relations)
        if no is None:
            return None
        needs = known if found.members else _NOTHING
        return Answered(False, no | needs, longest)

    def _tested(self, one: int, condition: Condition, target: int | None) -> Answered | None:
        if condition.test == IS:
            if target is None:
                values = self.words.links[condition.steps[-1]].values
                return Answered(values[one] == condition.value, _NOTHING)
            return Answered(one == target, _NOTHING)
        assert target is not None
        return self.compared(one, condition.test, target)

    def compared(self, one: int, test: str, other: int) -> Answered | None:
        """Return whether one is so, compared with the other."""
        comparison = self.words.comparisons[test]
        relations = self.index.relations[comparison.part]
        mask = relations.mask(comparison.kinds)
        if one == other:
            return Answered(bool(mask >> relations.algebra.identity & 1), _NOTHING)
        found = relations.chain(other, one, mask)
        if found is None:
            return None
        kinds, refs = found
        return Answered(not kinds & ~mask, refs, len(refs))

    def _most(self, members: Sequence[int], test: str) -> Answered | None:
        for one in members:
            refs, longest = set[Ref](), 0
            for other in members:
                if other != one:
                    found = self.compared(one, test, other)
                    if found is None or not found.value:
                        break
                    refs |= found.refs
                    longest = max(longest, found.relations)
            else:
                return Answered(one, self._fewest(one, members, test, refs), longest)
        return None

    def _fewest(self, one: int, members: Sequence[int], test: str, refs: set[Ref]) -> Refs:
        """Return as little of the evidence as shows that one is beyond all the others."""
        comparison = self.words.comparisons[test]
        relations = self.index.relations[comparison.part]
        mask, kept = relations.mask(comparison.kinds), set(refs)
        for ref in sorted(refs):
            rest = kept - {ref}
            if all(relations.shown(other, one, mask, rest) for other in members if other != one):
                kept = rest
        return frozenset(kept)

    def _two(self, plan: Plan, at: Mapping[str, int]) -> Answered | None:
        assert plan.other is not None
        first, second = self.one(plan.route, at), self.one(plan.other, at)
        if first is None or second is None or first[0] == second[0]:
            return None
        refs = first[1] | second[1]
        if plan.kind == "more":
            return self._more(plan, (first[0], second[0]), refs)
        if plan.kind == "relation":
            relations = self.index.relations[plan.part]
            found = relations.chain(first[0], second[0])
            if found is None:
                return None
            label = relations.labels[next(bits(found[0]))]
            return Answered(label, refs | found[1], len(found[1]))
        for one, other in ((first[0], second[0]), (second[0], first[0])):
            known = self.compared(one, plan.test, other)
            if known is not None and known.value:
                return Answered((one,), refs | known.refs, known.relations)
        return None

    def _more(self, plan: Plan, pair: tuple[int, int], refs: Refs) -> Answered | None:
        found = [self.index.word(one, plan.test) for one in pair]
        counts = [len(one.members) for one in found]
        if any(one.complete is None for one in found) or counts[0] == counts[1]:
            return None
        winner = counts[0] < counts[1]
        more, fewer = found[winner], found[not winner]
        assert fewer.complete is not None
        refs = refs.union(fewer.complete, *fewer.members.values())
        return Answered((pair[winner],), refs | _enough(more.members, counts[not winner] + 1))


def _enough(members: Mapping[int, Refs], size: int) -> Refs:
    """Return as little of the evidence as shows that there are so many."""
    kept: Refs = _NOTHING.union(*members.values())
    for ref in sorted(kept):
        rest = kept - {ref}
        if sum(refs <= rest for refs in members.values()) >= size:
            kept = rest
    return kept
