"""A question without names, reduced to the facts that its answer can depend on."""

from collections.abc import Sequence
from typing import NamedTuple

from clutrr.labels import Labels
from clutrr.puzzle import Fact
from clutrr.theory.apart import groups_apart
from clutrr.theory.kinship.folding import ContradictionError
from clutrr.theory.kinship.steps import Role, Steps, inverse, rise
from clutrr.theory.solver import query_named

# The facts by numbers, in a fixed order; persons 0 and 1 are the queried ones.
NumberedFacts = tuple[tuple[int, str, int], ...]
IdLink = tuple[int, int, int]  # person, relation kind, other person


class KinQuestion(NamedTuple):
    """A question what person 1 is to person 0. genders: by person. links: head, kind, tail."""

    genders: tuple[int | None, ...]
    links: tuple[IdLink, ...]


class Kinds:
    """The kinds of a label set by number, as the solver needs them. ways: of each kind."""

    def __init__(self, labels: Labels, ways: Sequence[tuple[Steps, ...]]) -> None:
        self.ways = list(ways)
        self.back = [tuple(map(inverse, ways)) for ways in self.ways]
        # All ways of a kind lead up by the same number of generations.
        self.rise = [rise(ways[0]) for ways in self.ways]
        self.reach = [max(map(len, ways)) for ways in self.ways]
        self.all = tuple(steps for ways in self.ways for steps in ways)
        self.of = {word: (labels.index[kind.name], form) for word, (kind, form) in labels.meaning.items()}

    def is_free(self, link: IdLink, end: int) -> bool:
        """Return whether a link, if it is all we know about this person, requires nothing of the other."""
        ways = self.ways[link[1]] if link[2] == end else self.back[link[1]]
        return any(step.end is Role.CHILD for steps in ways for step in steps)


def number_facts(facts: Sequence[Fact], query: tuple[str, str]) -> tuple[NumberedFacts, list[str]]:
    """Return the facts by numbers, and the people by number: the query's, then others as facts lead to them.

    The order of the facts depends only on their relations and on the facts before them, where these differ.
    """
    query_named(facts, query)
    a, b = query
    left = sorted(dict.fromkeys(facts), key=lambda fact: fact.relation)
    at: dict[str, list[int]] = {}
    for i, fact in enumerate(left):
        at.setdefault(fact.head, []).append(i)
        at.setdefault(fact.tail, []).append(i)
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


def parts(stated: NumberedFacts, kinds: Kinds) -> tuple[KinQuestion, list[KinQuestion]]:
    """Return the facts that the question can depend on, and other sets of facts that must only be possible.

    Each set of people whom facts join is a part by itself; persons 0 and 1 are in the first. Anybody else
    whom only one fact names is left out if a way that leads to them has a step to a child: such a fact can be
    added to any family with the others (docs/notes/2026-11-17-kinship-arguments.md).
    """
    known = genders(stated, kinds)
    links = []
    for head, relation, tail in stated:
        if head == tail:
            raise ContradictionError  # nobody is their own relative
        links.append((head, kinds.of[relation][0], tail))
    links = _without_free(list(dict.fromkeys(links)), kinds)
    asked: list[IdLink] = []
    others = []
    for part in joined(links):
        if any(head < 2 or tail < 2 for head, _, tail in part):
            asked += part
        else:
            others.append(_numbered(part, known, asked=False))
    return _numbered(asked, known, asked=True), others


def joined(links: Sequence[IdLink]) -> list[list[IdLink]]:
    """Return the links, divided into sets that have nobody in common."""
    groups, _ = groups_apart((head, tail, 0) for head, _, tail in links)
    number = {person: i for i, group in enumerate(groups) for person in group}
    sets: list[list[IdLink]] = [[] for _ in groups]
    for link in links:
        sets[number[link[0]]].append(link)
    return sets


def genders(stated: NumberedFacts, kinds: Kinds) -> list[int | None]:
    """Return the gender of each person, as far as the facts state it."""
    known: list[int | None] = [None] * (1 + max(max(head, tail) for head, _, tail in stated))
    for _, relation, tail in stated:
        gender = kinds.of[relation][1]
        if gender is None:  # one word for both
            continue
        if known[tail] not in (None, gender):
            raise ContradictionError
        known[tail] = gender
    return known


def _without_free(links: list[IdLink], kinds: Kinds) -> list[IdLink]:
    named: dict[int, set[IdLink]] = {}
    for link in links:
        named.setdefault(link[0], set()).add(link)
        named.setdefault(link[2], set()).add(link)
    queue = [person for person in named if person > 1 and len(named[person]) == 1]
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
        if other > 1 and len(named[other]) == 1:
            queue.append(other)
    return [link for link in links if link not in gone] if gone else links


def _numbered(links: list[IdLink], genders: Sequence[int | None], asked: bool) -> KinQuestion:
    people = {0: 0, 1: 1} if asked else {}
    for head, _, tail in links:
        people.setdefault(head, len(people))
        people.setdefault(tail, len(people))
    return KinQuestion(
        tuple(genders[person] for person in people),
        tuple((people[head], kind, people[tail]) for head, kind, tail in links),
    )
