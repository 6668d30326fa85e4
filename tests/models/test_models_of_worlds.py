"""Every model trains on and answers questions of every world, also those with several routes."""

import pytest

import clutrr
from clutrr.api import generate_folder
from clutrr.errors import ConfigError

MODELS = (
    "lstm",
    "gnn",
    "gnn-attention",
    "composer",
    "composer+spliced",
    "composer+windows",
    "epignn",
    "algebra",
)


@pytest.mark.parametrize(("name", "preset"), [("order", "mixed"), ("time", "strict"), ("regions", "strict"),
                                              ("directions", "mixed")])  # fmt: skip
def test_training_and_answering(name, preset, tmp_path, run):
    data, settings = tmp_path / "data", {"k": (2, 3), "epochs": 1, "device": "cpu"}
    made = {"train": 40, "test": 6, "distractors": 1, "routes": (1, 2)}
    generate_folder(data, world=name, preset=preset, k=(2, 3), **made)
    for model in MODELS:
        clutrr.train(data, tmp_path / model, model=model, **settings)
        parts = clutrr.evaluate(tmp_path / model, data, device="cpu")
        assert [(part.subset, part.n) for part in parts] == [("M2", 6), ("M3", 6)]
    for model in ("composer", "algebra"):
        assert run("info", tmp_path / model)[0] == 0
    with pytest.raises(ConfigError, match="pairs needs encoder="):
        clutrr.train(data, tmp_path / "pairs", model="pairs", **settings)
