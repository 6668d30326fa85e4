"""Testing a model that reads pairs: what it read, one line of JSON a story for the explorer (see `account`);
and what the stories that are answered together have in common."""

import json
from collections import Counter
from collections.abc import Sequence

import torch

from clutrr.errors import ConfigError
from clutrr.experiment.evaluate import Answers
from clutrr.experiment.source import Tables
from clutrr.files import replace_text, writing
from clutrr.models import Model, Vocabulary
from clutrr.models.text.account import accounts
from clutrr.models.text.causes import causes
from clutrr.models.text.lessons import read_passages
from clutrr.models.text.pairs import Pairs
from clutrr.storage import Where

_AT_ONCE = 250  # stories
ONLY_PAIRS = "readings: only the model pairs reads pairs of people; leave out --readings"


def write_readings(
    model: Model, vocabulary: Vocabulary, answers: Sequence[Answers], path: Where
) -> Counter[str]:
    """Write a line for each story: subset, id, and how the model came to its answer.

    Return how many answers are wrong, by cause.
    """
    pairs = as_pairs(model, ONLY_PAIRS)
    pairs.eval()
    lines, wrong = [], Counter[str]()
    for subset in answers:
        for start in range(0, subset.n, _AT_ONCE):
            part, given = subset.table.slice(start, _AT_ONCE), subset.answers[start : start + _AT_ONCE]
            passages = read_passages(part, vocabulary).passages
            with torch.inference_mode():
                read = pairs.read(passages)
                found = accounts(pairs, passages, read)
                facts, targets = part["facts"].to_pylist(), part["target"].to_pylist()
                why = causes(pairs, passages, read[0], facts, targets, given)
            wrong.update(cause for cause in why if cause is not None)
            lines += [
                json.dumps({"subset": subset.subset, "id": number, **account.to_json()}, ensure_ascii=False)
                for number, account in zip(part["id"].to_pylist(), found, strict=True)
            ]
    with writing(path):
        replace_text(path, "\n".join(lines) + "\n")
    return wrong


def as_pairs(model: Model, otherwise: str) -> Pairs:
    """Return a model that reads pairs as one. otherwise: the message for any other model."""
    if not isinstance(model, Pairs):
        raise ConfigError(otherwise)
    return model


def let_agree(model: Model, vocabulary: Vocabulary, tables: Tables) -> None:
    """Let the stories of all subsets agree on which wordings tell a fact the wrong way round."""
    pairs = as_pairs(model, "--agree is for the model pairs, which alone reads pairs of people; leave it out")
    pairs.eval()
    pairs.agree([one for table in tables.values() for one in read_passages(table, vocabulary).passages])
