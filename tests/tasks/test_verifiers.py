"""The taskset for verifiers, with the real package."""

import asyncio
import json
import os
import subprocess
import sys
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import pytest

from solving_server import serving, solved

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def loaders(repository, monkeypatch):
    pytest.importorskip("verifiers.v1", reason="needs verifiers 0.4")
    monkeypatch.syspath_prepend(str(repository / "environments/clutrr_kinship"))
    from verifiers.v1.utils import loaders

    return loaders


@pytest.mark.parametrize("form", ["which", "yes-no", "choice"])
def test_an_endless_taskset_that_the_solver_solves(loaders, world, form):
    kind = loaders.taskset_class("clutrr-kinship")
    from clutrr_kinship import KinshipConfig

    config = KinshipConfig(id="clutrr-kinship", k="2-3", distractors=0, shots=1, form=form)
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


def test_whole_rollouts_over_http_earn_everything(loaders, repository, tmp_path):
    """As `vf-eval` runs them, the solving service standing in for a model."""
    places = [repository / "src", repository / "environments/clutrr_kinship"]
    with serving() as (url, service):
        command = [
            Path(sys.executable).with_name("vf-eval"),
            "clutrr-kinship",
            "-m",
            "solver",
            "-n",
            "6",
        ]
        command += ["--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess"]
        command += ["--client.base-url", url, "--client.api-key-var", "NO_KEY", "--push", "False"]
        command += ["-o", tmp_path]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, places)),
            "NO_KEY": "none",
        }
        subprocess.run(command, check=True, capture_output=True, timeout=300, env=environment)
    (traces,) = tmp_path.rglob("traces.jsonl")
    found = [json.loads(line) for line in traces.read_text().splitlines()]
    assert len(found) == len(service.answered) == 6
    assert [trace["rewards"]["right"]["score"] for one in found for trace in one["traces"]] == [
        1.0
    ] * 6
