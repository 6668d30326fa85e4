"""Acts: what a subject is, has and does, while it is not yet known who that is."""

from collections.abc import Callable
from typing import Any, NamedTuple

from clutrr._reading.actions.clauses import are_kin, has, is_kin, join, pair, relates
from clutrr._reading.actions.kinship import wedded, wedding
from clutrr._reading.actions.registry import action
from clutrr._reading.chart import Chart
from clutrr._reading.meaning import Conditions, Who
from clutrr._statement import Status


class Act(NamedTuple):
    """One predicate without its subject. name: an action of clauses; parts: its other arguments."""

    name: str
    parts: tuple[Any, ...] = ()


def _born(chart: Chart, child: Who, parents: Who) -> Conditions:
    return relates(chart, parents, "child", child)


def _couple(chart: Chart, who: Who) -> Conditions | None:
    return pair(chart, who, "SO")


def _bore(chart: Chart, who: Who, names: Who) -> Conditions:
    return relates(chart, who, "child", names)


_DONE: dict[str, Callable[..., Conditions | None]] = {
    "is": is_kin,
    "are": are_kin,
    "has": has,
    "weds": wedding,
    "wedded": wedded,
    "couple": _couple,
    "bore": _bore,
    "born": _born,
}


@action
def act_is(chart: Chart, kin: Who | tuple[Who, ...], adverb: Status) -> Act:
    """ "is Ann's son", "is Ann's son and Bob's brother"."""
    return Act("is" if isinstance(kin, Who) else "are", (kin, adverb))


@action
def act_has(chart: Chart, objects: tuple[Any, ...], adverb: Status | None = None) -> Act:
    """ "has a son, Bob"."""
    return Act("has", (objects, adverb))


@action
def act_weds(chart: Chart, other: Who) -> Act:
    """ "married Bob"."""
    return Act("weds", (other,))


@action
def act_wedded(chart: Chart, other: Who, adverb: Status | None = None) -> Act:
    """ "is married to Bob"."""
    return Act("wedded", (other, adverb))


@action
def act_couple(chart: Chart) -> Act:
    """ "married in May", of two."""
    return Act("couple")


@action
def act_bore(chart: Chart, names: Who) -> Act:
    """ "gave birth to Bob"."""
    return Act("bore", (names,))


@action
def act_born(chart: Chart, parents: Who) -> Act:
    """ "was born to Bob and Carol"."""
    return Act("born", (parents,))


@action
def acts(chart: Chart, one: Any, other: Any) -> tuple[Act, ...]:
    """Several acts of one subject; what is told beside them takes only what its nouns do."""
    return (*_listed(one), *_listed(other))


def _listed(acts: Any) -> tuple[Act, ...]:
    if isinstance(acts, Act):
        return (acts,)
    if acts and isinstance(acts[0], Act):
        return tuple(acts)
    return (Act("told", (acts,)),)


@action
def done(chart: Chart, subject: Who, acts: Any, rest: Conditions = ()) -> Conditions | None:
    """What somebody is, has and does."""
    found: list[Conditions] = []
    for one in _listed(acts):
        if one.name == "told":
            found.append(one.parts[0])
            continue
        said = _DONE[one.name](chart, subject, *one.parts)
        if said is None:
            return None
        found.append(said)
    return join(chart, *found, rest)
