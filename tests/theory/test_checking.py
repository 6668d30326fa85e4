"""`check_theory`: what it finds of theories that hold, and of theories that are wrong in one way each."""

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import own_theories
import pytest
import seats
from own_theories import Camps, Clock, Indu12, Indu18, Nests

import clutrr
from clutrr._labels import Kind, Labels
from clutrr._puzzle import Fact
from clutrr.theory import Theory
from clutrr.theory.algebra import RelationAlgebra
from clutrr.theory.models import ModelTheory
from clutrr.theory.network import NetworkSolver
from clutrr.theory.tractable import SetClasses
from commands import refused, run, told


@pytest.fixture(scope="module")
def worlds(tmp_path_factory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("own")
    package = str(own_theories.install(folder))
    sys.path.append(package)
    for theory in own_theories.OWN:
        own_theories.write_world(folder / theory.name, theory)
    yield folder
    sys.path.remove(package)


def failing(theory: type[Theory]) -> list[str]:
    return [one.name for one in clutrr.check_theory(theory).checks if not one.holds]


@pytest.mark.parametrize("name", ["order", "time", "regions", "directions", "kinship"])
def test_theories_of_ours_hold(name):
    found = clutrr.check_theory(name)
    assert found.holds is True, found
    assert found.to_json()["holds"]


@pytest.mark.parametrize("theory", [Clock, Camps, Nests, Indu18])
def test_theories_of_others_that_hold(theory):
    assert clutrr.check_theory(theory).holds, clutrr.check_theory(theory)
    assert clutrr.check_theory(theory()).holds


def test_a_line_that_is_too_short_for_intervals_and_lengths():
    """With 12 points some compositions are missing; what is found says which, and what to do."""
    found = clutrr.check_theory(Indu12)
    assert found.holds is False
    about = {one.name: one.about for one in found.checks if one.holds is False}
    assert set(about) == {"table", "networks"}
    assert "Add things" in about["table"]


class Sized(Indu12):
    """The same, with the number of points as its size."""

    name = "sized"

    @classmethod
    def things(cls, size=10):
        return [(start, end) for end in range(size) for start in range(end)]


def test_a_theory_that_takes_a_size_is_asked_for_more_things():
    (table,) = (one for one in clutrr.check_theory(Sized).checks if one.name == "table")
    assert table.holds is False
    assert "size 14, 91 things, shows more" in table.about


class Far(Clock):
    """Says that everything is at the same place, except from the first hour on."""

    name = "far"

    @classmethod
    def relation(cls, a, b):
        return super().relation(a, b) if 0 in (a, b) else "+0"


class Wrong(Nests):
    """A solver that never excludes anything."""

    name = "wrong"

    def solver(self, labels, assume):
        class Any(NetworkSolver):
            def verdict(self, given, query):
                found = super().verdict(given[:1], (given[0].head, given[0].tail))
                return type(found)(self.labels.relations, False, self.assume)

        return Any(self, labels, assume)


class Odd(Camps):
    """Facts never state strangers, and then no question has that answer."""

    name = "odd"
    kinds = ("friend", "enemy", "stranger")
    stated = ("friend", "enemy")

    @classmethod
    def relation(cls, a, b):
        return "stranger" if a // 4 != b // 4 else super().relation(a, b)


class Broken(Camps):
    """Draws with an error of its own."""

    name = "broken"

    def questions(self, spec, supply):
        return 1 / 0


@pytest.mark.parametrize(
    ("theory", "fails"),
    [
        (Far, ["table", "networks"]),
        (Wrong, ["networks", "agreement"]),
        (Odd, ["questions"]),
        (Broken, ["agreement"]),
    ],
)
def test_what_is_wrong_is_found(theory, fails):
    assert set(fails) <= set(failing(theory)) <= {*fails, "questions"}


class Drawn(Camps):
    """Draws the right facts with the wrong targets."""

    name = "drawn"

    def questions(self, spec, supply):
        source = super().questions(spec, supply)
        draw = source.draw

        def wrong(rng):
            block = draw(rng)
            block.targets[:] = 0
            return block

        source.draw = wrong
        return source


def test_wrong_targets_are_found():
    assert failing(Drawn) == ["questions", "agreement"]


# Where composition does not distribute over intersection


def brute_force(theory: type[ModelTheory], facts: list[Fact], names: str) -> set[str]:
    """What the last of four can be to the first, by trying all things for all four."""
    things = theory.things()
    related = np.array([[theory.relation(a, b) for b in things] for a in things])
    shape = {name: i for i, name in enumerate(names)}
    found = np.ones((len(things),) * 4, bool)
    for a, kind, b in facts:
        axes = [1] * 4
        i, j = shape[a], shape[b]
        axes[i] = axes[j] = len(things)
        holds = related == kind if i < j else (related == kind).T
        found &= holds.reshape(axes)
    return set(related[found.any(axis=(1, 2))])


@pytest.mark.parametrize("seed", range(4))
def test_contradictions_among_boxes_in_boxes_are_noticed(seed):
    """Facts of four boxes, from a scene or not: the verdict is what all choices of four boxes show."""
    rng = np.random.default_rng(seed)
    things, kinds = Nests.things(), Nests.kinds
    labels = Labels(tuple(Kind(kind, other, (kind,)) for kind, other in Nests().converses.items()))
    solver = Nests().solver(labels, "any")
    closed, none = 0, 0
    for _ in range(40):
        place = dict(zip("abcd", rng.integers(len(things), size=4), strict=True))
        facts = [
            Fact(x, Nests.relation(things[place[x]], things[place[y]]), y)
            for x, y in ("ab", "ac", "bc", "bd", "cd")
        ]
        if rng.random() < 0.5:
            facts[rng.integers(5)] = facts[rng.integers(5)]._replace(relation=rng.choice(kinds))
        pairs = {frozenset((a, b)) for a, _, b in facts}
        shown = brute_force(Nests, facts, "abcd")
        verdict = solver.verdict(facts, ("a", "d"))
        assert set(verdict.relations) == shown, facts
        closed += len(pairs) == 5
        none += not shown
    assert closed > 5
    assert none > 2


@pytest.mark.parametrize("theory", [*own_theories.OWN])
def test_whether_elimination_decides_is_found_out(theory):
    """By the definition, over all sets that arise."""
    algebra = RelationAlgebra.of(theory)
    compose = algebra.compose
    if theory in (Indu12, Indu18):
        r, s, t = algebra.uneven
        assert compose(int(algebra.table[r, s]), 1 << t) != compose(
            1 << r, int(algebra.table[s, t])
        )
        assert not theory.eliminates()
        return
    found = {1 << kind for kind in range(algebra.size)} | {algebra.every}
    while new := (
        {algebra.turn(one) for one in found}
        | {one & other for one in found for other in found}
        | {compose(one, other) for one in found for other in found}
    ) - {*found, 0}:
        found |= new
    exact = all(
        compose(one, second & third) == compose(one, second) & compose(one, third)
        for one, second, third in product(found, repeat=3)
        if second & third
    )
    assert exact == theory.eliminates() == bool(SetClasses.arising(algebra).convex)
    assert exact == (theory is not Nests)


@pytest.mark.parametrize("preset", ["strict", "mixed", "described"])
def test_routes_that_compose_in_several_ways(worlds, preset):
    """INDU: what a route of four intervals leaves possible is what intervals show."""
    theory, things = Indu18, Indu18.things()
    related = np.array(
        [[theory.kinds.index(theory.relation(a, b)) for b in things] for a in things]
    )
    world = clutrr.load_world(worlds / "indu18")
    kind_of = {word: meaning.kind.name for word, meaning in world.labels.meaning.items()}
    for one in clutrr.generate(preset, 3, 40, 7, world=world):
        reached = np.eye(len(things), dtype=np.float32)
        for kind in one.pattern:
            reached = (reached @ (related == theory.kinds.index(kind)) > 0).astype(np.float32)
        shown = {theory.kinds[kind] for kind in np.unique(related[reached > 0])}
        assert shown == {kind_of[word] for word in one.possible}


def test_several_routes_of_such_a_theory_are_refused(worlds, tmp_path):
    said = refused("generate", tmp_path / "o", "--world", worlds / "indu18", "--routes", 2)
    assert "the questions of theory indu18 have one route" in said


# What users see


def test_info(worlds, bench):
    assert "theory time: holds" in run("info", "time")
    assert told("info", worlds / "nests") == clutrr.check_theory("nests").to_json()
    assert "does not hold" in run("info", worlds / "indu12")
    assert told("info", bench)["holds"] is True  # seats, which is not given by models
    with pytest.raises(clutrr.ClutrrError, match="there is no theory 'none'"):
        clutrr.check_theory("none")


def test_a_theory_that_needs_words_is_asked_for_with_a_world():
    with pytest.raises(clutrr.ClutrrError, match="give a world of this theory"):
        clutrr.check_theory(seats.Seats)
    assert clutrr.check_theory(clutrr.load_world("kinship-de")).holds


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nests", "The theory `nests`, which is not part of clutrr, was checked"),
        ("indu12", "The theory `indu12`, which is not part of clutrr, fails a check (table): "),
    ],
)
def test_the_card_says_whether_the_theory_holds(worlds, tmp_path, name, says):
    run("generate", tmp_path / "o", "--world", worlds / name, *"--k 2 --train 9 --test 9".split())
    assert says in (tmp_path / "o/README.md").read_text()


def test_a_notebook_shows_it_as_a_table():
    found = clutrr.check_theory("order")
    html = found._repr_html_()
    assert html.startswith("<table>")
    assert "stable" in html
