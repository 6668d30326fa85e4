"""Clauses: what is stated of whom."""

from typing import Any

from clutrr._reading.actions.nouns import _relation
from clutrr._reading.actions.registry import action
from clutrr._reading.chart import Chart
from clutrr._reading.meaning import Condition, Conditions, Link, Says, Who, stated
from clutrr._statement import Status


def status_of(adverb: Status | None) -> Status:
    return adverb or Status.ASSERTED


@action
def is_kin(chart: Chart, subject: Who, kin: Who, adverb: Status | None = None) -> Conditions | None:
    """ "Bob is Ann's son", "Ann's son is Bob"."""
    if kin.noun < 0 or subject.noun >= 0:
        return None
    if kin.many != (len(subject.members) > 1):
        return None
    said = Condition(Says.IS, "", (kin.noun,), subject.members, False, status_of(adverb))
    return (*subject.said, *kin.said, said)


@action
def are_kin(
    chart: Chart, subject: Who, kin: tuple[Who, ...], adverb: Status | None = None
) -> Conditions | None:
    """The same with several predicates: "the mother of Tom and the wife of Karl"."""
    found: list[Condition] = []
    for one in kin:
        said = is_kin(chart, subject, one, adverb)
        if said is None:
            return None
        found += said
    return tuple(dict.fromkeys(found))


@action
def both(chart: Chart, one: Who, other: Any) -> tuple[Who, ...]:
    """Several predicates."""
    return (one, *(other if not isinstance(other, Who) else (other,)))


@action
def among(
    chart: Chart, subject: Who, link: Link, adverb: Status | None = None
) -> Conditions | None:
    """ "Ann and Beth are sisters"."""
    kinds = chart.words.symmetric
    if not link.many or len(subject.members) < 2 or link.sense.partition(":")[0] not in kinds:
        return None
    said = Condition(Says.AMONG, link.sense, subject.members, (), False, status_of(adverb))
    return (*subject.said, said)


@action
def pair(chart: Chart, subject: Who, sense: str, adverb: Status | None = None) -> Conditions | None:
    """ "Ann and Bob are married"; the sense is the grammar's."""
    if len(subject.members) != 2:
        return None
    said = Condition(
        Says.AMONG, sense.replace("/", ":"), subject.members, (), False, status_of(adverb)
    )
    return (*subject.said, said)


@action
def relates(
    chart: Chart, owner: Who, sense: str, other: Who, adverb: Status | None = None
) -> Conditions:
    """The other is that to the owner: "Rhodri fathered Cadell"."""
    sense = sense.replace("/", ":")
    said = Condition(Says.RELATION, sense, owner.members, other.members, False, status_of(adverb))
    return (*owner.said, *other.said, said)


@action
def has(
    chart: Chart, owner: Who, objects: tuple[Any, ...], adverb: Status | None = None
) -> Conditions | None:
    """ "Ann has a son, Bob, and a dog".

    The objects are pairs of a noun and names, somebody who is bound already, or None for a thing.
    """
    found: list[Condition] = list(owner.said)
    for item in objects:
        if item is None:
            continue
        if isinstance(item, Who):
            found += stated(item.said)
            continue
        link, names = item
        if names is not None and link.many != (len(names.members) > 1):
            return None
        found += [one._replace(given=False) for one in _relation(owner.members, link)]
        if names is not None:
            found.append(
                Condition(Says.IS, "", (link.at,), names.members, False, status_of(adverb))
            )
    return tuple(found)


@action
def having(chart: Chart, link: Link, names: Who | None = None) -> tuple[Any, ...]:
    """One object of "has"."""
    return ((link, names),)


@action
def having_one(chart: Chart, link: Link, name: Who) -> tuple[Any, ...]:
    """ "two daughters, one of whom, Ann, ..."."""
    return ((link._replace(many=False), name),)


@action
def having_some(chart: Chart, link: Link, names: Who) -> tuple[Any, ...]:
    """ "five children, including Ann and Bob"."""
    return ((link._replace(many=len(names.members) > 1), names),)


@action
def having_each(chart: Chart, one: Link, other: Link, first: Who, second: Who) -> tuple[Any, ...]:
    """ "a nephew and a niece, Bob and Ann"."""
    return ((one, first), (other, second))


@action
def kept(chart: Chart, who: Who) -> tuple[Any, ...]:
    """ "his wife Joan"."""
    return (who,)


@action
def things(chart: Chart) -> tuple[Any, ...]:
    """An object of "has" that is no relative."""
    return (None,)


@action
def objects(chart: Chart, one: tuple[Any, ...], more: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*one, *more)


@action
def adverb(chart: Chart, word: str) -> Status:
    """What an adverb or a negation makes of its clause."""
    return Status(word)


@action
def given(chart: Chart, who: Who) -> Conditions:
    """What a noun takes for granted."""
    return who.said


@action
def nothing(chart: Chart, *parts: Any) -> Conditions:
    return ()


@action
def join(chart: Chart, *parts: Conditions | None) -> Conditions:
    """Clauses beside each other."""
    return tuple(dict.fromkeys(said for part in parts if part for said in part))


@action
def frame(chart: Chart, status: str, *parts: Conditions | None) -> Conditions:
    """A clause in a frame: what it states has that status; what it takes for granted stands."""
    said = join(chart, *parts)
    return tuple(
        one if one.given else one._replace(status=_within(Status(status), one.status))
        for one in said
    )


@action
def unreal(chart: Chart, *parts: Conditions | None) -> Conditions:
    """A clause of fiction or pretence: nothing of it stands."""
    return tuple(one._replace(status=Status.POSSIBLE, given=False) for one in join(chart, *parts))


def _within(outer: Status, inner: Status) -> Status:
    if outer is Status.ASSERTED:
        return inner
    if outer is Status.DENIED and inner is Status.DENIED:
        return Status.POSSIBLE
    return outer if inner in (Status.ASSERTED, Status.DENIED) else inner
