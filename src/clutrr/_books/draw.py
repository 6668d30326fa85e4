"""Questions of a scene, drawn: a form and a number of hops, then a plan, then entities to begin from.

A plan is tried, and left if its answer is not known, tells nothing, or stands in one article although it takes several
hops. No trial looks further than its hops: what a question costs does not depend on how large the book is.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from clutrr._books.execute import PREFACE_ENTITY, Answered, Executor, Index, Refs
from clutrr._books.openness import grows, is_open
from clutrr._books.plans import (
    CANNOT,
    FORM_OF,
    IS,
    NO,
    NONE,
    YES,
    Condition,
    Plan,
    Route,
    forbidden,
    hops_of,
    question,
    sort_after,
)
from clutrr._books.scene import Scene
from clutrr.errors import ConfigError, Give, Hint

BLOCK = 256  # questions that are drawn together
_LONGEST = 8  # entities in an answer
_TRIALS = 4000  # of one question
_SEVERAL = 0.4  # of the questions, how many are to touch several theories, where there are several
_TURNS = 40  # trials before another number of hops
Reduce = Callable[[Plan, tuple[str, ...], Refs], Refs]
_NONE_SHARE = 0.3  # of the trials whose answer is none, how many are kept


@dataclass(frozen=True)
class Drawn:
    """A question on the indices. refs: evidence; none where the answer cannot be told. at: where it begins."""

    plan: Plan
    question: str
    answers: tuple[str, ...]
    hops: int
    theories: tuple[str, ...]
    refs: Refs
    at: Mapping[str, int]


class Drawer:
    """Draws the questions of a scene. reduce: returns the fewest of the evidence from which an answer follows."""

    def __init__(self, scene: Scene, reduce: Reduce) -> None:
        self.scene, self.words, self._reduce = scene, scene.words, reduce
        self.executor = Executor(Index(scene))
        self._kinds = self._possible_kinds()
        forms = [one for one in scene.config.forms if self._kinds.get(one)]
        if not forms:
            raise ConfigError(
                f"a book of {', '.join(scene.config.parts)} has no questions of these",
                setting="forms",
                value=",".join(scene.config.forms),
                hint=Hint("add parts: {}", (Give("with_"),)),
            )
        self.forms = forms
        theories = {part.theory for part in scene.parts}
        self._several = _SEVERAL if "kinship" in theories and len(theories) > 1 else 0.0
        self._varied = len(scene.parts) > 1  # or there is little to choose from
        self._steps = {sort: self._steps_from(sort) for sort in scene.sizes}
        self._links = {
            sort: [
                name
                for name in scene.link_names
                if self.words.links[name].of == sort and self.words.links[name].verb
            ]
            for sort in scene.sizes
        }

    def _possible_kinds(self) -> dict[str, list[str]]:
        """Return the kinds of plans of each form that this book has."""
        has_families = "families" in self.scene.config.parts
        compared = any(
            one.part in self.scene.config.parts for one in self.words.comparisons.values()
        )
        found: dict[str, list[str]] = {}
        for kind, form in FORM_OF.items():
            if kind == "more" and not has_families:
                continue
            if kind in ("relation", "compare", "most") and not compared:
                continue
            found.setdefault(form, []).append(kind)
        return found

    def _steps_from(self, sort: str) -> list[str]:
        """Return the steps that can be made from entities of a sort; those that lead to words are not among them."""
        links = [
            name
            for name in self.scene.link_names
            if self.words.links[name].of == sort and self.words.links[name].to
        ]
        if sort == "person" and self.scene.families is not None:
            links += self.words.relatives
        return links

    def block(self, number: int, size: int = BLOCK) -> list[Drawn]:
        """Return questions, as a pure function of the scene and the number of the block."""
        rng = Random(f"{self.scene.number('questions')} {number}")
        return [self._draw(rng) for _ in range(size)]

    def _draw(self, rng: Random) -> Drawn:
        config = self.scene.config
        wants_open = rng.random() < config.unanswerable
        form, hops = rng.choice(self.forms), rng.choice(config.hops)
        wants_several = rng.random() < self._several and hops > 1
        for trial in range(_TRIALS):
            if trial % _TURNS == _TURNS - 1:
                hops = rng.choice(config.hops)
                if trial > _TRIALS // 4:
                    form = rng.choice(self.forms)
            plan = self._plan(rng, rng.choice(self._kinds[form]), hops)
            if plan is None:
                continue
            made, at = plan
            if wants_several and trial < _TRIALS // 8 and len(self._theories(made)) < 2:
                continue
            drawn = self._tried(made, at, hops, wants_open, rng)
            if drawn is not None:
                return drawn
        raise ConfigError(
            f"no question of {', '.join(map(str, config.hops))} hops was found for a book of "
            f"{', '.join(config.parts)}",
            setting="hops",
            hint=Hint("choose other hops or forms, or a larger book: {}", (Give("entities"),)),
        )

    def _tried(
        self, plan: Plan, at: Mapping[str, int], hops: int, wants_open: bool, rng: Random
    ) -> Drawn | None:
        if wants_open:
            if self._length(plan, 0) != hops or not is_open(self.executor, plan, at):
                return None
            return self._drawn(plan, (CANNOT,), hops, frozenset(), at)
        found = self.executor.answer(plan, at)
        if found is None or self._length(plan, found.relations) != hops:
            return None
        if hops > 1 and len(_articles(found.refs)) < 2:
            return None
        answers = self._answers(plan, found, at)
        if answers is None or (answers[0] in (NONE, "0", NO) and rng.random() > _NONE_SHARE):
            return None
        refs = self._reduce(plan, answers, found.refs)
        if hops > 1 and len(_articles(refs)) < 2:
            return None
        return self._drawn(plan, answers, hops, refs, at)

    def _drawn(
        self,
        plan: Plan,
        answers: tuple[str, ...],
        hops: int,
        refs: Refs,
        at: Mapping[str, int],
    ) -> Drawn:
        world = self.scene.worlds[plan.part] if plan.part else None
        return Drawn(plan, question(plan, world), answers, hops, self._theories(plan), refs, at)

    def _length(self, plan: Plan, relations: int) -> int:
        """Return the hops of a plan: the links of its longest branch, and the relations compared at its end."""
        routes = [plan.route.hops, plan.other.hops if plan.other is not None else 0]
        beyond = relations or (plan.kind in ("relation", "compare", "most"))
        if plan.kind == "more":
            beyond = hops_of(plan.test)
        if plan.condition is not None:
            links = sum(map(hops_of, plan.condition.steps))
            routes[0] += links
            if plan.condition.target is not None:
                routes.append(plan.condition.target.hops)
            beyond = relations or (plan.condition.test != IS)
        return max(routes) + int(beyond)

    def _theories(self, plan: Plan) -> tuple[str, ...]:
        """Return the theories that a plan touches."""
        found: dict[str, None] = {}
        routes = [plan.route, plan.other, plan.condition and plan.condition.target]
        steps = [step for route in routes if route is not None for step in route.steps]
        if plan.kind == "more":
            steps.append(plan.test)
        if plan.condition is not None:
            steps += plan.condition.steps
        if any(step in self.words.relatives for step in steps):
            found["kinship"] = None
        tests = [plan.condition.test] if plan.condition is not None else []
        tests += [plan.test] if plan.kind in ("most", "compare") else []
        parts = [self.words.comparisons[test].part for test in tests if test != IS]
        parts += [plan.part] if plan.part else []
        for part in parts:
            found[self.words.parts[part].theory] = None
        return tuple(found)

    def _answers(
        self, plan: Plan, found: Answered, at: Mapping[str, int]
    ) -> tuple[str, ...] | None:
        """Return the answers in words; None if they tell nothing."""
        value, scene = found.value, self.scene
        if isinstance(value, bool):
            return (YES if value else NO,)
        if isinstance(value, str):
            return (value,)
        assert isinstance(value, tuple)
        if plan.kind == "count":
            return (str(len(value)),) if len(value) <= 4 * _LONGEST else None
        if len(value) > _LONGEST:
            return None
        if not value:
            empty = plan.kind == "filter" or (
                plan.kind == "list" and grows(self.executor, plan.route.steps[-1])
            )
            return (NONE,) if empty else None
        if plan.kind == "value":
            link = self.words.links[plan.route.steps[-1]]
            if not link.to:
                return tuple(link.values[one] for one in value)
        if any(one in at.values() for one in value) and plan.kind in ("list", "value"):
            return None  # somebody whom the question names
        if plan.kind == "most" and len(self._members(plan, at)) < 2:
            return None
        return tuple(sorted(scene.name(one) for one in value))

    def _members(self, plan: Plan, at: Mapping[str, int]) -> Sequence[int]:
        route = plan.route
        return list(
            self.executor.index.route([at[name] for name in route.names], route.steps).members
        )

    # Plans

    def _plan(self, rng: Random, kind: str, hops: int) -> tuple[Plan, dict[str, int]] | None:
        """Return a plan of a kind, and where it begins."""
        at: dict[str, int] = {}
        if kind in ("list", "count"):
            route = self._route(rng, at, hops, None, several=kind == "count" or rng.random() < 0.7)
            if route is None or (kind == "count" and not grows(self.executor, route.steps[-1])):
                return None
            return Plan(kind, route), at
        if kind == "value":
            return self._value(rng, at, hops)
        if kind == "filter":
            return self._filtered(rng, at, hops)
        if kind == "exists":
            return self._existing(rng, at, hops)
        if kind == "most":
            return self._most(rng, at, hops)
        return self._pair(rng, at, kind, hops)

    def _value(
        self, rng: Random, at: dict[str, int], hops: int
    ) -> tuple[Plan, dict[str, int]] | None:
        asked = [name for name in self.scene.link_names if self.words.links[name].ask]
        link = self.words.links[rng.choice(asked)]
        route = self._route(rng, at, hops - 1, link.of, several=False)
        if route is None:
            return None
        return Plan("value", Route(route.names, (*route.steps, link.name))), at

    def _filtered(
        self, rng: Random, at: dict[str, int], hops: int
    ) -> tuple[Plan, dict[str, int]] | None:
        first = rng.randint(1, max(1, hops - 1))
        route = self._route(rng, at, first, None, several=True)
        if route is None:
            return None
        members = self._some(route, at)
        if not 1 < len(members) <= _LONGEST:
            return None
        condition = self._condition(rng, at, hops, rng.choice(members))
        return None if condition is None else (Plan("filter", route, condition=condition), at)

    def _existing(
        self, rng: Random, at: dict[str, int], hops: int
    ) -> tuple[Plan, dict[str, int]] | None:
        way = rng.random()
        if way < 0.2:  # is there any
            route = self._route(rng, at, hops, "person", several=True)
            if route is None or route.steps[-1] not in self.words.relatives:
                return None
            return Plan("exists", route), at
        if way < 0.4:  # is this one of them
            route = self._route(rng, at, hops, None, several=rng.random() < 0.7)
            members = self._some(route, at) if route is not None and route.steps else []
            if route is None or not members:
                return None
            asked = rng.choice(members)
            if rng.random() < 0.5:
                asked = self._somebody(rng, self.scene.sort(asked))
            name = self.scene.name(asked)
            if name in at:
                return None
            at[name] = asked
            return Plan("exists", route, condition=Condition((), IS, Route((name,)))), at
        route = self._route(rng, at, rng.randint(0, hops - 1), None, several=rng.random() < 0.3)
        members = self._some(route, at) if route is not None else []
        if route is None or not 0 < len(members) <= _LONGEST:
            return None
        condition = self._condition(rng, at, hops, rng.choice(members))
        return None if condition is None else (Plan("exists", route, condition=condition), at)

    def _condition(self, rng: Random, at: dict[str, int], hops: int, one: int) -> Condition | None:
        """Return a condition that often holds of an entity."""
        sort = self.scene.sort(one)
        steps: tuple[str, ...] = ()
        reached = one
        if rng.random() < 0.6 or not self._tests(sort):
            if not self._links[sort]:
                return None
            steps = (rng.choice(self._links[sort]),)
            link = self.words.links[steps[0]]
            found = list(self.executor.index.route([one], steps).members)
            if not link.to:
                value = (
                    rng.choice(link.values)
                    if not found or rng.random() < 0.4
                    else link.values[found[0]]
                )
                return Condition(steps, IS, None, value)
            reached = rng.choice(found) if found else self._somebody(rng, link.to)
            sort = link.to
        tests = self._tests(sort)
        test = rng.choice(tests) if tests and (not steps or rng.random() < 0.5) else IS
        if test == IS and not steps:
            return None
        goal = self._beside(rng, reached, test)
        if test == IS and rng.random() < 0.4:
            goal = self._somebody(rng, sort)
        target = self._leading(rng, at, goal, hops)
        return None if target is None else Condition(steps, test, target)

    def _tests(self, sort: str) -> list[str]:
        parts = {part.name for part in self.scene.parts if part.sort == sort}
        return [one.name for one in self.words.comparisons.values() if one.part in parts]

    def _beside(self, rng: Random, entity: int, test: str) -> int:
        """Return an entity of which something may be known beside this one: a neighbour, or one's neighbour."""
        if test == IS:
            return entity
        relations = self.executor.index.relations[self.words.comparisons[test].part]
        for _ in range(rng.randint(1, 3)):
            beside = relations.neighbours(entity)
            entity = rng.choice(beside) if beside else entity
        return entity

    def _leading(self, rng: Random, at: dict[str, int], goal: int, hops: int) -> Route | None:
        """Return a route to one entity: its name, or some steps that lead back to it."""
        steps: list[str] = []
        entity = goal
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            back = self._back(rng, entity)
            if back is None or sum(map(hops_of, [back[1], *steps])) >= max(2, hops):
                break
            if steps and forbidden(back[1], steps[0]):
                break
            entity, steps = back[0], [back[1], *steps]
        name = self.scene.name(entity)
        if name in at and at[name] != entity:
            return None
        at[name] = entity
        return Route((name,), tuple(steps))

    def _back(self, rng: Random, entity: int) -> tuple[int, str] | None:
        """Return somebody from whom a single step leads to an entity, and the step."""
        scene, sort = self.scene, self.scene.sort(entity)
        ways: list[tuple[int, str]] = []
        if sort == "person" and scene.families is not None:
            families = scene.families
            step = "mother" if families.female[entity] else "father"
            couple = families.own[entity]
            if couple >= 0:
                spouse = families.spouse(entity)
                ways.append((spouse, "wife" if families.female[entity] else "husband"))
                first = families.first[couple]
                ways += [(one, step) for one in range(first, first + families.children[couple])]
        for name in ("home", "region"):
            if name in scene.link_names and self.words.links[name].to == sort:
                inverse = scene.links(self.words.links[name].inverse)
                offset = scene.offset[self.words.links[name].of]
                ways += [
                    (offset + one, name) for one in inverse.row(entity - scene.offset[sort])[:6]
                ]
        return rng.choice(ways) if ways else None

    def _most(
        self, rng: Random, at: dict[str, int], hops: int
    ) -> tuple[Plan, dict[str, int]] | None:
        sorts = {part.sort for part in self.scene.parts if part.name != "families"}
        sort = rng.choice(sorted(sorts))
        tests = [test for test in self._tests(sort) if self.words.comparisons[test].most]
        if not tests:
            return None
        test = rng.choice(tests)
        if rng.random() < 0.25:  # several, by name
            one = self._somebody(rng, sort)
            some = {one}
            for _ in range(rng.randint(1, 3)):
                some.add(self._beside(rng, one, test))
            if len(some) < 2:
                return None
            at |= {self.scene.name(each): each for each in sorted(some)}
            return Plan("most", Route(tuple(sorted(at))), test=test), at
        route = self._route(rng, at, rng.randint(1, hops), sort, several=True)
        return None if route is None or not route.steps else (Plan("most", route, test=test), at)

    def _pair(
        self, rng: Random, at: dict[str, int], kind: str, hops: int
    ) -> tuple[Plan, dict[str, int]] | None:
        if kind == "more":
            test = rng.choice(
                ["child", "son", "daughter", "sibling", "cousin", "grandchild", "niece", "nephew"]
            )
            rest = hops - hops_of(test)
            if rest < 0:
                return None
            first = self._route(rng, at, rng.randint(0, rest), "person", several=False)
            second = self._route(rng, at, rng.randint(0, rest), "person", several=False)
            if first is None or second is None:
                return None
            return Plan("more", first, second, test=test), at
        parts = [part for part in self.scene.parts if part.name != "families"]
        if not parts:
            return None
        part = rng.choice(parts)
        goal = self._somebody(rng, part.sort)
        tests = [
            one.name
            for one in self.words.comparisons.values()
            if one.part == part.name and one.which
        ]
        if kind == "compare" and not tests:
            return None
        test = rng.choice(tests) if kind == "compare" else ""
        relations = self.executor.index.relations[part.name]
        other = goal
        for _ in range(rng.randint(1, 3)):
            beside = relations.neighbours(other)
            if not beside:
                return None
            other = rng.choice(beside)
        if other == goal:
            return None
        first, second = self._leading(rng, at, goal, hops), self._leading(rng, at, other, hops)
        if first is None or second is None:
            return None
        return Plan(
            kind, first, second, test=test, part=part.name if kind == "relation" else ""
        ), at

    def _route(
        self, rng: Random, at: dict[str, int], hops: int, sort: str | None, several: bool
    ) -> Route | None:
        """Return a route of so many hops. sort: of what it leads to; several: whether there may be several."""
        here = rng.choice([one for one, size in self.scene.sizes.items() if size])
        if sort is not None and hops == 0:
            here = sort
        elif self.scene.sizes["person"] and rng.random() < 0.7:
            here = "person"
        entity = self._somebody(rng, here)
        steps: list[str] = []
        left = hops
        while left > 0:
            known = [
                step
                for step in self._steps[here]
                if hops_of(step) <= left
                and (several or self._leads_to_one(step))
                and not (steps and forbidden(steps[-1], step))
                and not (self._varied and steps[-2:] == [step, step])
            ]
            if not known:
                return None
            step = rng.choice(known)
            steps.append(step)
            left -= hops_of(step)
            here = sort_after(here, step, self.words)
        if sort is not None and here != sort:
            return None
        if several and steps and self._leads_to_one(steps[-1]) and hops > 1 and rng.random() < 0.8:
            return None
        name = self.scene.name(entity)
        if name in at and at[name] != entity:
            return None
        at[name] = entity
        return Route((name,), tuple(steps))

    def _leads_to_one(self, step: str) -> bool:
        relative = self.words.relatives.get(step)
        return relative.one if relative is not None else not self.words.links[step].many

    def _somebody(self, rng: Random, sort: str) -> int:
        return self.scene.offset[sort] + int(rng.random() * self.scene.sizes[sort])

    def _some(self, route: Route, at: Mapping[str, int]) -> list[int]:
        return list(
            self.executor.index.route([at[name] for name in route.names], route.steps).members
        )


def _articles(refs: Refs) -> set[int]:
    """Return the entities whose articles hold the evidence."""
    return {entity for entity, _ in refs if entity != PREFACE_ENTITY}
