"""Facts beside the path: true, of their role, of no use, and nothing gives them away."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clutrr import load_world
from clutrr._config import ORDERS
from clutrr._facts import roles, shortest_path
from kin_text import sentences
from made import made


def tree_solver():
    world = load_world()
    return world.theory.solver(world.labels, "tree")


def check(puzzle, k, supporting, irrelevant, disconnected, distractors):
    """All that must hold of one puzzle by itself."""
    expected = Counter(
        path=k, supporting=supporting, irrelevant=irrelevant, disconnected=disconnected
    )
    assert Counter(puzzle.roles) == +expected
    assert roles(puzzle.facts, k) == puzzle.roles  # by the facts alone
    names = [person.name for person in puzzle.entities]
    apart = disconnected + 1 if disconnected else 0
    assert len(names) == len(set(names)) == k + 1 + supporting // 2 + irrelevant + apart
    assert set(names) == {name for fact in puzzle.facts for name in (fact.head, fact.tail)}
    assert puzzle.query == (names[0], names[k])
    assert len(shortest_path(puzzle.facts, *puzzle.query).numbers) == k
    if k > 1:
        assert not any({fact.head, fact.tail} == set(puzzle.query) for fact in puzzle.facts)
    said = sentences(puzzle.story)
    assert sorted((s.subject, s.what, s.object) for s in said if s.fact) == sorted(puzzle.facts)
    told = Counter(s.subject for s in said if not s.fact)
    named = Counter(name for fact in puzzle.facts for name in (fact.head, fact.tail))
    for (
        name
    ) in names:  # with noise, an entity of many facts has fewer distractors: counts tell nothing
        beside = named[name] - 1 if supporting or irrelevant or disconnected else 0
        assert told[name] == max(distractors - beside, 0)
    assert len(puzzle.sentences) == len(said)
    for sentence in puzzle.sentences:
        (read,) = sentences(puzzle.story[sentence.start : sentence.end])
        assert [(read.subject, read.what, read.object)] * read.fact == [
            puzzle.facts[i] for i in sentence.facts
        ]


@pytest.mark.parametrize("order", list(ORDERS))
@pytest.mark.parametrize(
    ("preset", "k"), [("sound", 2), ("described", 3), ("published", 6), ("sound", 12)]
)
def test_every_story_has_the_facts_asked_for(preset, k, order):
    for puzzle in made(
        preset, k=k, size=60, order=order, supporting=3, irrelevant=2, disconnected=2
    ):
        check(puzzle, k, 3, 2, 2, 8)


@settings(max_examples=8)
@given(
    st.integers(1, 6),
    st.integers(0, 4),
    st.integers(0, 4),
    st.integers(0, 4),
    st.integers(0, 8),
    st.sampled_from(["3", "2-4"]),
    st.sampled_from(list(ORDERS)),
    st.integers(0, 2**40),
)
def test_any_number_of_them(
    k, supporting, irrelevant, disconnected, distractors, children, order, seed
):
    noise = {"supporting": supporting, "irrelevant": irrelevant, "disconnected": disconnected}
    if k == 1 and supporting % 2:
        noise["supporting"] += 1
    settings = {"scene": f"children={children}", "distractors": distractors, "order": order}
    for puzzle in made("described", k=k, size=30, seed=seed, **settings, **noise):
        check(puzzle, k, *noise.values(), distractors)


@pytest.mark.parametrize(
    ("preset", "k"), [("sound", 2), ("sound", 4), ("sound", 6), ("described", 2), ("described", 3)]
)
def test_more_facts_make_less_possible_and_leave_the_answer(preset, k):
    solver = tree_solver()
    for puzzle in made(preset, k=k, size=50, seed=k, supporting=2, irrelevant=2, disconnected=2):
        with_all, alone = (
            solver.verdict(facts, puzzle.query) for facts in (puzzle.facts, puzzle.facts[:k])
        )
        assert {puzzle.target} <= set(with_all.relations) <= set(alone.relations)
        assert with_all.outside <= alone.outside
        assert preset == "described" or alone.relations == (puzzle.target,)
        roles = zip(puzzle.facts, puzzle.roles, strict=True)
        apart = [fact for fact, role in roles if role in ("path", "disconnected")]
        assert solver.verdict(apart, puzzle.query).relations == alone.relations


def test_counting_sentences_does_not_tell_the_path():
    """Whoever picks those with the most sentences, or the fewest, picks the path by chance."""
    k, beside = 4, 0
    settings = {"supporting": 2, "irrelevant": 3, "disconnected": 2}
    for puzzle in made("sound", k=k, size=200, seed=3, **settings):
        counts = Counter(name for s in sentences(puzzle.story) for name in {s.subject, s.object})
        asked = set(puzzle.query)
        found = {counts[person.name] for person in puzzle.entities if person.name not in asked}
        beside += len(found) > 1
    assert beside == 0


def test_noise_stands_anywhere():
    """In every order, facts beside the path are found before, between and behind those of the path."""
    for order in ORDERS:
        places = Counter()
        for puzzle in made("described", k=3, size=300, order=order, irrelevant=2, distractors=1):
            facts = [number for sentence in puzzle.sentences for number in sentence.facts]
            if order != "shuffled":
                assert [number for number in facts if number < 3] == [0, 1, 2]
            places.update(
                facts.index(3) - sum(n == 4 for n in facts[: facts.index(3)]) for _ in [0]
            )
        assert set(places) >= {1, 2, 3}, order


def test_the_people_of_noise_vary():
    kinds, heads = Counter(), Counter()
    for puzzle in made("sound", k=3, size=400, irrelevant=1, supporting=2, distractors=0):
        on_path = [person.name for person in puzzle.entities[:4]]
        for fact, role in zip(puzzle.facts, puzzle.roles, strict=True):
            if role != "path":
                kinds[fact.relation] += 1
                heads[role, fact.head in on_path] += 1
                heads[role, on_path.index(fact.head if fact.head in on_path else fact.tail)] += 1
    assert len(kinds) == 16
    assert all(
        heads[role, at] > 20 for role in ("supporting", "irrelevant") for at in (True, False, 0, 2)
    )
