"""Frames, speech and records: how a text holds what clauses state."""

from typing import Any, NamedTuple

from clutrr._reading.actions.clauses import (
    among,
    are_kin,
    frame,
    has,
    is_kin,
    join,
    relates,
    unreal,
)
from clutrr._reading.actions.kinship import name_is, wedding
from clutrr._reading.actions.nouns import _relation, bound, one_of, owned
from clutrr._reading.actions.registry import action
from clutrr._reading.chart import Chart
from clutrr._reading.meaning import Condition, Conditions, Link, Says, Who
from clutrr._statement import Status


@action
def nobody(chart: Chart) -> Who:
    """Somebody of whom nothing is said."""
    return Who(())


@action
def known(chart: Chart, who: Who, clause: Conditions) -> Conditions:
    """What somebody knows is so, whatever becomes of the knowing."""
    return join(chart, who.said, known_so(chart, clause))


@action
def known_so(chart: Chart, clause: Conditions) -> Conditions:
    """ "The fact that Ann is Bob's aunt"."""
    return tuple(
        one._replace(given=True) if one.status is Status.ASSERTED else one for one in clause
    )


@action
def role_of(chart: Chart, kin: Who, who: Who, clause: Conditions) -> Conditions | None:
    """ "As Bob's aunt, Ann paid for the trip"."""
    found = bound(chart, kin, who)
    return None if found is None else join(chart, found.said, clause)


@action
def dear(chart: Chart, who: Who) -> Conditions:
    """ "Dear Ann, ...": to whom a letter is."""
    return (Condition(Says.HEARER, "", who.members),)


@action
def speaker(chart: Chart, who: Who) -> Conditions:
    """ "My name is Ann." """
    return (Condition(Says.SPEAKER, "", who.members),)


@action
def name_is_of(chart: Chart, who: Who, names: Who) -> Conditions:
    """ "He is called Bob." """
    return name_is(chart, who.members[0], names)


@action
def are_so(chart: Chart, who: Who, one: Any, other: Any) -> Conditions | None:
    """ "not only her brother but also her friend"."""
    return are_kin(chart, who, (one, other))


@action
def is_one(chart: Chart, who: Who, owner: Who, links: tuple[Link, ...]) -> Conditions | None:
    """ "Of Bob's daughters, Ann is the eldest"."""
    kin = one_of(chart, owner, links)
    return None if kin is None else is_kin(chart, who, kin)


@action
def bound_of(chart: Chart, owner: Who, link: Link, name: int) -> Who | None:
    """ "Bob and wife Ann"."""
    if link.many or not link.sense:
        return None
    said = (*_relation(owner.members, link), Condition(Says.IS, "", (link.at,), (name,)))
    return Who((*owner.members, name), (*owner.said, *said))


@action
def birth_of(chart: Chart, owner: Who, link: Link, names: Who) -> Conditions | None:
    """ "Ann gave birth to twins, Bob and Carl"."""
    found = relates(chart, owner, "child", names)
    both_are = among(chart, names, link)
    return found if both_are is None else join(chart, found, both_are)


class Frame(NamedTuple):
    """What a clause is embedded in. status: "unreal" of what is made up."""

    status: str
    said: Conditions = ()


@action
def framed(chart: Chart, status: str, who: Who | None = None) -> Frame:
    return Frame(status, who.said if who else ())


@action
def in_frame(chart: Chart, outer: Frame, clause: Conditions) -> Conditions | None:
    """A clause in a frame. Denial of several is denial of none of them."""
    if any(token.norm == "but" for token in chart.tokens):
        return None
    return _in_frame(chart, outer, clause)


def _in_frame(chart: Chart, outer: Frame, clause: Conditions) -> Conditions:
    if outer.status == "denied":
        several = sum(not one.given for one in clause) > 1
        return join(chart, outer.said, frame(chart, "possible" if several else "denied", clause))
    if outer.status == "unreal":
        return join(chart, outer.said, unreal(chart, clause))
    inner = tuple(one._replace(given=False, status=Status(outer.status)) for one in clause)
    return join(chart, outer.said, inner)


@action
def in_frame_but(chart: Chart, outer: Frame, clause: Conditions, fact: Conditions) -> Conditions:
    """ "Most people think that ..., but in fact ..."."""
    return join(chart, _in_frame(chart, outer, clause), fact)


@action
def supposed_in(chart: Chart, condition: Conditions, clause: Conditions) -> Conditions:
    """ "If ..., ..."."""
    return join(
        chart,
        *(
            tuple(one._replace(given=False, status=status) for one in part)
            for status, part in ((Status.SUPPOSED, condition), (Status.POSSIBLE, clause))
        ),
    )


@action
def contrast(chart: Chart, subject: Who, denied: Who, kin: Who) -> Conditions | None:
    """ "Rafael is not her younger brother; he is her older brother"."""
    one, other = is_kin(chart, subject, denied, Status.DENIED), is_kin(chart, subject, kin)
    return None if one is None or other is None else join(chart, one, other)


@action
def quoted(chart: Chart, said: Conditions, speaker: Who, more: Conditions = ()) -> Conditions:
    """Speech: only what it says of the speaker's own relatives stands."""
    said = join(chart, said, more)
    mine = {
        at
        for one in said
        for at in (*one.ones, *one.others)
        if "<speaker>" in chart.tokens[at].keys
    }
    nodes = {at for one in said if mine.intersection(one.ones) for at in one.others}
    own = {
        at
        for one in said
        if one.says is Says.IS and mine.intersection(one.others)
        for at in one.ones
    }
    kept = [
        one
        for one in said
        if mine.intersection((*one.ones, *one.others))
        or nodes.intersection(one.ones)
        or own.intersection(one.others)
    ]
    return (*kept, Condition(Says.SPEAKER, "", speaker.members))


@action
def record(chart: Chart, who: Who, fields: tuple[Any, ...]) -> Conditions | None:
    """ "Otto — wife: Minna; sons: Karl, Fritz"."""
    return has(chart, who, fields)


@action
def topic(chart: Chart, who: Who) -> Conditions:
    """ "Name: Otto." """
    return (Condition(Says.TOPIC, "", who.members),)


@action
def entry(chart: Chart, fields: tuple[Any, ...]) -> Conditions | None:
    """ "Spouse: Minna.", of whom the record is about: the colon stands for him or her."""
    ((link, _),) = fields
    return has(chart, Who((link.at + 1,)), fields)


@action
def listed(chart: Chart, owner: Who, link: Link, name: Who) -> Conditions | None:
    """ "Emergency contact for Leo: Li (mother)."."""
    return has(chart, owner, ((link, name),))


@action
def married_record(chart: Chart, one: Who, other: Who) -> Conditions | None:
    return wedding(chart, one, other)


@action
def answered(chart: Chart, who: Who) -> Conditions:
    """ "A: Ramesses.", after a question."""
    return (Condition(Says.NAMED, "", (), who.members, False),)


@action
def named_so(
    chart: Chart, owner: Who, links: tuple[Link, ...], adverb: Status, name: Who
) -> Conditions | None:
    """ "Abigail's husband's name is Josiah"."""
    return is_kin(chart, name, owned(chart, owner, links), adverb)


@action
def bound_shared(chart: Chart, kin: Who, name: int, link: Link, other: int) -> Who | None:
    """ "her brother John and sister Eve": both of the same owner."""
    first = bound(chart, kin, Who((name,)))
    owner = next((one.ones for one in reversed(kin.said) if one.others == (kin.noun,)), None)
    if first is None or owner is None or link.many:
        return None
    said = (*_relation(owner, link), Condition(Says.IS, "", (link.at,), (other,)))
    return Who((name, other), (*first.said, *said))


@action
def quoted_kin(chart: Chart, kin: Who, speaker: Who, names: Who) -> Conditions | None:
    """ "My grandson," Ann said, "is called Tate."."""
    said = is_kin(chart, names, kin)
    return None if said is None else quoted(chart, said, speaker)


@action
def quoted_you(chart: Chart, kin: Who, name: Who, speaker: Who) -> Conditions | None:
    """ "You are my favourite uncle, Carlo," Rosa said."""
    said = is_kin(chart, name, kin)
    return None if said is None else quoted(chart, said, speaker)


@action
def quoted_is(chart: Chart, name: Who, speaker: Who, adverb: Status, kin: Who) -> Conditions | None:
    """ "Ann," said Tim, "is my sister."."""
    said = is_kin(chart, name, kin, adverb)
    return None if said is None else quoted(chart, said, speaker)


@action
def letter_to(chart: Chart, who: Who, clause: Conditions) -> Conditions:
    """ "Dear Ann, how is your son Bob?"."""
    return join(chart, dear(chart, who), clause)


@action
def me_named(chart: Chart, at: int, who: Who) -> Who:
    """ "I, Tim, ..."."""
    return Who((at,), (Condition(Says.SPEAKER, "", who.members),))
