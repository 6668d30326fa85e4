"""Readings folded into an answer: routes and walks, counted rules, and the steps that are shown; each against
the plainest way of doing it."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("transformers")

from clutrr import load_world
from clutrr._data import open_dataset
from clutrr.models.passages import Passage, passage
from clutrr.models.text.lessons import KindTable, count_rules, rule_table, sure_rules, trust_rules
from clutrr.models.text.routes import answered, by_walks, fold

WORLD = load_world("kinship-v1")
KINDS = KindTable.of(WORLD, WORLD.relations)
NUMBER = {name: i for i, name in enumerate(KINDS.names)}


def meeting(pairs, query) -> Passage:
    """A passage with one sentence for each pair."""
    return passage(" It rained. ".join(f"[{a}] met [{b}]." for a, b in pairs), list(query))


def scores(told: Passage, facts, sure=9.0):
    """Readings of a passage: facts as (head, kind, tail), everything else none."""
    rows = torch.zeros(len(told.pairs), len(KINDS) + 1)
    number = {name: i for i, name in enumerate(told.names)}
    rows[:, -1] = sure
    for head, kind, tail in facts:
        pair, kind_ = (number[head], number[tail]), NUMBER[kind]
        if pair[0] > pair[1]:
            pair, kind_ = pair[::-1], int(KINDS.converse[kind_])
        rows[told.pairs.index(pair), -1] = 0
        rows[told.pairs.index(pair), kind_] = sure
    return rows


def only(*rules):
    """A table of these rules alone."""
    table = torch.zeros(KINDS.possible.shape)
    for rule in rules:
        table[kinds(rule)] = 1
    return table


def kinds(rule: str) -> tuple[int, ...]:
    return tuple(NUMBER[name] for name in rule.split())


def best(passages, read, table) -> list[str]:
    found = answered(passages, read, KINDS.converse, table)
    return [KINDS.names[i] for i in found.argmax(1).tolist()]


def test_the_world_says_what_can_follow():
    assert KINDS.possible[NUMBER["child"], NUMBER["child"]].nonzero().flatten().tolist() == [
        NUMBER["grand"]
    ]
    assert KINDS.converse[NUMBER["un"]] == NUMBER["inv-un"]
    assert [WORLD.relations[label] for label in KINDS.label[NUMBER["un"]]] == ["niece", "nephew"]


# Routes and walks


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


def test_a_chain_is_answered_by_its_rules():
    told = meeting(["ab", "bc", "cd"], "ad")
    read = scores(told, [("a", "child", "b"), ("b", "sibling", "c"), ("c", "child", "d")])
    table = only("child sibling child", "child child grand", "sibling child un")
    assert best([told], read, table) == ["grand"]


def test_two_ways_outvote_a_misreading():
    """d is a's grandchild by b, by c and by e; of a and b the opposite was read, and more surely."""
    pairs = ["ab", "bd", "ac", "cd", "ae", "ed"]
    told = meeting(pairs, "ad")
    read = scores(told, [(a, "child", b) for a, b in pairs], sure=6.0)
    read[told.pairs.index((0, 1))] = scores(
        meeting(["ab"], "ab"), [("a", "inv-child", "b")], sure=6.6
    )[0]
    table = only("child child grand", "inv-child child sibling")
    alone = read[[told.pairs.index(pair) for pair in ((0, 1), (1, 2))]]
    assert best([meeting(["ab", "bd"], "ad")], alone, table) == ["sibling"]
    assert best([told], read, table) == ["grand"]


def test_walks_may_come_back_where_routes_may_not():
    """By these rules c's aunt is nothing to a; but a's child c has a sibling e, whose aunt d is."""
    told = meeting(["ac", "ce", "cd"], "ad")
    known = torch.zeros(1, 4, 4, len(KINDS))
    for head, kind, tail in (("a", "child", "c"), ("c", "sibling", "e"), ("c", "inv-un", "d")):
        one, other = told.names.index(head), told.names.index(tail)
        known[0, one, other, NUMBER[kind]] = known[0, other, one, KINDS.converse[NUMBER[kind]]] = 1
    rules = ["child sibling child", "sibling inv-un inv-un"]
    query = torch.tensor([told.query])
    assert by_walks(known, query, only(*rules)).max() == 0
    found = by_walks(known, query, only(*rules, "child inv-un sibling"))[0]
    assert KINDS.names[int(found.argmax())] == "sibling"


def test_a_story_that_tells_nothing_is_answered_without_an_error():
    told = meeting(["ab"], "ab")
    found = answered(
        [passage("[a] slept.", ("a", "b")), told], scores(told, []), KINDS.converse, only()
    )
    assert found.shape == (2, len(KINDS))
    assert not found.isnan().any()


def test_doubt_mixes_in_the_two_exchanged():
    told = meeting(["ab"], "ab")
    shares = answered(
        [told], scores(told, [("a", "child", "b")], sure=30.0), KINDS.converse, only()
    )[0]
    assert shares[NUMBER["inv-child"]] == pytest.approx(0.03, abs=1e-3)
    assert shares[NUMBER["child"]] == pytest.approx(0.97, abs=1e-3)


# Rules that training stories teach

TWO = ["wife son son", "son grandmother mother", "wife mother mother-in-law", "son sister daughter"]


def row(relations: str):
    """A story whose path has these relations; the last one is the answer."""
    *path, target = relations.split()
    facts = [["abcdefg"[i], relation, "abcdefg"[i + 1]] for i, relation in enumerate(path)]
    return {"facts": facts, "query": ["a", "abcdefg"[len(path)]], "target": target}


COUNTS = count_rules(map(row, TWO), KINDS)


def test_counts_are_of_stories_whose_path_has_two_facts():
    side = row("wife son son")
    side["facts"][1][0] = "x"  # no path
    counts = count_rules([*map(row, TWO), row("wife son sister daughter"), side], KINDS)
    assert counts.sum() == 4
    assert counts[kinds("SO child child")] == 1


def test_a_rule_that_leads_astray_is_trusted_less():
    """A spouse's child's grandmother: from the left a mother, from the right a mother-in-law."""
    stories = [*map(row, TWO)]
    stories += [row("wife son grandmother mother")] * 5 + [
        row("wife son grandmother mother-in-law")
    ] * 2
    stories += [row("wife son sister daughter")] * 9  # both ways lead to it
    trust = trust_rules(stories, KINDS, COUNTS)
    assert trust[kinds("SO child child")] == 1
    assert trust[kinds("child inv-grand inv-child")] == 1  # of both ways
    assert trust[kinds("SO inv-child inv-in-law")] == pytest.approx(3 / 6)
    assert (trust < 1).sum() == 1


@pytest.mark.parametrize(
    ("answer", "kind"), [("mother", "inv-child"), ("mother-in-law", "inv-in-law")]
)
def test_what_stories_of_three_facts_mostly_had_is_answered(answer, kind):
    trust = trust_rules([row(f"wife son grandmother {answer}")] * 2, KINDS, COUNTS)
    told = meeting(["ab", "bc", "cd"], "ad")
    read = scores(told, [("a", "SO", "b"), ("b", "child", "c"), ("c", "inv-grand", "d")], sure=18.0)
    assert best([told], read, rule_table(COUNTS, KINDS, trust)) == [kind]


def test_a_table_is_shares_and_faintly_what_the_world_allows():
    table = rule_table(torch.zeros(KINDS.possible.shape), KINDS)
    assert ((table > 0) == KINDS.possible).all()
    assert table.max() < 1e-3
    meant = ([KINDS.meaning[relation][0] for relation in rule.split()] for rule in TWO)
    assert sure_rules(COUNTS) == {(a, b): c for a, b, c in meant}
    assert (rule_table(COUNTS, KINDS) > 0.99).sum() == len(TWO)


def test_in_published_training_stories_the_ways_differ_for_one_pattern_only(published):
    """A spouse's child's grandparent: 54 times a parent, 52 times a parent-in-law."""
    folder = published / "v1.0/data_089907f8"
    rows = [
        row for table in open_dataset(folder).split("train").values() for row in table.to_pylist()
    ]
    counts = count_rules(rows, KINDS)
    trust = trust_rules(rows, KINDS, counts)
    assert (counts > 0).sum() == len(sure_rules(counts)) == 16
    assert (trust < 1).sum() == 1
    assert trust[kinds("SO inv-child inv-in-law")] == pytest.approx(53 / 55)
