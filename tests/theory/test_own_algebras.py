"""Theories whose relations form a group, or in which a thing is to itself what it is to others."""

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import own_theories
import pytest
from own_theories import Camps, Clock

import clutrr
from clutrr.errors import WorldError
from clutrr.theory.algebra import RelationAlgebra
from clutrr.theory.models import ModelTheory
from commands import findings, outcome, run


@pytest.fixture(scope="module")
def worlds(tmp_path_factory) -> Iterator[Path]:
    """A folder of worlds of theories that a package brings."""
    folder = tmp_path_factory.mktemp("own")
    package = str(own_theories.install(folder))
    sys.path.append(package)
    for theory in own_theories.OWN:
        own_theories.write_world(folder / theory.name, theory)
    yield folder
    sys.path.remove(package)


def targets(world: Path, k: int, **settings) -> set[str]:
    return {one.target for one in clutrr.generate(k=k, size=300, world=world, **settings)}


@pytest.mark.parametrize("routes", [1, 2])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_six_on_and_six_more_is_none(worlds, k, routes):
    """Every hour can be asked for, none among them, and every answer is the sum of its facts."""
    puzzles = clutrr.generate(k=k, size=300, world=worlds / "clock", routes=routes)
    assert {one.target for one in puzzles} == {f"{hours} on from" for hours in range(12)}
    for one in puzzles:
        hours = [int(fact.relation.split()[0]) for fact in one.facts[:k]]
        assert sum(hours) % 12 == int(one.target.split()[0])
        assert any(hours)
    solution = clutrr.solve(puzzles[0].story, puzzles[0].query, world=worlds / "clock")
    assert solution.answer == puzzles[0].target


def test_nothing_false_is_said_of_a_group(worlds, tmp_path):
    """Not on the screen, and not on the card."""
    world = worlds / "clock"
    said = outcome("generate", tmp_path / "data", "--world", world, *"--k 2-3 --train 60".split())
    for text in (*said[1:], (tmp_path / "data/README.md").read_text()):
        assert "no question with one answer" not in text
    assert findings(tmp_path / "data")["proved"] == 60 * 2 + 1000 * 2


def test_facts_that_say_nothing_else_are_still_not_asked(worlds):
    """None on, again and again: of these facts no question is made, by any number of routes."""
    for routes in (1, 2):
        for one in clutrr.generate(k=2, size=400, world=worlds / "clock", routes=routes):
            for route in (one.facts[:2], one.facts[2:4]):
                assert not route or {fact.relation for fact in route} != {"0 on from"}


@pytest.mark.parametrize("k", [2, 3, 4])
def test_a_friend_of_a_friend(worlds, k):
    """Everybody is their own friend, and that does not make "a friend of" say nothing."""
    puzzles = clutrr.generate(k=k, size=200, world=worlds / "camps")
    assert {one.target for one in puzzles} == {"friend of", "enemy of"}
    for one in puzzles:
        enemies = sum(fact.relation == "enemy of" for fact in one.facts)
        assert one.target == ("enemy of" if enemies % 2 else "friend of")
    assert {len(set(one.pattern)) for one in puzzles} == {1, 2}


@pytest.mark.parametrize("theory", [Clock, Camps])
def test_tables_are_those_of_the_things(theory):
    """Compared with the definition: what c is to a, for some b between them."""
    algebra, things = RelationAlgebra.of(theory), theory.things()
    shown = {one: set() for one in product(theory.kinds, repeat=2)}
    for a, b, c in product(things, repeat=3):
        shown[theory.relation(a, b), theory.relation(b, c)].add(theory.relation(a, c))
    for (r, first), (s, second) in product(enumerate(theory.kinds), repeat=2):
        found = {kind for i, kind in enumerate(theory.kinds) if algebra.table[r, s] >> i & 1}
        assert found == shown[first, second]
    assert algebra.strict == (theory is Clock)


class Moods(ModelTheory):
    """Some are calm to themselves, others are not: no kind is what a thing is to itself."""

    name = "moods"
    kinds = ("calm", "tense")

    @classmethod
    def things(cls):
        return range(4)

    @classmethod
    def relation(cls, a, b):
        return "calm" if (a + b) % 4 else "tense"


class Many(Clock):
    """More kinds than a set has room for."""

    name = "many"
    kinds = tuple(f"+{hours}" for hours in range(70))


class Nothing(Clock):
    """No things."""

    name = "nothing"

    @classmethod
    def things(cls):
        return ()


@pytest.mark.parametrize(
    ("theory", "message"),
    [
        (Moods, "what a thing is to itself must be one kind, the same for all; here it is calm"),
        (Many, "70 kinds, more than 62 are not supported"),
        (Nothing, "things() has none"),
    ],
)
def test_what_is_no_theory_is_refused(theory, message):
    with pytest.raises(WorldError, match=f"theory {theory.name}: ") as refusal:
        RelationAlgebra.of(theory)
    assert message in str(refusal.value)


def test_targets_that_no_facts_leave_possible_are_said_to_be_so():
    """If facts state enemies alone, two of them never lead to an enemy."""

    class Foes(Camps):
        name = "foes"
        stated = ("enemy",)

    from clutrr._labels import Kind, Labels
    from clutrr.theory import QuestionSpec, Supply

    theory = Foes()
    labels = Labels(tuple(Kind(one, other, (one,)) for one, other in theory.converses.items()))
    source = theory.questions(
        QuestionSpec(theory.preset(), "any", 2), Supply("foes", labels, (20,), 1)
    )
    assert set(source.draw(np.random.default_rng(0)).targets) == {0}
    assert list(source.notes()) == [
        "M2: with one route, no facts leave the target `enemy` possible"
    ]


def test_info_of_the_generated_data(worlds, tmp_path):
    options = "--k 2 --train 20 --test 10".split()
    run("generate", tmp_path / "data", "--world", worlds / "camps", *options)
    assert "friend of" in run("info", tmp_path / "data")
