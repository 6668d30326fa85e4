"""A question without names, reduced to the facts that its answer can depend on."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from clutrr._labels import Labels
from clutrr._puzzle import Fact
from clutrr._statement import Statement, StatementKind
from clutrr.theory.apart import groups_apart
from clutrr.theory.given import names_in
from clutrr.theory.kinship.deciding.folding import Ban, Choice, ContradictionError, Way
from clutrr.theory.kinship.steps import Role, Steps, inverse, rise

# The facts by numbers, in a fixed order; persons 0 and 1 are the queried ones.
NumberedFacts = tuple[tuple[int, str, int], ...]
IdLink = tuple[int, int, int]  # person, relation kind, other person


class Numbered(NamedTuple):
    """What is given, by numbers of people.

    Args:
        people: how many there are.
        facts: head, label, tail.
        choices: pairs of whom one of several relations holds.
        bans: what is denied or closed.
        forms: people, and the gender that is stated of them.
    """

    people: int
    facts: NumberedFacts
    choices: tuple[Choice, ...] = ()
    bans: tuple[Ban, ...] = ()
    forms: tuple[tuple[int, int], ...] = ()

    @property
    def others(self) -> list[Choice | Ban]:
        """What names people beside the facts."""
        return [*self.choices, *self.bans]


class KinQuestion(NamedTuple):
    """A question what person 1 is to person 0. genders: by person. links: head, kind, tail."""

    genders: tuple[int | None, ...]
    links: tuple[IdLink, ...]
    choices: tuple[Choice, ...] = ()
    bans: tuple[Ban, ...] = ()

    @property
    def only_links(self) -> bool:
        """Whether nothing is given but facts."""
        return not (self.choices or self.bans)


class Kinds:
    """The kinds of a label set by number, as the solver needs them. ways: of each kind."""

    def __init__(self, labels: Labels, ways: Sequence[tuple[Steps, ...]]) -> None:
        self.ways = list(ways)
        self.back = [tuple(map(inverse, ways)) for ways in self.ways]
        # All ways of a kind lead up by the same number of generations.
        self.rise = [rise(ways[0]) for ways in self.ways]
        self.reach = [max(map(len, ways)) for ways in self.ways]
        self.all = tuple(steps for ways in self.ways for steps in ways)
        self.form = labels.forms.index
        self.of = {
            word: (labels.index[kind.name], form) for word, (kind, form) in labels.meaning.items()
        }

    def ways_of(self, relations: Iterable[str]) -> tuple[Way, ...]:
        """Return the ways that labels stand for, each once: with a gender, or None where both are meant."""
        genders: dict[int, set[int]] = {}
        for relation in relations:
            kind, gender = self.of[relation]
            genders.setdefault(kind, set()).update((0, 1) if gender is None else (gender,))
        return tuple(
            (steps, None if len(meant) > 1 else next(iter(meant)))
            for kind, meant in genders.items()
            for steps in self.ways[kind]
        )

    def is_free(self, link: IdLink, end: int) -> bool:
        """Return whether a link, if it is all we know about this person, requires nothing of the other."""
        ways = self.ways[link[1]] if link[2] == end else self.back[link[1]]
        return any(step.end is Role.CHILD for steps in ways for step in steps)


def number_facts(facts: Sequence[Fact], query: tuple[str, str]) -> tuple[NumberedFacts, list[str]]:
    """Return the facts by numbers, and the people by number: the query's, then others as facts lead to them.

    The order of the facts depends only on their relations and on the facts before them, where these differ.
    """
    a, b = query
    left = sorted(dict.fromkeys(facts), key=lambda fact: fact.relation)
    at: dict[str, list[int]] = {}
    for i, fact in enumerate(left):
        at.setdefault(fact.head, []).append(i)
        at.setdefault(fact.tail, []).append(i)
    at.setdefault(a, [])  # if statements alone name the first of the query
    number = {a: 0, b: 1}
    stated: list[tuple[int, str, int]] = []
    done = [False] * len(left)
    wave = [a]
    start = 0
    while len(stated) < len(left):
        found = sorted({i for name in wave for i in at[name] if not done[i]})
        if not found:  # no further fact joins the people so far: take the next one
            while done[start]:
                start += 1
            found = [start]
        wave = []
        for i in found:
            done[i] = True
            head, relation, tail = left[i]
            for name in (head, tail):
                wave.append(name)
                number.setdefault(name, len(number))
            stated.append((number[head], relation, number[tail]))
    return tuple(stated), list(number)


def number_given(
    facts: Sequence[Fact], others: Sequence[Statement], query: tuple[str, str], kinds: Kinds
) -> tuple[Numbered, list[str]]:
    """Return what is given by numbers, and the people by number: as the facts number them, then others.

    Raises:
        ContradictionError: somebody is said to be their own relative.
    """
    stated, named = number_facts(facts, query)
    if not others:
        return Numbered(len(named), stated), named
    number = {name: i for i, name in enumerate(dict.fromkeys([*named, *names_in(others)]))}
    choices: list[Choice] = []
    bans: list[Ban] = []
    forms: list[tuple[int, int]] = []
    for one in others:
        head = number[one.head]
        if one.kind is StatementKind.FORM:
            forms += [(head, kinds.form(form)) for form in one.relations]
            continue
        ways = kinds.ways_of(one.relations)
        tails = [number[name] for name in one.entities or (one.tail,) if name]
        if one.kind is StatementKind.DENIAL:
            bans += [Ban(head, ways, only=tail) for tail in tails if tail != head]
            continue
        if head in tails:
            raise ContradictionError  # nobody is their own relative
        choices += [Choice(head, ways, tail) for tail in tails]
        if one.kind is StatementKind.CLOSURE:
            bans.append(Ban(head, ways, but=tuple(sorted(tails))))
    found = Numbered(len(number), stated, tuple(choices), tuple(bans), tuple(forms))
    return found, list(number)


def parts(given: Numbered, kinds: Kinds) -> tuple[KinQuestion, list[KinQuestion]]:
    """Return what the question can depend on, and other sets of facts that must only be possible.

    Each set of people whom facts join is a part by itself; persons 0 and 1 are in the first. Anybody else
    whom only one fact names is left out if a way that leads to them has a step to a child: such a fact can be
    added to any family with the others (experiments/notes/2026-11-17-kinship-arguments.md), unless a closure
    forbids new people.
    """
    known = genders(given, kinds)
    links = []
    for head, relation, tail in given.facts:
        if head == tail:
            raise ContradictionError  # nobody is their own relative
        links.append((head, kinds.of[relation][0], tail))
    links = list(dict.fromkeys(links))
    if not given.others:
        links = _without_free(links, kinds, ())
    elif all(ban.only is not None for ban in given.bans):
        held = {person for one in given.others for person in one.people}
        links = _without_free(links, kinds, held)
    asked, *others = _parted(_Part(links, list(given.choices), list(given.bans)))
    return asked.numbered({0: 0, 1: 1}, known), [part.numbered({}, known) for part in others]


class _Part(NamedTuple):
    """What is given of people who have to do with each other."""

    links: list[IdLink]
    choices: list[Choice]
    bans: list[Ban]

    def numbered(self, people: dict[int, int], known: Sequence[int | None]) -> KinQuestion:
        """Return it with people numbered anew. people: those who have a number already."""
        for head, _, tail in self.links:
            people.setdefault(head, len(people))
            people.setdefault(tail, len(people))
        links = tuple([(people[head], kind, people[tail]) for head, kind, tail in self.links])
        if not (self.choices or self.bans):
            return KinQuestion(tuple([known[person] for person in people]), links)
        others: list[Choice | Ban] = [*self.choices, *self.bans]
        for one in others:
            for person in one.people:
                people.setdefault(person, len(people))
        stated = [known[person] for person in people]
        stated += [None] * (2 - len(stated))  # somebody else, where it is about one person alone
        return KinQuestion(
            tuple(stated),
            links,
            tuple(Choice(people[head], ways, people[tail]) for head, ways, tail in self.choices),
            tuple(
                Ban(
                    people[ban.head],
                    ban.ways,
                    None if ban.only is None else people[ban.only],
                    tuple(people[person] for person in ban.but),
                )
                for ban in self.bans
            ),
        )


def _parted(given: _Part) -> list[_Part]:
    """Return what is given, divided into parts that have nobody in common; the first is about persons 0 and 1."""
    steps = [(head, tail, 0) for head, _, tail in given.links]
    said: list[Choice | Ban] = [*given.choices, *given.bans]
    for one in said:
        first, *others = one.people
        steps += [(first, other, 0) for other in others or [first]]
    groups, _ = groups_apart(steps)
    found = [_Part([], [], [])]
    part_of: dict[int, _Part] = {}
    for group in groups:
        if 0 in group or 1 in group:
            part = found[0]
        else:
            part = _Part([], [], [])
            found.append(part)
        part_of |= dict.fromkeys(group, part)
    for link in given.links:
        part_of[link[0]].links.append(link)
    for choice in given.choices:
        part_of[choice[0]].choices.append(choice)
    for ban in given.bans:
        part_of[ban.head].bans.append(ban)
    return found


def genders(given: Numbered, kinds: Kinds) -> list[int | None]:
    """Return the gender of each person, as far as it is stated."""
    known: list[int | None] = [None] * given.people
    for _, relation, tail in given.facts:
        gender = kinds.of[relation][1]
        if gender is None:  # one word for both
            continue
        if known[tail] not in (None, gender):
            raise ContradictionError
        known[tail] = gender
    for person, gender in given.forms:
        if known[person] not in (None, gender):
            raise ContradictionError
        known[person] = gender
    return known


def _without_free(links: list[IdLink], kinds: Kinds, held: Collection[int]) -> list[IdLink]:
    """Return the links without those that can always be added. held: people whom something else names."""
    named: dict[int, set[IdLink]] = {}
    for link in links:
        named.setdefault(link[0], set()).add(link)
        named.setdefault(link[2], set()).add(link)
    fixed = {0, 1, *held}
    queue = [person for person in named if len(named[person]) == 1 and person not in fixed]
    gone = set()
    for person in queue:
        if len(named[person]) != 1:
            continue
        (link,) = named[person]
        if not kinds.is_free(link, person):
            continue
        other = link[0] if link[2] == person else link[2]
        gone.add(link)
        named[person].clear()
        named[other].discard(link)
        if other not in fixed and len(named[other]) == 1:
            queue.append(other)
    return [link for link in links if link not in gone] if gone else links
