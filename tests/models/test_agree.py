"""Stories that share a wording agree on which way round it tells a fact."""

import pytest
import torch

from clutrr.models.text.agree import exchanged, wording
from clutrr.models.text.passage import passage
from clutrr.models.text.routes import Folding, answered
from clutrr.models.vocabulary import KindTable
from clutrr.world import load_world

WORLD = load_world("kinship-v1")
KINDS = KindTable.of(WORLD, WORLD.relations)
NUMBER = {name: i for i, name in enumerate(KINDS.names)}
WRONG = "[{}] kissed his son [{}]."  # by mistake: the second is the first one's father
FOLDING = Folding()


def table():
    """Rules of which none leads on from a grandparent's child, or from a sibling's spouse."""
    rules = torch.zeros(KINDS.possible.shape)
    for a, b, c in (
        ("sibling", "inv-child", "inv-child"),
        ("inv-child", "SO", "inv-child"),
        ("inv-child", "sibling", "inv-un"),
        ("child", "child", "grand"),
    ):
        rules[NUMBER[a], NUMBER[b], NUMBER[c]] = 1
    return rules


def story(first, kind, before):
    """b is a's `kind`, and then the wrong wording of b and c; or the other way round."""
    a, b, c = (f"{first}{name}" for name in "abc")
    other = f"[{a}] met [{b}]."
    if before:
        return passage(f"{other} It rained. {WRONG.format(b, c)}", (a, c)), [(a, kind, b), (b, "child", c)]
    last = f"[{b}] met [{c}]."
    return passage(f"{WRONG.format(a, b)} It rained. {last}", (a, c)), [(a, "child", b), (b, kind, c)]


def scores(told):
    """As read: every fact that the text states, surely."""
    rows = []
    for one, facts in told:
        number = {name: i for i, name in enumerate(one.names)}
        read = {}
        for head, kind, tail in facts:
            pair, which = (number[head], number[tail]), NUMBER[kind]
            read[tuple(sorted(pair))] = which if pair[0] < pair[1] else int(KINDS.converse[which])
        rows += [read.get(pair, len(KINDS)) for pair in one.pairs]
    return 9 * torch.nn.functional.one_hot(torch.tensor(rows), len(KINDS) + 1).float()


def test_a_wording_is_the_words_with_the_two_in_order_of_mention():
    told = passage("[Ann] and her son [Bob] met [Cid].", ("Bob", "Cid"))
    assert wording(told, (0, 1)) == (0, "and her son", 1, "met", 2, ".")
    assert wording(told, (1, 2)) == (2, "and her son", 0, "met", 1, ".")
    again = passage("[Eve] slept. [Dan] and her son [Eve] met [Flo].", ("Dan", "Flo"))
    assert wording(again, (0, 1)) == (0, "and her son", 1, "met", 2, ".")  # of Eve, who is 0, and Dan


def test_many_stories_tell_that_a_wording_is_the_wrong_way_round():
    told = [story("x", "sibling", True), story("y", "SO", False), story("z", "sibling", False)]
    read, passages = scores(told), [one for one, _ in told]
    alone = answered(passages[:1], read[: len(passages[0].pairs)], KINDS.converse, table(), FOLDING)[0]
    found = exchanged(passages, read, KINDS.converse, table(), FOLDING)
    wrong = [(one, pair) for one in passages for pair in one.pairs if "kissed his son" in one.window(pair)]
    others = [place for place in found if place not in wrong]
    assert len(wrong) == 3
    assert min(found[place] for place in wrong) > 0.5
    assert max(found[place] for place in others) <= FOLDING.exchanged
    shares = torch.tensor([found.get((one, pair), 0.03) for one in passages for pair in one.pairs])[:, None]
    agreed = answered(passages, read, KINDS.converse, table(), FOLDING, shares)
    assert [KINDS.names[i] for i in agreed.argmax(1).tolist()] == ["inv-child", "inv-child", "inv-un"]
    assert agreed[0].max() >= alone.max() - 1e-6


def test_a_wording_of_one_story_is_left_as_it_is():
    told = [story("x", "sibling", True)]
    found = exchanged([told[0][0]], scores(told), KINDS.converse, table(), FOLDING)
    assert all(share == pytest.approx(FOLDING.exchanged) for share in found.values())


def test_stories_in_which_nothing_follows_say_nothing():
    lost = passage("[a] met [b]. It rained. [c] slept.", ("a", "c"))
    read = scores([(lost, [("a", "child", "b")])])
    assert exchanged([lost], read, KINDS.converse, table(), FOLDING)
    assert exchanged([], torch.zeros(0, len(KINDS) + 1), KINDS.converse, table(), FOLDING) == {}
