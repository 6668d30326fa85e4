"""Folding readings into an answer, against the plainest way of doing it."""

import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from clutrr.models.text.passage import Passage, passage
from clutrr.models.text.routes import Folding, answered, derivations, doubted, fold, routes
from clutrr.models.vocabulary import KindTable
from clutrr.world import load_world

WORLD = load_world("kinship-v1")
KINDS = KindTable.of(WORLD, WORLD.relations)
NUMBER = {name: i for i, name in enumerate(KINDS.names)}


def people(count: int, pairs, query) -> Passage:
    """A passage with one sentence for each pair."""
    told = passage(" It rained. ".join(f"[{a}] met [{b}]." for a, b in pairs), list(query))
    assert len(told.names) == count
    return told


def scores(told: Passage, facts, sure=9.0):
    """Readings of a passage: facts as (head, kind, tail), everything else none."""
    rows = torch.zeros(len(told.pairs), len(KINDS) + 1)
    number = {name: i for i, name in enumerate(told.names)}
    place = {pair: i for i, pair in enumerate(told.pairs)}
    rows[:, -1] = sure
    for head, kind, tail in facts:
        pair, kind_ = (number[head], number[tail]), NUMBER[kind]
        if pair[0] > pair[1]:
            pair, kind_ = pair[::-1], int(KINDS.converse[kind_])
        rows[place[pair], -1] = 0
        rows[place[pair], kind_] = sure
    return rows


def only(*rules):
    """A table of these rules alone."""
    table = torch.zeros(KINDS.possible.shape)
    for a, b, c in rules:
        table[NUMBER[a], NUMBER[b], NUMBER[c]] = 1
    return table


def test_the_world_says_what_can_follow():
    assert KINDS.possible[NUMBER["child"], NUMBER["child"]].nonzero().flatten().tolist() == [NUMBER["grand"]]
    assert KINDS.converse[NUMBER["un"]] == NUMBER["inv-un"]
    assert KINDS.label[NUMBER["un"]].tolist() == [
        WORLD.relations.index("niece"),
        WORLD.relations.index("nephew"),
    ]


@given(st.integers(0, 1000), st.integers(2, 5))
@settings(max_examples=25)
def test_folding_is_the_best_cut_of_every_stretch(seed, length):
    torch.manual_seed(seed)
    chain, table = torch.rand(length, 3), torch.rand(3, 3, 3)

    def slowly(start, end):
        if end - start == 1:
            return [float(share) for share in chain[start]]
        cuts = [(slowly(start, cut), slowly(cut, end)) for cut in range(start + 1, end)]
        return [
            max(
                sum(left[a] * right[b] * float(table[a, b, c]) for a in range(3) for b in range(3))
                for left, right in cuts
            )
            for c in range(3)
        ]

    assert fold(chain[None], table)[0].tolist() == pytest.approx(slowly(0, length), rel=1e-4)


@given(st.integers(2, 5), st.integers(0, 1000))
@settings(max_examples=40)
def test_routes_are_all_ways_that_have_nobody_twice(count, seed):
    torch.manual_seed(seed)
    every = list(itertools.combinations(range(count), 2))
    there = [pair for pair in every if torch.rand(1) < 0.7] or every[:1]
    told = Passage(tuple(map(str, range(count))), (), (0, count - 1))
    told.__dict__["windows"] = dict.fromkeys(there, (0,))
    odds = (4 * torch.randn(len(there))).tolist()
    weight = dict(zip(there, odds, strict=True))
    expected = {}
    for size in range(count - 1):
        for between in itertools.permutations(range(1, count - 1), size):
            way = (0, *between, count - 1)
            steps = [(min(step), max(step)) for step in itertools.pairwise(way)]
            if all(step in weight and weight[step] > -7 for step in steps):
                expected[way] = sum(weight[step] for step in steps) / 2
    found = {route.people: route.weight for route in routes(told, odds, Folding(routes=1000))}
    assert found == pytest.approx(expected)


def test_a_chain_is_answered_by_its_rules():
    told = people(4, ["ab", "bc", "cd"], "ad")
    read = scores(told, [("a", "child", "b"), ("b", "sibling", "c"), ("c", "child", "d")])
    table = only(("child", "sibling", "child"), ("child", "child", "grand"), ("sibling", "child", "un"))
    found = answered([told], read, KINDS.converse, table, Folding())[0]
    assert KINDS.names[int(found.argmax())] == "grand"


def test_two_ways_outvote_a_misreading():
    """d is a's grandchild by b, by c and by e; of a and b the opposite was read, and more surely."""
    told = people(5, ["ab", "bd", "ac", "cd", "ae", "ed"], "ad")
    facts = [(a, "child", b) for a, b in ("ab", "bd", "ac", "cd", "ae", "ed")]
    read = scores(told, facts, sure=6.0)
    wrong = scores(told, [("a", "inv-child", "b"), *facts[1:]], sure=6.6)
    read[told.pairs.index((0, 1))] = wrong[told.pairs.index((0, 1))]
    table = only(("child", "child", "grand"), ("inv-child", "child", "sibling"))
    alone = people(3, ["ab", "bd"], "ad")
    misled = answered(
        [alone], read[[told.pairs.index(p) for p in ((0, 1), (1, 2))]], KINDS.converse, table, Folding()
    )
    assert KINDS.names[int(misled.argmax())] == "sibling"
    found = answered([told], read, KINDS.converse, table, Folding())[0]
    assert KINDS.names[int(found.argmax())] == "grand"


def test_walks_may_come_back_where_routes_may_not():
    """By these rules c's aunt is nothing to a; but a's child c has a sibling e, whose aunt d is."""
    told = people(4, ["ac", "ce", "cd"], "ad")
    read = scores(told, [("a", "child", "c"), ("c", "sibling", "e"), ("c", "inv-un", "d")])
    table = only(("child", "sibling", "child"), ("sibling", "inv-un", "inv-un"))
    assert derivations([told], read.softmax(-1)[:, :-1], KINDS.converse, table).max() < 1e-3
    table = only(
        ("child", "sibling", "child"), ("sibling", "inv-un", "inv-un"), ("child", "inv-un", "sibling")
    )
    found = derivations([told], read.softmax(-1)[:, :-1], KINDS.converse, table)[0]
    assert KINDS.names[int(found.argmax())] == "sibling"


def test_a_story_that_tells_nothing_is_answered_without_an_error():
    told = people(2, ["ab"], "ab")
    alone = passage("[a] slept.", ("a", "b"))
    read = scores(told, [])
    found = answered([alone, told], read, KINDS.converse, only(), Folding())
    assert found.shape == (2, len(KINDS))
    assert not found.isnan().any()


def test_doubt_mixes_in_the_two_people_exchanged():
    told = people(2, ["ab"], "ab")
    kinds, odds = doubted(scores(told, [("a", "child", "b")]), KINDS.converse, Folding())
    share = kinds[0, NUMBER["inv-child"]]
    assert share > 0.03
    assert kinds[0].sum() == pytest.approx(1)
    assert odds[0] > 0
