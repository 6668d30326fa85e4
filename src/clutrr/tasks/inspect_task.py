"""A task for Inspect, found by its entry point: `inspect eval clutrr/kinship -T k=2-10 --model ...`."""

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, grouped, scorer, stderr
from inspect_ai.solver import TaskState, generate

from clutrr.measure import numbers
from clutrr.prompts import PROMPT_VERSION, Prompt, PromptConfig
from clutrr.scoring import AnswerReader, Asked
from clutrr.tasks.questions import Questions, questions_of
from clutrr.world import load_world


@task
def kinship(
    k: int | str | list[int | str] = "2-6",
    preset: str = "sound",
    size: int = 500,
    seed: int = 0,
    data: str | None = None,
    split: str = "test",
    style: str = "reason",
    shots: int = 0,
    ask: str = "which",
    distractors: int = 8,
) -> Task:
    """Questions of a preset, generated on the fly, or of a folder. size: how many."""
    lengths = numbers(",".join(map(str, k)) if isinstance(k, list) else str(k), "k")
    config = PromptConfig(style=style, shots=shots, ask=ask)
    if data is None:
        made = Questions(preset, lengths, seed, split, distractors, prompts=config)
        prompts, world = made.first(size), made.world
    else:
        _, prompts = questions_of(data, config, split, size, lengths)
        world = data
    return Task(
        dataset=MemoryDataset([_sample(prompt) for prompt in prompts], name="kinship"),
        solver=generate(),
        scorer=relation(world),
        version=PROMPT_VERSION,
    )


def _sample(prompt: Prompt) -> Sample:
    said: list[ChatMessage] = [
        (ChatMessageUser if message["role"] == "user" else ChatMessageAssistant)(content=message["content"])
        for message in prompt.messages
    ]
    asked = prompt.asked
    about = {"k": prompt.k, "ask": asked.ask, "relations": list(asked.relations)}
    return Sample(id=prompt.id, input=said, target=prompt.answer, metadata=about)


@scorer(metrics=[accuracy(), stderr(), grouped(accuracy(), "k", all=False, name_template="k={group_name}")])
def relation(world: str = "kinship") -> Scorer:
    """Whether a reply gives the right answer. world: by name, or a data set that carries it."""
    from clutrr.data import open_dataset
    from clutrr.world import builtin_worlds

    known = load_world(world) if world in builtin_worlds() else open_dataset(world).world
    reader = AnswerReader(known)

    async def score(state: TaskState, target: Target) -> Score:
        asked = Asked(state.metadata["ask"], tuple(state.metadata["relations"]))
        reply = state.output.completion
        answer = reader.read(reply, asked)
        right = answer == target.text
        return Score(value=CORRECT if right else INCORRECT, answer=answer or "", explanation=reply)

    return score
