"""Trainings on a cluster: what they give does not depend on who runs them, nor on who dies of it."""

import json
import time
from pathlib import Path

import pytest

from .conftest import end, until

pytestmark = pytest.mark.process

pytest.importorskip("torch", reason="needs the extra `models`")

MATRIX = """
data: {preset: described, k: 2, train: 200, test: 60, distractors: 0}
models: [gnn]
seeds: 3
epochs: 30
"""


def results(out: Path) -> dict[str, dict]:
    """What every cell gave, but for how long it took and where it was asked for."""
    found = {}
    for file in sorted((out / "cells").glob("*/result.json")):
        content = json.loads(file.read_text())
        epochs = [{**epoch, "seconds": None} for epoch in content["epochs"]]
        found[file.parent.name] = {**content, "seconds": None, "command": None, "epochs": epochs}
    return found


@pytest.mark.slow
def test_a_cell_goes_on_elsewhere(begun, clutrr, cluster, tmp_path):
    (tmp_path / "matrix.yaml").write_text(MATRIX)
    command = ["--matrix", tmp_path / "matrix.yaml", "--device", "cpu"]
    assert clutrr("reproduce", tmp_path / "here", *command)[0] == 0
    cluster.start(2)
    running = begun("reproduce", tmp_path / "there", *command, "--cluster", cluster.address)
    until(
        lambda: list((tmp_path / "there" / "cells").glob("*/checkpoint.safetensors")),
        "a first checkpoint",
    )
    time.sleep(0.5)
    end(cluster.workers[0])
    _, said = running.communicate(timeout=500)
    assert running.returncode == 0, said
    expected = results(tmp_path / "here")
    assert len(expected) == 3
    assert results(tmp_path / "there") == expected
    for name in expected:
        assert f"{name}: " in said  # each cell was heard of


@pytest.mark.slow
def test_a_gpu_that_no_worker_offers(clutrr, cluster, tmp_path):
    cluster.start(1)
    command = ["reproduce", tmp_path / "out", "--models", "gnn"]
    code, _, said = clutrr(*command, "--device", "cuda", "--cluster", cluster.address)
    assert code == 2
    assert "no worker offers a GPU: start workers with --resources GPU=1" in said
