"""What a model that reads pairs read, kept for the explorer: one line of JSON a story (see `account`)."""

import json
from pathlib import Path

import torch

from clutrr.errors import ConfigError
from clutrr.experiment.source import Tables
from clutrr.files import replace_text, writing
from clutrr.models import AnyModel, AnyRecipe, Passages, Vocabulary
from clutrr.models.account import accounts
from clutrr.models.pairs import Pairs

_AT_ONCE = 250  # stories


def write_readings(
    model: AnyModel, made_from: AnyRecipe, vocabulary: Vocabulary, tables: Tables, path: Path
) -> None:
    """One line a story: subset, id, and how the model came to its answer."""
    check_reads(model)
    assert isinstance(model, Pairs)
    model.eval()
    lines = []
    for subset, table in tables.items():
        for start in range(0, table.num_rows, _AT_ONCE):
            part = table.slice(start, _AT_ONCE)
            stories = made_from.encode(part, vocabulary)
            assert isinstance(stories, Passages)
            with torch.inference_mode():
                found = accounts(model, stories.passages)
            lines += [
                json.dumps({"subset": subset, "id": number, **account.to_json()}, ensure_ascii=False)
                for number, account in zip(part["id"].to_pylist(), found, strict=True)
            ]
    with writing(path):
        replace_text(path, "\n".join(lines) + "\n")


def check_reads(model: AnyModel) -> None:
    """Refuse a model that reads no pairs."""
    if not isinstance(model, Pairs):
        raise ConfigError("readings: only the model pairs reads pairs of people; leave out --readings")
