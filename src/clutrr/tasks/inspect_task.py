"""A task for Inspect, found by its entry point: `inspect eval clutrr/kinship -T k=2-10 --model ...`."""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser
from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    Score,
    Scorer,
    Target,
    accuracy,
    grouped,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState, generate

from clutrr._ask.prompt_text import PROMPT_VERSION
from clutrr._ask.prompter import Prompt
from clutrr._config import DEFAULT_WORLD, Config
from clutrr._measure import written
from clutrr._score.replies import QuestionForm
from clutrr.tasks.questions import load_questions, reader_for

_K = written(Config.k)


@task
def kinship(
    k: int | str | list[int | str] = _K,
    data: str | None = None,
    size: int = 500,
    split: str = "test",
    world: str = DEFAULT_WORLD,
    **settings: Any,
) -> Task:
    """Questions of a data set, or generated on the fly.

    size: how many, as many of each k. world: of generated stories. settings: preset, seed, distractors,
    routes, form, direct, shots, omit, prompt_language.
    """
    lengths = ",".join(map(str, k)) if isinstance(k, list) else k
    prompts = load_questions(data, lengths, size, split, world, **settings)
    return Task(
        dataset=MemoryDataset([_sample(prompt) for prompt in prompts], name=data or world),
        solver=generate(),
        scorer=relation(data, world),
        version=PROMPT_VERSION,
    )


def _sample(prompt: Prompt) -> Sample:
    row = prompt.to_dict()
    said: list[ChatMessage] = [
        (ChatMessageUser if message["role"] == "user" else ChatMessageAssistant)(
            content=message["content"]
        )
        for message in row.pop("messages")
    ]
    return Sample(id=prompt.id, input=said, target=prompt.answer, metadata=row)


@scorer(
    metrics=[
        accuracy(),
        stderr(),
        grouped(accuracy(), "k", all=False, name_template="k={group_name}"),
    ]
)
def relation(data: str | None = None, world: str = DEFAULT_WORLD) -> Scorer:
    """Score replies as right or wrong. world: of the stories, if there is no data that carries its own."""
    reader = reader_for(data, world)

    async def score(state: TaskState, target: Target) -> Score:
        reply, asked = state.output.completion, QuestionForm.of_row(state.metadata)
        answer = reader.read(reply, asked, cut=state.output.stop_reason == "max_tokens").value
        right = answer == target.text
        return Score(value=CORRECT if right else INCORRECT, answer=answer or "", explanation=reply)

    return score
