"""Results of an experiment that nobody ran, to report from."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from clutrr._report.subsets import trained_lengths
from clutrr._score.result import training_name
from clutrr._train.matrix import Cell, load_matrix, matrix_text

MODELS = ("lstm", "gnn", "gnn-attention")
N = 100  # stories of each pattern; M3 has two
DATA: dict[str, Any] = {
    "preset": "published",
    "k": [3, 4],
    "train": 400,
    "test": 100,
    "distractors": 1,
}
SETTINGS: dict[str, Any] = {
    "models": list(MODELS),
    "seeds": 1,
    "epochs": 3,
    "batch": 25,
    "learning_rate": 0.001,
}
COMMAND = "clutrr reproduce out --matrix 'my matrix.yaml'"
LOOKUPS = {
    "label known": 90.0,
    "last relation": 71.5,
    "longest known ending": 37.0,
    "rules shown": 100.0,
}
LEARNT: dict[str, Any] = {  # each verdict at least once
    "free": 16,
    "sentences": [
        {
            "relation": "daughter",
            "template": "{b} is {a}'s daughter.",
            "read": "daughter",
            "share": 0.98,
        },
        {"relation": "mother", "template": "{b} | mother of {a}.", "read": "wife", "share": 0.5123},
    ],
    "compositions": [
        {
            "first": first,
            "second": second,
            "possible": possible,
            "outside": outside,
            "believed": believed,
            "free": free,
        }
        for first, second, possible, outside, believed, free in [
            (
                "daughter",
                "daughter",
                ["granddaughter"],
                False,
                {"granddaughter": 0.9, "wife": 0.1},
                0.0,
            ),
            ("daughter", "mother", ["wife"], False, {"mother": 0.6, "wife": 0.4}, 0.0),
            (
                "daughter",
                "grandmother",
                ["mother", "mother-in-law"],
                False,
                {"mother-in-law": 0.5},
                0.5,
            ),
            ("mother", "daughter", ["sister"], True, {}, 0.99),
            ("mother", "mother", ["grandmother"], False, {"grandmother": 1.0}, 0.0),
            ("mother", "grandmother", [], True, {"daughter": 0.02}, 0.9),
            ("grandmother", "daughter", ["mother"], True, {"mother": 0.4}, 0.5),
            ("grandmother", "mother", [], True, {"sister": 0.8}, 0.1),
            ("grandmother", "grandmother", [], False, {"grandmother": 0.7}, 0.3),
        ]
    ],
    "heights": {"daughter": 2.0, "mother": -2.06, "grandmother": -4.28},
}
Right = Mapping[str, tuple[int, ...]]  # by subset, of each pattern


def write_matrix(out: Path, data: dict[str, Any] | None = None, **changes: Any) -> Path:
    """data: settings of the stories, beside those above."""
    out.mkdir(parents=True, exist_ok=True)
    content = {"data": {**DATA, **(data or {})}, **SETTINGS, **changes}
    (out / "matrix.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    matrix = load_matrix(out / "matrix.yaml")
    (out / "matrix.yaml").write_text(matrix_text(matrix))  # spelt out, as an experiment has it
    test = matrix.tested_in("")
    tested = [] if isinstance(test, str) else [f"M{k}" for k in test.config.k]
    pairs = [
        {"train": train, "test": f"{style} {subset}".strip(), **LOOKUPS}
        for train in dict.fromkeys(cell.train for cell in matrix.cells())
        for style in matrix.style_names
        for subset in tested
    ]
    (out / "audit.json").write_text(
        json.dumps({"matrix": pairs, "verdicts": ["M4: holds 1 pattern only."]})
    )
    return out


def write_record(
    out: Path, model: str, train: str, right: Right, seed: int = 0, **changes: Any
) -> dict[str, Any]:
    """right: how many of the 100 stories of each pattern it answers."""
    matrix = load_matrix(out / "matrix.yaml")
    stories = matrix.generated[0].config.train
    record = {
        "model": model,
        "train": train,
        "seed": seed,
        "config": matrix.training(Cell(model, trained_lengths(train), seed)).to_json(),
        "data": {"stories": stories, "sha256": f"of {train}", "training": stories},
        "device": "CPU, one thread",
        "versions": {"clutrr": "0.1.0", "torch": "2.13.0"},
        "command": COMMAND,
        "epochs": [
            {"loss": 2.0 - i / 2, "accuracy": 40.0 + 20 * i, "seconds": 1.5} for i in range(3)
        ],
        "seconds": 5.25,
        "tested": {subset: score_of(counts) for subset, counts in right.items()},
        **changes,
    }
    folder = out / "cells" / training_name(model, train, seed)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "result.json").write_text(json.dumps(record))
    return record


def score_of(counts: tuple[int, ...], sha256: str = "") -> dict[str, Any]:
    return {"rows": N * len(counts), "right": sum(counts), "sha256": sha256}


def write_experiment(out: Path) -> Path:
    """Three models on M3 and M4, one seed; the LSTM on M4 is not finished."""
    write_matrix(out)
    write_record(out, "lstm", "M3", {"M3": (100, 100), "M4": (50,)})
    write_record(out, "gnn", "M3", {"M3": (96, 96), "M4": (64,)})
    write_record(out, "gnn-attention", "M3", {"M3": (100, 100), "M4": (40,)})
    write_record(out, "gnn", "M4", {"M3": (0, 99), "M4": (100,)})
    write_record(out, "gnn-attention", "M4", {"M3": (98, 0), "M4": (99,)})
    return out
