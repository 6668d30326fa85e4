"""Stories without end, of any world, whose answers are proved: a taskset for verifiers (0.4 or later)."""

from collections.abc import Iterator
from functools import cache

import verifiers.v1 as vf

from clutrr.measure import numbers, written
from clutrr.prompts import PromptConfig
from clutrr.scoring import AnswerReader, QuestionForm
from clutrr.tasks import Questions
from clutrr.world import load_world

__all__ = ["KinshipTaskset"]


class KinshipConfig(vf.TasksetConfig):
    """k: facts of a route between the two entities, such as 2-6 or 2,3. routes: how many, likewise."""

    k: str = written(Questions.k)
    preset: str | None = Questions.preset
    seed: int = Questions.seed
    split: str = "train"
    distractors: int = Questions.distractors
    world: str = Questions.world
    routes: str = "1"
    form: str = "which"
    direct: bool = False
    shots: int = 0


class KinshipData(vf.TaskData):
    """answer: the right one. form, relations: how the question is put. world: that it is about."""

    answer: str
    k: int
    form: str
    relations: list[str]
    query: list[str]
    world: str


class KinshipTask(vf.Task[KinshipData, vf.State, vf.TaskConfig]):
    """A story and a question."""

    @vf.reward
    async def right(self, trace: vf.Trace) -> float:
        """1 for the right answer, marked once; else 0."""
        asked = QuestionForm(self.data.form, tuple(self.data.relations), tuple(self.data.query))
        reply = _reader(self.data.world).read(trace.last_reply, asked, strict=True)
        return float(reply == self.data.answer)


class KinshipTaskset(vf.Taskset[KinshipTask, KinshipConfig]):
    """Task i is a pure function of the config and i."""

    INFINITE = True

    def load(self) -> Iterator[KinshipTask]:
        config = self.config
        questions = Questions(
            config.preset,
            numbers(config.k, "k"),
            config.seed,
            config.split,
            config.distractors,
            config.world,
            PromptConfig(config.form, config.direct, config.shots),
            numbers(config.routes, "routes"),
        )
        for prompt in questions:
            said = [_MESSAGE[message["role"]](content=message["content"]) for message in prompt.messages]
            data = KinshipData(
                id=prompt.id,
                prompt=said if len(said) > 1 else prompt.messages[0]["content"],
                answer=prompt.answer,
                k=prompt.k,
                form=prompt.asked.form,
                relations=list(prompt.asked.relations),
                query=list(prompt.query),
                world=config.world,
            )
            yield KinshipTask(data, config.task)


_MESSAGE = {"user": vf.UserMessage, "assistant": vf.AssistantMessage}


@cache
def _reader(world: str) -> AnswerReader:
    return AnswerReader(load_world(world))
