"""What clauses of kinship need: having and bearing, negation, marriage."""

from typing import Any

from clutrr._reading.actions.clauses import (
    among,
    are_kin,
    has,
    is_kin,
    join,
    pair,
    relates,
    status_of,
)
from clutrr._reading.actions.nouns import bound, group, of, one_of_kin, owned
from clutrr._reading.actions.registry import action
from clutrr._reading.chart import Chart
from clutrr._reading.meaning import Condition, Conditions, Link, Says, Who, granted
from clutrr._statement import Status


@action
def word(chart: Chart, text: str) -> str:
    """A sense that the grammar names."""
    return text


@action
def neither(chart: Chart, subject: Who, one: Who, other: Who) -> Conditions | None:
    """ "Hank is neither Tilda's brother nor her husband"."""
    return are_kin(chart, subject, (one, other), Status.DENIED)


@action
def neither_is(chart: Chart, one: Who, other: Who, kin: Who) -> Conditions | None:
    """ "Neither Ann nor Cid is Bob's mother"."""
    each = [is_kin(chart, who, kin, Status.DENIED) for who in (one, other)]
    return None if None in each else join(chart, *each)


@action
def denied_of(chart: Chart, subject: Who, link: Link, owner: Who) -> Conditions | None:
    """ "Ann is no sister of Bob's"."""
    return is_kin(chart, subject, of(chart, link, owner), Status.DENIED)


@action
def not_but(chart: Chart, subject: Who, kin: Who, other: Who) -> Conditions | None:
    """ "It was Rolf, not Anders, who was Ebba's husband"."""
    said, denied = is_kin(chart, subject, kin), is_kin(chart, other, kin, Status.DENIED)
    return None if said is None or denied is None else join(chart, said, denied)


@action
def siblings(chart: Chart, link: Link, names: Who) -> Who | None:
    """ "the twins Ann and Bob"."""
    said = among(chart, names, link)
    return (
        None
        if said is None
        else Who(names.members, tuple(one._replace(given=True) for one in said))
    )


@action
def bound_twice(chart: Chart, name: Who, one: Who, other: Who) -> Who | None:
    """ "Catherine, wife of Henry and mother of Mary,"."""
    first, second = bound(chart, one, name), bound(chart, other, name)
    return (
        None
        if first is None or second is None
        else first._replace(said=(*first.said, *second.said))
    )


@action
def has_none(
    chart: Chart, owner: Who, link: Link, adverb: Status | None = None, more: Link | None = None
) -> Conditions | None:
    """ "Neil has no brothers", "no brothers or sisters"."""
    links = [one for one in (link, more) if one is not None]
    if not all(one.sense for one in links):
        return None
    return join(chart, owner.said, *(alone(chart, owner, one.sense, adverb) for one in links))


@action
def alone(chart: Chart, owner: Who, sense: str, adverb: Status | None = None) -> Conditions:
    """ "Neil is an only child"."""
    return (Condition(Says.NONE, sense, owner.members, (), False, status_of(adverb)),)


@action
def has_as(
    chart: Chart, owner: Who, link: Link, name: Who, adverb: Status | None = None
) -> Conditions | None:
    """ "Ann has Bob as a son"."""
    return has(chart, owner, ((link, name),), adverb)


@action
def wedding(chart: Chart, one: Who, other: Who) -> Conditions | None:
    """ "Ann married Bob"; one who marries two others makes them a couple."""
    if len(one.members) == 1 and len(other.members) == 2:
        return pair(chart, other, "SO")
    if len(one.members) != 1 or len(other.members) != 1:
        return None
    return pair(chart, group(chart, one, other), "SO")


@action
def wedded(chart: Chart, one: Who, other: Who, adverb: Status | None = None) -> Conditions | None:
    return pair(chart, group(chart, one, other), "SO", adverb)


@action
def bore(chart: Chart, mother: Who, father: Who, link: Link, name: Who) -> Conditions | None:
    """ "Thetis bore Peleus a son, Achilles"."""
    parents = group(chart, mother, father)
    return has(chart, parents, ((link, name),))


@action
def name_is(chart: Chart, at: int, names: Who, adverb: Status | None = None) -> Conditions:
    """ "Her name is Talia"."""
    return (Condition(Says.NAMED, "", (at,), names.members, False, status_of(adverb)),)


@action
def is_some(chart: Chart, names: Who, kin: Who) -> Conditions | None:
    """ "Among Ann's children were Bob and Carl"."""
    if not kin.many:
        return None
    return is_kin(chart, names, kin._replace(many=len(names.members) > 1))


@action
def gapped(
    chart: Chart, one: Who, link: Link, owner: Who, other: Who, second: Link
) -> Conditions | None:
    """ "Priya is the daughter of Anil, and Rohan the son"."""
    first = is_kin(chart, one, of(chart, link, owner))
    more = is_kin(chart, other, of(chart, second, owner))
    return None if first is None or more is None else join(chart, first, more)


@action
def beside(
    chart: Chart, one: Who, owner: Who, link: Link, other: Who, second: Who, more: Link
) -> Conditions | None:
    """ "Gavin is Moira's son, Isla her daughter"."""
    first = is_kin(chart, one, owned(chart, owner, (link,)))
    last = is_kin(chart, other, owned(chart, second, (more,)))
    return None if first is None or last is None else join(chart, first, last)


@action
def born_to(chart: Chart, child: Who, parents: Who, rest: Conditions) -> Conditions:
    """ "Born to Harold and Edith, Winifred ..."."""
    return join(chart, relates(chart, parents, "child", child), rest)


@action
def likewise(chart: Chart, one: Who, kin: Who, other: Who) -> Conditions | None:
    """ "Tate is a grandson of Ann, as is Bo"."""
    first, more = is_kin(chart, one, kin), is_kin(chart, other, kin)
    return None if first is None or more is None else join(chart, first, more)


@action
def not_kin(chart: Chart, who: Who, kin: Who, denied: Who) -> Conditions | None:
    """ "Tate's grandmother, not his mother, is Ann"."""
    said, other = is_kin(chart, who, kin), is_kin(chart, who, denied, Status.DENIED)
    return None if said is None or other is None else join(chart, said, other)


@action
def only_one(chart: Chart, name: Who, kin: Who, rest: Conditions) -> Conditions | None:
    """ "Of Ann's five grandchildren, only Tate visits"."""
    said = is_some(chart, name, kin)
    return None if said is None else join(chart, said, rest)


@action
def whose_is(
    chart: Chart, owner: Who, link: Link, name: Who, kin: Who, rest: Conditions
) -> Conditions | None:
    """ "Ann, whose brother Bob is Eve's father, ..."."""
    mine = bound(chart, owned(chart, owner, (link,)), name)
    said = is_kin(chart, name, kin)
    return None if mine is None or said is None else join(chart, mine.said, said, rest)


@action
def whose_bound(chart: Chart, owner: Who, link: Link, names: Who) -> Who | None:
    """ "Ann, whose brother is Bob,": Ann, by what is said beside her."""
    said = bound(chart, owned(chart, owner, (link,)), names)
    return None if said is None else Who(owner.members, said.said)


@action
def couple(chart: Chart, names: Who, sense: str) -> Who | None:
    """ "Husband and wife team Ann and Bob"."""
    said = pair(chart, names, sense)
    return (
        None
        if said is None
        else Who(names.members, tuple(one._replace(given=True) for one in said))
    )


@action
def couple_of(chart: Chart, names: Who) -> Who | None:
    """ "Ann and Bob, who are married,"."""
    return couple(chart, names, "SO")


@action
def wed_off(chart: Chart, bride: Who, groom: Who) -> Conditions | None:
    """ "Lear married his daughter Goneril to Albany"."""
    said = wedding(chart, Who(bride.members), groom)
    return None if said is None else join(chart, bride.said, said)


@action
def deed_and_wedding(chart: Chart, who: Who, deed: Conditions, other: Who) -> Conditions | None:
    """ "Ann moved to Rome and married Bob"."""
    said = wedding(chart, who, other)
    return None if said is None else join(chart, deed, said)


@action
def noun_of_all(chart: Chart, who: Who, link: Link, others: Who) -> Conditions | None:
    """ "Enid was mother to four: ..."."""
    return is_kin(chart, who, of(chart, link, others))


@action
def join_given(chart: Chart, who: Who, clause: Conditions, other: Who | None = None) -> Conditions:
    """ "Neither Ada nor her sister Una ever married": what is taken for granted stands."""
    return join(chart, who.said, other.said if other else (), granted(clause))


@action
def with_kin(
    chart: Chart, owner: Who, link: Link, names: Who, rest: Conditions
) -> Conditions | None:
    """ "Piet, together with daughters Lotte and Els, ..."."""
    found = has(chart, owner, ((link, names),))
    return None if found is None else join(chart, found, rest)


@action
def is_one_of(chart: Chart, who: Who, link: Link, owner: Who) -> Conditions | None:
    """ "Emil was the third of four children born to Petra and Oscar"."""
    kin = one_of_kin(chart, link, owner)
    return None if kin is None else is_kin(chart, who, kin)


@action
def is_noun_of(chart: Chart, who: Who, link: Link, owner: Who) -> Conditions | None:
    """ "Rosa was the second daughter born to Carlo and Pia"."""
    if not _is_child(link):
        return None
    return is_kin(chart, who, of(chart, link, owner))


@action
def became_of(chart: Chart, who: Who, link: Link, children: Link, names: Who) -> Conditions | None:
    """ "Oscar and Petra became the parents of twins, Nina and Lea"."""
    if not children.many:
        return None
    return is_kin(chart, who, of(chart, link, names))


@action
def kin_beside(chart: Chart, one: Who, name: Who, other: Who, second: Who) -> Conditions | None:
    """ "Leo's mother is called Pia, his father Ugo"."""
    first, more = is_kin(chart, name, one), is_kin(chart, second, other)
    return None if first is None or more is None else join(chart, first, more)


@action
def has_with(chart: Chart, owner: Who, link: Link, partner: Who, names: Who) -> Conditions | None:
    """ "Rosa had three children with Ugo: Carlo, Dino and Pia"."""
    if not _is_child(link):
        return None
    return has(chart, group(chart, owner, partner), ((link, names),))


@action
def wed_with(chart: Chart, one: Who, other: Who, children: tuple[Any, ...]) -> Conditions | None:
    """ "Pia is married to Ugo, with whom she has a son, Leo"."""
    both_of = group(chart, one, other)
    said, born = wedded(chart, one, other), has(chart, both_of, children)
    return None if said is None or born is None else join(chart, said, born)


@action
def is_noun(chart: Chart, who: Who, link: Link, owner: Who) -> Conditions | None:
    """ "Rosa was born in Rome, the daughter of Carlo"."""
    return is_kin(chart, who, of(chart, link, owner))


@action
def has_one(chart: Chart, owner: Who, link: Link, name: Who) -> Conditions | None:
    """ "Oscar has three daughters, of whom Nina is the youngest"."""
    return has(chart, owner, ((link._replace(many=False), name),))


@action
def kins(chart: Chart, kin: Who, more: tuple[Who, ...] = ()) -> tuple[Who, ...]:
    """What somebody is, before it is said who: "husband of Petra, father of Nina, ..."."""
    return (kin, *(more or ()))


@action
def titled(chart: Chart, name: Who, titles: tuple[Who, ...], rest: Conditions) -> Conditions | None:
    """ "Husband of Petra, father of Nina, Oscar died"."""
    each = [bound(chart, kin, name) for kin in titles]
    if not all(each):
        return None
    return join(chart, *(one.said for one in each if one), rest)


@action
def named_one(chart: Chart, name: Who) -> Conditions:
    """ "The elder, Ruth, ...", of those named last by a relation alone."""
    return (Condition(Says.NAMED, "", (), name.members, False),)


@action
def named_two(chart: Chart, one: Who, other: Who) -> Conditions:
    """ "One is called Ruth, the other Dinah"."""
    return join(chart, named_one(chart, one), named_one(chart, other))


@action
def has_both(chart: Chart, one: Who, objects: tuple[Any, ...], other: Who) -> Conditions | None:
    """ "Otto had a son, Felix, with Clara"."""
    if any(item is None or isinstance(item, Who) or not _is_child(item[0]) for item in objects):
        return None
    return has(chart, group(chart, one, other), objects)


def _is_child(link: Link) -> bool:
    return link.sense.partition(":")[0] == "child"


@action
def each_is(
    chart: Chart, owner: Who, one: Link, other: Link, first: Who, second: Who
) -> Conditions | None:
    """ "Felix's mother and father are Clara and Otto"."""
    said = is_kin(chart, first, owned(chart, owner, (one,)))
    more = is_kin(chart, second, owned(chart, owner, (other,)))
    return None if said is None or more is None else join(chart, said, more)


@action
def some_are(
    chart: Chart, first: Who, second: Who, owner: Who, one: Link, other: Link
) -> Conditions | None:
    """ "Felix and Mia are Otto's son and daughter": which is which is not said."""
    kinds = {link.sense.partition(":")[0] for link in (one, other)}
    if len(kinds) != 1 or one.many or other.many:
        return None
    (kind,) = kinds
    one, other = one._replace(sense=kind), other._replace(sense=kind)
    return each_is(chart, owner, one, other, first, second)


@action
def bound_also(chart: Chart, name: Who, owner: Who, link: Link) -> Who | None:
    """ "Clara, Felix's aunt and teacher,"."""
    return bound(chart, owned(chart, owner, (link,)), name)


@action
def relates_kin(chart: Chart, kin: Who, sense: str, other: Who) -> Conditions:
    """ "Ann's daughter married Bob"."""
    return relates(chart, kin, sense, other)


@action
def not_whose(chart: Chart, who: Who, owner: Who, link: Link, other: int) -> Conditions | None:
    """ "Tammie isn't Shawna's daughter but Rosetta's"."""
    denied = is_kin(chart, who, owned(chart, owner, (link,)), Status.DENIED)
    if denied is None:
        return None
    return join(chart, denied, relates(chart, Who((other,)), link.sense, who))


@action
def among_and(chart: Chart, names: Who, one: Link, other: Link, owner: Who) -> Conditions | None:
    """ "Ann and Eve are sisters, both daughters of Bob"."""
    said, more = among(chart, names, one), is_kin(chart, names, of(chart, other, owner))
    return None if said is None or more is None else join(chart, said, more)


@action
def kin_who(chart: Chart, kin: Who, name: Who, more: Who) -> Conditions | None:
    """ "Judy's dad is Javier, who is Vince's dad too"."""
    said, other = is_kin(chart, name, kin), is_kin(chart, name, more)
    return None if said is None or other is None else join(chart, said, other)


@action
def among_being(chart: Chart, names: Who, kin: Who) -> Conditions | None:
    """ "Loyd and Roxanne are married, being parents of Cole"."""
    said, more = pair(chart, names, "SO"), is_kin(chart, names, kin)
    return None if said is None or more is None else join(chart, said, more)


@action
def known_too(chart: Chart, who: Who, kin: Who, more: Conditions) -> Conditions | None:
    """ "Bob being Ann's son and Carol being his sister"."""
    said = is_kin(chart, who, kin)
    return None if said is None else join(chart, said, more)
