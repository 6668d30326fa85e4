"""Random facts and a question about them: chains and graphs, from a family or from nowhere.

A family here is grown person by person and its relations are looked up, not computed: another
account of the same definitions, so facts taken from it are known to agree with each other. It is a
tree, or has marriages that join two of its branches a second time. In a world with aunts and uncles
the same shapes have those too: by blood, or by marriage as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from random import Random
from typing import NamedTuple

import kin_oracle
from clutrr._puzzle import Fact

# By kind: the words for a woman and a man, and the kind the other way round.
KINDS = {kind: (*words, kin_oracle.INVERSE[kind]) for kind, words in kin_oracle.WORDS.items()}
KINDS |= {"un": ("niece", "nephew", "inv-un"), "inv-un": ("aunt", "uncle", "un")}
KIND_OF = {word: kind for kind, (female, male, _) in KINDS.items() for word in (female, male)}
WORDS = tuple(word for word, kind in KIND_OF.items() if not kind.endswith("un"))
TWO_STEPS = tuple(word for word in WORDS if word.startswith("grand") or word.endswith("in-law"))


class Aunts(Enum):
    """Who is an aunt or uncle, and a nephew or niece, in one word."""

    NONE = "kinship"
    BY_BLOOD = "kinship-v1"
    BY_MARRIAGE = "kinship-v1-by-marriage"

    @property
    def words(self) -> tuple[str, ...]:
        return WORDS if self is Aunts.NONE else tuple(KIND_OF)


class Question(NamedTuple):
    """Facts, and the two people asked about, both named in the facts.

    truth: the answer in the family that the facts are from, "outside" if it is no relation of the
    label set; None if they are from no family. tree: whether that family is a tree.
    """

    facts: tuple[Fact, ...]
    query: tuple[str, str]
    truth: str | None = None
    tree: bool = True


@dataclass
class Family:
    """People by number; for each the couple that they are a partner in and the one they come from."""

    aunts: Aunts = Aunts.NONE
    male: list[bool] = field(default_factory=list)
    marriage: list[int | None] = field(default_factory=list)
    birth: list[int | None] = field(default_factory=list)
    couples: int = 0

    def word(self, a: int, b: int) -> str | None:
        """What b is to a, in one word."""
        kind, back = self._kind(a, b), self._kind(b, a)
        if kind is None and back is not None:
            kind = KINDS[back][2]
        return KINDS[kind][self.male[b]] if kind else None

    def _kind(self, a: int, b: int) -> str | None:
        """What b is to a, if that leads down or sideways."""
        if a == b:
            return None
        if self.birth[b] is not None and self.birth[a] == self.birth[b]:
            return "sibling"
        if self.aunts is not Aunts.NONE and self._is_nephew(a, b):
            return "un"
        if self.marriage[a] is None:
            return None
        if self.birth[b] == self.marriage[a]:
            return "child"
        if self.marriage[b] == self.marriage[a]:
            return "SO"
        for birth, marriage in zip(self.birth, self.marriage, strict=True):
            if birth == self.marriage[a] and marriage is not None:
                if self.birth[b] == marriage:
                    return "grand"
                if self.marriage[b] == marriage:
                    return "in-law"
        return None

    def _is_nephew(self, a: int, b: int) -> bool:
        people = range(len(self.male))
        sides = [a]
        if self.aunts is Aunts.BY_MARRIAGE and self.marriage[a] is not None:
            sides += [p for p in people if p != a and self.marriage[p] == self.marriage[a]]
        return self.birth[b] is not None and any(
            self.birth[p] == self.birth[side] is not None and self.marriage[p] == self.birth[b]
            for side in sides
            for p in people
            if p != side
        )

    def couples_above(self, person: int) -> set[int]:
        """The couples that somebody descends from."""
        birth = self.birth[person]
        if birth is None:
            return set()
        parents = [p for p, marriage in enumerate(self.marriage) if marriage == birth]
        return {birth}.union(*map(self.couples_above, parents))

    def join(self, male: bool, marriage: int | None = None, birth: int | None = None) -> None:
        """Somebody new, a partner in one couple or a child of one."""
        self.male.append(male)
        self.marriage.append(marriage)
        self.birth.append(birth)

    def couple(self, couple: int | None) -> int:
        """The couple, or a new one."""
        if couple is not None:
            return couple
        self.couples += 1
        return self.couples - 1


def grow(random: Random, size: int, aunts: Aunts) -> Family:
    """A family of `size` people: each but the first joins as a relative of one who is there."""
    family = Family(aunts)
    family.join(random.random() < 0.5)
    while len(family.male) < size:
        p = random.randrange(len(family.male))
        side = family.marriage if random.random() < 0.5 else family.birth
        couple = side[p] = family.couple(side[p])
        partners = [q for q, marriage in enumerate(family.marriage) if marriage == couple]
        if len(partners) == 2 or random.random() < 0.5:
            family.join(random.random() < 0.5, birth=couple)
        elif partners:
            family.join(not family.male[partners[0]], marriage=couple)
        else:
            family.join(random.random() < 0.5, marriage=couple)
    return family


def marry(random: Random, family: Family) -> bool:
    """Let two people of the family who share no ancestor marry, if there are two."""
    single = [p for p, marriage in enumerate(family.marriage) if marriage is None]
    pairs = [
        (p, q)
        for p in single
        for q in single
        if family.male[p] < family.male[q] and not family.couples_above(p) & family.couples_above(q)
    ]
    if not pairs:
        return False
    p, q = random.choice(pairs)
    family.marriage[p] = family.marriage[q] = family.couple(None)
    return True


def loose_chain(random: Random, k: int, aunts: Aunts) -> Question:
    """k facts in a row, each with any relation, said from either end."""
    facts = []
    for i in range(k):
        head, tail = (i, i + 1) if random.random() < 0.8 else (i + 1, i)
        facts.append(Fact(_name(head), random.choice(aunts.words), _name(tail)))
    return _asked(random, facts, (_name(0), _name(k)))


def family_chain(random: Random, k: int, aunts: Aunts) -> Question:
    """k facts in a row from one family, said from either end."""
    while True:
        family = grow(random, k + 5, aunts)
        path = [random.randrange(k + 5)]
        while len(path) <= k:
            onward = [q for q in range(k + 5) if q not in path and family.word(path[-1], q)]
            if not onward:
                break
            path.append(random.choice(onward))
        else:
            facts = [_said(random, family, a, b) for a, b in pairwise(path)]
            return _asked(random, facts, (_name(path[0]), _name(path[-1])), family)


def family_graph(random: Random, size: int, aunts: Aunts) -> Question:
    """Facts between some people of one family: branches, cycles, islands; any two are asked about."""
    while True:
        family = grow(random, size + 4, aunts)
        named = random.sample(range(size + 4), size)
        related = [(a, b) for i, a in enumerate(named) for b in named[:i] if family.word(a, b)]
        if len(related) >= size - 1:
            pairs = random.sample(related, min(len(related), random.randint(size // 2, size)))
            return _asked(random, [_said(random, family, a, b) for a, b in pairs], None, family)


def linked_family_graph(random: Random, size: int, aunts: Aunts) -> Question:
    """Facts between some people of a family two of whose branches are joined twice, if it has such."""
    while True:
        family = grow(random, size + 4, aunts)
        if not marry(random, family):
            continue
        named = random.sample(range(size + 4), size)
        related = [(a, b) for i, a in enumerate(named) for b in named[:i] if family.word(a, b)]
        if len(related) >= size - 1:
            facts = [_said(random, family, a, b) for a, b in related[: size + 2]]
            return _asked(random, facts, None, family)._replace(tree=False)


def nearly_family_graph(random: Random, size: int, aunts: Aunts) -> Question:
    """The same, but one fact is any relation between any two."""
    facts = list(family_graph(random, size, aunts).facts)
    facts[0] = _any_fact(random, sorted(people(facts)), aunts.words)
    return _asked(random, facts, None)


def loose_graph(random: Random, size: int, aunts: Aunts) -> Question:
    """Any relations between any of the people."""
    facts = [_any_fact(random, _names(size), aunts.words) for _ in range(random.randint(2, size))]
    return _asked(random, facts, None)


def steep_graph(random: Random, size: int, aunts: Aunts) -> Question:
    """Relations of two steps alone, so who stands between two people may be one person or several."""
    facts = [_any_fact(random, _names(size), TWO_STEPS) for _ in range(random.randint(2, size))]
    return _asked(random, facts, None)


def islands(random: Random, size: int, aunts: Aunts) -> Question:
    """Two sets of facts that no one is in both of, and a question across."""
    near = family_graph(random, max(2, size // 2), aunts).facts
    far = random.choice((family_graph, loose_graph))(random, max(2, size // 2), aunts).facts
    far = tuple(Fact(fact.head.lower(), fact.relation, fact.tail.lower()) for fact in far)
    query = (random.choice(sorted(people(near))), random.choice(sorted(people(far))))
    return _asked(random, [*near, *far], query)


SHAPES = {
    "loose chain": loose_chain,
    "family chain": family_chain,
    "family graph": family_graph,
    "linked family graph": linked_family_graph,
    "nearly family graph": nearly_family_graph,
    "loose graph": loose_graph,
    "steep graph": steep_graph,
    "islands": islands,
}


def question(shape: str, seed: int, sizes: tuple[int, int], aunts: Aunts = Aunts.NONE) -> Question:
    """The question of this shape and seed, of a size between these two."""
    random = Random(f"{shape} {seed}")
    return SHAPES[shape](random, random.randint(*sizes), aunts)


def _name(person: int) -> str:
    return chr(ord("A") + person)


def _names(size: int) -> list[str]:
    return [_name(person) for person in range(size)]


def people(facts: Sequence[Fact]) -> set[str]:
    """Everybody whom the facts name."""
    return {name for fact in facts for name in (fact.head, fact.tail)}


def _said(random: Random, family: Family, a: int, b: int) -> Fact:
    if random.random() < 0.5:
        a, b = b, a
    word = family.word(a, b)
    assert word is not None
    return Fact(_name(a), word, _name(b))


def _any_fact(random: Random, names: list[str], words: Sequence[str]) -> Fact:
    head, tail = random.sample(names, 2)
    return Fact(head, random.choice(words), tail)


def _asked(
    random: Random, facts: list[Fact], query: tuple[str, str] | None, family: Family | None = None
) -> Question:
    random.shuffle(facts)
    if query is None:
        a, b = random.sample(sorted(people(facts)), 2)
        query = (a, b)
    truth = None
    if family is not None:
        a, b = query
        truth = family.word(ord(a) - ord("A"), ord(b) - ord("A")) or "outside"
    return Question(tuple(facts), query, truth)
