"""The functions that the tasks of this folder call; the harness imports this file by its path."""

from functools import cache
from typing import Any

from clutrr._ask.prompt_text import letter
from clutrr._ask.prompter import Prompt
from clutrr.tasks.questions import ReplyReader, load_questions

_SIZE = 100  # generated questions of each length, if nobody says how many
_SETTINGS = (
    "preset",
    "seed",
    "distractors",
    "routes",
    "form",
    "direct",
    "shots",
    "omit",
    "prompt_language",
    "skip_bad",
)


def load(
    k: int | str | None = None,
    data: str | None = None,
    size: int | None = None,
    world: str | None = None,
    length: int | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Return the questions of some lengths, of a data set or generated on the fly.

    Of a data set all questions count, unless k or size say otherwise.

    - world: of generated stories, or the one to read data with
    - length: the k of a task of one length
    - settings: preset, seed, distractors and routes of generated stories; form, direct, shots, omit and
      prompt_language; skip_bad of data; others are for other tasks
    """
    from datasets import Dataset

    known = {name: settings[name] for name in _SETTINGS if name in settings}
    if data is None and size is None:
        size = _SIZE
    prompts = load_questions(data, length or k, size, world=world, **known)
    rows = [_row(prompt, data or "", world or "") for prompt in prompts]
    return {"test": Dataset.from_list(rows)}


def load_choices(**settings: Any) -> dict[str, Any]:
    """Return questions with relations to choose from, whose letters are compared by their likelihood."""
    return load(**{**settings, "form": "choice", "direct": True})


def _row(prompt: Prompt, data: str, world: str) -> dict[str, Any]:
    row, relations = prompt.to_dict(), prompt.asked.relations
    return {
        "text": "\n\n".join(message["content"] for message in row.pop("messages")),
        **row,
        "letters": [letter(number) for number in range(len(relations))],
        "right": relations.index(prompt.answer) if row["ask"] == "choice" else -1,
        "data": data,
        "world": world,
    }


def process(doc: dict[str, Any], results: list[str]) -> dict[str, float]:
    """Return whether the reply gives the right answer, whether it gives any, and whether it refuses."""
    found = _reader(doc["data"] or None, doc["world"] or None).figures(doc, results[0])
    return {"acc": float(found.right), "read": float(found.read), "refused": float(found.refused)}


@cache
def _reader(data: str | None, world: str | None) -> ReplyReader:
    return ReplyReader(data, world)
