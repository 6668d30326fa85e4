"""The data set for reasoning-gym, with the real package."""

import pytest

pytest.importorskip("reasoning_gym", reason="needs the extra `rl`")

import reasoning_gym

from clutrr.tasks.gym import KinshipConfig, KinshipCurriculum
from solving_server import solved

pytestmark = pytest.mark.filterwarnings("ignore")


def test_items_are_a_pure_function_and_the_solver_scores(world):
    made = [reasoning_gym.create_dataset("clutrr", seed=3, size=30, max_k=3) for _ in range(2)]
    first = [made[0][i] for i in range(30)]
    assert first == [made[1][i] for i in reversed(range(30))][::-1]
    assert len({item["question"] for item in first}) == 30
    assert first != list(reasoning_gym.create_dataset("clutrr", seed=4, size=30, max_k=3))
    for item in made[0]:
        assert made[0].score_answer(solved(item["question"], world), item) == 1
        assert made[0].score_answer(item["answer"], item) == 1
        wrong = next(relation for relation in world.relations if relation != item["answer"])
        for answer in (wrong, f"not {item['answer']}", "", None):
            assert made[0].score_answer(answer, item) == 0


def test_the_curriculum_makes_chains_longer():
    curriculum = KinshipCurriculum()
    lengths = []
    for _ in range(4):
        config = curriculum.generate_configuration({"seed": 1, "size": 12})
        items = list(reasoning_gym.create_dataset("clutrr", **vars(config)))
        lengths.append(max(item["metadata"]["k"] for item in items))
        curriculum.increment_attr_level("k")
    assert lengths == [2, 3, 4, 5]


def test_bad_configs():
    with pytest.raises(AssertionError, match="min_k"):
        reasoning_gym.create_dataset("clutrr", **vars(KinshipConfig(min_k=5, max_k=4)))
