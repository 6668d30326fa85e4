"""What the tasks of this folder call; the harness imports this file by its path."""

from functools import cache
from typing import Any

from clutrr.prompts import Prompt, PromptConfig
from clutrr.scoring import AnswerReader, Asked
from clutrr.tasks.questions import Questions, questions_of
from clutrr.world import load_world


def load(
    k: int,
    data: str | None = None,
    preset: str = "sound",
    size: int = 100,
    seed: int = 0,
    style: str = "reason",
    shots: int = 0,
    ask: str = "which",
    distractors: int = 8,
    **other: Any,
) -> dict[str, Any]:
    """The questions of one length: of a folder, or generated on the fly. other: settings for other tasks."""
    from datasets import Dataset

    config = PromptConfig(style=style, shots=shots, ask=ask)
    if data is None:
        prompts = Questions(preset, (k,), seed, "test", distractors, prompts=config).first(size)
    else:
        _, prompts = questions_of(data, config, "test", size, (k,))
    return {"test": Dataset.from_list([_row(prompt, data or "") for prompt in prompts])}


def _row(prompt: Prompt, data: str) -> dict[str, Any]:
    asked = prompt.asked
    return {
        "id": prompt.id,
        "text": "\n\n".join(message["content"] for message in prompt.messages),
        "answer": prompt.answer,
        "ask": asked.ask,
        "relations": list(asked.relations),
        "data": data,
    }


def process(doc: dict[str, Any], results: list[str]) -> dict[str, float]:
    """Whether the reply gives the right answer, and whether it gives any."""
    asked = Asked(doc["ask"], tuple(doc["relations"]))
    answer = _reader(doc["data"]).read(results[0], asked)
    return {"acc": float(answer == doc["answer"]), "read": float(answer is not None)}


@cache
def _reader(data: str) -> AnswerReader:
    from clutrr.data import open_dataset

    return AnswerReader(open_dataset(data).world if data else load_world())
