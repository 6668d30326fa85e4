"""Every target against the family: one that all the facts of a family's puzzles make up together."""

from collections import defaultdict
from itertools import islice

import pytest

from clutrr.puzzle import Fact
from kin_oracle import MEANING, possible
from made import made


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
