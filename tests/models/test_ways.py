"""Ways between two entities, against a search for all ways that pass none twice; stories put into stories,
against lists of facts; and what the composer learns from them."""

import itertools
import random

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from kin_models import fixed, stories_of
from torch import nn

from clutrr._lexicon import World
from clutrr.models import blueprint, encode, learn_vocabulary
from clutrr.models.compose import FASTER, OPEN, WIDE, Ways
from clutrr.models.graph import ways

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
    near = [
        [j for i, j in links | {(b, a) for a, b in links} if i == person]
        for person in range(PEOPLE)
    ]
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


# Spliced stories


def chain(numbers: list[int], places: int) -> Ways:
    """One way of these edges; nobody is in the places that it does not need."""
    edge = torch.zeros(1, places, places, dtype=torch.int64)
    at = [*range(len(numbers)), places - 1]
    for number, i, j in zip(numbers, at, at[1:], strict=False):
        edge[0, i, j] = number
    return Ways(edge, edge > 0)


def listed(ways: Ways) -> list[int]:
    """The edges of a way, in order."""
    found, place = [], 0
    while place < ways.edge.shape[1] - 1:
        (ahead,) = ways.linked[0, place].nonzero()[:, 0].tolist()
        found.append(int(ways.edge[0, place, ahead]))
        place = ahead
    assert len(found) == int(ways.linked.sum())
    return found


@given(st.randoms())
@settings(max_examples=30)
def test_a_fact_gives_way_to_a_chain(rng: random.Random) -> None:
    outer = [rng.randrange(1, 100) for _ in range(rng.randint(1, 4))]
    inner = [rng.randrange(100, 200) for _ in range(rng.randint(1, 4))]
    one, other = (
        chain(outer, rng.randint(len(outer) + 1, 6)),
        chain(inner, rng.randint(len(inner) + 1, 6)),
    )
    which = rng.randrange(len(outer))
    at = one.linked.flatten().nonzero()[which]
    assert listed(one.splice(other, at)) == outer[:which] + inner + outer[which + 1 :]


def test_several_ways_are_kept() -> None:
    """A link that is not replaced stays, though it passes the one that is."""
    outer = chain([1, 2], 3)
    edge = outer.edge.clone()
    edge[0, 0, 2] = 9  # said outright, beside the chain
    spliced = Ways(edge, edge > 0).splice(chain([7, 8], 3), torch.tensor([1]))
    links = [(i, j, int(spliced.edge[0, i, j])) for _, i, j in spliced.linked.nonzero().tolist()]
    assert links == [(0, 1, 7), (0, 3, 9), (1, 2, 8), (2, 3, 2)]


def test_without_a_story_to_put_in_nothing_changes() -> None:
    outer, at = chain([1, 2, 3], 4), torch.tensor([1 * 4 + 2])
    kept = chain([7, 8], 4).or_only(torch.tensor([2]), torch.tensor([False]))
    assert listed(outer.splice(kept, at)) == [1, 2, 3]


def test_the_loss_learns_from_longer_stories(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """In stories of two facts a cut joins nothing but sentences; in longer ones other states too."""
    monkeypatch.setattr("clutrr.models.compose.OPEN", 0.0)
    table = stories_of("strict", 2, 40, distractors=0)
    vocabulary = learn_vocabulary([table], world)
    stories = encode(table, vocabulary)
    learnt = {}
    for name in ("composer", "composer+spliced"):
        torch.manual_seed(0)
        model = blueprint(name).make(vocabulary)
        loss, _ = model.learn(fixed(stories))
        loss.backward()
        learnt[name] = float(
            model.processor.table.grad[:, model.processor.forms.kinds :].abs().max()
        )
    assert learnt["composer"] == 0.0
    assert learnt["composer+spliced"] > 1e-6


def test_what_the_tables_say_costs_something(world: World) -> None:
    """The entropy of the table, and for each story its share of a normal prior of what the ends say."""
    table = stories_of("sound", 2, 40, distractors=0)
    vocabulary = learn_vocabulary([table], world)
    torch.manual_seed(0)
    model = blueprint("composer").make(vocabulary)
    composer, batch = model.processor, fixed(encode(table, vocabulary))
    nn.init.constant_(composer.opening, 2.0 / FASTER)
    nn.init.constant_(composer.closing, 1.0 / FASTER)
    rows = composer.composition()
    entropy = -(rows * rows.log()).sum(-1).mean()
    prior = torch.distributions.Normal(0.0, WIDE)
    each = sum(
        prior.log_prob(torch.tensor(0.0)) - prior.log_prob(torch.tensor(said))
        for said in (2.0, 1.0)
    )
    cost = 8 * (8 + 16) * each / 40  # kinds and free states; 40 stories
    reading = model.reader(batch)
    torch.testing.assert_close(composer(reading, batch).extra_loss, cost - OPEN * entropy)
    assert composer.eval()(reading, batch).extra_loss == 0.0
