"""What a model that reads pairs has read, for the explorer: one line of JSON per story (see `account`)."""

import json
from collections import Counter
from collections.abc import Sequence

import torch

from clutrr.errors import ConfigError
from clutrr.experiment.evaluate import Answers
from clutrr.files import replace_text, writing
from clutrr.models import AnyModel, AnyRecipe, Passages, Vocabulary
from clutrr.models.account import accounts
from clutrr.models.causes import causes
from clutrr.models.pairs import Pairs
from clutrr.storage import Where

_AT_ONCE = 250  # stories


def write_readings(
    model: AnyModel,
    made_from: AnyRecipe,
    vocabulary: Vocabulary,
    answers: Sequence[Answers],
    path: Where,
) -> Counter[str]:
    """One line a story: subset, id, and how the model came to its answer. How many are wrong, by cause."""
    check_reads(model)
    assert isinstance(model, Pairs)
    model.eval()
    lines, wrong = [], Counter[str]()
    for subset in answers:
        for start in range(0, subset.n, _AT_ONCE):
            part, given = subset.table.slice(start, _AT_ONCE), subset.answers[start : start + _AT_ONCE]
            stories = made_from.encode(part, vocabulary)
            assert isinstance(stories, Passages)
            with torch.inference_mode():
                read = model.read(stories.passages)
                found = accounts(model, stories.passages, read)
                facts, targets = part["facts"].to_pylist(), part["target"].to_pylist()
                why = causes(model, stories.passages, read[0], facts, targets, given)
            wrong.update(cause for cause in why if cause is not None)
            lines += [
                json.dumps({"subset": subset.subset, "id": number, **account.to_json()}, ensure_ascii=False)
                for number, account in zip(part["id"].to_pylist(), found, strict=True)
            ]
    with writing(path):
        replace_text(path, "\n".join(lines) + "\n")
    return wrong


def check_reads(model: AnyModel) -> None:
    """Refuse a model that does not read pairs."""
    if not isinstance(model, Pairs):
        raise ConfigError("readings: only the model pairs reads pairs of people; leave out --readings")
