"""What the presets promise: shares, balance, every path equally likely, and targets that are true."""

from collections import Counter, defaultdict
from itertools import islice

import pytest

from clutrr._generate import Config, Generator
from clutrr._puzzle import Fact
from kin_chance import surprise
from kin_oracle import MEANING, Tree, possible
from made import made

PUBLISHED = {
    3: {
        "child-SO-child grand": 37.0,
        "SO-child-SO in-law": 25.8,
        "child-sibling-sibling child": 18.8,
        "SO-child-sibling child": 18.4,
    },
    4: {
        "SO-child-SO-child grand": 50.6,
        "SO-child-sibling-sibling child": 27.5,
        "child-SO-child-sibling grand": 21.9,
    },
    5: {"SO-child-SO-child-sibling grand": 52.0, "child-SO-child-sibling-sibling grand": 48.0},
    6: {"SO-child-SO-child-sibling-sibling grand": 100.0},
}


def blocks(world, k, count, **settings):
    """Columns (pattern, target) of whole blocks, without the stories' distractors."""
    generator = Generator(Config(k=(k,), distractors=0, **settings), world)
    for number in range(count):
        table = generator.block("train", k, number)
        yield from zip(
            map(tuple, table["pattern"].to_pylist()), table["target"].to_pylist(), strict=True
        )


@pytest.mark.parametrize("k", PUBLISHED)
def test_published_patterns_in_their_shares(world, k):
    puzzles = list(blocks(world, k, 1, preset="published", seed=3))
    found = Counter(f"{'-'.join(pattern)} {MEANING[target][0]}" for pattern, target in puzzles)
    assert set(found) == set(PUBLISHED[k])
    for told, share in PUBLISHED[k].items():
        assert abs(100 * found[told] / len(puzzles) - share) < 1.5
        pattern, target = told.split()
        composed = world.theory.compose(world.labels, pattern.split("-"))
        assert (composed.entailed, composed.kinds) == (True, (target,))
    genders = Counter(MEANING[target][1] for _, target in puzzles)
    # Families, not puzzles, are drawn independently.
    assert abs(min(genders.values()) - len(puzzles) / 2) < 300


@pytest.mark.parametrize(
    ("k", "size"), [(1, 16), (1, 4000), (3, 16), (3, 1000), (3, 4000), (6, 4096), (7, 256)]
)
def test_sound_labels_are_balanced(world, k, size):
    labels = Counter(p.target for p in made("sound", k=k, size=size, seed=5, distractors=0))
    assert set(labels) == set(world.relations)
    assert max(labels.values()) - min(labels.values()) <= 1


@pytest.mark.parametrize("k", [1, 2, 3])
def test_described_draws_every_path_equally(world, k):
    _, _, weights = Tree.regular(3, 3).count(k, "all")
    found = Counter(
        (pattern, MEANING[target][0])
        for pattern, target in blocks(world, k, 15, preset="described", seed=9)
    )
    assert abs(surprise(found, weights)) < 4


@pytest.mark.parametrize("k", [2, 3])
def test_sound_draws_every_determined_path_of_a_target_equally(world, k):
    _, _, weights = Tree.regular(3, 3).count(k, "all")
    found = Counter(
        (pattern, MEANING[target][0]) for pattern, target in blocks(world, k, 15, seed=9)
    )
    kept = {
        key: weight
        for key, weight in weights.items()
        if world.theory.compose(world.labels, key[0]).determined
    }
    per_target = Counter()
    for (_, target), weight in kept.items():
        per_target[target] += weight
    assert abs(surprise(found, {key: w / per_target[key[1]] for key, w in kept.items()})) < 4


@pytest.mark.parametrize(("preset", "k"), [("described", 4), ("described", 6), ("sound", 6)])
def test_the_puzzles_of_a_family_agree_with_each_other_and_their_targets(world, preset, k):
    """The solver finds a family with all of them, and hardly another answer to any."""
    solver = world.theory.solver(world.labels, "tree")
    families = defaultdict(list)
    for puzzle in made(preset, k=k, size=1024, seed=21, distractors=0):
        families[puzzle.scene].append(puzzle)
    assert len(families) > 10
    sure = []
    for puzzles in families.values():
        told = sorted({fact for puzzle in puzzles for fact in puzzle.facts})
        answers = [Fact(p.query[0], p.target, p.query[1]) for p in puzzles]
        assert solver.consistent([*told, *answers])
        sure += [solver.verdict(told, p.query).entailed for p in puzzles[:2]]
    assert sum(sure) > 0.75 * len(sure)  # or agreement would mean little


SLOW = [pytest.param("sound", k, "", marks=pytest.mark.slow) for k in (8, 9, 10, 12)]


@pytest.mark.parametrize(
    ("preset", "k", "scene"),
    [
        *(("described", k, "") for k in range(1, 9)),
        *(("sound", k, "") for k in range(1, 8)),
        *SLOW,
        ("described", 3, "levels=3,children=2-4"),
        ("described", 3, "levels=3,children=1-2"),
    ],
)
def test_targets_are_possible_and_sound_ones_the_only_ones(preset, k, scene):
    puzzles = made(preset, k=k, size=600, distractors=0, scene=scene)
    patterns = {(p.pattern, MEANING[p.target][0]) for p in puzzles}
    for pattern, target in islice(sorted(patterns), 0, None, max(1, len(patterns) // 60)):
        kinds, _ = possible(pattern)
        assert kinds == {target} if preset == "sound" else target in kinds
