"""The functions that the tasks of this folder call; the harness imports this file by its path."""

from functools import cache
from typing import Any

from clutrr.prompts import Prompt
from clutrr.scoring import AnswerReader, QuestionForm
from clutrr.settings import WORLD
from clutrr.tasks.questions import QuestionSettings, load_questions, reader_for


def load(k: int, data: str | None = None, size: int = 100, **settings: Any) -> dict[str, Any]:
    """Return the questions of one length, of a data set or generated on the fly.

    settings: preset, seed, distractors, form, direct, shots; others are for other tasks.
    """
    from datasets import Dataset

    known = {name: settings[name] for name in QuestionSettings.__annotations__ if name in settings}
    prompts = load_questions(data, (k,), size, **known)
    return {"test": Dataset.from_list([_row(prompt, data or WORLD) for prompt in prompts])}


def _row(prompt: Prompt, source: str) -> dict[str, Any]:
    asked = prompt.asked
    return {
        "id": prompt.id,
        "text": "\n\n".join(message["content"] for message in prompt.messages),
        "answer": prompt.answer,
        "form": asked.form,
        "relations": list(asked.relations),
        "source": source,
    }


def process(doc: dict[str, Any], results: list[str]) -> dict[str, float]:
    """Return whether the reply gives the right answer, and whether it gives any."""
    asked = QuestionForm(doc["form"], tuple(doc["relations"]))
    answer = _reader(doc["source"]).read(results[0], asked)
    return {"acc": float(answer == doc["answer"]), "read": float(answer is not None)}


@cache
def _reader(source: str) -> AnswerReader:
    return reader_for(source)
