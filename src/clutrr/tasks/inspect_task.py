"""A task for Inspect, found by its entry point: `inspect eval clutrr/kinship -T k=2-10 --model ...`."""

import math
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    ContentReasoning,
    ModelOutput,
)
from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    accuracy,
    grouped,
    mean,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

from clutrr._ask.judge import judge_prompts
from clutrr._ask.prompt_text import PROMPT_VERSION
from clutrr._ask.prompter import Prompt
from clutrr._chains.read import open_chains
from clutrr._config import DEFAULT_WORLD
from clutrr._score.judges import read_judgement
from clutrr.tasks.inspect_book import book
from clutrr.tasks.questions import ReplyReader, load_questions

__all__ = ["book", "judge", "kinship"]

_TRIES = 3  # of a question whose reply is broken
_UNANSWERED = "unanswered"  # in the store of a sample: why there is no reply


@task
def kinship(
    k: int | str | list[int | str] | None = None,
    data: str | None = None,
    size: int | None = None,
    split: str = "test",
    world: str | None = None,
    **settings: Any,
) -> Task:
    """Questions of a data set, all of them unless k or size say otherwise; or generated on the fly.

    - k: lengths; all of a data set, or 3 to 6 of generated stories
    - size: how many, as many of each k; all of a data set, or 500 generated ones
    - world: of generated stories, or the one to read data with
    - settings: form, direct, shots, omit, prompt_language; skip_bad of data; of generated stories preset, seed,
      distractors, routes
    """
    lengths = ",".join(map(str, k)) if isinstance(k, list) else k
    prompts = load_questions(data, lengths, size, split, world, **settings)
    return Task(
        dataset=MemoryDataset(
            [_sample(prompt) for prompt in prompts], name=data or world or DEFAULT_WORLD
        ),
        solver=asked(),
        scorer=[relation(data, world), reply(data, world)],
        version=PROMPT_VERSION,
    )


@task
def judge(
    data: str,
    size: int | None = None,
    split: str = "test",
    direct: bool = False,
) -> Task:
    """Chains of a data set of `clutrr chains`: which step is the first wrong one?

    - data: the chains
    - size: at most how many, spread evenly over the subsets
    - direct: whether to ask for the answer at once
    """
    prompts = judge_prompts(open_chains(data), split, size, {"direct": direct})
    return Task(
        dataset=MemoryDataset([_sample(prompt) for prompt in prompts], name=data),
        solver=asked(),
        scorer=first_error(),
        version=PROMPT_VERSION,
    )


@metric
def f1() -> Metric:
    """The harmonic mean of the accuracies on wrong chains and on right ones, as ProcessBench has it."""

    def measure(scores: list[SampleScore]) -> float:
        found: dict[bool, list[float]] = {True: [], False: []}
        for one in scores:
            has_error = (one.score.metadata or {})["first_error"] >= 0
            found[has_error].append(one.score.as_float())
        if not (found[True] and found[False]):
            return math.nan
        on_wrong, on_right = (sum(some) / len(some) for some in found.values())
        both = on_wrong + on_right
        return 2 * on_wrong * on_right / both if both else 0.0

    return measure


@scorer(
    metrics=[
        accuracy(),
        stderr(),
        f1(),
        grouped(accuracy(), "chain", all=False, name_template="{group_name}"),
    ]
)
def first_error() -> Scorer:
    """Score judgements: the very step, or that there is none."""

    async def score(state: TaskState, target: Target) -> Score:
        said, wanted = state.output.completion, state.metadata["first_error"]
        found = read_judgement(said)
        return Score(
            value=CORRECT if found == wanted else INCORRECT,
            answer="" if found is None else str(found),
            explanation=state.store.get(_UNANSWERED) or said,
            metadata={"first_error": wanted},
        )

    return score


def _sample(prompt: Prompt) -> Sample:
    row = prompt.to_dict()
    said: list[ChatMessage] = [
        (ChatMessageUser if message["role"] == "user" else ChatMessageAssistant)(
            content=message["content"]
        )
        for message in row.pop("messages")
    ]
    if "first_error" in row:
        row["chain"] = "wrong" if row["first_error"] >= 0 else "right"
    return Sample(id=prompt.id, input=said, target=prompt.answer, metadata=row)


@solver
def asked() -> Solver:
    """Ask the model; a service whose replies stay broken leaves one question unanswered, and the run goes on.

    Some services answer 200 with a page of HTML, or with half of a reply: what reads it then raises.
    """
    put = generate()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        for _ in range(_TRIES):
            try:
                return await put(state, generate)
            except (ValueError, TypeError, AttributeError, LookupError) as error:
                why = f"{type(error).__name__}: {error}"
        state.output = ModelOutput.from_content(str(state.model), "", error=why)
        state.store.set(_UNANSWERED, why)
        return state

    return solve


@scorer(
    metrics=[
        accuracy(),
        stderr(),
        grouped(accuracy(), "k", all=False, name_template="k={group_name}"),
    ]
)
def relation(data: str | None = None, world: str | None = None) -> Scorer:
    """Score replies as right or wrong. data, world: as for the task."""
    reader = ReplyReader(data, world)

    async def score(state: TaskState, target: Target) -> Score:
        said = state.output.completion
        found = reader.figures(state.metadata, said, cut=_cut(state))
        return Score(
            value=CORRECT if found.right else INCORRECT,
            answer=found.answer or "",
            explanation=state.store.get(_UNANSWERED) or said,
        )

    return score


@scorer(
    metrics={
        "read": [mean()],
        "refused": [mean()],
        "unanswered": [mean()],
        "tokens": [mean()],
        "steps": [mean()],
    }
)
def reply(data: str | None = None, world: str | None = None) -> Scorer:
    """Count what replies come to beside their answers. data, world: as for the task.

    - read, refused: whether an answer was read, and whether the reply says that it will not answer
    - unanswered: whether the service gave no reply that can be read
    - tokens: written, thoughts included
    - steps: the share of the steps to the answer that the reply takes, less its wrong claims
    """
    reader = ReplyReader(data, world)

    async def score(state: TaskState, target: Target) -> Score:
        said, usage = state.output.completion, state.output.usage
        found = reader.figures(state.metadata, said, _reasoning(state.output), _cut(state))
        refused = found.refused or state.output.stop_reason == "content_filter"
        return Score(
            value={
                "read": float(found.read),
                "refused": float(refused and not found.read),
                "unanswered": float(state.store.get(_UNANSWERED) is not None),
                "tokens": float(usage.output_tokens) if usage else math.nan,
                "steps": math.nan if found.steps is None else found.steps,
            }
        )

    return score


def _cut(state: TaskState) -> bool:
    return bool(state.output.stop_reason == "max_tokens")


def _reasoning(output: ModelOutput) -> str:
    """Return what a model thought before its reply, as far as its service tells."""
    if output.empty or isinstance(output.message.content, str):
        return ""
    thoughts = [part for part in output.message.content if isinstance(part, ContentReasoning)]
    return "\n".join(part.reasoning for part in thoughts)
