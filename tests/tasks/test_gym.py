"""The data set for reasoning-gym, with the real package."""

import pytest

pytest.importorskip("reasoning_gym", reason="needs the extra `rl`")

import reasoning_gym

from clutrr._puzzle import SPLITS
from clutrr.tasks.gym import StreamConfig, StreamCurriculum
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


def test_the_curriculum_has_every_axis():
    curriculum = StreamCurriculum()

    def made(**defaults):
        config = curriculum.generate_configuration({"seed": 1, "size": 12, **defaults})
        return list(reasoning_gym.create_dataset("clutrr", **vars(config)))

    lengths = []
    for _ in range(4):
        lengths.append(max(item["metadata"]["k"] for item in made()))
        curriculum.increment_attr_level("k")
    assert lengths == [2, 3, 4, 5]
    curriculum.set_attr_level("k", 0)
    for axis, values in (
        ("noise", [0, 1, 2, 3]),
        ("distractors", [0, 1, 2, 4, 8]),
        ("style", ["sentences", "prose"]),
        ("undetermined", [0.0, 0.2, 0.5]),
    ):
        sizes, found = [], []
        for level in range(len(values)):
            curriculum.set_attr_level(axis, level)
            items = made()
            found.append(items[0]["metadata"]["difficulty"][axis])
            sizes.append(sum(len(item["question"]) for item in items))
        assert found == values
        assert axis not in ("noise", "distractors") or sizes == sorted(sizes)
        curriculum.set_attr_level(axis, 0)
    curriculum.set_attr_level("undetermined", 2)
    assert "cannot be told" in {item["answer"] for item in made()}


def test_all_axes_together():
    """As a trainer raises them: every level is a data set, with several routes where a world has them."""
    curriculum = StreamCurriculum()
    points = []
    for level in range(5):
        curriculum.set_global_level(level)
        config = curriculum.generate_configuration({"seed": 1, "size": 2})
        points.append(
            reasoning_gym.create_dataset("clutrr", **vars(config))[1]["metadata"]["difficulty"]
        )
    assert [point["world"] for point in points] == [
        "kinship",
        "order",
        "directions",
        "time",
        "regions",
    ]
    assert [max(point["routes"]) for point in points] == [1, 2, 3, 3, 3]


def test_train_and_test_of_a_seed_share_no_names():
    apart = {"seed": 3, "size": 60, "distractors": 0, "disjoint": "wordings,names"}
    train, test = (
        {name for item in made for fact in item["metadata"]["facts"] for name in (fact[0], fact[2])}
        for made in (
            reasoning_gym.create_dataset("clutrr", split=split, **apart) for split in SPLITS
        )
    )
    assert train
    assert not train & test


def test_bad_configs():
    with pytest.raises(AssertionError, match="min_k"):
        reasoning_gym.create_dataset("clutrr", **vars(StreamConfig(min_k=5, max_k=4)))
    with pytest.raises(AssertionError, match="min_routes"):
        reasoning_gym.create_dataset("clutrr", **vars(StreamConfig(min_routes=2)))
