"""What must hold of every verdict, whatever the facts."""

from random import Random

import pytest
from fact_sets import KIND_OF, KINDS, WORDS, Question, people
from hypothesis import given, settings
from hypothesis import strategies as st

from clutrr.puzzle import Fact
from clutrr.solver.solver import Solver
from clutrr.world import World

NAMES = "ABCDE"


@pytest.fixture(scope="module")
def solver(world: World) -> Solver:
    return Solver(world)


@st.composite
def questions(draw: st.DrawFn) -> Question:
    pairs = st.permutations(NAMES).map(lambda names: names[:2])
    drawn = draw(st.lists(st.tuples(pairs, st.sampled_from(WORDS)), min_size=1, max_size=5))
    facts = tuple(Fact(head, word, tail) for (head, tail), word in drawn)
    first, second = draw(st.permutations(sorted(people(facts))))[:2]
    return Question(facts, (first, second))


@settings(max_examples=300, deadline=None)
@given(questions(), st.randoms(use_true_random=False))
def test_neither_order_nor_names_matter(solver: Solver, question: Question, random: Random):
    facts, (a, b), _ = question
    others = random.sample(["Ann", "Bo", "Cy", "Di", "Eve"], 5)
    renamed = dict(zip(NAMES, others, strict=True))
    moved = [Fact(renamed[fact.head], fact.relation, renamed[fact.tail]) for fact in facts]
    random.shuffle(moved)
    moved.append(moved[0])  # nor does saying a thing twice
    assert solver.verdict(moved, (renamed[a], renamed[b])) == solver.verdict(facts, (a, b))


@settings(max_examples=300, deadline=None)
@given(questions())
def test_the_other_way_round(solver: Solver, question: Question):
    facts, (a, b), _ = question
    verdict, back = solver.verdict(facts, (a, b)), solver.verdict(facts, (b, a))
    assert back.outside == verdict.outside
    kinds = {KIND_OF[relation] for relation in verdict.relations}
    assert {KIND_OF[relation] for relation in back.relations} == {KINDS[kind][2] for kind in kinds}


@settings(max_examples=100, deadline=None)
@given(questions())
def test_a_possible_answer_told_is_entailed_and_any_other_contradicts(solver: Solver, question: Question):
    facts, (a, b), _ = question
    verdict = solver.verdict(facts, (a, b))
    for word in WORDS:
        told = solver.verdict((*facts, Fact(a, word, b)), (a, b))
        assert (told.relations, told.outside) == ((word,) if word in verdict.relations else (), False)


@settings(max_examples=200, deadline=None)
@given(questions(), st.data())
def test_another_fact_makes_nothing_possible(solver: Solver, question: Question, data: st.DataObject):
    facts, query, _ = question
    head, tail = data.draw(st.permutations(NAMES))[:2]
    more = solver.verdict((*facts, Fact(head, data.draw(st.sampled_from(WORDS)), tail)), query)
    verdict = solver.verdict(facts, query)
    assert set(more.relations) <= set(verdict.relations)
    assert more.outside <= verdict.outside
