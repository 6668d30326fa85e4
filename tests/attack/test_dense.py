"""Networks of 60 entities and 200 facts, in every theory: decided in bounded time, never a wrong proof."""

import random
import time
from itertools import combinations, product

import pytest

from clutrr.labels import Kind, Labels
from clutrr.puzzle import Fact
from clutrr.theory import find_theory
from clutrr.world import load_world

pytestmark = pytest.mark.slow

ENTITIES, FACTS, SECONDS = 60, 200, 20
# Things that entities may be, as each theory describes them: the truth comes from these alone.
THINGS = {
    "order": list(range(100)),
    "time": list(combinations(range(40), 2)),
    "regions": list(range(2, 2 << 9, 2)),
    "directions": list(product(range(12), range(12))),
}


def solver_of(name: str):
    theory = find_theory(name)()
    kinds = tuple(Kind(kind, converse, (kind,)) for kind, converse in theory.converses.items())
    return theory, theory.solver(Labels(kinds), theory.assumption(None).name)


def scene(theory, name: str, shape: str, chance: random.Random) -> tuple[list, list[tuple[int, int]]]:
    """The things that the entities are, and the pairs that facts are about."""
    count = FACTS + 1 if shape == "long" else ENTITIES
    things = [chance.choice(THINGS[name]) for _ in range(count)]
    if shape == "long":
        return things, [(i, i + 1) for i in range(FACTS)]
    return things, [tuple(chance.sample(range(count), 2)) for _ in range(FACTS)]


@pytest.mark.parametrize("shape", ["dense", "long", "contradictory"])
@pytest.mark.parametrize("name", THINGS)
def test_no_wrong_proof(name, shape):
    theory, solver = solver_of(name)
    for seed in range(8):
        chance = random.Random(f"{name} {shape} {seed}")
        things, pairs = scene(theory, name, shape, chance)
        facts = [Fact(str(a), theory.relation(things[a], things[b]), str(b)) for a, b in pairs]
        first, last = pairs[0][0], pairs[-1][1]
        if first == last:
            last = pairs[-1][0]
        if shape == "contradictory":  # one pair in two relations, which exclude each other
            there = facts[FACTS // 2]
            other = chance.choice([kind for kind in theory.kinds if kind != there.relation])
            facts.append(Fact(there.head, other, there.tail))
            chance.shuffle(facts)
        before = time.process_time()
        verdict = solver.verdict(facts, (str(first), str(last)))
        assert time.process_time() - before < SECONDS
        if not verdict.decided:
            continue
        if shape == "contradictory":
            assert not verdict.relations
        else:
            assert theory.relation(things[first], things[last]) in verdict.relations


@pytest.mark.parametrize("assume", ["tree", "open"])
@pytest.mark.parametrize("shape", ["dense", "long", "contradictory"])
def test_no_wrong_proof_in_families(assume, shape):
    """A family of five generations; what its members are to each other is known from how it was grown."""
    world = load_world()
    solver = world.theory.solver(world.labels, assume)
    for seed in range(4):
        chance = random.Random(f"{shape} {seed}")
        parents = {i: (i - 1) // 2 for i in range(1, ENTITIES)}
        man = [chance.random() < 0.5 for _ in range(ENTITIES)]

        def child(a: int, b: int, man=man) -> Fact:
            return Fact(f"P{a}", "son" if man[b] else "daughter", f"P{b}")

        facts = [child(parents[i], i) for i in parents]
        pairs = chance.choices(list(parents), k=FACTS - len(facts))
        facts += [Fact(f"P{i}", "father" if man[parents[i]] else "mother", f"P{parents[i]}") for i in pairs]
        query = "P0", "P3"
        if shape == "contradictory":
            facts.append(Fact("P3", "son" if man[0] else "daughter", "P0"))
        if shape == "long":
            facts = [Fact(f"P{i}", "sister", f"P{i + 1}") for i in range(FACTS)]
            query = "P0", f"P{FACTS}"
        before = time.process_time()
        verdict = solver.verdict(facts, query)
        assert time.process_time() - before < SECONDS
        truth = "sister" if shape == "long" else "grandson" if man[3] else "granddaughter"
        if verdict.decided:
            assert verdict.relations == (() if shape == "contradictory" else (truth,))
