"""What must hold of every verdict, whatever the facts."""

from random import Random

import pytest
from fact_sets import KIND_OF, KINDS, WORDS, Question, people
from hypothesis import given, settings
from hypothesis import strategies as st
from kinship_solvers import ASSUMPTIONS, kinship_solver

from clutrr._puzzle import Fact
from clutrr.theory import Solver

NAMES = "ABCDE"


SOLVERS = {assume: kinship_solver("kinship", assume) for assume in ASSUMPTIONS}
LONGER = {
    name: [kinship_solver(name, assume) for assume in ASSUMPTIONS]
    for name in ("kinship", "kinship-v1")
}


@pytest.fixture(scope="module", params=ASSUMPTIONS)
def solver(request) -> Solver:
    return SOLVERS[request.param]


@st.composite
def questions(draw: st.DrawFn) -> Question:
    pairs = st.permutations(NAMES).map(lambda names: names[:2])
    drawn = draw(st.lists(st.tuples(pairs, st.sampled_from(WORDS)), min_size=1, max_size=5))
    facts = tuple(Fact(head, word, tail) for (head, tail), word in drawn)
    first, second = draw(st.permutations(sorted(people(facts))))[:2]
    return Question(facts, (first, second))


@settings(max_examples=300)
@given(questions(), st.randoms(use_true_random=False))
def test_laws_of_verdicts(solver: Solver, question: Question, random: Random):
    facts, (a, b) = question[:2]
    verdict = solver.verdict(facts, (a, b))
    # Neither names nor the order of facts matter, nor does saying a thing twice.
    renamed = dict(zip(NAMES, random.sample(["Ann", "Bo", "Cy", "Di", "Eve"], 5), strict=True))
    moved = [Fact(renamed[fact.head], fact.relation, renamed[fact.tail]) for fact in facts]
    random.shuffle(moved)
    assert solver.verdict([*moved, moved[0]], (renamed[a], renamed[b])) == verdict
    # The other way round, the converses are possible.
    back = solver.verdict(facts, (b, a))
    assert back.outside == verdict.outside
    kinds = {KIND_OF[relation] for relation in verdict.relations}
    assert {KIND_OF[relation] for relation in back.relations} == {KINDS[kind][2] for kind in kinds}
    # A possible answer, once told, is entailed, and any other contradicts.
    for word in random.sample(WORDS, 5):
        told = solver.verdict((*facts, Fact(a, word, b)), (a, b))
        assert (told.relations, told.outside) == (
            (word,) if word in verdict.relations else (),
            False,
        )
    # Another fact makes nothing possible.
    head, tail = random.sample(NAMES, 2)
    more = solver.verdict((*facts, Fact(head, random.choice(WORDS), tail)), (a, b))
    assert set(more.relations) <= set(verdict.relations)
    assert more.outside <= verdict.outside


@settings(max_examples=400)
@given(questions())
def test_what_a_tree_allows_is_allowed_where_families_are_open(question: Question):
    """So what `open` determines, `tree` determines too, unless it leaves no relation of the label set."""
    tree, wide = (SOLVERS[assume].verdict(*question[:2]) for assume in ASSUMPTIONS)
    assert set(tree.relations) <= set(wide.relations)
    assert tree.outside <= wide.outside
    assert wide.contradictory <= tree.contradictory


@st.composite
def branching(draw: st.DrawFn, words: tuple[str, ...]) -> Question:
    """Facts that join everybody and close no circle: each but the first names somebody new."""
    facts: list[Fact] = []
    for i in range(1, draw(st.integers(2, 10))):
        other, new = draw(st.integers(max(0, i - 2), i - 1)), i
        head, tail = draw(st.permutations((other, new)))
        facts.append(Fact(f"P{head}", draw(st.sampled_from(words)), f"P{tail}"))
    first, second = draw(st.permutations(sorted(people(facts))))[:2]
    return Question(tuple(facts), (first, second))


@pytest.mark.parametrize("name", LONGER)
@settings(max_examples=400)
@given(data=st.data())
def test_without_circles_entailed_is_the_same_under_both(name: str, data: st.DataObject):
    """docs/assumptions.md proves it."""
    tree, wide = LONGER[name]
    facts, query = data.draw(branching(tree.labels.relations))[:2]
    one, other = tree.verdict(facts, query), wide.verdict(facts, query)
    assert one.contradictory == other.contradictory
    assert one.entailed == other.entailed


@pytest.mark.parametrize("name", LONGER)
def test_no_two_relations_hold_at_once(name: str):
    """What the proof needs of the two worlds: to be told one relation leaves no other possible."""
    for solver in LONGER[name]:
        for word in solver.labels.relations:
            verdict = solver.verdict([Fact("A", word, "B")], ("A", "B"))
            assert (verdict.relations, verdict.entailed) == ((word,), True)
