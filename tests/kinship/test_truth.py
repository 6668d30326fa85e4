"""Every target against the family: one that all the facts of a family's puzzles make up together."""

from collections import defaultdict
from itertools import islice

import pytest

from kin_oracle import MEANING, possible
from made import made


class Known:
    """What the facts of many puzzles tell about one family."""

    def __init__(self) -> None:
        self.gender: dict[str, str] = {}
        self.spouse: dict[str, str] = {}
        self.parents: dict[str, set[str]] = defaultdict(set)
        self.siblings: set[tuple[str, str]] = set()

    def add(self, puzzle) -> None:
        for name, gender in puzzle.entities:
            assert self.gender.setdefault(name, gender) == gender
        for head, relation, tail in puzzle.facts:
            match MEANING[relation][0]:
                case "SO":
                    self._marry(head, tail)
                case "child":
                    self.parents[tail].add(head)
                case "inv-child":
                    self.parents[head].add(tail)
                case "sibling":
                    self.siblings |= {(head, tail)}

    def _marry(self, a: str, b: str) -> None:
        assert self.spouse.setdefault(a, b) == b
        assert self.spouse.setdefault(b, a) == a

    def close(self) -> None:
        """Parents are a couple, and brothers and sisters have the same."""
        before = -1
        while before != (before := sum(map(len, self.parents.values())) + len(self.spouse)):
            for a, b in self.siblings:
                self.parents[a] |= self.parents[b]
                self.parents[b] |= self.parents[a]
            for parents in list(self.parents.values()):
                parents |= {self.spouse[p] for p in parents if p in self.spouse}
                if len(parents) == 2:
                    self._marry(*parents)
        for person, parents in self.parents.items():
            assert len(parents) <= 2
            assert person not in parents
        for a, b in self.spouse.items():
            assert {self.gender.get(a), self.gender.get(b)} != {"male"}
            assert {self.gender.get(a), self.gender.get(b)} != {"female"}

    def holds(self, a: str, kind: str, b: str) -> bool | None:
        """Whether b is a's kind; None where too little is known of them."""
        parents, spouse = self.parents, self.spouse
        match kind:
            case "inv-child" | "inv-grand" | "inv-in-law":
                return self.holds(b, kind.removeprefix("inv-"), a)
            case "SO":
                return spouse[a] == b if a in spouse else None
            case "child":
                return a in parents[b] if len(parents[b]) == 2 else None
            case "sibling":
                known = len(parents[a]) == len(parents[b]) == 2
                return parents[a] == parents[b] if known else None
            case "grand":
                known = len(parents[b]) == 2 and any(len(parents[p]) == 2 for p in parents[b])
                return any(a in parents[p] for p in parents[b]) if known else None
            case "in-law":
                known = b in spouse and len(parents[spouse[b]]) == 2
                return a in parents[spouse[b]] if known else None
        raise AssertionError(kind)


@pytest.mark.parametrize(("preset", "k"), [("described", 4), ("described", 6), ("sound", 6)])
def test_the_puzzles_of_a_family_agree_with_each_other_and_their_targets(preset, k):
    puzzles = list(made(preset, k=k, size=2048, seed=21, distractors=0))
    families: dict[str, Known] = defaultdict(Known)
    for puzzle in puzzles:
        families[puzzle.scene].add(puzzle)
    assert len(families) > 10
    for family in families.values():
        family.close()
    checked = 0
    for puzzle in puzzles:
        family, (first, last) = families[puzzle.scene], puzzle.query
        verdict = family.holds(first, MEANING[puzzle.target][0], last)
        assert verdict is not False, puzzle
        checked += verdict is True
        for head, relation, tail in puzzle.facts:
            assert family.holds(head, MEANING[relation][0], tail) is not False
    assert checked > 0.75 * len(puzzles)  # the rest is about people of whom too little is said


@pytest.mark.parametrize("k", range(1, 9))
def test_described_targets_are_possible(k):
    patterns = {(p.pattern, MEANING[p.target][0]) for p in made("described", k=k, size=600)}
    for pattern, target in islice(sorted(patterns), 200):
        assert target in possible(pattern)[0]


@pytest.mark.parametrize(
    "k", [*range(1, 8), *(pytest.param(k, marks=pytest.mark.slow) for k in (8, 9, 10, 12))]
)
def test_sound_targets_are_the_only_ones_possible(k):
    patterns = {(p.pattern, MEANING[p.target][0]) for p in made("sound", k=k, size=600)}
    for pattern, target in islice(sorted(patterns), 200):
        assert possible(pattern)[0] == {target}


def test_published_targets_are_entailed(world):
    for k in (3, 4, 5, 6):
        for puzzle in made("published", k=k, size=100):
            found = world.theory.compose(world.labels, puzzle.pattern)
            assert found.entailed
            assert found.kinds == (MEANING[puzzle.target][0],)


@pytest.mark.parametrize("children", ["2-4", "1-2"])
def test_families_of_uneven_size(children):
    puzzles = made("described", k=3, size=500, scene=f"levels=3,children={children}", distractors=0)
    for puzzle in puzzles:
        assert MEANING[puzzle.target][0] in possible(puzzle.pattern)[0]
