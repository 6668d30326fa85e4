"""Small input, many cases: decided with bounded work, or said not to be decided."""

from random import Random

import pytest
from fact_sets import SHAPES, Aunts, people, question
from kinship_solvers import ASSUMPTIONS, kinship_solver

from clutrr import load_world
from clutrr._puzzle import CANNOT_BE_TOLD, Fact
from clutrr.theory import Finding, Theory
from clutrr.theory.kinship import Kinship
from clutrr.theory.kinship.deciding.solver import WORK
from clutrr.theory.kinship.steps import rise

UNDER_BOTH = pytest.mark.parametrize("assume", ASSUMPTIONS)


def row(relations: list[str]) -> tuple[list[Fact], tuple[str, str]]:
    """Facts in a row, and the question what the last person is to the first."""
    return [Fact(f"P{i}", relation, f"P{i + 1}") for i, relation in enumerate(relations)], (
        "P0",
        f"P{len(relations)}",
    )


def grandparents(child: str, count: int) -> list[Fact]:
    words = ("grandfather", "grandmother", "grandmother")[:count]
    return [Fact(child, word, f"{child}{i}") for i, word in enumerate(words)]


@pytest.mark.parametrize(
    ("name", "assume", "length", "work"),
    [
        *(
            ("kinship-v1", assume, length, 1_000_000)
            for assume in ASSUMPTIONS
            for length in (20, 30)
        ),
        *(("kinship-v1-by-marriage", "tree", length, 100_000) for length in (20, 40)),
    ],
)
def test_uncles_and_nephews_in_turn(name, assume, length, work):
    """A nephew's uncle may be one's brother, oneself aside, or no one with a name; and so on. By marriage
    there are too many cases to try: they are decided as a row."""
    verdict = kinship_solver(name, assume, work=work).verdict(
        *row(["uncle", "nephew"] * (length // 2))
    )
    assert (verdict.decided, verdict.outside) == (True, True)
    assert "brother" in verdict.relations
    assert name == "kinship-v1" or verdict.relations == ("brother",)


@pytest.mark.parametrize("aunts", Aunts)
def test_a_row_is_answered_as_by_its_cases(aunts, monkeypatch):
    """Rows of up to nine facts, either way round; without work, none is decided but as a row."""
    world = load_world(aunts.value)
    solver, random = kinship_solver(world, "tree"), Random(7)
    hurried = kinship_solver(world, "tree", work=0)
    monkeypatch.setattr(solver, "_by_row", lambda *_: None)
    decided = 0
    for _ in range(150):
        facts, query = row([random.choice(world.relations) for _ in range(random.randint(2, 9))])
        random.shuffle(facts)
        if random.random() < 0.3:
            at = random.randrange(len(facts))
            facts[at] = Fact(facts[at].tail, facts[at].relation, facts[at].head)
        verdict = hurried.verdict(facts, query)
        if verdict.decided:
            assert verdict == solver.verdict(facts, query), facts
            decided += 1
    assert decided > 80


@UNDER_BOTH
def test_fifteen_children_of_three_grandparents_each(world, assume):
    """Nothing joins fourteen of them to the question, so each set of facts is looked at by itself; or one
    father joins them, and they have four grandparents together, not 45."""
    each = [f for i in range(15) for f in grandparents(f"C{i}", 3)]
    verdict = kinship_solver(world, assume, work=3_000).verdict(
        [Fact("C0", "father", "F"), *each], ("C0", "F")
    )
    assert (verdict.relations, verdict.outside) == (("father",), False)
    joined = [Fact("F", "son", f"C{i}") for i in range(15)]
    assert (
        kinship_solver(world, assume, work=20_000)
        .verdict([*joined, *each], ("C0", "F"))
        .contradictory
    )


@UNDER_BOTH
def test_a_row_of_three_hundred_facts(world, assume):
    random = Random(0)
    for _ in range(3):
        told = row([random.choice(world.relations) for _ in range(300)])
        assert kinship_solver(world, assume, work=100_000).verdict(*told).decided


@UNDER_BOTH
def test_chains_of_thirty_facts(world, assume):
    """Chains that stay near one generation, so that their people can sit in very many ways."""
    solver = kinship_solver(world, assume)
    ways = dict(zip(world.kinds, world.theory.ways, strict=True))
    rises = {word: rise(ways[world.meaning[word].kind][0]) for word in world.relations}
    found = []
    for seed in range(60):
        random, height, relations = Random(seed), 0, []
        for _ in range(30):
            near = [word for word in world.relations if abs(height + rises[word]) <= 1]
            relations.append(random.choice(near))
            height += rises[relations[-1]]
        found.append(solver.verdict(*row(relations)).status)
    assert Finding.NOT_DECIDED not in found
    assert len(set(found)) > 1


@UNDER_BOTH
def test_facts_that_the_question_cannot_depend_on_take_no_work(world, assume):
    told = [Fact("A", "son", "B"), Fact("B", "wife", "C")]
    branches = [
        f
        for i in range(200)
        for f in (Fact("B", "daughter", f"D{i}"), Fact(f"D{i}", "son", f"E{i}"))
    ]
    solver = kinship_solver(world, assume, work=100)
    assert solver.verdict([*told, *branches], ("A", "C")) == solver.verdict(told, ("A", "C"))


@UNDER_BOTH
@pytest.mark.parametrize("shape", SHAPES)
def test_leaving_facts_out_changes_no_answer(assume, shape):
    """What is cut away beforehand, against folding all facts."""
    for aunts in Aunts:
        solver = kinship_solver(aunts.value, assume)
        for seed in range(200, 230):
            told, query = question(shape, seed, (3, 7), aunts)[:2]
            hung = [Fact(name, "daughter", f"{name}{name}") for name in sorted(people(told))]
            verdict = solver.verdict(told, query)
            assert solver.verdict([*told, *hung], query) == verdict
            for relation in solver.labels.relations:
                family = solver.scene(told, query, relation)
                assert (family is not None) == (relation in verdict.relations)
            assert (solver.outside_scene(told, query) is not None) == verdict.outside


@UNDER_BOTH
def test_explanations_of_many_facts_take_bounded_work(world, assume):
    facts, query = row(["sister", "brother"] * 50)
    solver = kinship_solver(world, assume)
    proof = solver.explain(facts, query).proof
    assert proof is not None
    assert len(proof.steps) == 100
    assert solver.spent < 2 * WORK
    facts, query = row(["uncle", "nephew"] * 15)
    solver = kinship_solver("kinship-v1", assume)
    solver.explain(facts, query)
    assert solver.spent < 4 * WORK


@UNDER_BOTH
def test_past_the_limit_nothing_is_claimed(world, assume):
    facts, query = row(["mother-in-law", "daughter", "husband", "son", "grandfather"])
    facts.append(Fact("P1", "grandson", "P4"))  # no mere row
    solver = kinship_solver(world, assume, work=5)
    verdict = solver.verdict(facts, query)
    assert (verdict.status, verdict.decided, verdict.entailed) == (
        Finding.NOT_DECIDED,
        False,
        False,
    )
    for target in ("father", CANNOT_BE_TOLD):
        assert verdict.finding(target) is Finding.NOT_DECIDED
    assert solver.consistent(facts) is None
    assert solver.explain(facts, query).proof is None


def test_in_a_composition_what_is_not_decided_counts_as_possible(world, monkeypatch):
    monkeypatch.setattr(
        Kinship, "solver", lambda _, labels, assume: kinship_solver(world, assume, work=0)
    )
    found = Theory.compose(world.theory, world.labels, ["child", "child"])
    assert (len(found.kinds), found.outside, found.entailed) == (len(world.kinds), True, False)


def grid(name: str, size: int, across: str, down: str) -> list[Fact]:
    """People in rows and columns, each with a fact about the next of both."""
    place = [[f"{name}{i * size + j}" for j in range(size)] for i in range(size)]
    rows = [Fact(row[j], across, row[j + 1]) for row in place for j in range(size - 1)]
    return rows + [
        Fact(place[i][j], down, place[i + 1][j]) for i in range(size - 1) for j in range(size)
    ]


@UNDER_BOTH
@pytest.mark.parametrize(
    ("size", "across", "down"),
    [(10, "niece", "niece"), (9, "aunt", "daughter-in-law"), (7, "niece", "wife")],
)
def test_grids_take_bounded_work(assume, size, across, down):
    """Many people are active at a time, and how far each two are apart has to be looked at."""
    work = 200_000
    solver = kinship_solver("kinship-v1-by-marriage", assume, work=work)
    solver.verdict(grid("G", size, across, down), ("G0", f"G{size * size - 1}"))
    assert solver.spent < 2 * work


@UNDER_BOTH
def test_the_parts_of_a_question_share_its_work(assume):
    """Each alone can be decided; all together take more than one question may."""
    world = load_world("kinship-v1-by-marriage")
    hard = [
        grid(name, size, "niece", "mother-in-law") for name, size in (("A", 3), ("B", 4), ("C", 5))
    ]
    alone = kinship_solver(world, assume)
    for facts in hard:
        assert alone.consistent(facts) is not None
    needed = alone.spent
    facts = [fact for part in hard for fact in part]
    query = ("A0", "A8")
    fresh, used = (kinship_solver(world, assume, work=needed // 2) for _ in range(2))
    for part in hard:
        used.consistent(part)
    verdict = fresh.verdict(facts, query)
    assert fresh.spent <= needed
    assert used.verdict(facts, query) == verdict  # whatever was asked before
