"""The taskset for verifiers, with the real package."""

import asyncio
from itertools import islice
from types import SimpleNamespace

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def loaders(repository, monkeypatch):
    pytest.importorskip("verifiers.v1", reason="needs verifiers 0.4")
    monkeypatch.syspath_prepend(str(repository / "environments/clutrr_kinship"))
    from verifiers.v1.utils import loaders

    return loaders


@pytest.mark.parametrize("ask", ["which", "yes-no", "choice"])
def test_an_endless_taskset_that_the_solver_solves(loaders, world, ask):
    from solving_server import solved

    kind = loaders.taskset_class("clutrr-kinship")
    from clutrr_kinship import KinshipConfig

    config = KinshipConfig(id="clutrr-kinship", k="2-3", distractors=0, shots=1, ask=ask)
    taskset = kind(config)
    assert not taskset.bounded
    tasks = list(taskset.take(6))
    assert [task.data.id for task in tasks] == [task.data.id for task in islice(kind(config), 6)]
    assert len({task.data.prompt_text for task in tasks}) == 6
    for task in tasks:
        reply = solved(task.data.prompt_text, world)
        for said, earned in ((reply, 1.0), (reply.rpartition("Answer: ")[2], 0.0), ("", 0.0)):
            assert asyncio.run(task.right(SimpleNamespace(last_reply=said))) == earned
        assert [hook.__name__ for hook in task.hooks("reward")] == ["right"]
