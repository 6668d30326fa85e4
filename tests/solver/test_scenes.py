"""The families that the solver shows: they obey the laws, have the facts, and what they are shown for.

Checked by walking over couples and children, in the worlds of the package and in one with cousins and
siblings-in-law; there the answers are also held to the chains of the generator.
"""

from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from fact_sets import SHAPES, Aunts, question
from kinship_solvers import ASSUMPTIONS, kinship_solver

from clutrr import load_world
from clutrr._lexicon import World
from clutrr._puzzle import Fact
from clutrr.theory.kinship.deciding.scene import FamilyScene
from clutrr.theory.kinship.deciding.solver import KinshipSolver
from clutrr.theory.kinship.steps import Step

RELATIONS = """
cousin:
  steps: [parent, parent, child, child]
  inverse: cousin
  words: {female: she-cousin, male: he-cousin}
sibling-in-law:
  steps: [[spouse, parent, child], [parent, child, spouse]]
  inverse: sibling-in-law
  words: {female: sister-in-law, male: brother-in-law}
"""
WORDS = ("she-cousin", "he-cousin", "sister-in-law", "brother-in-law")


@pytest.fixture(scope="module")
def cousins(tmp_path_factory) -> World:
    folder: Path = tmp_path_factory.mktemp("worlds") / "cousins"
    folder.mkdir()
    (folder / "world.yaml").write_text("extends: kinship\n")
    (folder / "relations.yaml").write_text(RELATIONS)
    templates = (f'{word}: ["The {word} of {{a}} is {{b}}."]\n' for word in WORDS)
    (folder / "templates.yaml").write_text("".join(templates))
    return load_world(folder)


class Walker:
    """Looks relations up in a family, and checks it."""

    def __init__(self, family: FamilyScene) -> None:
        self.family = family
        self.birth = {
            child: i for i, couple in enumerate(family.couples) for child in couple.children
        }
        self.marriage = {p: i for i, couple in enumerate(family.couples) for p in couple.partners}

    def near(self, person: str, step: Step) -> list[str]:
        born, married = self.birth.get(person), self.marriage.get(person)
        side = {Step.PARENT: born, Step.SIBLING: born, Step.CHILD: married, Step.SPOUSE: married}[
            step
        ]
        if side is None:
            return []
        couple = self.family.couples[side]
        people = couple.children if step in (Step.CHILD, Step.SIBLING) else couple.partners
        return [other for other in people if other != person]

    def relations(self, world: World, a: str, b: str) -> set[str]:
        """What b is to a, in either gender where the family leaves it open."""
        found = set()
        for kind, words in zip(world.kinds, world.theory.ways, strict=True):
            for word in words:
                ways = [[a]]
                for step in word:
                    ways = [
                        [*way, p] for way in ways for p in self.near(way[-1], step) if p not in way
                    ]
                if any(way[-1] == b for way in ways):
                    gender = self.family.genders.get(b)
                    found |= {kind.words[world.forms.index(gender)]} if gender else set(kind.words)
        return found

    def above(self, person: str, below: tuple[str, ...] = ()) -> set[int]:
        assert person not in below, "somebody is their own ancestor"
        if person not in self.birth:
            return set()
        parents = self.near(person, Step.PARENT)
        return {self.birth[person]}.union(
            *(self.above(parent, (*below, person)) for parent in parents)
        )

    def check(self, tree: bool) -> None:
        """The laws of kinship."""
        family = self.family
        assert (
            max(
                Counter(child for couple in family.couples for child in couple.children).values(),
                default=1,
            )
            == 1
        )
        assert (
            max(
                Counter(p for couple in family.couples for p in couple.partners).values(), default=1
            )
            == 1
        )
        for couple in family.couples:
            partners = couple.partners
            assert len(partners) <= 2
            if len(partners) == 2:
                assert not self.above(partners[0]) & self.above(partners[1]), "relatives marry"
                known = [family.genders[p] for p in partners if p in family.genders]
                assert len(set(known)) == len(known)
        if tree:
            assert not family.twice
            self._no_cycle()

    def _no_cycle(self) -> None:
        group = {i: i for i in range(len(self.family.couples))}
        for person in self.birth.keys() & self.marriage.keys():
            one, other = self.birth[person], self.marriage[person]
            while group[one] != one:
                one = group[one]
            while group[other] != other:
                other = group[other]
            assert one != other
            group[one] = other


def assert_families(
    world: World, solver: KinshipSolver, facts: tuple[Fact, ...], query: tuple[str, str]
) -> None:
    verdict = solver.verdict(facts, query)
    shown = [(solver.scene(facts, query, relation), relation) for relation in verdict.relations]
    if verdict.outside:
        found = solver.outside_scene(facts, query)
        shown.append((found and found[0], None))
    for family, relation in shown:
        assert family is not None
        walker = Walker(family)
        walker.check(solver.assume == "tree")
        for fact in facts:
            assert fact.relation in walker.relations(world, fact.head, fact.tail)
        holds = walker.relations(world, *query)
        assert relation in holds if relation else not holds


@pytest.mark.parametrize("assume", ASSUMPTIONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_families_have_what_they_are_shown_for(shape, assume):
    for aunts in Aunts:
        world = load_world(aunts.value)
        solver = kinship_solver(world, assume)
        for seed in range(500, 515):
            assert_families(world, solver, *question(shape, seed, (3, 7), aunts)[:2])


@pytest.mark.parametrize("assume", ASSUMPTIONS)
def test_families_in_a_world_of_ones_own(cousins, assume):
    solver = kinship_solver(cousins, assume)
    for first, second in product(cousins.relations, repeat=2):
        assert_families(
            cousins, solver, (Fact("A", first, "B"), Fact("B", second, "C")), ("A", "C")
        )


def test_chains_in_a_world_of_ones_own(cousins):
    """Over all genders, what can be between the ends of a chain is what the chains of the world say."""
    solver = kinship_solver(cousins, "tree")
    kinds = [
        kind
        for kind in cousins.kinds
        if kind.name in ("cousin", "sibling-in-law", "SO", "inv-child", "grand")
    ]
    for chain in [*product(kinds, repeat=2), *product(kinds[:3], repeat=3)]:
        found, outside = set(), False
        for genders in product((0, 1), repeat=len(chain)):
            words = [kind.words[gender] for kind, gender in zip(chain, genders, strict=True)]
            facts = [Fact("ABCD"[i], word, "ABCD"[i + 1]) for i, word in enumerate(words)]
            verdict = solver.verdict(facts, ("A", "ABCD"[len(chain)]))
            found |= {cousins.meaning[relation][0].name for relation in verdict.relations}
            outside |= verdict.outside
        composed = cousins.theory.compose(cousins.labels, [kind.name for kind in chain])
        assert (found, outside) == (set(composed.kinds), composed.outside)
