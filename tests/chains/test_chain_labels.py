"""Every label of chains, against programs that judge each step from the facts."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

import clutrr
from clutrr._chains.chain import Chain
from clutrr._chains.wording import styles

pytest.importorskip("clingo", reason="clingo is not installed (extra: check)")
from chain_oracle import Oracle

NOISE = {"supporting": 1, "irrelevant": 1}
# The world, what its puzzles are like, and how many of them the slow test takes of each.
SETS: list[tuple[str, dict[str, Any], int]] = [
    ("kinship", {"preset": "sound", "k": (2, 4)}, 60),
    ("kinship", {"preset": "sound", "k": (5, 7)}, 30),
    ("kinship", {"preset": "strict", "k": (3, 4), "noise": NOISE}, 60),
    ("kinship", {"preset": "mixed", "k": 3}, 60),
    ("order", {"k": (2, 6)}, 125),
    ("order", {"k": 3, "routes": 2}, 100),
    ("order", {"preset": "mixed", "k": 3}, 100),
    ("time", {"k": (2, 5)}, 125),
    ("time", {"k": 3, "routes": 2, "noise": NOISE}, 100),
    ("time", {"preset": "mixed", "k": 3}, 120),
    ("regions", {"k": (2, 4)}, 125),
    ("regions", {"k": 2, "routes": 2}, 100),
    ("regions", {"preset": "mixed", "k": 3}, 120),
    ("directions", {"k": (2, 6)}, 100),
    ("directions", {"k": 3, "routes": 2}, 60),
    ("directions", {"preset": "mixed", "k": 3}, 120),
    ("directions", {"k": 4, "assume": "unit"}, 60),
]


def differences(made: list[Chain], world: str, assume: str, found: Counter[str]) -> Iterator[str]:
    """The labels of chains of one puzzle that differ from what the facts say; found: counts them all."""
    first = made[0]
    facts = [tuple(fact) for fact in first.stated]
    oracle = Oracle(world, facts, first.query, assume)
    order = ("contradicted", "possible", "entailed", "stated")
    for chain in made:
        right = []
        for step in chain.steps:
            verdicts = {oracle.verdict(*claim) for claim in step.claims}
            worst = next(one for one in order if one in verdicts)
            right.append(worst in ("entailed", "stated"))
            found[worst] += 1
            if worst != step.verdict:
                yield f"{chain.id}: {step.text}: {step.verdict}, not {worst}"
        wrong = right.index(False) if False in right else -1
        if chain.first_error != wrong:
            yield f"{chain.id}: {chain.first_error}, not {wrong}"
        if (chain.error not in ("", "skipped")) != (wrong >= 0):
            yield f"{chain.id}: {chain.error} where the first wrong step is {wrong}"
        if chain.answer_right != (chain.answer == chain.target):
            yield f"{chain.id}: {chain.answer}"
        final = chain.steps[-1].claims[-1]
        answer = final.relations[0] if len(final.relations) == 1 else "cannot be told"
        if (final.head, final.tail) != chain.query or answer != chain.answer:
            yield f"{chain.id}: ends with {final}"
        found["chains"] += 1
        found[f"style {chain.style}"] += 1
        found[f"error {chain.error}"] += 1
        found[f"world {world}"] += 1


def judged(share: float, per: int) -> Counter[str]:
    """Labels of chains of all worlds that were compared; fails where one differs."""
    found: Counter[str] = Counter()
    wrong: list[str] = []
    for world, settings, puzzles in SETS:
        lengths = settings["k"] if isinstance(settings["k"], tuple) else (settings["k"],)
        size = max(2, int(share * puzzles / len(lengths)))
        data = clutrr.generate(world=world, size=size, seed=3, distractors=0, **settings)
        made = clutrr.chains(data, per=per)
        one: list[Chain] = []
        for chain in made:
            if one and one[0].puzzle != chain.puzzle:
                wrong += differences(one, world, made.assume, found)
                one = []
            one.append(chain)
        wrong += differences(one, world, made.assume, found) if one else []
    assert not wrong, wrong[:10]
    return found


def test_labels_are_what_the_facts_say():
    found = judged(0.04, 6)
    assert found["chains"] > 300
    assert {kind for kind in found if kind.startswith("error ")} >= {
        "error misread",
        "error converse",
    }


@pytest.mark.slow
def test_ten_thousand_chains_of_all_theories_kinds_and_styles():
    found = judged(1, 8)
    assert found["chains"] >= 10_000
    kinds = ["misread", "composition", "converse", "invented", "form", "route", "skipped", ""]
    assert all(found[f"error {kind}"] for kind in kinds)
    assert all(found[f"style {style}"] for style in styles().names)
    assert all(found[one] for one in ("stated", "entailed", "possible", "contradicted"))


def test_a_chain_depends_on_seed_puzzle_and_number_alone():
    stream = clutrr.stream(world="time", k=(2, 3), seed=5)
    first = list(islice(clutrr.chains(stream, seed=1), 12))
    assert first == list(islice(clutrr.chains(stream, seed=1), 12))
    alone = list(clutrr.chains([stream[2]], world="time", assume=stream.assume, seed=1))
    assert alone == first[8:]
    assert first != list(islice(clutrr.chains(stream, seed=2), 12))
