"""Nouns: who is meant."""

from clutrr._reading.actions.registry import action
from clutrr._reading.chart import Chart
from clutrr._reading.meaning import Condition, Conditions, Link, Says, Who


@action
def named(chart: Chart, at: int) -> Who:
    """A name."""
    return Who((at,))


@action
def pronoun(chart: Chart, at: int) -> Who:
    return Who((at,))


@action
def group(chart: Chart, *each: Who) -> Who:
    """Several who are named together."""
    members = tuple(member for one in each for member in one.members)
    return Who(members, tuple(said for one in each for said in one.said))


@action
def several(chart: Chart, one: Who, other: Who) -> Who | None:
    """Two owners, each of whom has a name or is known: not "Tiago and the mother of Eve"."""
    return None if other.noun >= 0 else group(chart, one, other)


@action
def owners(chart: Chart, one: int, other: int) -> Who:
    return Who((one, other))


@action
def modifiers(chart: Chart, at: int, more: tuple[int, ...] | None = None) -> tuple[int, ...]:
    return (at, *(more or ()))


@action
def noun(chart: Chart, at: int, adjectives: tuple[int, ...] = ()) -> Link:
    """A word of relation with its adjectives."""
    words = chart.words
    sense, many = words.nouns[chart.tokens[at].norm]
    further = [words.senses.get(chart.tokens[place].norm, "") for place in adjectives]
    return Link(at, sense, many, tuple(filter(None, further)))


@action
def noun_of(chart: Chart, at: int, sense: str) -> Link:
    """A word that is one of relation here alone: "her better half"."""
    return Link(at, sense, False)


@action
def owned_child(chart: Chart, owner: Who, at: int) -> Who:
    """ "Their eldest"."""
    return owned(chart, owner, (Link(at, "child", False),))


@action
def either_noun(chart: Chart, *links: Link) -> Link | None:
    """ "son or nephew": one of several relations, and it is not said which."""
    if any(link.many or link.further for link in links):
        return None
    return links[0]._replace(sense="|".join(link.sense for link in links))


@action
def owned_too(chart: Chart, owner: Who, links: tuple[Link, ...], other: Who) -> Who:
    """ "Ann's brother, and so also Bob's"."""
    return owned(chart, group(chart, owner, other), links)


@action
def stranger(chart: Chart, at: int) -> Link:
    """A noun for somebody that is no relation."""
    return Link(at, "", False)


@action
def chain(
    chart: Chart, link: Link, rest: tuple[Link, ...] = (), name: int = -1
) -> tuple[Link, ...] | None:
    """Nouns that each belong to the one before: "brother's wife"."""
    if rest and link.many:
        return None
    return (link._replace(name=name), *rest)


def _relation(owner: tuple[int, ...], link: Link) -> Conditions:
    senses = ([link.sense] if link.sense else []) + list(link.further)
    found = [Condition(Says.RELATION, sense, owner, (link.at,)) for sense in senses]
    if link.name >= 0:
        found.append(Condition(Says.IS, "", (link.at,), (link.name,)))
    return tuple(found)


@action
def owned(chart: Chart, owner: Who, links: tuple[Link, ...]) -> Who:
    """Somebody by a chain of possessors: "Ann's brother's wife"."""
    said, holder = list(owner.said), owner.members
    for link in links:
        said += _relation(holder, link)
        holder = (link.at,)
    last = links[-1]
    return Who((last.at,), tuple(said), last.at, last.many)


@action
def of(chart: Chart, link: Link, owner: Who) -> Who:
    """Somebody as "the sister of Karl's wife"."""
    return Who((link.at,), (*owner.said, *_relation(owner.members, link)), link.at, link.many)


@action
def of_both(chart: Chart, link: Link, one: Who, other: Who) -> Who:
    """Somebody as "mother to Bob, and to his sister Carol"."""
    return of(chart, link, group(chart, one, other))


@action
def one_of(chart: Chart, owner: Who, links: tuple[Link, ...]) -> Who | None:
    """One of several: "the eldest of her children"."""
    found = owned(chart, owner, links)
    return found._replace(many=False) if found.many else None


@action
def one_of_kin(chart: Chart, link: Link, owner: Who) -> Who | None:
    found = of(chart, link, owner)
    return found._replace(many=False) if found.many else None


@action
def somebody(chart: Chart, at: int) -> Who:
    """Somebody who is no relation and has no name."""
    return Who((at,), (), at)


def _is_place(chart: Chart, kin: Who, names: Who) -> bool:
    """Whether what a noun follows is a place: "was born in Rome, the daughter of ..."."""
    first = names.members[0]
    before = chart.tokens[first - 1].norm if first else ""
    return first < kin.noun and before in ("in", "near")


@action
def bound(chart: Chart, kin: Who, names: Who) -> Who | None:
    """Somebody by relation and by name: "her brother, Bob"."""
    if kin.many != (len(names.members) > 1) or _is_place(chart, kin, names):
        return None
    said = Condition(Says.IS, "", (kin.noun,), names.members)
    return Who(names.members, (*kin.said, *names.said, said))


@action
def bound_close(chart: Chart, kin: Who, name: int) -> Who | None:
    """The same without a comma: "her brother Bob"."""
    return None if kin.many else bound(chart, kin, Who((name,)))


_OPENS_CLAUSE = frozenset(
    "when while after before as since if because although though once whenever unless".split()
)


@action
def bound_loose(chart: Chart, kin: Who, name: int) -> Who | None:
    """The same where a comma is lacking: "Scott and his sister, Linda love it".

    Not behind a clause that the comma may end, "when he called his sister, Linda was asleep".
    """
    first = chart.tokens[0].keys
    if kin.many or first.isdisjoint(("<name>", "<he>", "<his>")):
        return None
    if any(token.norm in _OPENS_CLAUSE for token in chart.tokens[: kin.noun]):
        return None
    return bound(chart, kin, Who((name,)))
