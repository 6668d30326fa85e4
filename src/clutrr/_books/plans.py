"""What a question asks: a plan of look-ups, as data and in words.

Route       from names, along words for relatives and links: "the aunts of Ann's employer"
Condition   what is asked of each that a route leads to: "went to a fair that shares some time with Spring Market"
Plan        what is wanted of them

kind        form      asks
list        who       all that a route leads to
value       what      the one thing that a route leads to
relation    what      what the second of two is to the first
count       how-many  how many a route leads to
filter      which     those of them for which a condition holds
most        which     the one that is beyond all the others
exists      yes-no    whether there is one, for which the condition holds if there is one
compare     compare   which of two is beyond the other
more        compare   which of two has more relatives
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from clutrr._books.vocabulary import FEMALE, SIBLINGS, Vocabulary, vocabulary
from clutrr._lexicon import World
from clutrr.errors import DataError

FORM_OF = {
    "list": "who",
    "value": "what",
    "relation": "what",
    "count": "how-many",
    "filter": "which",
    "most": "which",
    "exists": "yes-no",
    "compare": "compare",
    "more": "compare",
}
IS = "is"
CANNOT, NONE, YES, NO = "cannot be told", "none", "yes", "no"


@dataclass(frozen=True)
class Route:
    """From these entities along these steps, each a word for relatives or a link: to all that there are."""

    names: tuple[str, ...]
    steps: tuple[str, ...] = ()

    @property
    def hops(self) -> int:
        """How many links it follows, one after the other."""
        return sum(map(hops_of, self.steps))


@dataclass(frozen=True)
class Condition:
    """What is asked of an entity x: that something which steps lead to from x is the target, or so to it.

    test: "is", or a comparison. target: where that leads to, or "" and a value.
    """

    steps: tuple[str, ...]
    test: str
    target: Route | None = None
    value: str = ""

    @property
    def hops(self) -> int:
        return sum(map(hops_of, self.steps)) + (self.test != IS)


@dataclass(frozen=True)
class Plan:
    """What is asked. test: a comparison, or of `more` a word for relatives. part: of `relation`."""

    kind: str
    route: Route
    other: Route | None = None
    condition: Condition | None = None
    test: str = ""
    part: str = ""

    @property
    def form(self) -> str:
        return FORM_OF[self.kind]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        plain: dict[str, Any] = {"kind": self.kind, "route": _plain(self.route)}
        if self.other is not None:
            plain["other"] = _plain(self.other)
        if self.condition is not None:
            one = self.condition
            plain["condition"] = {"steps": list(one.steps), "test": one.test}
            if one.target is not None:
                plain["condition"]["target"] = _plain(one.target)
            else:
                plain["condition"]["value"] = one.value
        return plain | {
            name: getattr(self, name) for name in ("test", "part") if getattr(self, name)
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Plan":
        """Return the plan of plain data. Raises DataError where it is none."""
        try:
            condition = data.get("condition")
            plan = cls(
                data["kind"],
                _route(data["route"]),
                _route(data["other"]) if "other" in data else None,
                None if condition is None else _condition(condition),
                data.get("test", ""),
                data.get("part", ""),
            )
            _check(plan)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise DataError("a plan that is none", setting="plan") from None
        return plan


def _plain(route: Route) -> dict[str, Any]:
    return {"from": list(route.names), "steps": list(route.steps)}


def _route(data: Mapping[str, Any]) -> Route:
    steps = tuple(map(str, data["steps"]))
    for step in steps:
        hops_of(step)
    return Route(tuple(map(str, data["from"])), steps)


def _condition(data: Mapping[str, Any]) -> Condition:
    target = _route(data["target"]) if "target" in data else None
    steps = tuple(map(str, data["steps"]))
    return Condition(steps, str(data["test"]), target, str(data.get("value", "")))


def _check(plan: Plan) -> None:
    """Raise KeyError or ValueError where a plan names what there is not, or lacks what its kind needs."""
    words = vocabulary()
    two = plan.kind in ("relation", "compare", "more")
    if plan.kind not in FORM_OF or not plan.route.names or (plan.other is None) == two:
        raise ValueError(plan.kind)
    if (plan.condition is None) == (plan.kind == "filter") and plan.kind != "exists":
        raise ValueError(plan.kind)
    if plan.kind == "more":
        words.relatives[plan.test]
    elif plan.kind in ("most", "compare"):
        words.comparisons[plan.test]
    elif plan.kind == "relation":
        words.parts[plan.part]
    if plan.condition is not None and plan.condition.test != IS:
        words.comparisons[plan.condition.test]


@cache
def hops_of(step: str) -> int:
    """Return how many links a step follows. Raises KeyError for what is no step."""
    words = vocabulary()
    if step in words.relatives:
        return words.relatives[step].hops
    words.links[step]
    return 1


def sort_after(sort: str, step: str, words: Vocabulary) -> str:
    """Return the sort of what a step leads to; "" for a word."""
    return sort if step in words.relatives else words.links[step].to


# In words


class Phrase(NamedTuple):
    """A noun phrase. several: whether it speaks of several."""

    text: str
    several: bool


def phrase(route: Route) -> Phrase:
    """Return what a route leads to, as a noun phrase."""
    words = vocabulary()
    text, several = _listed(route.names), len(route.names) > 1
    for number, step in enumerate(route.steps):
        relative = words.relatives.get(step)
        if relative is not None:
            one, nouns = relative.one, relative.words
        else:
            link = words.links[step]
            one, nouns = not link.many, link.word  # type: ignore[assignment]
            if "{x}" in nouns[0]:
                noun = nouns[several] if one else link.word[1 + several]
                text, several = noun.replace("{x}", text), several or not one
                continue
        noun = nouns[several or not one]
        named = number == 0 and len(route.names) == 1
        text = f"{text}'s {noun}" if named else f"the {noun} of {text}"
        several = several or not one
    return Phrase(text, several)


def question(plan: Plan, world: World | None = None) -> str:
    """Return the question in words. world: of the part that a relation is asked of."""
    words = vocabulary()
    last = plan.route.steps[-1] if plan.route.steps else ""
    if plan.kind == "value":
        before, _ = phrase(Route(plan.route.names, plan.route.steps[:-1]))
        return _big(words.links[last].ask.replace("{x}", before))
    x, several = phrase(plan.route)
    y = phrase(plan.other).text if plan.other is not None else ""
    if plan.kind == "list":
        start = "Who" if _of_people(plan.route, words) else "Which"
        return f"{start} {'are' if several else 'is'} {x}?"
    if plan.kind == "relation":
        assert world is not None
        asked = world.lexicon.phrases.question
        return _big(asked.replace("{a}", x).replace("{b}", y))
    if plan.kind == "count":
        return _count(plan.route, x, words)
    if plan.kind == "filter":
        assert plan.condition is not None
        return f"Which of {x} {_verb(plan.condition, 1)}?"
    if plan.kind == "most":
        comparison = words.comparisons[plan.test]
        return comparison.ask.replace("{x}", x).replace("{most}", comparison.most)
    if plan.kind == "exists":
        return _exists(plan, x, several, words)
    if plan.kind == "compare":
        return words.comparisons[plan.test].which.replace("{x}", x).replace("{y}", y)
    noun = words.relatives[plan.test].words[1]
    return f"Who has more {noun}, {x} or {y}?"


def _count(route: Route, x: str, words: Vocabulary) -> str:
    last = route.steps[-1]
    before = phrase(Route(route.names, route.steps[:-1]))
    if last in words.relatives and not before.several:
        return f"How many {words.relatives[last].words[1]} does {before.text} have?"
    if last in words.relatives:
        return f"How many different people are {x}?"
    return f"How many {x.removeprefix('the ')} are there?"


def _exists(plan: Plan, x: str, several: bool, words: Vocabulary) -> str:
    condition = plan.condition
    if condition is None:
        before = phrase(Route(plan.route.names, plan.route.steps[:-1]))
        noun = words.relatives[plan.route.steps[-1]].words[1]
        return f"{'Do' if before.several else 'Does'} {before.text} have any {noun}?"
    if condition.test == IS and not condition.steps:
        assert condition.target is not None
        target = phrase(condition.target).text
        return _big(f"Is {target} {'one of ' if several else ''}{x}?")
    if several:
        who = "anybody" if _of_people(plan.route, words) else "one"
        that = "who" if who == "anybody" else "that"
        return f"Is there {who} among {x} {that} {_verb(condition, 0)}?"
    return _verb(condition, 2).replace("{x}", x)


def _verb(condition: Condition, form: int) -> str:
    """Return what is asked of an entity. form: 0 of one, 1 of several, 2 as a question about {x}."""
    words = vocabulary()
    target = condition.value if condition.target is None else phrase(condition.target).text
    if not condition.steps:
        return words.comparisons[condition.test].than[form].replace("{y}", target)
    (step,) = condition.steps
    link = words.links[step]
    if condition.test != IS:
        beside = words.comparisons[condition.test].than[0].replace("{y}", target)
        target = f"a {words.sorts[link.to].one} that {beside}"
        verb = link.verb[form].replace("the region {y}", "{y}")
    else:
        verb = link.verb[form]
    return verb.replace("{y}", target)


def _of_people(route: Route, words: Vocabulary) -> bool:
    last = route.steps[-1] if route.steps else ""
    return not last or last in words.relatives or words.links[last].to == "person"


def _listed(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _big(text: str) -> str:
    return text[0].upper() + text[1:]


def shown(plan: Plan) -> str:
    """Return a plan as a line for people: names, and the steps from them."""
    text = f"{plan.kind} {_way(plan.route)}"
    if plan.other is not None:
        text += f" with {_way(plan.other)}"
    if plan.test:
        text += f", by {plan.test}"
    if plan.part:
        text += f", in {plan.part}"
    if plan.condition is not None:
        one = plan.condition
        target = one.value if one.target is None else _way(one.target)
        steps = " > ".join(("each", *one.steps))
        text += f", where {steps} {one.test} {target}"
    return text


def _way(route: Route) -> str:
    return " > ".join((" | ".join(route.names), *route.steps))


@cache
def forbidden(before: str, step: str) -> bool:
    """Return whether one step after another leads back, or says what a single word says."""
    words = vocabulary()
    there, here = words.relatives.get(before), words.relatives.get(step)
    if there is None or here is None:
        inverse = words.links[step].inverse if step in words.links else ""
        return before in words.links and inverse == before
    lasts, firsts = {way[-1] for way in there.ways}, {way[0] for way in here.ways}
    up, down = {"parent", "mother", "father"}, {"daughter", "son"}
    for mate, sex in (("husband", lasts - FEMALE), ("wife", lasts & FEMALE)):
        if firsts == {mate} and sex == lasts:
            return True  # the husbands of uncles
    wed, beside = {"spouse", "husband", "wife"}, set(SIBLINGS)
    pairs = ((up, down), (up, wed), (down, up), (down, beside), (beside, up), (beside, beside))
    return any(lasts & one and firsts & other for one, other in (*pairs, (wed, wed), (wed, down)))
