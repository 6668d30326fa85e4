"""Theories given by models: tables, verdicts and drawn questions against independent accounts of them."""

import json
import random
from itertools import combinations, product

import numpy as np
import pytest
from by_meaning import possible

from clutrr._labels import Kind, Labels
from clutrr._puzzle import Fact
from clutrr.errors import WorldError
from clutrr.theory import QuestionSpec, Supply, find_theory
from clutrr.theory.algebra import RelationAlgebra, bits
from clutrr.theory.models import ModelTheory
from clutrr.theory.questions import QuestionBlock
from clutrr.theory.verdict import Finding

NAMES = ("order", "time", "regions", "directions")
ASSUMED = [
    (name, assumption.name) for name in NAMES for assumption in find_theory(name).assumptions
]
ENTITIES, FACTS = 60, 200  # of a large network
# What the tables of another library call our kinds.
TABLES = {
    "order": ("Linear_Point_Algebra", lambda kind: kind),
    "time": (
        "Linear_Interval_Algebra",
        lambda kind: {"<": "B", ">": "BI", "=": "E"}.get(kind, kind.upper()),
    ),
    "regions": ("RCC8_Algebra", lambda kind: kind),
    "directions": ("2D_Point_Algebra", lambda kind: kind.upper()),
}
# Larger scenes than those that the tables are computed from.
THINGS = {
    "order": list(range(8)),
    "time": list(combinations(range(9), 2)),
    "regions": list(range(2, 2 << 7, 2)),
    "directions": list(product(range(6), range(6))),
}


def theory(name: str) -> ModelTheory:
    return find_theory(name)()  # type: ignore[return-value]


def labels(name: str) -> Labels:
    """The kinds as their own words."""
    return Labels(
        tuple(Kind(kind, converse, (kind,)) for kind, converse in theory(name).converses.items())
    )


def solver(name: str, assume: str | None = None):
    return theory(name).solver(labels(name), theory(name).assumption(assume).name)


@pytest.mark.parametrize("name", NAMES)
def test_tables_equal_published_ones(published, name):
    file, called = TABLES[name]
    table = json.loads((published / f"tables/{file}.json").read_text())
    ours = theory(name)
    for (r, first), (s, second) in product(enumerate(ours.kinds), repeat=2):
        # There x R y, y S z gives x to z; here c is `second` to b, and b is `first` to a.
        found = {called(ours.kinds[kind]) for kind in bits(int(ours.algebra.table[r, s]))}
        assert found == set(table["TransTable"][called(second)][called(first)].split("|")), (
            first,
            second,
        )
    for kind, converse in ours.converses.items():
        assert called(converse) == table["Relations"][called(kind)]["Converse"]


def network(name: str, chance: random.Random) -> tuple[list[Fact], tuple[str, str]]:
    """Facts of a scene, of two routes in it with noise, or of no scene at all; and two of their entities."""
    ours = theory(name)
    size = chance.randint(3, 6)
    things = [chance.choice(THINGS[name]) for _ in range(size)]
    shape = chance.choice(["scene", "routes", "anything"])
    pairs = [tuple(chance.sample(range(size), 2)) for _ in range(chance.randint(2, 9))]
    if shape == "routes":
        middle = chance.sample(range(1, size - 1), size - 2)
        cut = len(middle) // 2
        pairs = []
        for route in (middle[:cut], middle[cut:]):
            pairs += zip([0, *route], [*route, size - 1], strict=True)
        pairs.append((chance.randrange(size - 1), size - 1))
        pairs = [pair for pair in pairs if pair[0] != pair[1]]
    facts = [
        Fact(
            str(a),
            chance.choice(ours.kinds)
            if shape == "anything"
            else ours.relation(things[a], things[b]),
            str(b),
        )
        for a, b in pairs
    ]
    named = sorted({name for fact in facts for name in (fact.head, fact.tail)})
    first, last = chance.sample(named, 2)
    return facts, (first, last)


def large_network(name: str, assume: str, shape: str, chance: random.Random) -> list[Fact]:
    """Facts of a scene, of one with a few lies, about a row and what else is near, or about anything."""
    ours = theory(name)
    things = [chance.choice(THINGS[name]) for _ in range(ENTITIES)]
    pairs = [tuple(chance.sample(range(ENTITIES), 2)) for _ in range(FACTS)]
    if shape in ("row", "anything"):
        pairs = [(i, i + 1) for i in range(ENTITIES - 1)]
        pairs += [
            (i, i + chance.randint(2, 4))
            for i in range(0, ENTITIES - 4, 9 if shape == "anything" else 1)
        ]
    if assume == "unit":  # facts about neighbours on the map
        things = sorted(chance.sample(THINGS[name] * 2, ENTITIES))
        near = [(i, j) for i in range(ENTITIES) for j in range(ENTITIES) if i != j]
        pairs = [(i, j) for i, j in near if np.abs(np.subtract(things[i], things[j])).max() <= 1][
            :FACTS
        ]
    lies = {"lies": range(3), "anything": range(0, len(pairs), 40 if assume == "unit" else 12)}.get(
        shape, ()
    )
    facts = [Fact(str(a), ours.relation(things[a], things[b]), str(b)) for a, b in pairs]
    for i in lies:
        facts[i] = facts[i]._replace(relation=chance.choice(ours.kinds))
    return facts


def confirm(name: str, assume: str, facts: list[Fact], query: tuple[str, str]) -> set[str]:
    """The verdict is what another program says; return it."""
    decide = solver(name, assume)
    found = set(decide.verdict(facts, query).relations)
    assert found == possible(name, assume, facts, query, theory(name).kinds), (facts, query)
    assert decide.consistent(facts) == bool(found)
    assert decide.spent < 2 * ENTITIES**3
    return found


@pytest.mark.parametrize("count", [150, pytest.param(5000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("name", "assume"), ASSUMED)
def test_what_is_possible_is_what_another_program_says(name, assume, count):
    chance = random.Random(count)
    found = [confirm(name, assume, *network(name, chance)) for _ in range(count)]
    assert min(sum(not one for one in found), sum(len(one) == 1 for one in found)) > count / 20
    assert assume == "unit" or sum(len(one) > 1 for one in found) > count / 20


@pytest.mark.parametrize("count", [6, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("shape", ["scene", "lies", "row", "anything"])
@pytest.mark.parametrize(("name", "assume"), ASSUMED)
def test_networks_of_60_entities_and_200_facts(name, assume, shape, count):
    chance = random.Random(f"{name} {assume} {shape}")
    for _ in range(count):
        facts = large_network(name, assume, shape, chance)
        first, last = chance.sample(sorted({entity for a, _, b in facts for entity in (a, b)}), 2)
        assert confirm(name, assume, facts, (first, last)) or shape in ("lies", "anything")


def row_of(name: str, size: int) -> list[Fact]:
    kind = {"order": "<", "time": "d", "regions": "NTPP", "directions": "N"}[name]
    return [Fact(str(i), kind, str(i + 1)) for i in range(size)]


@pytest.mark.parametrize(("name", "assume"), ASSUMED)
def test_explanations_of_many_facts_take_bounded_work(name, assume):
    """A row, whose facts are all needed, and a circle, which contradicts itself as a whole."""
    row, decide = row_of(name, 600), solver(name, assume)
    circle = [*row, Fact("600", row[0].relation, "0")]
    for facts in (row, circle):
        decide.spent = 0
        found = decide.explain(facts, ("0", "600"))
        assert (set(found.proof.facts) if found.proof else set(found.conflict)) == set(facts)
        assert decide.spent < 3 * decide.allowance


@pytest.mark.parametrize(("name", "assume"), [one for one in ASSUMED if one[1] != "unit"])
def test_past_the_limit_nothing_is_claimed(name, assume):
    chance, row, decide = random.Random(0), row_of(name, 99), solver(name, assume)
    pairs = [sorted(chance.sample(range(100), 2)) for _ in range(400)]
    facts = [*row, *(Fact(str(a), row[0].relation, str(b)) for a, b in pairs)]
    assert decide.verdict(facts, ("0", "99")).entailed
    decide.allowance = 2000
    verdict = decide.verdict(facts, ("0", "99"))
    assert (verdict.status, verdict.entailed) == (Finding.NOT_DECIDED, False)
    assert decide.consistent(facts) is None
    assert decide.explain(facts, ("0", "99")).proof is None


@pytest.mark.parametrize("name", NAMES)
def test_what_is_possible_equals_all_placements(name):
    """Three entities among all things: what the things show and the verdict are the same."""
    ours, decide, chance = theory(name), solver(name), random.Random(3)
    number = {kind: i for i, kind in enumerate(ours.kinds)}
    things = THINGS[name]
    related = np.array([[number[ours.relation(a, b)] for b in things] for a in things])
    for _ in range(60):
        r, s = chance.choice(ours.kinds), chance.choice(ours.kinds)
        there = (related == number[r]).astype(np.float32) @ (related == number[s]).astype(
            np.float32
        ) > 0
        shown = {ours.kinds[kind] for kind in np.unique(related[there])}
        verdict = decide.verdict([Fact("a", r, "b"), Fact("b", s, "c")], ("a", "c"))
        assert set(verdict.relations) == shown


# States of routes, and how many routes of 2, 3, 4, 6 and 9 facts leave one relation, in percent, if no fact
# states that two are the same.
@pytest.mark.parametrize(
    ("name", "states", "shares"),
    [
        ("time", 28, (50, 31, 22, 12, 5.0)),
        ("regions", 25, (24, 10, 3.7, 0.43, 0.014)),
        ("directions", 15, (50, 20, 7.8, 1.1, 0.06)),
    ],
)
def test_states_are_counted(name, states, shares):
    ours = theory(name)
    found = ours.states(QuestionSpec(ours.preset("strict"), ours.assumption().name, 9))
    assert len(found.masks) - 1 == states  # without the start
    single = np.array([int(mask).bit_count() == 1 for mask in found.masks])
    for k, share in zip((2, 3, 4, 6, 9), shares, strict=True):
        assert found.reached(k)[single].sum() * 100 == pytest.approx(share, rel=0.05)


def block(
    name: str, assume: str, preset: str, k: int, routes: int, **noise
) -> tuple[QuestionBlock, np.ndarray]:
    """A block of questions, and what its source says is possible."""
    ours, share = theory(name), 0.5 if preset == "mixed" else 0
    spec = QuestionSpec(ours.preset(preset), assume, k, routes, undetermined=share, **noise)
    source = ours.questions(spec, Supply("a world", labels(name), (80,), 2))
    questions = source.draw(np.random.default_rng(k))
    return questions, source.judge(questions).possible


def facts_of(
    questions: QuestionBlock, row: int, kinds: tuple[str, ...]
) -> tuple[list[Fact], tuple[str, str]]:
    names = [str(name) for name in questions.names[row]]
    facts = [
        Fact(names[head], kinds[kind], names[tail])
        for head, kind, tail in zip(
            *(c[row] for c in (questions.head, questions.kinds, questions.tail)), strict=True
        )
    ]
    return facts, (names[0], names[questions.k])


@pytest.mark.parametrize("preset", ["strict", "mixed", "described"])
@pytest.mark.parametrize(("name", "assume"), ASSUMED)
def test_drawn_questions_are_as_the_solver_finds(name, assume, preset):
    ours, decide = theory(name), solver(name, assume)
    if preset == "mixed" and assume == "unit":
        return  # there every question has one answer
    for (k, routes), noise in product(
        [(2, 1), (2, 2), (4, 1), (4, 3), (9, 2)],
        [{}, {"supporting": 3, "irrelevant": 2, "disconnected": 2}],
    ):
        questions, judged = block(name, assume, preset, k, routes, **noise)
        for row in range(0, len(questions), 41):
            facts, query = facts_of(questions, row, ours.kinds)
            found = decide.verdict(facts, query).relations
            assert found == tuple(ours.kinds[kind] for kind in np.flatnonzero(judged[row])), (
                k,
                routes,
                facts,
            )
            target = questions.targets[row]
            assert len(found) > 1 if target < 0 else ours.kinds[target] in found
            assert target < 0 or preset == "described" or len(found) == 1


@pytest.mark.parametrize(
    ("name", "shared"), [("regions", 4), ("time", 9), ("directions", 9), ("order", 0)]
)
def test_no_route_decides_alone_where_the_label_allows_that(name, shared):
    ours = theory(name)
    questions, _ = block(name, ours.assumptions[-1].name, "strict", 9, 3)
    alone: dict[int, set[int]] = {}
    for kinds, target in zip(questions.kinds, questions.targets, strict=True):
        deciding = sum(
            len(ours.compose(labels(name), [ours.kinds[k] for k in route]).kinds) == 1
            for route in kinds.reshape(3, 9)
        )
        alone.setdefault(int(target), set()).add(deciding)
    assert sum(counts == {0} for counts in alone.values()) == shared
    assert all(counts in ({0}, {1}) for counts in alone.values())


def test_labels_come_equally_often():
    questions, _ = block("time", "line", "strict", 6, 2)
    counts = np.bincount(questions.targets, minlength=13)
    assert counts.max() - counts.min() <= 1


def test_steps_that_contradict_each_other():
    decide = solver("directions", "unit")
    facts = [Fact("a", "N", "b"), Fact("b", "N", "c"), Fact("a", "N", "c"), Fact("c", "E", "d")]
    assert decide.verdict(facts, ("a", "d")).contradictory
    assert set(decide.explain(facts, ("a", "d")).conflict) == set(facts[:3])
    assert solver("directions", "free").verdict(facts, ("a", "d")).relations == ("NE",)


@pytest.mark.parametrize(("name", "assume"), ASSUMED)
def test_a_scene_shows_what_it_is_said_to_show(name, assume):
    """In the scene of an alternative every fact holds, and so does the alternative."""
    ours, decide, chance = theory(name), solver(name, assume), random.Random(9)
    shown = 0
    for _ in range(5 if name == "regions" else 60):
        facts, query = network(name, chance)
        for relation in decide.verdict(facts, query).relations:
            scene = decide.scene(facts, query, relation)
            if "boxes" not in scene.to_dict():
                assert name == "regions"
                assert Fact(query[0], relation, query[1]) in scene.facts
                continue
            shown += 1
            boxes = scene.to_dict()["boxes"]
            for a, kind, b in [*facts, Fact(query[0], relation, query[1])]:
                assert _between(ours, boxes[a], boxes[b]) == kind
            assert {node.name for node in scene.drawing().nodes} == set(boxes)
    assert shown > 15


def _between(ours: ModelTheory, a: list[int], b: list[int]) -> str:
    """What box b is to box a."""
    if ours.name == "order":
        return ours.relation(a[0], b[0])
    if ours.name == "time":
        return ours.relation((a[0], a[1]), (b[0], b[1]))
    if ours.name == "directions":
        return ours.relation((a[0], a[2]), (b[0], b[2]))
    inside = (
        [a[i] <= b[i] and b[i + 1] <= a[i + 1] for i in (0, 2)],
        [b[i] <= a[i] and a[i + 1] <= b[i + 1] for i in (0, 2)],
    )
    edge = any(a[i] == b[i] for i in range(4))
    if a == b:
        return "EQ"
    apart = max(max(a[i], b[i]) - min(a[i + 1], b[i + 1]) for i in (0, 2))
    if apart >= 0:
        return "DC" if apart else "EC"
    if all(inside[0]):
        return "TPP" if edge else "NTPP"
    if all(inside[1]):
        return "TPPI" if edge else "NTPPI"
    return "PO"


@pytest.mark.parametrize("name", NAMES)
def test_steps_of_a_proof_follow_from_each_other(name):
    """Every step holds by its premises and the step before, and the last one is the answer."""
    ours, decide = theory(name), solver(name)
    questions, _ = block(
        name, ours.assumptions[-1].name, "strict", 4, 2, irrelevant=2, disconnected=1
    )
    for row in range(0, len(questions), 29):
        facts, query = facts_of(questions, row, ours.kinds)
        proof = decide.explain(facts, query).proof
        known = {(fact.head, (fact.relation,), fact.tail) for fact in proof.facts}
        assert set(proof.facts) <= set(facts)
        for step in proof.steps:
            for head, relations, tail in step.premises:
                turned = (
                    tail,
                    tuple(sorted((ours.converses[r] for r in relations), key=ours.kinds.index)),
                    head,
                )
                assert (head, relations, tail) in known or turned in known
            known.add(step.claim)
            assert _follows(ours, step)
        last = proof.steps[-1].claim
        assert last == (query[0], (ours.kinds[questions.targets[row]],), query[1])


def _follows(ours: ModelTheory, step) -> bool:
    claims = [(h, set(r), t) for h, r, t in step.premises]
    if len(claims) == 1:
        return step.claim == step.premises[0]
    (a, first, b), (c, second, d) = claims
    if (a, b) == (c, d):
        return set(step.claim.relations) == first & second
    assert b == c
    masks = [sum(1 << ours.kinds.index(kind) for kind in kinds) for kinds in (first, second)]
    return set(step.claim.relations) == {
        ours.kinds[kind] for kind in bits(ours.algebra.compose(*masks))
    }


@pytest.mark.parametrize(
    ("kinds", "relation", "message"),
    [
        (("less", "same", "more"), lambda a, b: "same" if a == b else "less", "differ in more"),
        (("less", "same"), lambda a, b: "same" if a == b else None, "differ in None, less"),
        (
            ("less", "same"),
            lambda a, b: "same" if a <= b else "less",
            "several converses, among less, same; ",
        ),
    ],
)
def test_what_is_no_algebra_is_refused(kinds, relation, message):
    own = {
        "name": "own",
        "kinds": kinds,
        "things": lambda: range(3),
        "relation": staticmethod(relation),
    }
    with pytest.raises(WorldError, match=f"theory own: .*{message}"):
        RelationAlgebra.of(type("Own", (ModelTheory,), own))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("class Other: ...", "AttributeError: .* no attribute 'Own'"),
        (
            "from clutrr.theory.models import ModelTheory as Own",
            "lacks relation, things, name, assumptions, presets",
        ),
    ],
)
def test_a_theory_that_cannot_be_used_is_refused(tmp_path, monkeypatch, text, message):
    name = f"own_{len(text)}"
    about = tmp_path / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[clutrr.theories]\n{name} = {name}:Own\n")
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(WorldError, match=f"theory {name}: {name}:Own.*{message}"):
        find_theory(name)
