"""Who is on the way between two people: against a search for all ways that pass nobody twice."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from clutrr.models.ways import ways

PEOPLE = 6
PAIRS = [(i, j) for i in range(PEOPLE) for j in range(i + 1, PEOPLE)]
Links = set[tuple[int, int]]


def on_some_way(links: Links, first: int, second: int) -> Links:
    """The links that lie on a way from the first to the second that passes nobody twice."""
    found: Links = set()

    def walk(path: list[int]) -> None:
        if path[-1] == second:
            found.update((min(pair), max(pair)) for pair in itertools.pairwise(path))
            return
        for i, j in links:
            for here, there in ((i, j), (j, i)):
                if here == path[-1] and there not in path:
                    walk([*path, there])

    walk([first])
    return found


def laid_out(links: Links, query: tuple[int, int]) -> tuple[list[tuple[int, int]], int]:
    """Who leads on to whom, and how many places there are."""
    near = [[j for i, j in links | {(b, a) for a, b in links} if i == person] for person in range(PEOPLE)]
    slots = max(1, *map(len, near))
    linked = np.array([[slot < len(people) for slot in range(slots)] for people in near])
    neighbours = np.array([[*people, *[0] * (slots - len(people))] for people in near])
    at = ways(linked[None], neighbours[None], np.array([query]))[0]
    rows, columns = np.nonzero(at)
    assert (rows < columns).all()
    used = [divmod(int(number) - 1, slots) for number in at[rows, columns]]
    return [(person, near[person][slot]) for person, slot in used], len(at)


graphs = st.sets(st.sampled_from(PAIRS))


@given(graphs, st.permutations(range(PEOPLE)).map(lambda people: (people[0], people[1])))
@settings(max_examples=300)
def test_nobody_else_is_on_it(links: Links, query: tuple[int, int]) -> None:
    used, places = laid_out(links, query)
    some = on_some_way(links, *query)
    assert {(min(pair), max(pair)) for pair in used} <= some
    assert bool(used) == bool(some)
    people = {person for pair in used for person in pair} | set(query)
    assert places == len(people)
    for person in people - set(query):  # everybody is reached, and leads on
        assert any(person == j for _, j in used)
        assert any(person == i for i, _ in used)


@given(graphs, st.permutations(range(PEOPLE)))
@settings(max_examples=100)
def test_other_numbers_for_the_people_change_nothing(links: Links, new: list[int]) -> None:
    used, _ = laid_out(links, (0, 1))
    renamed = {(min(new[i], new[j]), max(new[i], new[j])) for i, j in links}
    again, _ = laid_out(renamed, (new[0], new[1]))
    assert {(new[i], new[j]) for i, j in used} == set(again)
