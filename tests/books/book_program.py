"""Questions of books, answered by an answer-set program over the whole scene.

It takes the scene as it is: who is whose child and spouse, what is linked, where everything lies. What words mean is written
here again, from the dictionary.
"""

from collections.abc import Sequence
from typing import Any

import clingo

WORDS = """
mother(X,Y) :- child(Y,X), woman(Y).          father(X,Y) :- child(Y,X), not woman(Y).
parent(X,Y) :- child(Y,X).                    kid(X,Y) :- child(X,Y).
daughter(X,Y) :- child(X,Y), woman(Y).        son(X,Y) :- child(X,Y), not woman(Y).
spouse(X,Y) :- wed(X,Y).                      spouse(X,Y) :- wed(Y,X).
wife(X,Y) :- spouse(X,Y), woman(Y).           husband(X,Y) :- spouse(X,Y), not woman(Y).
sibling(X,Y) :- child(P,X), child(P,Y), X != Y.
sister(X,Y) :- sibling(X,Y), woman(Y).        brother(X,Y) :- sibling(X,Y), not woman(Y).
grandchild(X,Y) :- child(X,Z), child(Z,Y).
granddaughter(X,Y) :- grandchild(X,Y), woman(Y).   grandson(X,Y) :- grandchild(X,Y), not woman(Y).
grandmother(X,Y) :- grandchild(Y,X), woman(Y).     grandfather(X,Y) :- grandchild(Y,X), not woman(Y).
maternal_grandmother(X,Y) :- mother(X,Z), mother(Z,Y).   maternal_grandfather(X,Y) :- mother(X,Z), father(Z,Y).
paternal_grandmother(X,Y) :- father(X,Z), mother(Z,Y).   paternal_grandfather(X,Y) :- father(X,Z), father(Z,Y).
elder(X,Y) :- child(P,X), sibling(P,Y).
aunt(X,Y) :- elder(X,Y), woman(Y).            uncle(X,Y) :- elder(X,Y), not woman(Y).
niece(X,Y) :- elder(Y,X), woman(Y).           nephew(X,Y) :- elder(Y,X), not woman(Y).
cousin(X,Y) :- elder(X,Z), child(Z,Y).
mother_in_law(X,Y) :- spouse(X,Z), mother(Z,Y).   father_in_law(X,Y) :- spouse(X,Z), father(Z,Y).
son_in_law(X,Y) :- daughter(X,Z), spouse(Z,Y).    daughter_in_law(X,Y) :- son(X,Z), spouse(Z,Y).
brother_in_law(X,Y) :- spouse(X,Z), brother(Z,Y). brother_in_law(X,Y) :- sister(X,Z), spouse(Z,Y).
sister_in_law(X,Y) :- spouse(X,Z), sister(Z,Y).   sister_in_law(X,Y) :- brother(X,Z), spouse(Z,Y).

older(X,Y) :- born(G,X,A), born(G,Y,B), A > B.    younger(X,Y) :- older(Y,X).
north(X,Y) :- lies(G,X,_,A), lies(G,Y,_,B), A > B.   south(X,Y) :- north(Y,X).
east(X,Y) :- lies(G,X,A,_), lies(G,Y,B,_), A > B.    west(X,Y) :- east(Y,X).
earlier(X,Y) :- lasts(G,X,A,_), lasts(G,Y,B,_), A < B.
longer(X,Y) :- lasts(G,X,_,A), lasts(G,Y,_,B), A > B.
over(X,Y) :- lasts(G,X,_,A), lasts(G,Y,B,_), A <= B.
overlap(X,Y) :- lasts(G,X,A,B), lasts(G,Y,C,D), A < D, C < B.
sharing(X,Y) :- area(G,X,A,B,C,D), area(G,Y,E,F,H,I), A < F, E < B, C < I, H < D.
part(X,Y) :- area(G,X,A,B,C,D), area(G,Y,E,F,H,I), E <= A, B <= F, H <= C, D <= I.
within(X,Y) :- part(X,Y), not part(Y,X).
"""
# What the second is to the first, by label.
LABELS = {
    "ages": {
        "younger than": "younger(Y,X)",
        "older than": "older(Y,X)",
        "the same age as": "level(X,Y)",
    },
    "places": {
        "north of": "north(Y,X), not east(Y,X), not west(Y,X)",
        "north-east of": "north(Y,X), east(Y,X)",
        "east of": "east(Y,X), not north(Y,X), not south(Y,X)",
        "south-east of": "south(Y,X), east(Y,X)",
        "south of": "south(Y,X), not east(Y,X), not west(Y,X)",
        "south-west of": "south(Y,X), west(Y,X)",
        "west of": "west(Y,X), not north(Y,X), not south(Y,X)",
        "north-west of": "north(Y,X), west(Y,X)",
    },
    "events": {
        "equals": "lasts(_,X,A,B), lasts(_,Y,A,B)",
        "before": "lasts(_,X,A,B), lasts(_,Y,C,D), D < A",
        "after": "lasts(_,X,A,B), lasts(_,Y,C,D), C > B",
        "meets": "lasts(_,X,A,B), lasts(_,Y,C,A)",
        "met by": "lasts(_,X,A,B), lasts(_,Y,B,D)",
        "during": "lasts(_,X,A,B), lasts(_,Y,C,D), A < C, D < B",
        "contains": "lasts(_,X,A,B), lasts(_,Y,C,D), C < A, B < D",
        "overlaps": "lasts(_,X,A,B), lasts(_,Y,C,D), C < A, A < D, D < B",
        "overlapped by": "lasts(_,X,A,B), lasts(_,Y,C,D), A < C, C < B, B < D",
        "starts": "lasts(_,X,A,B), lasts(_,Y,A,D), D < B",
        "started by": "lasts(_,X,A,B), lasts(_,Y,A,D), B < D",
        "finishes": "lasts(_,X,A,B), lasts(_,Y,C,B), A < C",
        "finished by": "lasts(_,X,A,B), lasts(_,Y,C,B), C < A",
    },
    "regions": {
        "disconnected from": "apart(X,Y)",
        "touches from outside": "not apart(X,Y), not sharing(X,Y)",
        "coincides with": "part(X,Y), part(Y,X)",
        "partly overlaps": "sharing(X,Y), not part(X,Y), not part(Y,X)",
        "inside at the edge of": "within(Y,X), edge(Y,X)",
        "inside away from the edge of": "within(Y,X), not edge(Y,X)",
        "contains at the edge": "within(X,Y), edge(X,Y)",
        "contains away from the edge": "within(X,Y), not edge(X,Y)",
    },
}
RELATED = """
level(X,Y) :- born(G,X,A), born(G,Y,A).
apart(X,Y) :- area(G,X,A,B,C,D), area(G,Y,E,F,H,I), B < E.
apart(X,Y) :- area(G,X,A,B,C,D), area(G,Y,E,F,H,I), D < H.
apart(X,Y) :- apart(Y,X).
edge(X,Y) :- within(X,Y), area(_,X,A,B,C,D), area(_,Y,A,F,H,I).
edge(X,Y) :- within(X,Y), area(_,X,A,B,C,D), area(_,Y,E,B,H,I).
edge(X,Y) :- within(X,Y), area(_,X,A,B,C,D), area(_,Y,E,F,C,I).
edge(X,Y) :- within(X,Y), area(_,X,A,B,C,D), area(_,Y,E,F,H,D).
"""
PLACED = {"ages": "born", "places": "lies", "events": "lasts", "regions": "area"}


def scene_facts(scene: Any) -> str:
    """The scene as facts: entities by number, values of links as words."""
    lines = []
    if scene.families is not None:
        families = scene.families
        lines += [f"woman({one})." for one in range(len(families)) if families.female[one]]
        for couple in range(families.couples):
            wife, husband = families.wife[couple], families.husband[couple]
            lines.append(f"wed({wife},{husband}).")
            first = families.first[couple]
            for child in range(first, first + families.children[couple]):
                lines += [f"child({wife},{child}).", f"child({husband},{child})."]
    for name in scene.link_names:
        table = scene.links(name)
        offset = scene.offset[table.link.of]
        for at in range(scene.sizes[table.link.of]):
            for value in table.row(at):
                if table.link.to:
                    shown = str(scene.offset[table.link.to] + value)
                else:
                    shown = f'"{table.link.values[value]}"'
                lines.append(f"link({name},{offset + at},{shown}).")
    for part in scene.parts:
        if part.name == "families":
            continue
        first = at = scene.offset[part.sort]
        while at < first + scene.sizes[part.sort]:
            start, stop = scene.group(part.name, at)
            for one, place in scene.placed(part.name, start, stop).items():
                lines.append(f"{PLACED[part.name]}({start},{one},{','.join(map(str, place))}).")
            at = stop
    return "\n".join(lines)


class Rules:
    """The rules of some questions. at: the number of each name."""

    def __init__(self, scene: Any, at: dict[str, int]) -> None:
        self.scene, self.at = scene, at
        self.lines: list[str] = []
        self.made = 0

    def step(self, step: str, x: str, y: str) -> str:
        if step in self.scene.link_names:
            return f"link({step},{x},{y})"
        return f"{ {'child': 'kid'}.get(step, step).replace('-', '_') }({x},{y})".replace(" ", "")

    def from_start(self, route: Any) -> str:
        """A predicate of what a route leads to."""
        name = self._new()
        for start in route.names:
            self.lines.append(f"{name}({self.at[start]}).")
        for step in route.steps:
            further = self._new()
            self.lines.append(f"{further}(Y) :- {name}(X), {self.step(step, 'X', 'Y')}.")
            name = further
        return name

    def condition(self, condition: Any, route: str) -> str:
        """A predicate of those that a route leads to for which a condition holds."""
        here = self._new()
        self.lines.append(f"{here}(X,X) :- {route}(X).")
        for step in condition.steps:
            further = self._new()
            self.lines.append(f"{further}(X,Z) :- {here}(X,Y), {self.step(step, 'Y', 'Z')}.")
            here = further
        goal = self._new()
        if condition.target is None:
            self.lines.append(f'{goal}("{condition.value}").')
        else:
            goal = self.from_start(condition.target)
        held = self._new()
        body = "Y = Z" if condition.test == "is" else f"{condition.test}(Y,Z)"
        if condition.test == "sharing" or condition.test == "overlap":
            self.lines.append(f"{held}(X) :- {here}(X,Y), {goal}(Y).")
        self.lines.append(f"{held}(X) :- {here}(X,Y), {goal}(Z), {body}.")
        return held

    def _new(self) -> str:
        self.made += 1
        return f"p{self.made}"

    def add(self, number: int, plan: Any) -> None:
        """The rules of a question, whose answers are ans(number, ...)."""
        route = self.from_start(plan.route)
        ans = f"ans({number},"
        if plan.kind in ("list", "value", "count"):
            self.lines.append(f"{ans}X) :- {route}(X).")
        elif plan.kind == "exists":
            held = route if plan.condition is None else self.condition(plan.condition, route)
            self.lines.append(f"{ans}yes) :- {held}(X).")
        elif plan.kind == "filter":
            held = self.condition(plan.condition, route)
            self.lines.append(f"{ans}X) :- {held}(X).")
        elif plan.kind == "most":
            beaten = self._new()
            self.lines.append(
                f"{beaten}(X) :- {route}(X), {route}(Y), X != Y, not {plan.test}(X,Y)."
            )
            self.lines.append(f"{ans}X) :- {route}(X), not {beaten}(X).")
        else:
            self._two(number, plan, route, self.from_start(plan.other))

    def _two(self, number: int, plan: Any, first: str, second: str) -> None:
        ans = f"ans({number},"
        if plan.kind == "compare":
            for one, other in ((first, second), (second, first)):
                self.lines.append(f"{ans}X) :- {one}(X), {other}(Y), {plan.test}(X,Y).")
        elif plan.kind == "relation":
            for label, body in LABELS[plan.part].items():
                self.lines.append(f'{ans}"{label}") :- {first}(X), {second}(Y), {body}.')
        else:
            step = self.step(plan.test, "X", "Z")
            for one, other in ((first, second), (second, first)):
                fewer = self.step(plan.test, "Y", "Z")
                self.lines.append(
                    f"{ans}X) :- {one}(X), {other}(Y), #count{{Z : {step}}} = N, #count{{Z : {fewer}}} = M, N > M."
                )


def answers_of(scene: Any, plans: Sequence[Any], at: dict[str, int]) -> list[tuple[str, ...]]:
    """The answers to plans, in words."""
    rules = Rules(scene, at)
    for number, plan in enumerate(plans):
        rules.add(number, plan)
    control = clingo.Control(["--warn=none"])
    program = "\n".join((scene_facts(scene), WORDS, RELATED, *rules.lines, "#show ans/2."))
    control.add("base", [], program)
    control.ground([("base", [])])
    found: list[set[str]] = [set() for _ in plans]
    with control.solve(yield_=True) as models:
        (model,) = list(_copied(models))
    for number, value in model:
        found[number].add(value)
    return [_worded(scene, plan, values) for plan, values in zip(plans, found, strict=True)]


def _copied(models: Any) -> Any:
    for model in models:
        yield [
            (one.arguments[0].number, str(one.arguments[1]).strip('"'))
            for one in model.symbols(shown=True)
        ]


def _worded(scene: Any, plan: Any, values: set[str]) -> tuple[str, ...]:
    if plan.kind == "count":
        return (str(len(values)),)
    if plan.kind == "exists":
        return ("yes",) if values else ("no",)
    names = [scene.name(int(one)) if one.isdecimal() else one for one in values]
    return tuple(sorted(names)) or ("none",)
