"""Stories without end, of any world, whose answers are proved: a taskset for verifiers (0.4 or later)."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import verifiers.v1 as vf

import clutrr
from clutrr.tasks import Questions

__all__ = ["KinshipTaskset"]


class KinshipConfig(vf.TasksetConfig):
    """The settings of `clutrr.stream` and of a prompt. k, routes: such as 2-6 or 2,3.

    disjoint: what train and test of one seed do not share, such as "wordings,names".
    parts: those of `clutrr.reward` that count, such as "answer,steps,abstain".
    """

    k: str = "3-6"
    preset: str | None = None
    seed: int = 0
    split: str = "train"
    disjoint: str = ""
    distractors: int = 8
    style: str = "sentences"
    world: str = "kinship"
    routes: str = "1"
    form: str = "which"
    direct: bool = False
    shots: int = 0
    parts: str = "answer,abstain"


class KinshipData(vf.TaskData):
    """row: the columns of a stream's row that the reward needs, beside the answer."""

    answer: str
    k: int
    row: dict[str, Any]
    parts: list[str]


class KinshipTask(vf.Task[KinshipData, vf.State, vf.TaskConfig]):
    """A story and a question."""

    @vf.reward
    async def right(self, trace: vf.Trace) -> float:
        """From 0 to 1; by default 1 for the right answer, marked once, and else 0."""
        columns = {name: [value] for name, value in self.data.row.items()}
        return clutrr.reward(
            [trace.last_reply], [self.data.answer], parts=self.data.parts, **columns
        )[0]


class KinshipTaskset(vf.Taskset[KinshipTask, KinshipConfig]):
    """Task i is item i of a stream."""

    INFINITE = True

    def load(self) -> Iterator[KinshipTask]:
        config = self.config
        settings = {
            name: getattr(config, name) for name in ("k", "preset", "seed", "split", "world")
        }
        settings |= {name: getattr(config, name) for name in ("distractors", "style", "routes")}
        settings["disjoint"] = config.disjoint or ()
        questions = Questions(
            clutrr.stream(**settings), form=config.form, direct=config.direct, shots=config.shots
        )
        for number in count():
            row = questions.row(number)
            said = [
                _MESSAGE[message["role"]](content=message["content"]) for message in row["prompt"]
            ]
            about = {name: row[name] for name in ("ask", "relations", "query", "facts", "assume")}
            data = KinshipData(
                id=row["id"],
                prompt=said if len(said) > 1 else row["prompt"][0]["content"],
                answer=row["answer"],
                k=row["k"],
                row={**about, "world": row.get("world", config.world)},
                parts=config.parts.split(","),
            )
            yield KinshipTask(data, config.task)


_MESSAGE = {"user": vf.UserMessage, "assistant": vf.AssistantMessage}
