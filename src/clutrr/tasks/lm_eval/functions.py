"""The functions that the tasks of this folder call; the harness imports this file by its path."""

from functools import cache
from typing import Any

from clutrr._ask.prompt_text import letter
from clutrr._ask.prompter import Prompt
from clutrr._config import DEFAULT_WORLD, Config
from clutrr._measure import written
from clutrr._score.replies import AnswerReader, QuestionForm
from clutrr.tasks.questions import load_questions, reader_for

_K = written(Config.k)
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
)


def load(
    k: int | str = _K,
    data: str | None = None,
    size: int = 100,
    world: str = DEFAULT_WORLD,
    length: int | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Return the questions of some lengths, of a data set or generated on the fly.

    world: of generated stories. length: the k of a task of one length. settings: preset, seed, distractors,
    routes, form, direct, shots, omit, prompt_language; others are for other tasks.
    """
    from datasets import Dataset

    known = {name: settings[name] for name in _SETTINGS if name in settings}
    prompts = load_questions(data, length or k, size, world=world, **known)
    return {"test": Dataset.from_list([_row(prompt, data or "", world) for prompt in prompts])}


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
    """Return whether the reply gives the right answer, and whether it gives any."""
    answer = _reader(doc["data"], doc["world"]).read(results[0], QuestionForm.of_row(doc)).value
    return {"acc": float(answer == doc["answer"]), "read": float(answer is not None)}


@cache
def _reader(data: str, world: str) -> AnswerReader:
    return reader_for(data, world)
